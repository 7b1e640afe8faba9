//go:build unix && !aix

package runtime

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// While tasks pile up, a call whose descriptor is ready goes first, or, if such have started more
// than a ring holds, queues behind them. (runtime/R73)
func TestWhatIsReadyQueuesBehindAPile(t *testing.T) {
	for _, c := range []struct {
		piles   bool
		started int
	}{{false, 16}, {true, 15}, {true, 16}} {
		behind := c.piles && c.started == 16
		rt := scripted(t, Workers(1), Ring(16))
		r, o, err := os.Pipe()
		require.NoError(t, err)
		watched, err := rt.Watch(r)
		require.NoError(t, err)
		w := rt.workers[0]
		for range 100 {
			w.pushBehind(w.queued())
		}
		w.spilled, w.piled, w.piles = 100, pileLooks, c.piles
		w.due.started = c.started
		reader := w.sleeping()
		d := &watched.directions[reading]
		d.of.lock.Lock()
		d.waiting.push(&waiter[error]{waker: reader})
		d.of.lock.Unlock()
		_, err = o.Write([]byte{1})
		require.NoError(t, err)
		w.pollIO(w.ioPolledAt + ioPollGap)
		require.Equal(t, c.piles && !behind, w.due.turn)
		if behind {
			require.Nil(t, w.slot.Load())
			require.Equal(t, 101, rt.injector.Len())
		} else {
			require.Same(t, reader, w.slot.Load())
		}
		require.NoError(t, watched.Close())
		require.NoError(t, r.Close())
		require.NoError(t, o.Close())
	}
}
