//go:build unix && !aix

package runtime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// neverRests are futures that never rest: each poll asks for another, or never waits. They count
// what they do, and end when told.
var neverRests = map[string]func(done *int) pollFunc{
	"wakes itself": func(done *int) pollFunc {
		return func(cx runtime.Cx) (int, error, bool) {
			*done++
			cx.Waker().WakeFrom(cx)
			return 0, nil, false
		}
	},
	"wakes itself and waits": func(done *int) pollFunc {
		never := runtime.NewChannel[int](0)
		var p runtime.Pending
		var nap runtime.Nap
		return func(cx runtime.Cx) (int, error, bool) {
			*done++
			_, _, ready := p.Poll(cx, never.ReceiveCase(nil))
			cx.Waker().Wake()
			return 0, nil, ready || nap.Over(cx, time.Hour)
		}
	},
	"ends its nap in each poll": func(done *int) pollFunc {
		var nap runtime.Nap
		return func(cx runtime.Cx) (int, error, bool) {
			*done++
			if nap.Over(cx, 0) {
				nap.Over(cx, time.Nanosecond)
			}
			cx.Waker().Wake()
			return 0, nil, false
		}
	},
	"yields in Poll": func(done *int) pollFunc {
		return func(cx runtime.Cx) (int, error, bool) {
			*done++
			cx.Yield()
			return 0, nil, false
		}
	},
	"is given all at once": func(done *int) pollFunc {
		var s runtime.Notify
		var p runtime.Pending
		return func(cx runtime.Cx) (int, error, bool) {
			for {
				*done++
				s.Signal()
				if _, err, ready := p.Poll(cx, s.WaitCase()); err != nil || !ready {
					return 0, err, true
				}
			}
		}
	},
	"is given each as it waits": func(done *int) pollFunc {
		var s runtime.Notify
		var p runtime.Pending
		return func(cx runtime.Cx) (int, error, bool) {
			for {
				*done++
				if _, err, ready := p.Poll(cx, s.WaitCase()); ready {
					return 0, err, true
				}
				s.Signal()
				if _, err, ready := p.Poll(cx, s.WaitCase()); err != nil || !ready {
					return 0, err, true
				}
			}
		}
	},
	"waits for no time": func(done *int) pollFunc {
		var p runtime.Pending
		return func(cx runtime.Cx) (int, error, bool) {
			for {
				*done++
				if _, err, _ := p.Poll(cx, runtime.AfterCase(0)); err != nil {
					return 0, err, true
				}
			}
		}
	},
	"naps for no time": func(done *int) pollFunc {
		var nap runtime.Nap
		return func(cx runtime.Cx) (int, error, bool) {
			for cx.Err() == nil {
				*done++
				nap.Over(cx, 0)
			}
			return 0, cx.Err(), true
		}
	},
}

// A future that wakes itself in each poll, or is never kept waiting, takes turns with all else that
// its worker has to do: tasks, timers, descriptors, goroutines; and it ends as others do.
// (runtime/R52)
func TestFutureThatNeverRestsTakesTurns(t *testing.T) {
	const lifo, budget = 3, 4
	// A future that calls what need not wait has eight budgets before it yields, and one call more.
	const most = max(1+lifo, 8*(budget+1)+1)
	for name, body := range neverRests {
		for _, end := range []string{"cancel", "Close"} {
			t.Run(name+"/"+end, func(t *testing.T) {
				rt := start(t, 1, runtime.LIFOCap(lifo), runtime.TaskBudget(budget),
					runtime.TickBudget(8))
				conn, other := conns(t, rt)
				done := 0 // by the worker's tasks
				h := runtime.SubmitFuture(rt, body(&done))
				run(t, rt, func(cx runtime.Cx) error {
					cx.Yield()
					for range 50 {
						done = 0
						cx.Yield()
						require.LessOrEqual(t, done, most)
						require.Positive(t, done)
					}
					require.NoError(t, cx.Sleep(time.Millisecond))
					go func() { _, _ = other.Write([]byte("x")) }()
					n, err := conn.Read(cx, make([]byte, 8))
					require.Equal(t, 1, n)
					require.NoError(t, err)
					b := runtime.SpawnBlocking(cx, func() (int, error) { return 7, nil })
					v, err := b.Join(cx)
					require.Equal(t, 7, v)
					return err
				})
				want := runtime.ErrCancelled
				if end == "cancel" {
					h.Cancel()
				} else {
					want = runtime.ErrClosed
					closes(t, rt)
				}
				_, err := get(t, h)
				require.ErrorIs(t, err, want)
			})
		}
	}
}
