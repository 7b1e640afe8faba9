package runtime_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// What is nil, or the zero value where there must be none, is named. (runtime/R14)
func TestNilAndZeroValuesAreNamed(t *testing.T) {
	rt := start(t, 1)
	h := runtime.Submit(rt, forever)
	none, zero := (*runtime.Runtime)(nil), &runtime.Runtime{}
	block := func() (int, error) { return 0, nil }
	indexed := func(_ runtime.Cx, i int) (int, error) { return i, nil }
	batch := runtime.SubmitBatch(rt, 1, indexed)
	const nilRuntime = ": nil Runtime; New makes one"
	const zeroRuntime = ": the zero Runtime; New makes one"
	const channel = "Channel: a nil or zero Channel; NewChannel makes one"
	for _, c := range []struct {
		want string
		call func()
	}{
		{"Submit" + nilRuntime, func() { runtime.Submit(none, forever) }},
		{"Submit" + zeroRuntime, func() { runtime.Submit(zero, forever) }},
		{"SubmitFuture" + nilRuntime, func() { runtime.SubmitFuture(none, &bell{}) }},
		{"SubmitFuture" + zeroRuntime, func() { runtime.SubmitFuture(zero, &bell{}) }},
		{"SubmitBlocking" + nilRuntime, func() { runtime.SubmitBlocking(none, block) }},
		{"SubmitBlocking" + zeroRuntime, func() { runtime.SubmitBlocking(zero, block) }},
		{"SubmitBatch" + nilRuntime, func() { runtime.SubmitBatch(none, 1, indexed) }},
		{"SubmitBatch" + zeroRuntime, func() { runtime.SubmitBatch(zero, 1, indexed) }},
		{"TaskBatch.Wait: nil context", func() { _, _ = batch.Wait(noContext) }},
		{"Close" + nilRuntime, func() { _ = none.Close() }},
		{"Close" + zeroRuntime, func() { _ = zero.Close() }},
		{"Shutdown" + zeroRuntime, func() { _ = zero.Shutdown(t.Context()) }},
		{"Shutdown: nil context", func() { _ = rt.Shutdown(noContext) }},
		{"Wait: nil context", func() { _, _ = h.Wait(noContext) }},
		{channel, func() { _ = new(runtime.Channel[int]).TrySend(1) }},
		{channel, func() { _, _ = (*runtime.Channel[int])(nil).TryReceive() }},
	} {
		require.Equal(t, "runtime: "+c.want, panics(c.call))
	}
}
