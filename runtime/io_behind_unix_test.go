//go:build unix && !aix

package runtime

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// With a backlog, calls whose descriptors are ready go first, one after the other; or, if tasks
// pile up, and such have queued more than a ring holds, behind these. (runtime/R73, R79)
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
		w.spilled, w.piles = 100, c.piles
		if c.piles {
			w.piled = pileLooks
		}
		w.due.queued = c.started
		readers := []*task{w.sleeping(), w.sleeping()}
		d := &watched.directions[reading]
		d.of.lock.Lock()
		for _, reader := range readers {
			d.waiting.push(&waiter[error]{waker: reader})
		}
		d.of.lock.Unlock()
		_, err = o.Write([]byte{1})
		require.NoError(t, err)
		w.pollIO(w.ioPolledAt + ioPollGap)
		if behind {
			require.Nil(t, w.pickDue())
			require.Equal(t, 102, rt.injector.Len())
		} else {
			require.Same(t, readers[0], w.pickDue())
			require.Equal(t, c.piles, w.due.turn)
			w.due.last = false
			require.Same(t, readers[1], w.pickDue())
			require.Equal(t, 100, rt.injector.Len())
			w.again(readers)
		}
		require.NoError(t, watched.Close())
		require.NoError(t, r.Close())
		require.NoError(t, o.Close())
	}
}
