package runtime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A receiver is a future that waits by a Pending and, as a value, has it within its task.
type receiver struct {
	from  *runtime.Channel[int]
	first runtime.Pending
	other runtime.Pending
}

// Poll implements runtime.Future.
func (r *receiver) Poll(cx runtime.Cx) (int, error, bool) {
	_, err, ready := r.first.Poll(cx, r.from.ReceiveCase(nil))
	if !ready {
		_, err, ready = r.other.Poll(cx, r.from.ReceiveCase(nil), runtime.AfterCase(time.Hour))
	}
	return 0, err, ready
}

// When a future that is a value ends, its Pendings are withdrawn, although they are part of it.
// (runtime/R50)
func TestAPendingInAValueIsWithdrawn(t *testing.T) {
	rt := start(t, 2)
	c := runtime.NewChannel[int](0)
	for range 10 {
		h := runtime.SubmitFutureValue[int](rt, receiver{from: c})
		waits(t, func() bool { return runtime.Waiting(c) == 2 }, "it does not wait")
		h.Cancel()
		_, err := get(t, h)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		require.NotErrorAs(t, err, new(*runtime.PanicError))
		waits(t, func() bool { return rt.ListedFutures() == 0 }, "it is listed after its end")
		require.Zero(t, runtime.Waiting(c)+runtime.Timers(rt))
	}
}
