package runtime_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// What ends a task from outside, while it waits for more tasks than can be run soon, ends it soon:
// it does not queue behind all of them. (runtime/R77)
func TestWhatEndsATaskFromOutsideComesBeforeABurst(t *testing.T) {
	const end = 1000 // the task of the burst that ends the one that waits for all of them
	for _, c := range []struct {
		name string
		why  error
		wait func(cx runtime.Cx, ctx context.Context, burst func(runtime.Cx) (int, error)) error
	}{
		{"Cancel", runtime.ErrCancelled, func(
			cx runtime.Cx, ctx context.Context, burst func(runtime.Cx) (int, error),
		) error {
			h := runtime.Spawn(cx, burst)
			defer context.AfterFunc(ctx, h.Cancel)()
			_, err := h.Join(cx)
			return err
		}},
		{"SpawnContext", context.Canceled, func(
			cx runtime.Cx, ctx context.Context, burst func(runtime.Cx) (int, error),
		) error {
			_, err := runtime.SpawnContext(ctx, cx, burst).Join(cx)
			return err
		}},
		{"AwaitContext", nil, func(
			cx runtime.Cx, ctx context.Context, burst func(runtime.Cx) (int, error),
		) error {
			defer runtime.Spawn(cx, burst).Cancel()
			return cx.AwaitContext(ctx)
		}},
		{"DoneCase", nil, func(
			cx runtime.Cx, ctx context.Context, burst func(runtime.Cx) (int, error),
		) error {
			defer runtime.Spawn(cx, burst).Cancel()
			_, err := runtime.Select(cx, runtime.DoneCase(ctx))
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt := start(t, 1)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var ran atomic.Int64
			run(t, rt, func(cx runtime.Cx) error {
				err := c.wait(cx, ctx, func(cx runtime.Cx) (int, error) {
					return 0, runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
						for range burst {
							runtime.SpawnIn(cx, s, func(cx runtime.Cx) (int, error) {
								if ran.Load() == end {
									cancel()
								}
								return spinning(&ran)(cx)
							})
						}
						return nil
					})
				})
				require.ErrorIs(t, err, c.why)
				require.Less(t, ran.Load(), int64(burst*3/4))
				return nil
			})
			closes(t, rt)
		})
	}
}
