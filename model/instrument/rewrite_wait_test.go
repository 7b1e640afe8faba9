package instrument

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const waitArchive = `
-- wait/wait.go --
package wait

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

func waits(c chan int, x context.Context, f *atomic.Bool, mu *sync.Mutex) {
	for i := 0; !f.Load(); i++ { // turn
	}
	for d := time.Millisecond; !f.CompareAndSwap(false, true); d *= 2 { // turn
		time.Sleep(d)
	}
	for { // turn
		select {
		case <-c:
			return
		case <-time.After(time.Second):
		}
	}
	for x.Err() == nil { // spin
	}
	for { // spin
		select {
		case <-x.Done():
			return
		default:
		}
	}
	for context.Cause(x) == nil { // turn
	}
	for j := 0; j < 3; runtime.Gosched() { // turn
		if f.CompareAndSwap(false, true) {
			j++
		}
	}
	n := 0
	for !f.Load() { // turn
		n++
	}
	for i := 0; x != nil; i++ { // turn
		runtime.Gosched()
	}
}

func works(c chan int, f *atomic.Bool, mu *sync.Mutex, w []int) {
	for i := 0; i < 3; i++ { // no
		f.Load()
	}
	for b := f.Load(); !b; b = f.Load() { // no
		if f.CompareAndSwap(b, true) {
			return
		}
	}
	left := 3
	go func() {
		for { // no
			mu.Lock()
			left--
			mu.Unlock()
		}
	}()
	p := &w[0]
	for !f.Load() { // no
		*p++
	}
	for !f.Load() { // turn
		w = w[1:]
	}
	q := 0
	r := &q
	for !f.Load() { // no
		q++
	}
	_ = r
	s := 0
	shown := func() int { return s }
	for !f.Load() { // no
		s++
	}
	_ = shown
	var m count
	at := m.pointer()
	for !f.Load() { // no
		m++
	}
	_ = at
}

type count int

func (c *count) pointer() *count { return c }
-- wait/wait_test.go --
package wait

import "testing"

func TestNothing(t *testing.T) {}
`

// A loop is marked exactly where the comment in its head says so.
func TestLoopsThatWaitAreThoseWithoutWork(t *testing.T) {
	set := rewriteModule(t, newModule(t, waitArchive))
	text := rewrittenText(t, set, "example.com/t/wait", "wait.go")
	spins, turns, others := 0, 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		marked := strings.Contains(line, "hook.Turn(")
		switch {
		case strings.HasSuffix(line, "// spin"):
			spins++
			require.Contains(t, line, "hook.Spin(")
		case strings.HasSuffix(line, "// turn"):
			turns++
			require.True(t, marked, line)
		case strings.HasSuffix(line, "// no"):
			others++
			require.False(t, marked, line)
		}
	}
	require.Equal(t, []int{2, 8, 7}, []int{spins, turns, others})
	require.NoError(t, set.Build(t.Context(), "example.com/t/wait", false, t.TempDir()+"/bin"))
}

// A context that the program declares may have effects that nobody sees.
func TestOwnContextsAreNotPolledWithoutEffect(t *testing.T) {
	own := strings.Replace(waitArchive, "func works(", `
type own struct{ context.Context }

func (o own) Err() error { println(); return nil }

func works(`, 1)
	set := rewriteModule(t, newModule(t, own))
	polls := 0
	for line := range strings.Lines(rewrittenText(t, set, "example.com/t/wait", "wait.go")) {
		if strings.Contains(line, "x.Err() == nil") {
			polls++
			require.Contains(t, line, "hook.Turn(")
			require.Contains(t, line, "hook.Changing()")
		}
	}
	require.Equal(t, 1, polls)
}
