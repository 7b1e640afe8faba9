package runtime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A task that yields and has its worker for itself keeps waiting neither what comes from outside,
// nor timers, nor goroutines.
func TestALoneTaskThatYieldsKeepsNobodyWaiting(t *testing.T) {
	const most = 10_000_000
	yieldsUntil := func(t *testing.T, cx runtime.Cx, over func() bool) {
		yields := 0
		for ; yields < most && !over(); yields++ {
			cx.Yield()
		}
		require.Less(t, yields, most)
	}
	for name, come := range map[string]func(cx runtime.Cx) (over func() bool){
		"injected": func(cx runtime.Cx) func() bool {
			h := runtime.Submit(cx.Runtime(), returns(1)) // as from outside
			return func() bool { _, _, ended := h.TryJoin(); return ended }
		},
		"timer": func(cx runtime.Cx) func() bool {
			h := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
				return 0, cx.Sleep(time.Millisecond)
			})
			cx.Yield()
			return func() bool { _, _, ended := h.TryJoin(); return ended }
		},
	} {
		t.Run(name, func(t *testing.T) {
			rt := start(t, 1)
			run(t, rt, func(cx runtime.Cx) error {
				yieldsUntil(t, cx, come(cx))
				return nil
			})
		})
	}
}

// A yield lets every task that is queued at the worker run first: what the task has spawned, and
// what has yielded before it.
func TestYieldLetsEveryQueuedTaskRunFirst(t *testing.T) {
	for _, tasks := range []int{1, 3} {
		rt := start(t, 1)
		run(t, rt, func(cx runtime.Cx) error {
			turns := make([]int, tasks)
			over := false
			for i := range turns {
				runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
					for !over {
						turns[i]++
						cx.Yield()
					}
					return 0, nil
				}).Detach()
			}
			for n := range 100 {
				cx.Yield()
				for _, turn := range turns {
					require.Equal(t, n+1, turn)
				}
			}
			over = true
			return nil
		})
	}
}

// A future that its join polls and that wakes itself ends in the join; one that goes on and on lets
// others run after as many polls as the slot has. (runtime/R6)
func TestAJoinPollsAFutureThatHasWokenItself(t *testing.T) {
	const lifo = 3
	for name, polls := range map[string]int{"few": 1 + lifo, "many": 100} {
		t.Run(name, func(t *testing.T) {
			rt := start(t, 1, runtime.LIFOCap(lifo))
			run(t, rt, func(cx runtime.Cx) error {
				f := &wakesItself{polls: polls}
				others, most, last := 0, 0, 0
				other := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
					for f.polled < polls {
						cx.Yield()
						others++
						most = max(most, f.polled-last)
						last = f.polled
					}
					return 0, nil
				})
				cx.Yield()
				v, err := runtime.SpawnFuture[int](cx, f).Join(cx)
				require.Equal(t, polls, v)
				if polls <= 1+lifo {
					require.Zero(t, others)
				} else {
					require.Positive(t, others)
				}
				require.LessOrEqual(t, most, 1+lifo)
				require.NoError(t, err)
				_, err = other.Join(cx)
				return err
			})
			require.Zero(t, rt.ListedFutures())
		})
	}
}

// A future that yields in Poll is polled once more, whether the yield had to switch or not.
func TestAFutureThatHasYieldedIsPolledAgain(t *testing.T) {
	for _, others := range []bool{false, true} {
		rt := start(t, 1)
		polls := 0
		v, err := get(t, runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
			polls++
			if polls == 1 {
				if others {
					cx.Go(func(runtime.Cx) {})
				}
				cx.Yield()
			}
			return polls, nil, polls > 1
		})))
		require.NoError(t, err)
		require.Equal(t, 2, v)
	}
}

// A wakesItself is ready after so many polls.
type wakesItself struct{ polls, polled int }

func (f *wakesItself) Poll(cx runtime.Cx) (int, error, bool) {
	if f.polled++; f.polled == f.polls {
		return f.polled, nil, true
	}
	cx.Waker().WakeFrom(cx)
	return 0, nil, false
}

// A join that is told to end while it polls a future again and again tells the future.
func TestACancelReachesAFutureThatAJoinPolls(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		f := &wakesItself{polls: -1}
		h := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
			return runtime.SpawnFuture[int](cx, f).Join(cx)
		})
		for f.polled < 50 {
			cx.Yield()
		}
		h.Cancel()
		_, err := h.Join(cx)
		require.Equal(t, runtime.ErrCancelled, err)
		return nil
	})
}
