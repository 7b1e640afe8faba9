package runtime_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// With Debug, nothing is started by a Cx on another goroutine, and what was refused has left
// nothing: scopes, groups and the runtime end, and no task is counted. (runtime/R54)
func TestDebugRefusesEverySpawnOnAnotherGoroutine(t *testing.T) {
	blocks := func() (int, error) { return 1, nil }
	blocksIn := func(context.Context) (int, error) { return 1, nil }
	for what, spawns := range map[string]func(runtime.Cx, *runtime.TaskScope, *runtime.Group){
		"Spawn": func(cx runtime.Cx, _ *runtime.TaskScope, _ *runtime.Group) {
			runtime.Spawn(cx, empty)
		},
		"SpawnWith": func(cx runtime.Cx, _ *runtime.TaskScope, _ *runtime.Group) {
			runtime.SpawnWith(cx, fib, 1)
		},
		"SpawnContext": func(cx runtime.Cx, _ *runtime.TaskScope, _ *runtime.Group) {
			runtime.SpawnContext(t.Context(), cx, empty)
		},
		"SpawnBatch": func(cx runtime.Cx, _ *runtime.TaskScope, _ *runtime.Group) {
			runtime.SpawnBatch(cx, 3, fib)
		},
		"SpawnFuture": func(cx runtime.Cx, _ *runtime.TaskScope, _ *runtime.Group) {
			runtime.SpawnFuture[int](cx, &doze{})
		},
		"SpawnFutureValue": func(cx runtime.Cx, _ *runtime.TaskScope, _ *runtime.Group) {
			runtime.SpawnFutureValue[int](cx, doze{})
		},
		"SpawnBlocking": func(cx runtime.Cx, _ *runtime.TaskScope, _ *runtime.Group) {
			runtime.SpawnBlocking(cx, blocks)
		},
		"SpawnBlockingContext": func(cx runtime.Cx, _ *runtime.TaskScope, _ *runtime.Group) {
			runtime.SpawnBlockingContext(t.Context(), cx, blocksIn)
		},
		"SpawnIn": func(cx runtime.Cx, s *runtime.TaskScope, _ *runtime.Group) {
			runtime.SpawnIn(cx, s, empty)
		},
		"Cx.Go": func(cx runtime.Cx, _ *runtime.TaskScope, _ *runtime.Group) {
			cx.Go(func(runtime.Cx) {})
		},
		"Group.Spawn": func(cx runtime.Cx, _ *runtime.TaskScope, g *runtime.Group) {
			_ = g.Spawn(cx, noError)
		},
		"Task.Spawn": func(cx runtime.Cx, _ *runtime.TaskScope, _ *runtime.Group) {
			new(runtime.Task[int]).Spawn(cx, empty)
		},
		"Timeout": func(cx runtime.Cx, _ *runtime.TaskScope, _ *runtime.Group) {
			_, _ = runtime.Timeout(cx, 1, empty)
		},
		"Scope": func(cx runtime.Cx, _ *runtime.TaskScope, _ *runtime.Group) {
			_ = runtime.Scope(cx, func(runtime.Cx, *runtime.TaskScope) error { return nil })
		},
	} {
		t.Run(what, func(t *testing.T) {
			rt := start(t, 1, runtime.Debug())
			run(t, rt, func(cx runtime.Cx) error {
				g := runtime.NewGroup(t.Context(), rt)
				err := runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
					told := make(chan any)
					go func() { //cxcheck:ignore it is refused
						told <- panics(func() { spawns(cx, s, g) })
					}()
					require.Equal(t,
						"surewake: a Cx must be used on the goroutine of its task only",
						receive(t, told))
					return nil
				})
				require.NoError(t, g.Join(cx))
				return err
			})
			closes(t, rt)
			s := rt.Stats()
			require.EqualValues(t, 2, s.Spawned)
			require.EqualValues(t, 2, s.Completed)
		})
	}
}
