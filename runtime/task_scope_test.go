package runtime_test

import (
	"errors"
	goruntime "runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// scope runs body in a scope of a task of its own.
func scope(
	t testing.TB,
	rt *runtime.Runtime,
	body func(cx runtime.Cx, s *runtime.TaskScope) error,
) error {
	t.Helper()
	_, err := get(t,
		runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return 0, runtime.Scope(cx, body) }))
	return err
}

// Children, and children of children, have ended when the scope ends, and their handles say so.
func TestScopeWaitsForAllItsChildren(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		for range 50 {
			var hs []*runtime.Handle[int]
			var grandchildren atomic.Int32
			run(t, rt, func(cx runtime.Cx) error {
				err := runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
					for i := range 20 {
						hs = append(hs, runtime.SpawnIn(cx, s, func(cx runtime.Cx) (int, error) {
							for range i % 3 {
								cx.Yield()
							}
							runtime.SpawnIn(cx, s, func(cx runtime.Cx) (int, error) {
								cx.Yield()
								grandchildren.Add(1)
								return 0, nil
							}).Detach()
							return i, nil
						}))
						if i%5 == 0 {
							v, err := hs[i].Join(cx)
							require.NoError(t, err)
							require.Equal(t, i, v)
						}
					}
					return nil
				})
				require.EqualValues(t, 20, grandchildren.Load())
				for i, h := range hs {
					v, err, ended := h.TryJoin()
					require.True(t, ended)
					require.NoError(t, err)
					require.Equal(t, i, v)
				}
				return err
			})
		}
	})
}

// Whatever a child or the body fails with ends the scope, and is its error; what waits is
// cancelled, and waited for.
func TestFirstErrorCancelsTheScope(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		fail := map[string]struct {
			do   func(cx runtime.Cx) error
			want error
		}{
			"error": {func(cx runtime.Cx) error { return errBoom }, errBoom},
			"panic": {func(cx runtime.Cx) error { panic(errBoom) }, errBoom},
			"late": {
				func(cx runtime.Cx) error { cx.Yield(); cx.Yield(); return errBoom },
				errBoom,
			},
		}
		for name, f := range fail {
			for range 30 {
				var ended atomic.Int32
				slow := func(cx runtime.Cx) (int, error) {
					_, err := forever(cx)
					cx.Shield(cx.Yield)
					ended.Add(1)
					return 0, errors.Join(err, errors.New("not the first"))
				}
				begun := func(cx runtime.Cx, s *runtime.TaskScope) {
					for range 5 {
						ready := make(chan struct{}, 1)
						runtime.SpawnIn(cx, s, func(cx runtime.Cx) (int, error) {
							ready <- struct{}{}
							return slow(cx)
						})
						for len(ready) == 0 {
							cx.Yield()
						}
					}
				}
				err := scope(
					t,
					rt,
					func(cx runtime.Cx, s *runtime.TaskScope) error { // a child fails
						begun(cx, s)
						runtime.SpawnIn(cx, s,
							func(cx runtime.Cx) (int, error) { return 0, f.do(cx) })
						_, err := forever(cx)
						ended.Add(1)
						require.ErrorIs(t, cx.Err(), runtime.ErrCancelled)
						late, lateErr, _ := runtime.SpawnIn(cx, s, func(runtime.Cx) (int, error) {
							return 1, nil
						}).
							TryJoin()
						require.Zero(t, late)
						require.ErrorIs(t, lateErr, runtime.ErrCancelled)
						return err
					},
				)
				require.ErrorIs(t, err, f.want, name)
				require.NotContains(t, err.Error(), "not the first")
				require.EqualValues(t, 6, ended.Load())

				err = scope(
					t,
					rt,
					func(cx runtime.Cx, s *runtime.TaskScope) error { // the body fails
						begun(cx, s)
						return f.do(cx)
					},
				)
				require.ErrorIs(t, err, f.want, name)
				require.EqualValues(t, 11, ended.Load())
			}
		}
	})
}

// Goexit in the body, and in a child that is run by it, ends the scope as an error does.
func TestGoexitInAScopeWaitsForTheChildren(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		for round := range 50 {
			var ended atomic.Bool
			var child *runtime.Handle[int]
			err := scope(t, rt, func(cx runtime.Cx, s *runtime.TaskScope) error {
				begun := make(chan struct{}, 1)
				child = runtime.SpawnIn(cx, s, func(cx runtime.Cx) (int, error) {
					begun <- struct{}{}
					_, err := forever(cx)
					cx.Shield(cx.Yield)
					ended.Store(true)
					return 0, err
				})
				for len(begun) == 0 {
					cx.Yield()
				}
				if round%2 == 0 {
					_, _ = runtime.SpawnIn(cx, s, func(runtime.Cx) (int, error) {
						goruntime.Goexit()
						return 0, nil
					}).
						Join(cx)
				}
				goruntime.Goexit()
				return nil
			})
			require.ErrorIs(t, err, runtime.ErrGoexit)
			require.True(t, ended.Load())
			_, err, over := child.TryJoin()
			require.True(t, over)
			require.ErrorIs(t, err, runtime.ErrCancelled)
		}
		allWork(t, rt, workers)
	})
}

func TestScopeIsCancelledWithItsTask(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		for _, cancels := range []bool{false, true} {
			rt := start(t, workers)
			var begun, ended atomic.Int32
			h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				return 0, runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
					return runtime.Scope(cx, func(cx runtime.Cx, inner *runtime.TaskScope) error {
						for _, s := range []*runtime.TaskScope{s, inner} {
							runtime.SpawnIn(cx, s, func(cx runtime.Cx) (int, error) {
								begun.Add(1)
								_, err := forever(cx)
								cx.Shield(func() { _ = cx.Sleep(time.Millisecond) })
								ended.Add(1)
								return 0, err
							})
						}
						_, err := forever(cx)
						return err
					})
				})
			})
			waits(t, func() bool { return begun.Load() == 2 }, "the children do not begin")
			want := runtime.ErrCancelled
			if cancels {
				want = runtime.ErrClosed
				closes(t, rt)
			} else {
				h.Cancel()
			}
			_, err := get(t, h)
			require.ErrorIs(t, err, want)
			require.EqualValues(t, 2, ended.Load())
			_ = rt.Close()
			require.Equal(t, "0+0", rt.Live())
		}
	})
}

func TestCancelOfAScope(t *testing.T) {
	rt := start(t, 2)
	for range 30 {
		err := scope(t, rt, func(cx runtime.Cx, s *runtime.TaskScope) error {
			runtime.SpawnIn(cx, s, forever)
			runtime.SpawnIn(cx, s, func(runtime.Cx) (int, error) { s.Cancel(); return 0, nil })
			_, err := forever(cx)
			return err
		})
		require.ErrorIs(t, err, runtime.ErrCancelled)
	}
}

// Scopes within scopes end from the inside out, and an error that is handled inside stays there.
func TestScopesNest(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		var tree func(cx runtime.Cx, depth int) (int, error)
		tree = func(cx runtime.Cx, depth int) (n int, err error) {
			if depth == 0 {
				return 1, nil
			}
			var left, right *runtime.Handle[int]
			err = runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
				left = runtime.SpawnIn(cx, s,
					func(cx runtime.Cx) (int, error) { return tree(cx, depth-1) })
				right = runtime.SpawnIn(cx, s,
					func(cx runtime.Cx) (int, error) { return tree(cx, depth-1) })
				failed := runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
					runtime.SpawnIn(cx, s, forever)
					return errBoom
				})
				require.Equal(t, errBoom, failed)
				return cx.Err()
			})
			if err != nil {
				return 0, err
			}
			l, _, _ := left.TryJoin()
			r, _, _ := right.TryJoin()
			return l + r + 1, nil
		}
		v, err := get(t,
			runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return tree(cx, 7) }))
		require.NoError(t, err)
		require.Equal(t, 255, v)
		drains(t, rt)
	})
}
