package runtime

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Between the moment at which a runtime is marked as closing and the one at which it refuses tasks,
// its last task may end, and with it the workers. What is submitted then must not be accepted.
func TestWhatIsSubmittedWhileTheLastTaskEndsIsRunOrRefused(t *testing.T) {
	rt, err := New(Workers(1))
	require.NoError(t, err)
	free := make(chan struct{})
	last := Submit(rt, func(Cx) (int, error) { <-free; return 1, nil })
	for rt.injector.Len() > 0 {
		time.Sleep(time.Millisecond)
	}

	held, release := make(chan struct{}), make(chan struct{})
	go rt.injector.Update(func(closed bool) bool { // whoever closes the injector waits for it
		close(held)
		<-release
		return closed
	})
	<-held
	shutdown := make(chan error)
	go func() { shutdown <- rt.Shutdown(context.Background()) }()
	deadline := time.Now().Add(100 * time.Millisecond)
	for rt.mode.Load() == open && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	close(free)
	_, err = last.Wait(context.Background())
	require.NoError(t, err)
	select {
	case <-rt.Done():
	case <-time.After(100 * time.Millisecond):
	}
	close(release)
	late := Submit(rt,
		func(Cx) (int, error) { return 2, nil }) // takes the lock before Shutdown has woken up

	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	value, err := late.Wait(ctx)
	if err == nil {
		require.Equal(t, 2, value)
	} else {
		require.ErrorIs(t, err, ErrClosed)
	}
	require.NoError(t, <-shutdown)
}
