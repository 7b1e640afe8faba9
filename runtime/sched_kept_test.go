package runtime_test

import (
	"context"
	goruntime "runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A runtime that idles keeps nothing of the tasks that have ended: neither their results, nor their
// functions with what these hold, nor their handles, their futures, and what they gave to timeouts,
// scopes and groups. However they waited, and however many workers and spare coroutines there are;
// also where sleepers look at the slots seldom, as by default, and with Debug. (runtime/R10)
func TestIdleRuntimeKeepsNothingOfEndedTasks(t *testing.T) {
	for name, work := range endingWork() {
		t.Run(name, func(t *testing.T) {
			often := runtime.RescueInterval(time.Millisecond)
			for _, workers := range []int{1, 2, 8, 65} {
				for _, spares := range []int{8, 1000} {
					keepsNothing(t, work, workers, runtime.SpareCoroutines(spares), often)
				}
			}
			for _, workers := range []int{1, 2, 65} {
				keepsNothing(t, work, workers)
			}
			keepsNothing(t, work, 2, runtime.Debug())
		})
	}
}

// A litter is what tasks leave behind: how much there was, and how much was collected.
type litter struct{ made, gone atomic.Int64 }

// leave counts p until it is collected, and returns it.
func leave[T any](l *litter, p *T) *T {
	l.made.Add(1)
	goruntime.AddCleanup(p, func(int) { l.gone.Add(1) }, 0)
	return p
}

// thing returns something that a function holds, or is its result.
func (l *litter) thing() *[64]byte { return leave(l, new([64]byte)) }

// holding returns fn as a function that holds something.
func (l *litter) holding(fn func(cx runtime.Cx) error) func(cx runtime.Cx) (*[64]byte, error) {
	held := l.thing()
	return func(cx runtime.Cx) (*[64]byte, error) {
		err := fn(cx)
		goruntime.KeepAlive(held)
		return l.thing(), err
	}
}

// A shortNap ends after a millisecond.
type shortNap struct {
	nap  runtime.Nap
	held *[64]byte
}

func (s *shortNap) Poll(cx runtime.Cx) (*[64]byte, error, bool) {
	return s.held, nil, s.nap.Over(cx, time.Millisecond)
}

func sleepsMillisecond(cx runtime.Cx) error { return cx.Sleep(time.Millisecond) }

// endingWork returns ways in which a task waits, or starts others, before it ends.
func endingWork() map[string]func(cx runtime.Cx, l *litter) error {
	return map[string]func(cx runtime.Cx, l *litter) error{
		"no wait": func(runtime.Cx, *litter) error { return nil },
		"yield": func(cx runtime.Cx, _ *litter) error {
			cx.Yield()
			return nil
		},
		"sleep": func(cx runtime.Cx, _ *litter) error { return cx.Sleep(5 * time.Millisecond) },
		"join": func(cx runtime.Cx, l *litter) error {
			h := leave(l, runtime.Spawn(cx, l.holding(sleepsMillisecond)))
			_, err := h.JoinTimeout(cx, time.Hour)
			return err
		},
		"child": func(cx runtime.Cx, l *litter) error {
			_, err := leave(l, runtime.Spawn(cx, l.holding(sleepsMillisecond))).Join(cx)
			return err
		},
		"detached": func(cx runtime.Cx, l *litter) error {
			leave(l, runtime.Spawn(cx, l.holding(sleepsMillisecond))).Detach()
			return nil
		},
		"cancelled": func(cx runtime.Cx, l *litter) error {
			h := leave(l, runtime.Spawn(cx, l.holding(func(cx runtime.Cx) error {
				return cx.Sleep(time.Hour)
			})))
			cx.Yield()
			h.Cancel()
			_, _ = h.Join(cx) // ErrCancelled
			return nil
		},
		"panic": func(cx runtime.Cx, l *litter) error {
			_, _ = leave(l, runtime.Spawn(cx, l.holding(func(cx runtime.Cx) error {
				cx.Yield()
				panic(l.thing())
			}))).Join(cx) // a PanicError
			return nil
		},
		"timeout": func(cx runtime.Cx, l *litter) error {
			_, err := runtime.Timeout(cx, time.Hour, l.holding(sleepsMillisecond))
			return err
		},
		"timeout that passes": func(cx runtime.Cx, l *litter) error {
			_, err := runtime.Timeout(cx, time.Millisecond, l.holding(func(cx runtime.Cx) error {
				return cx.Sleep(time.Hour)
			}))
			if err != runtime.ErrTimeout {
				return err
			}
			return nil
		},
		"context": func(cx runtime.Cx, l *litter) error {
			ctx, stop := context.WithCancel(cx.Context())
			h := leave(l, runtime.SpawnContext(ctx, cx, l.holding(sleepsMillisecond)))
			cx.Yield()
			stop()
			_, _ = h.Join(cx) // the error of the context, if it came before the end
			return nil
		},
		"future": func(cx runtime.Cx, l *litter) error {
			f := leave(l, &shortNap{held: l.thing()})
			_, err := leave(l, runtime.SpawnFuture[*[64]byte](cx, f)).Join(cx)
			return err
		},
		"future in its task": func(cx runtime.Cx, l *litter) error {
			_, err := leave(l, runtime.SpawnFutureValue[*[64]byte](cx,
				shortNap{held: l.thing()})).Join(cx)
			return err
		},
		"select": func(cx runtime.Cx, l *litter) error {
			h := leave(l, runtime.Spawn(cx, l.holding(sleepsMillisecond)))
			_, err := runtime.Select(cx, runtime.AfterCase(time.Millisecond),
				runtime.AfterCase(time.Hour), h.EndCase())
			return err
		},
		"group": func(cx runtime.Cx, l *litter) error {
			g := leave(l, runtime.NewGroup(cx.Context(), cx.Runtime()))
			held := l.thing()
			_ = g.Spawn(cx, func(cx runtime.Cx) error { // Join returns the error
				held[0] = 1
				return sleepsMillisecond(cx)
			})
			return g.Join(cx)
		},
		"scope": func(cx runtime.Cx, l *litter) error {
			return runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
				leave(l, runtime.SpawnIn(cx, leave(l, s), l.holding(sleepsMillisecond)))
				return nil
			})
		},
		"batch": func(cx runtime.Cx, l *litter) error {
			held := l.thing()
			_, err := leave(l, runtime.SpawnBatch(cx, 3,
				func(cx runtime.Cx, i int) (*[64]byte, error) {
					held[i] = 1
					return l.thing(), sleepsMillisecond(cx)
				})).Join(cx)
			return err
		},
		"blocking": func(cx runtime.Cx, l *litter) error {
			held := l.thing()
			_, err := leave(l, runtime.SpawnBlocking(cx, func() (*[64]byte, error) {
				held[0] = 1
				return l.thing(), nil
			})).Join(cx)
			return err
		},
		"fork": func(cx runtime.Cx, l *litter) error {
			f := runtime.Fork(cx, func(cx runtime.Cx, held *[64]byte) error {
				held[0] = 1
				return sleepsMillisecond(cx)
			}, l.thing())
			cx.Yield()
			return f.Join(cx)
		},
		"loop": func(cx runtime.Cx, l *litter) error {
			_, err := runtime.Map(cx, make([]int, 20), func(cx runtime.Cx, _ int) *[64]byte {
				cx.Yield()
				return l.thing()
			})
			return err
		},
		"channel": func(cx runtime.Cx, l *litter) error {
			c := leave(l, runtime.NewChannel[*[64]byte](0))
			leave(l, runtime.Spawn(cx, l.holding(func(cx runtime.Cx) error {
				return c.Send(cx, l.thing())
			})))
			_, err := c.Receive(cx)
			return err
		},
		"long": func(runtime.Cx, *litter) error { // sleepers look at the slots
			time.Sleep(100 * time.Microsecond)
			return nil
		},
	}
}

// keepsNothing holds that a runtime in which many tasks have done the work keeps nothing of them.
func keepsNothing(
	t *testing.T, work func(cx runtime.Cx, l *litter) error, workers int,
	options ...runtime.Option,
) {
	t.Helper()
	rt := start(t, workers, options...)
	l := new(litter)
	runAndDrop(t, rt, l, work)
	for range 200 {
		if goruntime.GC(); l.gone.Load() == l.made.Load() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%d workers: of %d things, %d are kept\n%s", workers, l.made.Load(),
		l.made.Load()-l.gone.Load(), runtime.Dump(rt))
}

// runAndDrop runs tasks that do work, waits until all tasks have ended, and drops the handles.
func runAndDrop(
	t *testing.T, rt *runtime.Runtime, l *litter, work func(cx runtime.Cx, l *litter) error,
) {
	const many = 100
	handles := make([]*runtime.Handle[*[64]byte], many)
	for i := range handles {
		handles[i] = leave(l, runtime.Submit(rt, l.holding(func(cx runtime.Cx) error {
			return work(cx, l)
		})))
	}
	for _, h := range handles {
		_, err := get(t, h)
		require.NoError(t, err)
	}
	waits(t, func() bool { return rt.Stats().Live == 0 }, "tasks are left")
}

// manyWorkers is how many workers take what many of them take.
const manyWorkers = 8192

// What a runtime takes for its workers grows with their number and not with its square.
// (runtime/R11) A worker that sleeps takes at most 4 KB, with all that stands for it in Go's
// scheduler, and besides that the stack of its goroutine.
func TestAWorkerTakesAFewKilobytes(t *testing.T) {
	const most, mostStack = 4 << 10, 8 << 10
	heap, stacks := inUse()
	rt := start(t, manyWorkers)
	waits(t, func() bool { return rt.Stats().Sleeping == manyWorkers }, "not all workers sleep")
	heapNow, stacksNow := inUse()
	each, stack := (heapNow-heap)/manyWorkers, (stacksNow-stacks)/manyWorkers
	t.Logf("%d bytes each, and %d of stack", each, stack)
	require.LessOrEqual(t, each, most)
	require.LessOrEqual(t, stack, mostStack)
}

// inUse returns how many bytes are reachable, and how many stacks take.
func inUse() (heap, stacks int) {
	for range 3 {
		goruntime.GC()
	}
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return int(m.HeapAlloc), int(m.StackInuse)
}
