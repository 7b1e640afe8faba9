//go:build unix && !aix

package runtime

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Descriptors that are not put off have their turn though timers have just had theirs.
// (runtime/R75)
func TestDescriptorsAreNotPaidWithTimers(t *testing.T) {
	rt := scripted(t, Workers(1), Ring(16))
	r, o, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer o.Close()
	watched, err := rt.Watch(r)
	require.NoError(t, err)
	w := rt.workers[0]
	for range 2 * lease {
		w.pushBehind(w.queued())
	}
	w.piles, w.spilled = true, 100
	now := w.ioPolledAt + 2*mostOwed
	w.pay(&w.dueOwed, now)
	w.pollIO(now)
	require.Equal(t, now, w.ioPolledAt)
	require.NoError(t, watched.Close())
}
