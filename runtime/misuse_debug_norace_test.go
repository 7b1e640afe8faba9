//go:build !race

// The race detector sees what is refused here.

package runtime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// With Debug, a call of a loop that uses the Cx of the task that has begun the loop, on another
// worker, is refused before it has changed that task.
func TestDebugRefusesTheCxAroundALoop(t *testing.T) {
	for what, uses := range map[string]func(runtime.Cx){
		"Yield":  runtime.Cx.Yield,
		"Shield": func(cx runtime.Cx) { cx.Shield(func() {}) },
	} {
		for range 20 {
			rt := start(t, 2, runtime.Debug())
			_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				return 1, runtime.For(cx, 0, 1000, func(_ runtime.Cx, i int) {
					spin(3 * time.Microsecond)
					uses(cx) //cxcheck:ignore it is refused
				})
			}))
			if err != nil { // else nobody has stolen a part
				require.Regexp(t, "^surewake: task panicked: surewake: (a Cx must be used on the "+
					"goroutine of its task only|"+what+": the Cx of a task that is suspended)", err)
			}
			closes(t, rt)
		}
	}
}
