package runtime_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

func TestForksReturnWhatCallsReturn(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		run(t, rt, func(cx runtime.Cx) error {
			require.Equal(t, plainFib(18), fibFork(cx, 18))
			require.Equal(t, plainFib(18), fibMine(cx, 18))
			require.Equal(t, plainFib(12), fibBoth(cx, 12))
			return nil
		})
	})
}

func TestLoopsRunEachIterationOnce(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		run(t, rt, func(cx runtime.Cx) error {
			const n = 5000
			var each, ranged [n]int32
			require.NoError(t, runtime.For(cx, 0, n, func(cx runtime.Cx, i int) {
				if i%1000 == 7 {
					cx.Yield() // what is left of the loop becomes a task
				}
				each[i]++
			}))
			require.NoError(t, runtime.Range(cx, 0, n, func(_ runtime.Cx, lo, hi int) {
				for i := lo; i < hi; i++ {
					ranged[i]++
				}
			}))
			for i := range n {
				require.EqualValues(t, 1, each[i])
				require.EqualValues(t, 1, ranged[i])
			}
			text, err := runtime.Reduce(cx, 0, 100, func(_ runtime.Cx, lo, hi int) (s string) {
				for i := lo; i < hi; i++ {
					s += fmt.Sprint(i)
				}
				return s
			}, func(a, b string) string { return a + b })
			want := ""
			for i := range 100 {
				want += fmt.Sprint(i)
			}
			require.Equal(t, want, text)
			return err
		})
	})
}

// A tree of calls that do what tasks do, each by chance: fork, spawn and join, wait, shield, panic.
// The result is that of the same tree without tasks.
type chance struct{ seed, size uint64 }

func (c chance) tree(cx runtime.Cx) uint64 {
	rng := rand.New(rand.NewPCG(c.seed, c.size))
	if c.size < 2 {
		if rng.IntN(4) == 0 {
			cx.Yield()
		}
		return c.seed
	}
	half := c.size / 2
	left, right := chance{rng.Uint64(), half}, chance{rng.Uint64(), c.size - half}
	sum := c.seed
	switch rng.IntN(16) {
	case 0:
		h := runtime.SpawnWith(cx, func(cx runtime.Cx, c chance) (uint64, error) {
			return c.tree(cx), nil
		}, left)
		sum += right.tree(cx)
		v, _ := h.Join(cx)
		sum += v
	case 1:
		cx.Shield(func() { sum += right.tree(cx) })
		sum += left.tree(cx)
	case 2: // a fork is left by a panic
		func() {
			defer func() { _ = recover() }()
			runtime.Fork(cx, chanceTree, left)
			sum += right.tree(cx)
			panic("expected")
		}()
		sum += left.tree(cx)
	case 3: // a fork panics
		func() {
			defer func() {
				v, _ := recover().(uint64)
				sum += v
			}()
			f := runtime.Fork(cx, func(cx runtime.Cx, c chance) uint64 { panic(c.tree(cx)) }, left)
			sum += right.tree(cx)
			f.Join(cx)
		}()
	case 4:
		a, b := runtime.Both(cx, left.tree, right.tree)
		sum += a + b
	case 5: // one of both panics, and nothing of the other is left
		func() {
			defer func() {
				v, _ := recover().(uint64)
				sum += v
			}()
			runtime.Both(cx, left.tree, func(cx runtime.Cx) int { panic(right.tree(cx)) })
		}()
	case 6:
		of := [2]chance{left, right}
		both, _ := runtime.Reduce(cx, 0, 2, func(cx runtime.Cx, lo, hi int) (sum uint64) {
			for i := lo; i < hi; i++ {
				sum += of[i].tree(cx)
			}
			return sum
		}, func(a, b uint64) uint64 { return a + b })
		sum += both
	case 7:
		var part [2]uint64
		_ = runtime.For(cx, 0, 2, func(cx runtime.Cx, i int) {
			part[i] = [2]chance{left, right}[i].tree(cx)
		})
		sum += part[0] + part[1]
	case 8:
		var part atomic.Uint64
		_ = runtime.ForEach(cx, slices.Values([]chance{left, right}),
			func(cx runtime.Cx, c chance) { part.Add(c.tree(cx)) })
		sum += part.Load()
	case 9:
		var part atomic.Uint64
		_ = runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
			runtime.SpawnIn(cx, s, func(cx runtime.Cx) (int, error) {
				part.Add(left.tree(cx))
				return 0, nil
			})
			part.Add(right.tree(cx))
			return nil
		})
		sum += part.Load()
	case 10:
		f := runtime.Fork(cx, chanceTree, left)
		v, _ := runtime.Timeout(cx, time.Hour, func(cx runtime.Cx) (uint64, error) {
			return right.tree(cx), nil
		})
		sum += v + f.Join(cx)
	case 11: // a fork sends what its task receives, or the other way round
		c := runtime.NewChannel[uint64](1)
		f := runtime.Fork(cx, func(cx runtime.Cx, l chance) uint64 {
			v := l.tree(cx)
			_ = c.Send(cx, v)
			return v
		}, left)
		sum += right.tree(cx)
		i, _ := runtime.Select(cx, c.ReceiveCase(nil), runtime.AfterCase(time.Microsecond))
		sum += f.Join(cx)
		if i == 1 {
			_, _ = c.Receive(cx)
		}
	case 12:
		f := runtime.Fork(cx, chanceTree, left)
		h := runtime.SpawnBlocking(cx, func() (uint64, error) { return 7, nil })
		sum += right.tree(cx) + f.Join(cx)
		v, _ := h.Join(cx)
		sum += v
	case 13: // a child forks and leaves it, by Goexit
		h := runtime.Spawn(cx, func(cx runtime.Cx) (uint64, error) {
			runtime.Fork(cx, chanceTree, left)
			cx.Yield()
			goruntime.Goexit()
			return 0, nil
		})
		for !hasEnded(h) {
			cx.Yield() // the join would exit, too
		}
		sum += right.tree(cx)
	case 14:
		f := runtime.Fork(cx, chanceTree, left)
		if rng.IntN(2) == 0 {
			_ = cx.Sleep(time.Microsecond)
		}
		sum += right.tree(cx)
		sum += f.Join(cx)
	default:
		f := runtime.Fork(cx, chanceTree, left)
		sum += right.tree(cx)
		sum += f.Join(cx)
	}
	return sum
}

func chanceTree(cx runtime.Cx, c chance) uint64 { return c.tree(cx) }

func TestForksAmongAllThatTasksDo(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	single := start(t, 1)
	debugged := start(t, 3, runtime.Debug(), runtime.Ring(2), runtime.InlineDepth(1))
	watched := start(t, 8, runtime.Watchdog(time.Hour, func(runtime.Alarm) {}),
		runtime.SpareCoroutines(1), runtime.InjectorBatch(2, runtime.PrivateBuffer))
	all := func(t *testing.T, rt *runtime.Runtime) {
		for i := range rounds {
			c := chance{uint64(i), 200}
			tree := func(cx runtime.Cx) (uint64, error) { return c.tree(cx), nil }
			a, err := get(t, runtime.Submit(rt, tree))
			require.NoError(t, err)
			b, err := get(t, runtime.Submit(single, tree))
			require.NoError(t, err)
			require.Equal(t, b, a, "round %d", i)
		}
	}
	eachRuntime(t, all)
	t.Run("Debug", func(t *testing.T) { all(t, debugged) })
	t.Run("Watchdog", func(t *testing.T) { all(t, watched) })
}

// taken forks fn, and returns the join after another task has begun it.
func taken(cx runtime.Cx, fn func(cx runtime.Cx) error) (join func() error) {
	var begun atomic.Bool
	f := runtime.Fork(cx, func(cx runtime.Cx, _ int) error {
		begun.Store(true)
		return fn(cx)
	}, 0)
	for !begun.Load() {
		cx.Yield()
	}
	return func() error { return f.Join(cx) }
}

// What a fork spawns is a child of its task, and what its task has spawned is one of it, wherever
// the fork runs. (runtime/R39)
func TestChildrenOfForksAreChildren(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		_, err := cancelled(t, rt, func(cx runtime.Cx) (int, error) {
			before := runtime.Spawn(cx, forever)
			var inside *runtime.Handle[int]
			join := taken(cx, func(cx runtime.Cx) error {
				inside = runtime.Spawn(cx, forever)
				_, err := before.Join(cx) // a join of a child passes the cancellation on
				return err
			})
			err := join()
			require.ErrorIs(t, err, runtime.ErrCancelled)
			_, err = inside.Join(cx)
			return 0, err
		})
		require.ErrorIs(t, err, runtime.ErrCancelled)
	})
}

// A cancellation that comes while the joining task is in a shield reaches a fork from outside of
// the shield at its join. (runtime/R35)
func TestACancellationInAShieldReachesTheFork(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		var h *runtime.Handle[int]
		set := make(chan struct{})
		h = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			if _, ok, _ := runtime.Receive(cx, set); ok {
				return 0, errors.New("the channel is not closed")
			}
			join := taken(cx, func(cx runtime.Cx) error { return cx.Sleep(time.Hour) })
			cx.Shield(func() { h.Cancel() })
			return 0, join()
		})
		close(set)
		_, err := get(t, h)
		require.ErrorIs(t, err, runtime.ErrCancelled)
	})
}

// A fork that has begun is told at once when its task is cancelled, also if that waits, or leaves a
// shield in which it was cancelled: the task may wait for what the fork does then. (runtime/R43)
func TestACancelledTaskTellsItsForksBeforeTheirJoins(t *testing.T) {
	tells := func(told *runtime.Channel[int]) func(cx runtime.Cx) error {
		return func(cx runtime.Cx) error {
			err := cx.Sleep(time.Hour)
			cx.Shield(func() { _ = told.Send(cx, 1) })
			return err
		}
	}
	waitsInAShield := func(cx runtime.Cx, told *runtime.Channel[int]) {
		cx.Shield(func() {
			_, err := told.Receive(cx)
			require.NoError(t, err)
		})
	}
	waitsInTurns := func(cx runtime.Cx, told *runtime.Channel[int]) {
		for told.Len() == 0 {
			cx.Yield()
		}
	}
	for name, ends := range map[string]func(cx runtime.Cx, h *runtime.Handle[int]){
		"waits": func(cx runtime.Cx, h *runtime.Handle[int]) {
			_ = cx.Sleep(time.Hour)
		},
		"in a shield": func(cx runtime.Cx, h *runtime.Handle[int]) {
			cx.Shield(func() { h.Cancel() })
		},
	} {
		for how, isTold := range map[string]func(cx runtime.Cx, told *runtime.Channel[int]){
			"in a shield": waitsInAShield, "in turns": waitsInTurns,
		} {
			t.Run(name+", is told "+how, func(t *testing.T) {
				eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
					own, ready := make(chan *runtime.Handle[int], 1), make(chan struct{})
					h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
						told := runtime.NewChannel[int](1)
						join := taken(cx, tells(told))
						h := <-own
						close(ready)
						ends(cx, h)
						isTold(cx, told)
						return 0, join()
					})
					own <- h
					receive(t, ready)
					atRest(t, rt)
					h.Cancel()
					_, err := get(t, h)
					require.ErrorIs(t, err, runtime.ErrCancelled)
				})
			})
		}
	}
}

// With Debug, the end of a claimed fork that has locked its thread and must wait is a panic that
// names the rule, of its join; and no end that its task does not hear of.
func TestAForkThatEndsLockedIsRefused(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers, runtime.Debug())
		run(t, rt, func(cx runtime.Cx) error {
			var over atomic.Bool
			join := taken(cx, func(cx runtime.Cx) error {
				taken(cx, func(cx runtime.Cx) error {
					defer over.Store(true)
					return cx.Sleep(time.Millisecond)
				})
				goruntime.LockOSThread()
				return nil
			})
			require.Contains(t, panics(func() { _ = join() }), "locked its thread")
			require.True(t, over.Load(), "a fork of the fork outlives it")
			return nil
		})
	})
}

// A loop, and Both, have no call running any more when they panic.
func TestNothingRunsOnAfterAPanic(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		run(t, rt, func(cx runtime.Cx) error {
			var there, begun atomic.Int32
			slow := func(cx runtime.Cx) int {
				there.Add(1)
				begun.Add(1)
				_ = cx.Sleep(time.Millisecond)
				there.Add(-1)
				return 1
			}
			fails := func(cx runtime.Cx) int {
				for begun.Load() == 0 {
					cx.Yield()
				}
				panic("no")
			}
			body := func(cx runtime.Cx, lo, hi int) int {
				if lo == 0 {
					cx.Yield() // somebody asks, or gets the rest of the loop
				} else if hi > 90 {
					slow(cx)
				} else if begun.Load() > 0 {
					panic("no")
				}
				return 0
			}
			for name, loop := range map[string]func(){
				"Both": func() { runtime.Both(cx, slow, fails) },
				"For": func() {
					_ = runtime.For(cx, 0, 100, func(cx runtime.Cx, i int) {
						body(cx, i, i+1)
						spin(100 * time.Microsecond)
					})
				},
				"Reduce": func() {
					_, _ = runtime.Reduce(cx, 0, 100, func(cx runtime.Cx, lo, hi int) int {
						spin(100 * time.Microsecond)
						return body(cx, lo, hi)
					}, func(a, b int) int { return a + b })
				},
			} {
				begun.Store(0)
				_ = panics(loop) // a loop of a worker that is alone does not panic
				require.Zero(t, there.Load(), name)
			}
			return nil
		})
	})
}

// A fork in a shield does not notice Close while the shield lasts.
func TestAForkInAShieldDoesNotNoticeClose(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		run(t, rt, func(cx runtime.Cx) (err error) {
			cx.Shield(func() {
				join := taken(cx, func(cx runtime.Cx) error {
					return errors.Join(cx.Close(), cx.Sleep(time.Microsecond), cx.Err())
				})
				err = join()
			})
			require.ErrorIs(t, cx.Err(), runtime.ErrClosed)
			return err
		})
		ends(t, rt)
	})
}

// A fork has the deadline of its task, as a call has.
func TestAForkHasTheHeritageOfItsTask(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		run(t, rt, func(cx runtime.Cx) error {
			_, err := runtime.Timeout(cx, time.Hour, func(cx runtime.Cx) (int, error) {
				want, _ := cx.Context().Deadline()
				return 0, taken(cx, func(cx runtime.Cx) error {
					got, ok := cx.Context().Deadline()
					require.True(t, ok)
					require.Equal(t, want, got)
					return nil
				})()
			})
			return err
		})
	})
}

// Workers that sleep keep nothing of what forks were given. (runtime/R39)
func TestAnIdleRuntimeKeepsNoForks(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		var left weak.Pointer[[1 << 16]byte]
		run(t, rt, func(cx runtime.Cx) error {
			value := new([1 << 16]byte)
			left = weak.Make(value)
			f := runtime.Fork(cx, func(_ runtime.Cx, v *[1 << 16]byte) int { return len(v) }, value)
			if !f.Mine() { // the frame keeps the argument
				f.Result()
			}
			return nil
		})
		waits(t, func() bool {
			goruntime.GC()
			return left.Value() == nil
		}, "the argument of a fork that has ended is kept")
	})
}

func TestMisuseOfForks(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, "surewake: Fork: the zero Cx; a Cx is what a task's function is given",
			panics(func() { runtime.Fork(runtime.Cx{}, fibFork, 1) }))
		require.Equal(t, "surewake: Fork: nil function",
			panics(func() { runtime.Fork[int, int](cx, nil, 1) }))
		require.Equal(t, "surewake: For: nil function",
			panics(func() { _ = runtime.For(cx, 0, 1, nil) }))
		f := runtime.Fork(cx, fibFork, 1)
		f.Join(cx)
		require.Equal(t, "surewake: join of a fork that was joined or abandoned",
			panics(func() { f.Join(cx) }))
		var other runtime.Cx
		h := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
			other = cx //cxcheck:ignore it is refused
			return 0, nil
		})
		_, err := h.Join(cx)
		require.Equal(t, "surewake: Fork: the Cx of a task that has ended",
			panics(func() { runtime.Fork(other, fibFork, 1) }))
		return err
	})
}
