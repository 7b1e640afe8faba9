package runtime_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

//go:noinline
func guilty() { panic("guilty") }

// The stack of a panic in a fork is that of its call, wherever that was made; that of the join
// follows. What is recovered leaves nothing to the next panic.
func TestThePanicOfAForkHasItsStack(t *testing.T) {
	rt := start(t, 1)
	stackOf := func(body func(cx runtime.Cx)) string {
		_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			body(cx)
			return 0, nil
		}))
		var p *runtime.PanicError
		require.ErrorAs(t, err, &p)
		return string(p.Stack)
	}
	elsewhere := func(cx runtime.Cx) { // a yield makes a task of the fork
		f := runtime.Fork(cx, func(runtime.Cx, int) int { guilty(); return 0 }, 1)
		cx.Yield()
		f.Join(cx)
	}
	stack := stackOf(elsewhere)
	call, join := strings.Index(stack, "runtime_test.guilty"), strings.Index(stack, "raised again")
	require.Positive(t, call, "%s", stack)
	require.Greater(t, join, call, "%s", stack)
	require.Contains(t, stack[join:], "TestThePanicOfAForkHasItsStack")

	stack = stackOf(func(cx runtime.Cx) {
		f := runtime.Fork(cx, func(cx runtime.Cx, _ int) int { elsewhere(cx); return 0 }, 1)
		cx.Yield()
		f.Join(cx)
	})
	require.Contains(t, stack, "runtime_test.guilty")
	require.Equal(t, 2, strings.Count(stack, "raised again"), "%s", stack)

	stack = stackOf(func(cx runtime.Cx) {
		func() {
			defer func() { _ = recover() }()
			elsewhere(cx)
		}()
		panic("another")
	})
	require.NotContains(t, stack, "guilty")
}
