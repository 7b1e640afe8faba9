package fork_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/fork"
)

func twice(_ *worker, n int) int { return 2 * n }

// Each join of a stack whose joins are checked calls the check first, with its depth, also of a
// private fork that nobody has asked for; also when the stack has grown, or was claimed from.
func TestEachJoinIsChecked(t *testing.T) {
	workers := alone(2)
	h, thief := workers[0], workers[1]
	var depths []int
	h.CheckJoins(func(depth int) {
		require.Equal(t, depth+1, h.Len(), "the join has changed the stack before")
		depths = append(depths, depth)
	})
	joins := func(forks int, join func(f *fork.Frame[*worker, int, int])) {
		t.Helper()
		frames := make([]*fork.Frame[*worker, int, int], forks)
		for i := range frames {
			frames[i] = fork.Fork(&h.Stack, twice, i)
		}
		if c := h.Claim(true); c != nil {
			c.Run(thief, &thief.Stack)
		}
		var want []int
		for i := forks - 1; i >= 0; i-- {
			want = append(want, i)
			join(frames[i])
		}
		require.Equal(t, want, depths)
		depths = nil
	}
	joins(2, func(f *fork.Frame[*worker, int, int]) { f.Join(h) })
	joins(1000, func(f *fork.Frame[*worker, int, int]) { f.Join(h) })
	joins(3, func(f *fork.Frame[*worker, int, int]) {
		if !f.Mine() {
			f.Result()
		}
	})
	one := func(*worker) int { return 1 }
	a, b := fork.Both(&h.Stack, h, one, one)
	require.Equal(t, 2, a+b)
	require.Equal(t, []int{0}, depths)
}

// A join that the check refuses has changed nothing: the fork is joined later.
func TestARefusedJoinIsLeft(t *testing.T) {
	h := alone(1)[0]
	refuses := true
	h.CheckJoins(func(int) {
		if refuses {
			panic("no")
		}
	})
	f := fork.Fork(&h.Stack, twice, 3)
	for range 2 {
		require.PanicsWithValue(t, "no", func() { f.Join(h) })
		require.PanicsWithValue(t, "no", func() { f.Mine() })
	}
	refuses = false
	require.Equal(t, 6, f.Join(h))
	require.Zero(t, h.Len())
}
