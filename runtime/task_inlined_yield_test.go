package runtime_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A task that runs on top of the one that joins it, and only joins children that yield, learns that
// the one beneath must end, also if it is alone. (runtime/R81)
func TestWhatJoinsTasksThatYieldIsEnded(t *testing.T) {
	for _, workers := range []int{1, 2} {
		for _, alone := range []bool{true, false} {
			t.Run(fmt.Sprintf("workers=%d/alone=%t", workers, alone), func(t *testing.T) {
				rt := start(t, workers)
				begun := make(chan bool, 1)
				h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					return runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
						for n := 0; ; n++ {
							if n == 10 {
								begun <- true
							}
							_, err := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
								cx.Yield()
								return 0, nil
							}).Join(cx)
							if err != nil {
								return 0, err
							}
						}
					}).Join(cx)
				})
				<-begun
				if !alone {
					for range workers {
						rt.Go(func(cx runtime.Cx) {
							for cx.Err() == nil {
								cx.Yield()
							}
						}).Detach()
					}
				}
				h.Cancel()
				_, err := get(t, h)
				require.ErrorIs(t, err, runtime.ErrCancelled)
				closes(t, rt)
			})
		}
	}
}
