package poll

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/park"
)

// A counter is a kernel in which nothing becomes ready, and which counts who looks.
type counter struct {
	looks       atomic.Int32
	interrupted chan struct{}
}

func (c *counter) Wait(_ []Event, d time.Duration) (int, bool) {
	if d == 0 {
		c.looks.Add(1)
		return 0, false
	}
	<-c.interrupted
	return 0, true
}

func (c *counter) Interrupt() { c.interrupted <- struct{}{} }
func (c *counter) TakeBack()  {}

// A look is a system call, which is for nothing while somebody waits in the kernel and is told
// first.
func TestNobodyLooksBesideWhoIsInside(t *testing.T) {
	c := &counter{interrupted: make(chan struct{}, 1)}
	p, parker := new(Poller), new(park.Parker)
	p.Start(c)
	p.Poll(nil)
	require.EqualValues(t, 1, c.looks.Load())
	left := make(chan bool)
	go func() {
		_, token := p.Park(0, parker, Forever, nil)
		left <- token
	}()
	require.Eventually(t, func() bool { return p.Inside() == 0 }, 10*time.Second, time.Millisecond)
	p.Poll(nil)
	require.EqualValues(t, 1, c.looks.Load())
	p.Unpark(0, parker)
	require.True(t, <-left)
	p.Poll(nil)
	require.EqualValues(t, 2, c.looks.Load())
}
