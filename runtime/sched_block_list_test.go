package runtime

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// The list of runtimes that want to know who blocks keeps none that has ended, and no call that is
// over.
func TestGuardsForgetWhatHasEnded(t *testing.T) {
	lists := func(rt *Runtime) bool {
		guards.lock.Lock()
		defer guards.lock.Unlock()
		_, listed := guards.all[rt]
		require.Len(t, guards.all, int(guards.count.Load()))
		return listed
	}
	plain, err := New(Workers(1))
	require.NoError(t, err)
	guarded, err := New(Workers(1), Debug())
	require.NoError(t, err)
	require.False(t, lists(plain))
	require.True(t, lists(guarded))
	number, _ := header()
	require.Empty(t, guards.call(number))
	outer := guards.enter("Limiter.WaitContext")
	inner := guards.enter("Mutex.LockContext")
	require.Equal(t, "Limiter.WaitContext", guards.call(number))
	inner()
	require.Equal(t, "Limiter.WaitContext", guards.call(number))
	outer()
	require.Empty(t, guards.call(number))
	_, err = Submit(guarded, empty).Wait(context.Background())
	require.NoError(t, err)
	require.NoError(t, guarded.Close())
	require.False(t, lists(guarded))
	require.NoError(t, plain.Close())
}
