package runtime_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A knot is tasks of which the first has a part, such as a fork, that joins the second; which joins
// the first. The part joins last if partLast is set, and first otherwise.
type knot struct {
	whole, other *runtime.Handle[int]
	begin        chan struct{}
	partLast     bool
	over         atomic.Bool // the part
}

// eachKnot ties a knot, of which whole is the first task, with each number of workers, in both
// orders, with and without inlining. It requires that the join that closes the knot is told of so
// many steps, or of 3 if tasks are inlined, that all tasks end, and that nothing stays noted.
func eachKnot(
	t *testing.T, steps int, whole func(cx runtime.Cx, k *knot) (int, error),
) {
	each(t, func(t *testing.T, workers int) {
		for depth, steps := range map[int]int{0: steps, 256: min(steps, 3)} {
			for _, partLast := range []bool{false, true} {
				rt := start(t, workers, runtime.Debug(), runtime.InlineDepth(depth))
				k := &knot{begin: make(chan struct{}), partLast: partLast}
				k.whole = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					if _, _, err := runtime.Receive(cx, k.begin); err != nil {
						return 0, err
					}
					return whole(cx, k)
				})
				k.other = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					if _, _, err := runtime.Receive(cx, k.begin); err != nil {
						return 0, err
					}
					for !partLast && k.other.Joiners() == 0 {
						cx.Yield()
					}
					return k.whole.Join(cx)
				})
				close(k.begin)
				_, first := get(t, k.whole)
				_, second := get(t, k.other)
				err := second
				if partLast {
					err = first
				}
				inCircle(t, err, steps)
				waits, parts := runtime.JoinNotes(rt)
				require.Zero(t, waits)
				require.Zero(t, parts)
			}
		}
	})
}

// part is what the part of the first task does.
func (k *knot) part(cx runtime.Cx) (int, error) {
	defer k.over.Store(true)
	for k.partLast && k.whole.Joiners() == 0 {
		cx.Yield()
	}
	return k.other.Join(cx)
}

// fork forks the part, and joins it.
func (k *knot) fork(cx runtime.Cx) (int, error) {
	f := runtime.Fork(cx, func(cx runtime.Cx, k *knot) error {
		_, err := k.part(cx)
		return err
	}, k)
	cx.Yield() // the fork becomes a task
	return 0, f.Join(cx)
}

// A fork that joins a task that joins the one that has forked is part of a circle, whether that
// waits for it already or not. (runtime/R55)
func TestDebugRefusesCirclesThroughForks(t *testing.T) {
	eachKnot(t, 3, func(cx runtime.Cx, k *knot) (v int, err error) { return k.fork(cx) })
}

func TestDebugRefusesCirclesThroughForksThatNobodyWaitsForYet(t *testing.T) {
	eachKnot(t, 3, func(cx runtime.Cx, k *knot) (v int, err error) {
		f := runtime.Fork(cx, func(cx runtime.Cx, k *knot) error {
			_, err := k.part(cx)
			return err
		}, k)
		for !k.over.Load() {
			cx.Yield()
		}
		return 0, f.Join(cx)
	})
}

// A fork of a fork is a part of what has forked that, and a fork of what a task has inlined, or
// waits for, is one of the task.
func TestDebugRefusesCirclesThroughForksOfParts(t *testing.T) {
	t.Run("fork", func(t *testing.T) {
		eachKnot(t, 3, func(cx runtime.Cx, k *knot) (int, error) {
			v, _ := runtime.Both(cx, func(cx runtime.Cx) error {
				_, err := k.fork(cx)
				return err
			}, func(cx runtime.Cx) int { cx.Yield(); return 0 })
			return 0, v
		})
	})
	t.Run("child", func(t *testing.T) {
		eachKnot(t, 4, func(cx runtime.Cx, k *knot) (int, error) {
			return runtime.Spawn(cx, k.fork).Join(cx)
		})
	})
	t.Run("scope", func(t *testing.T) {
		eachKnot(t, 3, func(cx runtime.Cx, k *knot) (int, error) {
			return 0, runtime.Scope(cx, func(cx runtime.Cx, _ *runtime.TaskScope) error {
				_, err := k.fork(cx)
				return err
			})
		})
	})
}

func TestDebugRefusesCirclesThroughScopes(t *testing.T) {
	eachKnot(t, 3, func(cx runtime.Cx, k *knot) (int, error) {
		return 0, runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
			runtime.SpawnIn(cx, s, k.part)
			return nil
		})
	})
}

func TestDebugRefusesCirclesThroughGroups(t *testing.T) {
	eachKnot(t, 3, func(cx runtime.Cx, k *knot) (int, error) {
		g := runtime.NewGroup(cx.Context(), cx.Runtime())
		err := g.Spawn(cx, func(cx runtime.Cx) error {
			_, err := k.part(cx)
			return err
		})
		require.NoError(t, err)
		return 0, g.Join(cx)
	})
}

// A child of a scope that joins the task which has opened that is a circle of its own.
func TestDebugRefusesAJoinOfTheOwnerOfAScope(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers, runtime.Debug())
		var owner *runtime.Handle[int]
		ready := make(chan struct{})
		owner = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			if _, _, err := runtime.Receive(cx, ready); err != nil {
				return 0, err
			}
			return 0, runtime.Scope(cx, func(cx runtime.Cx, _ *runtime.TaskScope) error {
				_, err := owner.Join(cx)
				return err
			})
		})
		close(ready)
		_, err := get(t, owner)
		inCircle(t, err, 2)
	})
}

// A fork whose task was cancelled gives up its join, so it is no part of a circle, also before it
// has been told: with one worker, that is when the other one waits.
func TestDebugAllowsAJoinOfATaskWhoseForkHasToGiveUp(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers, runtime.Debug())
		var whole, other *runtime.Handle[int]
		begin := make(chan struct{})
		whole = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			if _, _, err := runtime.Receive(cx, begin); err != nil {
				return 0, err
			}
			f := runtime.Fork(cx, func(cx runtime.Cx, _ int) error {
				_, err := other.Join(cx)
				return err
			}, 0)
			cx.Yield() // the fork becomes a task
			if err := f.Join(cx); err != runtime.ErrCancelled {
				return 0, err
			}
			return 7, nil
		})
		other = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			if _, _, err := runtime.Receive(cx, begin); err != nil {
				return 0, err
			}
			for other.Joiners() == 0 {
				cx.Yield()
			}
			whole.Cancel()
			return whole.Join(cx)
		})
		close(begin)
		ended := func() bool { _, _, ended := other.TryJoin(); return ended }
		waits(t, ended, "the end") // not as a joiner: the task counts those
		v, err := get(t, other)
		require.NoError(t, err)
		require.Equal(t, 7, v)
	})
}
