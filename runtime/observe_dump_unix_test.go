//go:build unix && !aix

package runtime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// It names them also if the task waits for more: in a Select, or as a future.
func TestDumpNamesDescriptorsOfCases(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		rt := start(t, 1, poller)
		c, _ := conns(t, rt)
		w := c.Watch()
		selects := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			return runtime.Select(cx, w.ReadReadyCase(), runtime.AfterCase(time.Hour))
		})
		var p runtime.Pending
		pends := runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
			return p.Poll(cx, selects.EndCase(), w.ReadReadyCase())
		}))
		waits(t, func() bool { r, _ := w.Waiting(); return r == 2 }, "they do not wait")
		atRest(t, rt)
		text := dumped(t, rt)
		require.Regexp(t, `\ntask \d+: waits, \S+ are left, to read descriptor \d+\n`, text)
		require.Regexp(t, `\ntask \d+: waits, to read descriptor \d+, for the end of task \d+\n`, text)
		require.NoError(t, c.Close())
		_, err := get(t, selects)
		require.ErrorIs(t, err, runtime.ErrWatchClosed)
		_, err = get(t, pends)
		require.Contains(t, []error{nil, runtime.ErrWatchClosed}, err)
	})
}

// A dump names the descriptor for which a task waits, and in which direction; watches are counted
// until they are closed. (runtime/R9)
func TestDumpNamesDescriptors(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		rt := start(t, 1, poller)
		c, _ := conns(t, rt)
		r, w := runtime.Submit(rt, reads(c)), runtime.Submit(rt, fills(c))
		waits(t, func() bool {
			readers, writers := c.Watch().Waiting()
			return readers == 1 && writers == 1
		}, "they do not wait")
		atRest(t, rt)
		text := dumped(t, rt)
		require.Contains(t, text, " 0 timers, 1 watch;")
		require.Regexp(t, `\ntask \d+: waits, to read descriptor \d+\n`, text)
		require.Regexp(t, `\ntask \d+: waits, to write descriptor \d+\n`, text)
		require.NoError(t, c.Close())
		for _, h := range []*runtime.Handle[int]{r, w} {
			_, err := get(t, h)
			require.Error(t, err)
		}
		atRest(t, rt)
		require.Contains(t, dumped(t, rt), "; 0 tasks, 0 timers, 0 watches; ")
	})
}
