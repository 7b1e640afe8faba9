package runtime_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

const joinRule = "surewake: Join: a fork must be joined by the task that has forked it, " +
	"on its goroutine"

// A fibFrame is a frame of package fork.
type fibFrame interface {
	Join(cx runtime.Cx) int
	Mine() bool
}

// With Debug, a fork is joined only by the task that has forked it: not on another goroutine, nor
// by a task that runs on top of that one or beside it. What was refused is joined later.
// (runtime/R54)
func TestDebugRefusesForeignJoinsOfForks(t *testing.T) {
	eachProcs(t, func(t *testing.T) {
		rt := start(t, 1, runtime.Debug())
		joins := map[string]func(cx runtime.Cx, f fibFrame){
			"Join": func(cx runtime.Cx, f fibFrame) { f.Join(cx) },
			"Mine": func(_ runtime.Cx, f fibFrame) { f.Mine() },
		}
		for name, join := range joins {
			run(t, rt, func(cx runtime.Cx) error {
				refused := func(cx runtime.Cx, f fibFrame) {
					require.Equal(t, joinRule, panics(func() { join(cx, f) }), name)
				}
				older := runtime.Fork(cx, fibFork, 5)
				f := runtime.Fork(cx, fibFork, 6)

				told := make(chan struct{})
				go func() {
					defer close(told)
					refused(cx, f)     //cxcheck:ignore it is refused
					refused(cx, older) //cxcheck:ignore it is refused
				}()
				<-told

				above := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
					refused(cx, f)
					own := runtime.Fork(cx, fibFork, 3)
					refused(cx, f)
					refused(cx, older)
					require.Equal(t, 2, own.Join(cx))
					refused(cx, f)
					return 1, nil
				})
				_, err := above.Join(cx)
				require.NoError(t, err)

				require.Equal(t, 8, f.Join(cx))
				beside := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
					refused(cx, older)
					cx.Yield()
					refused(cx, older)
					return 1, nil
				})
				cx.Yield()
				_, err = beside.Join(cx)
				require.NoError(t, err)
				require.Equal(t, 5, older.Join(cx))
				return nil
			})
		}
		closes(t, rt)
		s := rt.Stats()
		require.Equal(t, s.Spawned, s.Completed)
	})
}

// With Debug, all that forks and joins goes on as without, whoever takes it.
func TestDebugLetsOwnersJoin(t *testing.T) {
	eachProcs(t, func(t *testing.T) {
		rt := start(t, 4, runtime.Debug(), runtime.InlineDepth(1))
		run(t, rt, func(cx runtime.Cx) error {
			for range 8 {
				require.Equal(t, 89, fibFork(cx, 11))
				require.Equal(t, 89, fibMine(cx, 11))
				child := runtime.SpawnWith(cx, func(cx runtime.Cx, n int) (int, error) {
					a, b := runtime.Both(cx,
						func(cx runtime.Cx) int { cx.Yield(); return fibFork(cx, n-1) },
						func(cx runtime.Cx) int { return fibFork(cx, n-2) })
					return a + b, cx.Sleep(1)
				}, 9)
				s := make([]int, 3000)
				for i := range s {
					s[i] = i * 7919 % len(s)
				}
				require.NoError(t, runtime.Sort(cx, s))
				require.True(t, slices.IsSorted(s))
				n, err := child.Join(cx)
				require.NoError(t, err)
				require.Equal(t, 34, n)
			}
			return nil
		})
	})
}
