package runtime_test

import (
	"io"
	"syscall"
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
		{"TrySubmit" + nilRuntime, func() { _, _ = runtime.TrySubmit(none, forever) }},
		{"TrySubmit" + zeroRuntime, func() { _, _ = runtime.TrySubmit(zero, forever) }},
		{"TrySubmit: nil function", func() { _, _ = runtime.TrySubmit[int](rt, nil) }},
		{"Runtime.Go" + nilRuntime, func() { none.Go(func(runtime.Cx) {}) }},
		{"Runtime.Go" + zeroRuntime, func() { zero.Go(func(runtime.Cx) {}) }},
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
		{"Done" + zeroRuntime, func() { zero.Done() }},
		{"Stats" + zeroRuntime, func() { zero.Stats() }},
		{"Dump" + nilRuntime, func() { _ = none.Dump(io.Discard) }},
		{"Dump" + zeroRuntime, func() { _ = zero.Dump(io.Discard) }},
		{"Dump: nil writer", func() { _ = rt.Dump(nil) }},
		{"Vars" + zeroRuntime, func() { zero.Vars() }},
		{"Vars.String" + nilRuntime, func() { _ = runtime.Vars{}.String() }},
		{"BlockingStats" + nilRuntime, func() { none.BlockingStats() }},
		{"Watch" + nilRuntime, func() { _, _ = none.Watch(noConn{}) }},
	} {
		require.Equal(t, "surewake: "+c.want, panics(c.call))
	}
}

// noConn is a connection that nobody asks for its descriptor.
type noConn struct{ syscall.Conn }

// So is a nil or zero Handle or Watch, by each of its methods. (runtime/R14)
func TestNilAndZeroHandlesAndWatchesAreNamed(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		named := func(rule string, calls map[string]func()) {
			t.Helper()
			for what, call := range calls {
				require.Equal(t, "surewake: "+what+": "+rule, panics(call))
			}
		}
		for _, h := range []*runtime.Handle[int]{nil, {}} {
			named("a nil or zero Handle; Submit and Spawn return one", map[string]func(){
				"Join":        func() { _, _ = h.Join(cx) },
				"JoinTimeout": func() { _, _ = h.JoinTimeout(cx, 1) },
				"JoinContext": func() { _, _ = h.JoinContext(cx, t.Context()) },
				"Wait":        func() { _, _ = h.Wait(t.Context()) },
				"TryJoin":     func() { _, _, _ = h.TryJoin() },
				"Done":        func() { h.Done() },
				"WakeOnEnd":   func() { h.WakeOnEnd(cx.Waker()) },
				"Cancel":      func() { h.Cancel() },
				"Detach":      func() { h.Detach() },
			})
		}
		try := func(uintptr) bool { return true }
		for _, w := range []*runtime.Watch{nil, {}} {
			named("a nil or zero Watch; Runtime.Watch makes one", map[string]func(){
				"Watch.Close": func() { _ = w.Close() },
				"ReadReady":   func() { _ = w.ReadReady(cx) },
				"WriteReady":  func() { _ = w.WriteReady(cx) },
				"Read":        func() { _ = w.Read(cx, try) },
				"Write":       func() { _ = w.Write(cx, try) },
			})
		}
		return nil
	})
}

// So is what only a function of this package makes. (runtime/R14)
func TestNilAndZeroValuesThatAreMadeAreNamed(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		named := func(rule string, calls map[string]func()) {
			t.Helper()
			for what, call := range calls {
				require.Equal(t, "surewake: "+what+rule, panics(call))
			}
		}
		for _, s := range []*runtime.Semaphore{nil, {}} {
			named(": a nil or zero Semaphore; NewSemaphore makes one", map[string]func(){
				"Semaphore.Acquire":        func() { _ = s.Acquire(cx, 1) },
				"Semaphore.AcquireContext": func() { _ = s.AcquireContext(t.Context(), 1) },
				"Semaphore.AcquireCase":    func() { s.AcquireCase(1) },
				"Semaphore.TryAcquire":     func() { s.TryAcquire(1) },
				"Semaphore.Release":        func() { s.Release(1) },
				"Semaphore.ReleaseFrom":    func() { s.ReleaseFrom(cx, 1) },
				"Semaphore.Free":           func() { s.Free() },
			})
		}
		for _, b := range []*runtime.TaskBatch[int]{nil, {}} {
			named(": a nil or zero TaskBatch; SpawnBatch and SubmitBatch return one",
				map[string]func(){
					"TaskBatch.Join":   func() { _, _ = b.Join(cx) },
					"TaskBatch.Wait":   func() { _, _ = b.Wait(t.Context()) },
					"TaskBatch.Cancel": func() { b.Cancel() },
					"TaskBatch.Len":    func() { b.Len() },
					"TaskBatch.All":    func() { b.All() },
					"TaskBatch.Handle": func() { b.Handle(0) },
				})
		}
		for _, c := range []*runtime.Channel[int]{nil, {}} {
			named(": a nil or zero Channel; NewChannel makes one", map[string]func(){
				"Channel": func() { _ = c.Close() },
			})
			require.Equal(t, panics(func() { _ = c.Close() }), panics(func() { c.Len() }))
			require.Equal(t, panics(func() { _ = c.Close() }), panics(func() { c.Cap() }))
		}
		for _, s := range []*runtime.TaskScope{nil, {}} {
			named(": the TaskScope is none; it is what Scope gives its body", map[string]func(){
				"TaskScope.Cancel": func() { s.Cancel() },
				"SpawnIn":          func() { runtime.SpawnIn(cx, s, returns(1)) },
			})
		}
		for _, ticker := range []*runtime.Ticker{nil, {}} {
			named(": a nil or zero Ticker; Cx.NewTicker makes one", map[string]func(){
				"Ticker.Next": func() { _ = ticker.Next(cx) },
			})
		}
		return nil
	})
}
