package runtime

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What a join was faster than stays in the injector, and costs whoever takes it a credit, though no
// task ends for it afterwards. If that was the last credit of all, live has been 0 for a while, and
// nobody brings it there any more.
func TestEntriesOfEndedTasksDoNotKeepTheRuntime(t *testing.T) {
	rt, err := New(Workers(1), Ring(4))
	require.NoError(t, err)
	h := Submit(rt, func(cx Cx) (int, error) {
		handles := make([]*Handle[int], 20)
		for i := range handles {
			handles[i] = Spawn(cx, func(Cx) (int, error) { return i, nil })
		}
		for _, h := range handles {
			if _, err := h.Join(cx); err != nil {
				return 0, err
			}
		}
		if err := cx.Shutdown(); err != nil {
			return 0, err
		}
		// As if the credit had come in other portions: as much as there are entries, when this task
		// has ended.
		w, stale := cx.coroutine.worker, rt.injector.Len()
		rt.live.Add(int64(stale - 1 - w.credit))
		w.credit = stale - 1
		return stale, nil
	})
	n, err := h.Wait(context.Background())
	require.NoError(t, err)
	require.Positive(t, n)
	select {
	case <-rt.Done():
	case <-time.After(5 * time.Second):
		t.Fatal("all tasks have ended, and the runtime has not")
	}
}
