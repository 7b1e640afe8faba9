package runtime_test

import (
	"cmp"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A task that runs on top of the one that joins it, and only spawns and joins, learns that it must
// end. (runtime/R78)
func TestWhatOnlySpawnsAndJoinsIsEnded(t *testing.T) {
	const most = 1_000_000
	errFailed := errors.New("failed")
	for _, c := range []struct {
		name string
		why  error
		call func(cx runtime.Cx, fn func(runtime.Cx) (int, error), end chan func()) (int, error)
	}{
		{"Cancel", runtime.ErrCancelled, func(
			cx runtime.Cx, fn func(runtime.Cx) (int, error), end chan func(),
		) (int, error) {
			h := runtime.Spawn(cx, fn)
			end <- h.Cancel
			return h.Join(cx)
		}},
		{"Timeout", runtime.ErrTimeout, func(
			cx runtime.Cx, fn func(runtime.Cx) (int, error), end chan func(),
		) (int, error) {
			end <- func() { time.Sleep(2 * time.Millisecond) }
			return runtime.Timeout(cx, time.Millisecond, fn)
		}},
		{"Scope", errFailed, func(
			cx runtime.Cx, fn func(runtime.Cx) (int, error), end chan func(),
		) (int, error) {
			end <- func() { time.Sleep(2 * time.Millisecond) }
			return 0, runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
				runtime.SpawnIn(cx, s, func(cx runtime.Cx) (int, error) {
					return 0, cmp.Or(cx.Sleep(time.Millisecond), errFailed)
				})
				_, err := runtime.SpawnIn(cx, s, fn).Join(cx)
				return err
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt := start(t, 1)
			end := make(chan func(), 1)
			ran := 0
			loop := func(cx runtime.Cx) (int, error) {
				for ran < most {
					_, err := runtime.Spawn(cx, func(runtime.Cx) (int, error) {
						if ran++; ran == 1000 {
							(<-end)()
						}
						return 0, nil
					}).Join(cx)
					if err != nil {
						return 0, err
					}
				}
				return 0, nil
			}
			run(t, rt, func(cx runtime.Cx) error {
				_, err := c.call(cx, func(cx runtime.Cx) (int, error) {
					return runtime.Spawn(cx, loop).Join(cx)
				}, end)
				require.ErrorIs(t, err, c.why)
				return nil
			})
			require.Less(t, ran, most)
			closes(t, rt)
		})
	}
}
