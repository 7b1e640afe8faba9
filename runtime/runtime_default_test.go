package runtime_test

import (
	"context"
	"fmt"
	goruntime "runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// maxProcsAtFirst is the number of workers of the default runtime: that of the first round of
// go test -cpu.
var maxProcsAtFirst = sync.OnceValue(func() int { return goruntime.GOMAXPROCS(0) })

// All callers share one runtime, which nobody closes.
func TestDefaultIsSharedAndNotClosed(t *testing.T) {
	rt := runtime.Default()
	require.Same(t, rt, runtime.Default())
	require.Equal(t, maxProcsAtFirst(), len(rt.Stats().Workers))
	const rule = ": the default runtime is shared, and not closed; New makes one of one's own"
	require.Equal(t, "surewake: Close"+rule, panics(func() { _ = rt.Close() }))
	require.Equal(t, "surewake: Shutdown"+rule, panics(func() { _ = rt.Shutdown(t.Context()) }))
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, "surewake: Cx.Close"+rule, panics(func() { _ = cx.Close() }))
		require.Equal(t, "surewake: Cx.Shutdown"+rule, panics(func() { _ = cx.Shutdown() }))
		return nil
	})
	v, err := get(t, runtime.Submit(rt, returns(7)))
	require.NoError(t, err)
	require.Equal(t, 7, v)
}

// BenchmarkDefault is a task of the default runtime, beside one of another runtime and a goroutine;
// and what the call takes that returns it.
func BenchmarkDefault(b *testing.B) {
	task := func(b *testing.B, rt func() *runtime.Runtime) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = rt().Go(func(runtime.Cx) {}).Wait(context.Background())
		}
	}
	b.Run("task", func(b *testing.B) { task(b, runtime.Default) })
	b.Run("task of another", func(b *testing.B) {
		rt := start(b, goruntime.GOMAXPROCS(0))
		task(b, func() *runtime.Runtime { return rt })
	})
	b.Run("goroutine", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var one sync.WaitGroup
			one.Go(func() {})
			one.Wait()
		}
	})
	b.Run("call", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			runtime.Default()
		}
	})
}

func ExampleDefault() {
	total := 0
	h := runtime.Default().Go(func(runtime.Cx) { total = 42 })
	<-h.Done()
	fmt.Println(total)
	// Output: 42
}
