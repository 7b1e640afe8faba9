package runtime

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// A searcher takes from the injector a task that was cancelled before it began, and ends it. Who
// joins that task runs next on the searcher: nobody else can take it, so the searcher does not go
// to sleep.
func TestASearcherRunsWhomItHasWoken(t *testing.T) {
	c, err := configure([]Option{Workers(2), InjectorBatch(1, LocalRing), IdleBatch(1),
		Searches(1), RescueInterval(0)})
	require.NoError(t, err)
	rt := assemble(c)
	var ended *Handle[int]
	began, free := make(chan bool), make(chan bool)
	joins := Submit(rt, func(cx Cx) (int, error) {
		_, err := ended.Join(cx)
		return 1, err
	})
	blocks := Submit(rt, func(Cx) (int, error) { close(began); <-free; return 2, nil })
	ended = Submit(rt, func(Cx) (int, error) { return 3, nil })
	ended.state.Cancel() // and nobody hurries it
	go rt.workers[0].run()
	<-began // the first one waits, and the last one is in the injector

	w := rt.workers[1]
	found := w.search()
	require.NotNil(t, found, "the search has left a task in the slot: %v", w.slot.Load() != nil)
	require.Same(t, &joins.task, found)
	w.idle.Found()
	w.toResume = found.body.(*coroutine)
	go w.run()
	_, err = joins.Wait(context.Background())
	require.ErrorIs(t, err, ErrCancelled)
	close(free)
	_, err = blocks.Wait(context.Background())
	require.NoError(t, err)
	require.NoError(t, rt.Shutdown(context.Background()))
}
