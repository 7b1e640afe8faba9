package runtime_test

import (
	"fmt"
	goruntime "runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// All callers share one runtime, which nobody closes.
func TestDefaultIsSharedAndNotClosed(t *testing.T) {
	rt := runtime.Default()
	require.Same(t, rt, runtime.Default())
	require.Equal(t, goruntime.GOMAXPROCS(0), len(rt.Stats().Workers))
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

func ExampleDefault() {
	total := 0
	h := runtime.Default().Go(func(runtime.Cx) { total = 42 })
	<-h.Done()
	fmt.Println(total)
	// Output: 42
}
