package runtime_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A poller is polled until its second poll, which tells where it was.
type poller struct {
	waker chan runtime.Waker
	polls int
}

func (p *poller) Poll(cx runtime.Cx) (*runtime.Runtime, error, bool) {
	if p.polls++; p.polls == 1 {
		p.waker <- cx.Waker()
		return nil, nil, false
	}
	return runtime.Outer(cx), nil, true
}

// A task that wakes one of another runtime does not take it to its own worker.
func TestATaskRunsInItsOwnRuntime(t *testing.T) {
	here, err := runtime.New(runtime.Workers(1))
	require.NoError(t, err)
	defer here.Close()
	there, err := runtime.New(runtime.Workers(1))
	require.NoError(t, err)
	defer there.Close()

	p := &poller{waker: make(chan runtime.Waker, 1)}
	h := runtime.SubmitFuture(there, p)
	w := <-p.waker
	require.Eventually(t, func() bool { return there.Idle() }, 10*time.Second, time.Millisecond)
	_, err = runtime.Submit(here, func(cx runtime.Cx) (int, error) {
		w.WakeFrom(cx)
		return 0, nil
	}).Wait(context.Background())
	require.NoError(t, err)
	ran, err := h.Wait(context.Background())
	require.NoError(t, err)
	require.Same(t, there, ran)
}
