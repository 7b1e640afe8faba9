//go:build !race

package explore_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

// A line that says what a word means names it in all of the picture; values that cannot be named,
// and other words, stay numbers.
func TestWordsAreNamed(t *testing.T) {
	var file string
	var line int
	body := func() {
		var word, other atomic.Uint64
		spawn(func() {}, func() {})
		hook.Uint64Store(&word, 2)
		hook.Uint64CompareAndSwap(&word, 2, 3)
		_, file, line, _ = runtime.Caller(0)
		hook.Uint64Load(&word)
		hook.Uint64CompareAndSwap(&word, 2, 3)
		hook.Uint64Add(&word, 4)
		hook.Uint64Add(&other, 2)
		hook.Uint64CompareAndSwap(&other, 2, 3)
	}
	values := func() string {
		var all []string
		r := explore.Run(explore.Config{Preemptions: -1, Record: true}, body)
		for _, s := range r.Trace {
			if s.Op == "Load" || s.Op == "Add" || s.Op == "CompareAndSwap" {
				all = append(all, s.Value)
			}
		}
		return strings.Join(all, ", ")
	}
	require.Equal(t, "2 -> 3: true, 3, 2 -> 3: false, 7, 2, 2 -> 3: true", values())

	explore.ShowWord(file, line+1, func(v uint64) string {
		if v > 3 {
			panic("no such value")
		}
		return fmt.Sprintf("value\n%d", v)
	})
	require.Equal(t, "value 2 -> value 3: true, value 3, value 2 -> value 3: false, 7, "+
		"2, 2 -> 3: true", values())
}
