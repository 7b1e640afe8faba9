package runtime_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

func descriptors(t *testing.T) int {
	all, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(all)
}

// A runtime that has ended has given back what it needed to wait for descriptors, be they closed or
// not.
func TestNoDescriptorIsLeft(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		r, _ := pipe(t)
		before := descriptors(t)
		for i := range 5 {
			rt, err := runtime.New(runtime.Workers(2), poller)
			require.NoError(t, err)
			w, err := rt.Watch(r)
			require.NoError(t, err)
			h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return 0, w.ReadReady(cx) })
			time.Sleep(time.Duration(i) * 100 * time.Microsecond)
			if i%2 == 0 {
				require.NoError(t, w.Close())
			}
			require.NoError(t, rt.Close())
			_, err = get(t, h)
			require.Error(t, err)
		}
		require.Equal(t, before, descriptors(t))
	})
}

// A Watch that is closed is none for the kernel: the same descriptor can be watched again, also by
// another runtime, and what comes then is told to the new one only.
func TestClosedWatchIsForgotten(t *testing.T) {
	rt := start(t, 1)
	r, w := pipe(t)
	for range 10 {
		old := watch(t, rt, r)
		require.NoError(t, old.Close())
		current := watch(t, rt, r)
		h := runtime.Submit(rt,
			func(cx runtime.Cx) (int, error) { return read(cx, current, make([]byte, 1)) })
		w.Write([]byte{1})
		n, err := get(t, h)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.NoError(t, current.Close())
	}
}
