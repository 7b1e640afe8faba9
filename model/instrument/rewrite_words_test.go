package instrument

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The package says what its words mean where the source says it and the line means one type.
func TestLinesSayWhatTheirWordsMean(t *testing.T) {
	set := rewriteModule(t, newModule(t, `-- a_test.go --
package t

import (
	"sync/atomic"
	"testing"
	clock "time"
)

type state uint32

func (s state) String() string { return "state" }

type plain uint32

type byPointer uint32

func (s *byPointer) String() string { return "" }

func TestA(*testing.T) {
	type local struct{ atomic.Int64 }
	var s, o atomic.Uint32
	var d local
	var n uint64
	_ = state(s.Load()) // 24
	_ = s.Load()
	s.CompareAndSwap(uint32(state(1)), 2) // 26
	_ = (state)((s.Or(4))) // 27
	_, _ = state(s.Load()), o.Load()
	_, _ = plain(s.Load()), byPointer(o.Load())
	_ = clock.Duration(d.Load()) // 30
	_ = clock.Duration(atomic.AddUint64(&n, 1)) + clock.Duration(d.Load()) // 31
	_, _ = state(s.Load()), clock.Duration(d.Load())
	for s.CompareAndSwap(uint32(state(n)), uint32(state(n))) && state(s.Load()) == 1 { // 33
	}
}
`))
	text := ""
	for name, rewritten := range rewrittenFiles(t, set, "example.com/t", true) {
		if filepath.Base(name) == "a_test.go" {
			text = rewritten
		}
	}
	var lines []string
	for line := range strings.Lines(text) {
		if at, ok := strings.CutPrefix(line, "var _ = sw_hook.ShowWord("); ok {
			lines = append(lines, strings.ReplaceAll(at, ", func(v uint64) string { return", ""))
		}
	}
	require.Equal(t, "24 (state)(v).String() })\n26 (state)(v).String() })\n"+
		"27 (state)(v).String() })\n30 (clock.Duration)(v).String() })\n"+
		"31 (clock.Duration)(v).String() })\n33 (state)(v).String() })\n", strings.Join(lines, ""))
	require.NoError(t, set.Build(t.Context(), "example.com/t", false, t.TempDir()+"/bin"))
}

// A conversion by which atomic words may come to lie over others is marked, whatever the words are
// part of.
func TestConversionsThatOverlayWordsAreMarked(t *testing.T) {
	set := rewriteModule(t, newModule(t, `-- a_test.go --
package t

import (
	"reflect"
	"sync/atomic"
	"testing"
	"unsafe"
)

type pair struct{ low, high uint32 }

type typed struct{ of [2]atomic.Uint32 }

type text struct{ first, rest string }

type own uint64

func (o *own) add() {}

func cast[T any](p unsafe.Pointer) *T { return (*T)(p) } // marked

func castTo[P ~*pair](p unsafe.Pointer) P { return P(p) } // marked

func TestA(*testing.T) {
	var w uint64
	p := unsafe.Pointer(&w)
	_ = (*uint32)(p) // marked
	_ = reflect.NewAt(reflect.TypeFor[uint32](), p) // marked
	_ = reflect.SliceAt(reflect.TypeFor[uint32](), p, 2) // marked
	at := reflect.NewAt // marked
	_ = at
	_ = (*atomic.Int64)(p) // marked
	_ = (*[2]uint32)(p) // marked
	_ = (*pair)(p) // marked
	_ = (*typed)(p) // marked
	_ = (**pair)(p) // marked
	_ = (*[]pair)(p) // marked
	_ = (*unsafe.Pointer)(p) // marked
	_ = (*atomic.Pointer[text])(p) // marked
	_ = &*(*uint64)(p) // marked
	_ = &(*((*uint64)(p))) // marked
	(*(*own)(p)).add() // marked
	_ = **(**pair)(p) // marked
	_ = *(*uint64)(p)
	*((*unsafe.Pointer)(p)) = nil // marked
	*(*uintptr)(p) = 1 // marked
	_, *(*uintptr)(p) = 1, 2 // marked
	w = *(*uint64)(p)
	*(*uint64)(p) = 1
	_ = *(*unsafe.Pointer)(p)
	_ = *(*func() *pair)(p) // marked
	_ = (*text)(p)
	_ = (*byte)(p)
	_ = (*any)(p)
	_ = uintptr(p)
	_ = cast[text](p)
}
`))
	for name, rewritten := range rewrittenFiles(t, set, "example.com/t", true) {
		if filepath.Base(name) != "a_test.go" {
			continue
		}
		for line := range strings.Lines(rewritten) {
			marked := strings.Contains(line, "Overlaid")
			require.Equal(t, strings.Contains(line, "// marked"), marked, line)
		}
	}
}
