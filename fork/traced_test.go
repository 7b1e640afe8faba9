package fork_test

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/fork"
)

//go:noinline
func guilty() { panic("guilty") }

// A panic that a join raises is traced to the call that another worker has made; another panic is
// not, though that of a join was recovered before.
func TestAPanicIsTracedToTheCallOfTheFork(t *testing.T) {
	workers := alone(3)
	h := workers[0]
	raise := func() {
		f := fork.Fork(&h.Stack, func(*worker, int) int { guilty(); return 0 }, 1)
		h.Share()
		c := h.Claim(true)
		require.NotNil(t, c)
		c.Run(workers[1], &workers[1].Stack)
		f.Join(h)
	}
	traced := func(f func()) (stack string) {
		defer func() {
			require.NotNil(t, recover())
			stack = string(h.Traced(debug.Stack()))
		}()
		f()
		return ""
	}
	stack := traced(raise)
	call, join := strings.Index(stack, "fork_test.guilty("), strings.Index(stack, "raised again")
	require.Positive(t, call, "%s", stack)
	require.Greater(t, join, call, "%s", stack)

	another := func() {
		defer func() { _ = recover() }()
		raise()
	}
	require.NotContains(t, traced(func() { another(); panic("another") }), "guilty")
	require.NotContains(t, traced(func() { panic("a third") }), "guilty")
}

// A claimed call that joins one that panicked, which a third worker ran, hands on where that was.
func TestAPanicIsTracedThroughClaims(t *testing.T) {
	workers := alone(3)
	h, thief := workers[0], workers[1]
	f := fork.Fork(&h.Stack, func(w *worker, _ int) int {
		f := fork.Fork(&w.Stack, func(*worker, int) int { guilty(); return 0 }, 1)
		w.Share()
		w.Claim(true).Run(workers[2], &workers[2].Stack)
		return f.Join(w)
	}, 1)
	h.Share()
	h.Claim(true).Run(thief, &thief.Stack)
	defer func() {
		require.Equal(t, "guilty", recover())
		require.Contains(t, string(h.Traced(debug.Stack())), "fork_test.guilty(")
	}()
	f.Join(h)
}
