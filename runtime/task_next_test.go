package runtime_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// Each task comes once, in the order of their ends; those that have ended come first.
func TestTasksComeAsTheyEnd(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		const n = 6
		gates := make([]runtime.Notify, n)
		handles := make([]*runtime.Handle[int], n)
		for i := range handles {
			handles[i] = runtime.Spawn(cx,
				func(cx runtime.Cx) (int, error) { return i, gates[i].Wait(cx) })
		}
		order := []int{3, 0, 5, 1, 4, 2}
		gates[3].Signal()
		settle(cx)
		gates[0].Signal()
		settle(cx)
		came := 0
		for i, err := range runtime.AsEnded(cx, handles...) {
			require.NoError(t, err)
			if came < 2 { // these two have ended before
				require.Contains(t, order[:2], i)
			} else {
				require.Equal(t, order[came], i)
			}
			require.True(t, hasEnded(handles[i]))
			came++
			if came >= 2 && came < n {
				gates[order[came]].Signal()
			}
		}
		require.Equal(t, n, came)
		return nil
	})
}

// A loop that is left, and a task that must end, leave nothing with the tasks that have not ended.
func TestAsEndedLeavesNothing(t *testing.T) {
	rt := start(t, 1)
	slow := runtime.Submit(rt, forever)
	_, err := cancelled(t, rt, does(func(cx runtime.Cx) error {
		for i, err := range runtime.AsEnded(cx, slow, slow) {
			require.Equal(t, -1, i)
			require.ErrorIs(t, err, runtime.ErrCancelled)
			i, err = runtime.Next(cx, slow)
			require.Equal(t, -1, i)
			return err
		}
		return nil
	}))
	require.ErrorIs(t, err, runtime.ErrCancelled)
	run(t, rt, func(cx runtime.Cx) error {
		quick := runtime.Spawn(cx, returns(1))
		for i, err := range runtime.AsEnded(cx, slow, quick) {
			require.NoError(t, err)
			require.Equal(t, 1, i)
			break
		}
		require.Zero(t, slow.Joiners())
		i, err := runtime.Next(cx, slow, nil, quick)
		require.Equal(t, 2, i)
		require.Zero(t, slow.Joiners())
		for range runtime.AsEnded[int](cx) {
			t.Error("of no tasks, one has ended")
		}
		const rule = "a nil or zero Handle; Submit and Spawn return one"
		require.Equal(t, "surewake: AsEnded: "+rule,
			panics(func() {
				for range runtime.AsEnded(cx, slow, nil) {
					t.Error("a nil handle has ended")
				}
			}))
		require.Zero(t, slow.Joiners())
		return err
	})
}

func ExampleNext() {
	do(func(cx runtime.Cx) error {
		slow := runtime.Spawn(cx,
			func(cx runtime.Cx) (int, error) { return 1, cx.Sleep(time.Hour) })
		fast := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) { return 2, nil })
		i, err := runtime.Next(cx, slow, fast)
		slow.Cancel()
		fmt.Println(i, err)
		return nil
	})
	// Output: 1 <nil>
}

func ExampleAsEnded() {
	do(func(cx runtime.Cx) error {
		var tasks []*runtime.Handle[int]
		for _, ms := range []int{20, 1, 10} {
			tasks = append(tasks, runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
				return ms, cx.Sleep(time.Duration(ms) * time.Millisecond)
			}))
		}
		for i, err := range runtime.AsEnded(cx, tasks...) {
			if err != nil {
				return err
			}
			fmt.Println(tasks[i].TryJoin())
		}
		return nil
	}, runtime.Workers(1))
	// Output:
	// 1 <nil> true
	// 10 <nil> true
	// 20 <nil> true
}
