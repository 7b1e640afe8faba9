package runtime

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A call that is to end asks its source to be taken out of the line. If the answer comes between
// the question and the lock, it counts: what was given is not lost.
func TestAnswerThatComesWhileSomebodyGivesUpCounts(t *testing.T) {
	rt, err := New(Workers(1))
	require.NoError(t, err)
	t.Run("a goroutine", func(t *testing.T) {
		var n Notify
		ctx, stop := context.WithCancel(context.Background())
		over := make(chan error)
		go func() { over <- n.WaitContext(ctx) }()
		require.NoError(t, answerLate(&n, stop, over))
	})
	t.Run("a task", func(t *testing.T) {
		var n Notify
		h := Submit(rt, func(cx Cx) (int, error) { return 0, n.Wait(cx) })
		over := make(chan error)
		go func() {
			_, err := h.Wait(context.Background())
			over <- err
		}()
		require.NoError(t, answerLate(&n, h.Cancel, over))
	})
	require.NoError(t, rt.Close())
}

// answerLate waits until somebody waits for n, stops that, and answers before anybody else gets the
// lock. It returns what comes of it.
func answerLate(n *Notify, stop func(), over <-chan error) error {
	for n.waiting() == 0 {
		time.Sleep(10 * time.Microsecond)
	}
	n.lock.Lock()
	stop()
	time.Sleep(5 * time.Millisecond) // the call asks for the lock by now
	w := n.line.pop()
	w.setAnswer(served)
	n.lock.Unlock()
	w.waker.wake(nil)
	return <-over
}
