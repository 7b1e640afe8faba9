//go:build !race

package explore_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"github.com/surewake/surewake/model/wire"
)

// reversalOf explores body up to its first failure, and looks for a reversal. It returns a text
// that names thread and operation of both steps. The schedule of a reversal must pass.
func reversalOf(t *testing.T, body func()) string {
	t.Helper()
	found := explore.Run(explore.Config{Preemptions: -1, FirstOnly: true}, body).Failure
	require.NotNil(t, found)
	cfg := explore.Config{Preemptions: -1, Record: true, Replay: wire.Deviations(found.Schedule)}
	failed := explore.Run(cfg, body)
	require.NotNil(t, failed.Failure)
	other := explore.Reverse(cfg, body, &failed, time.Minute)
	if other == nil {
		return "none"
	}
	cfg.Replay = wire.Deviations(other.Schedule)
	passes := explore.Run(cfg, body)
	require.Nil(t, passes.Failure)
	require.EqualValues(t, 1, passes.Complete)
	require.Empty(t, passes.Unfit)
	name := func(s wire.Step) string { return s.Name + " " + s.Op + " " + s.Object }
	first := name(failed.Trace[other.First])
	switch n := len(failed.Trace); {
	case other.Second == explore.AfterAll:
		return first + " last"
	case other.Second == other.First:
		return "another choice of " + first
	case other.Second >= n:
		b := failed.Failure.Blocked[other.Second-n]
		return fmt.Sprintf("the %s %s of %s before %s", b.Op, b.Object, b.Name, first)
	default:
		return name(failed.Trace[other.Second]) + " before " + first
	}
}

func TestReversalThatDecides(t *testing.T) {
	var x, log, ready, asleep atomic.Int32
	var a, b sync.Mutex
	var jobs chan int
	increment := func() { hook.Int32Store(&x, hook.Int32Load(&x)+1) }
	nest := func(outer, inner *sync.Mutex) func() {
		return func() {
			hook.MutexLock(outer)
			hook.MutexLock(inner)
			hook.MutexUnlock(inner)
			hook.MutexUnlock(outer)
		}
	}
	assert := func(ok bool) {
		if !ok {
			explore.Fail(explore.KindAssert, "wrong")
		}
	}
	for _, c := range []struct {
		name string
		body func()
		want string
	}{
		{"a lost update", func() {
			x = atomic.Int32{}
			spawn(increment, increment)
			assert(hook.Int32Load(&x) == 2)
		}, "t1 Store #0 before t0 Load #0"},
		{"locks in two orders", func() {
			a, b = sync.Mutex{}, sync.Mutex{}
			spawn(nest(&a, &b), nest(&b, &a))
		}, "the Lock #0 of t1 before t0 Lock #0"},
		{"a look before the announcement", func() {
			ready, asleep, a = atomic.Int32{}, atomic.Int32{}, sync.Mutex{}
			hook.MutexLock(&a)
			spawn(func() {
				if hook.Int32Load(&ready) == 0 {
					hook.Int32Store(&asleep, 1)
					hook.MutexLock(&a)
				}
			}, func() {
				hook.Int32Store(&ready, 1)
				if hook.Int32Load(&asleep) == 1 {
					hook.MutexUnlock(&a)
				}
			})
		}, "t0 Store #2 before t1 Load #2"},
		{"a choice", func() {
			spawn(func() { assert(explore.Choose(3) != 2) })
		}, "another choice of t0 Choose "},
		{"one who does not wait", func() {
			x = atomic.Int32{}
			explore.Go("setter", func() { increment(); increment() }, true)
			assert(hook.Int32Load(&x) == 2)
			explore.Join()
		}, "main Load #0 last"},
		{"a close before a send", func() {
			jobs = make(chan int, 1)
			spawn(func() { hook.To(jobs).Send(1) }, func() { hook.Close(jobs) })
		}, "t0 channel send #0 before t1 close of a channel #0"},
		{"a close before somebody has made room", func() {
			jobs = make(chan int, 1)
			hook.To(jobs).Send(0)
			spawn(func() { hook.To(jobs).Send(1) }, func() { hook.Close(jobs) }, func() {
				hook.Recv(jobs)
				hook.Recv(jobs)
			})
		}, "t0 channel send #0 before t1 close of a channel #0"},
		{"a look and a change under a lock each", func() {
			a = sync.Mutex{}
			n := 0
			add := func() {
				hook.MutexLock(&a)
				room := n == 0
				hook.MutexUnlock(&a)
				hook.MutexLock(&a)
				if room {
					n++
				}
				hook.MutexUnlock(&a)
			}
			spawn(add, add)
			assert(n < 2)
		}, "t0 Lock #0 before t1 Lock #0"},
		{"an offer that nobody waits for", func() {
			jobs = make(chan int)
			spawn(func() { hook.Recv(jobs) }, func() {
				s := hook.NewSelection(1, true)
				select {
				case hook.SelectSend(&s, jobs) <- 1:
					hook.SelectSent(&s)
				default:
				}
			})
		}, "t0 channel receive #0 before t1 select "},
		{"a receive that a close has made possible", func() {
			jobs = make(chan int)
			received := false
			spawn(func() { hook.Close(jobs) }, func() {
				defer func() { _ = recover() }()
				s := hook.NewSelection(2, false)
				select {
				case hook.SelectSend(&s, jobs) <- 1:
					hook.SelectSent(&s)
				case <-hook.SelectRecv(&s, jobs):
					received = true
				}
			})
			assert(!received)
		}, "another choice of t1 select #0"},
		{"what does not matter around what does", func() {
			x, log = atomic.Int32{}, atomic.Int32{}
			spawn(func() {
				hook.Int32Add(&log, 1)
				hook.Int32Store(&x, 1)
			}, func() {
				seen := hook.Int32Load(&x)
				hook.Int32Add(&log, 1)
				assert(seen == 0)
			})
		}, "t1 Load #1 before t0 Store #1"},
		{"nothing decides", func() {
			x = atomic.Int32{}
			spawn(increment, increment)
			assert(hook.Int32Load(&x) == 3)
		}, "none"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, reversalOf(t, c.body)) })
	}
}
