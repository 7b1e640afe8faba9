//go:build unix && !aix

package runtime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A task whose descriptor is ready goes on while tasks pile up, though another one that sleeps is
// due whenever it may go on. (runtime/R75)
func TestReadyCallsHaveATurnBesidesDueOnes(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		rt := start(t, 1, poller, runtime.Seed(1))
		r, w := pipe(t)
		watched := watch(t, rt, r)
		const piled, turns = 20, 100
		turn, ready := 0, 0
		reader := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			defer func() { ready = turn }()
			return read(cx, watched, make([]byte, 1))
		})
		run(t, rt, func(cx runtime.Cx) error {
			for ; turn < turns && ready == 0; turn++ {
				if turn == piled {
					if _, err := w.Write([]byte{1}); err != nil {
						return err
					}
				}
				for range 1000 {
					cx.Go(func(runtime.Cx) { takes(50 * time.Microsecond) })
				}
				if err := cx.Sleep(time.Microsecond); err != nil {
					return err
				}
			}
			return nil
		})
		n, err := get(t, reader)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		drains(t, rt)
		require.NotZero(t, ready)
		require.Less(t, ready, turns)
	})
}
