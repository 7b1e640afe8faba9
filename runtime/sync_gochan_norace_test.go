//go:build !race

package runtime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// To close a channel while somebody sends is a data race, as the race detector sees it. What comes
// of it is defined all the same: a panic, which must not be on the goroutine of the wait, where it
// would end the process.
func TestClosingAGoChannelPanicsInTheTaskThatSends(t *testing.T) {
	rt := start(t, 1)
	c := make(chan int)
	h := runtime.Submit(rt, does(func(cx runtime.Cx) error { return runtime.Send(cx, c, 1) }))
	time.Sleep(2 * time.Millisecond)
	close(c)
	_, err := get(t, h)
	var p *runtime.PanicError
	require.ErrorAs(t, err, &p)
	require.ErrorContains(t, p, "send on closed channel")
}
