package taskstate_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/taskstate"
)

func TestNewTakes1ToMaxReferences(t *testing.T) {
	for _, n := range []int{1, 2, 3, 1<<23 - 1, 1 << 23} {
		w := taskstate.New(n)
		require.Equal(t, fmt.Sprintf("SCHEDULED references=%d", n), w.Load().String())
	}
	require.Equal(t, 1<<23, taskstate.MaxReferences)
	for _, n := range []int{math.MinInt, -1, 0, 1<<23 + 1, 1<<24 - 1, 1 << 24, 1<<24 + 1,
		math.MaxInt} {
		require.PanicsWithValue(t, fmt.Sprintf("taskstate: New: %d references; there must be 1 to 8388608", n),
			func() { taskstate.New(n) })
	}
}

// Every rule has a panic that names it, and what the caller did instead.
func TestBrokenRulesPanic(t *testing.T) {
	poll := func(w *taskstate.Word) { w.ToRunning() }
	for _, c := range []struct {
		name       string
		references int
		before, do func(*taskstate.Word)
		want       string
	}{
		{
			"idle before it runs", 1, nil, func(w *taskstate.Word) { w.ToIdle() },
			"taskstate: ToIdle: only the runner of a RUNNING task may do this (state: SCHEDULED references=1)",
		}, {
			"two runners", 2, poll, func(w *taskstate.Word) { w.ToIdle(); w.ToIdle() },
			"taskstate: ToIdle: only the runner of a RUNNING task may do this (state: IDLE references=2)",
		}, {
			"complete twice", 2, poll, func(w *taskstate.Word) { w.Complete(); w.Complete() },
			"taskstate: Complete: only the runner of a RUNNING task may do this (state: COMPLETE references=1)",
		}, {
			"yield after the end", 2, poll, func(w *taskstate.Word) { w.Complete(); w.Yield() },
			"taskstate: Yield: only the runner of a RUNNING task may do this (state: COMPLETE references=1)",
		}, {
			"complete in a shield", 1, poll,
			func(w *taskstate.Word) { w.EnterShield(); w.Cancel(); w.Complete() },
			"taskstate: Complete: a task leaves its shields before it completes (state: RUNNING cancelled shield=1 references=1)",
		}, {
			"256 shields", 1, poll, func(w *taskstate.Word) {
				for range 256 {
					w.EnterShield()
				}
			},
			"taskstate: EnterShield: shields are nested too deep (state: RUNNING shield=255 references=1)",
		}, {
			"one shield left twice", 1, poll,
			func(w *taskstate.Word) { w.EnterShield(); w.LeaveShield(); w.LeaveShield() },
			"taskstate: LeaveShield: the task is in no shield (state: RUNNING references=1)",
		}, {
			"a shield from outside", 1, nil, func(w *taskstate.Word) { w.EnterShield() },
			"taskstate: EnterShield: only the runner of a RUNNING task may do this (state: SCHEDULED references=1)",
		}, {
			"too many references", 1 << 23, nil, func(w *taskstate.Word) { w.Clone() },
			"taskstate: Clone: there are too many references (state: SCHEDULED references=8388608)",
		}, {
			"too many references, by a claim", 1 << 23, nil, func(w *taskstate.Word) { w.Claim() },
			"taskstate: Claim: there are too many references (state: SCHEDULED references=8388608)",
		}, {
			"the task's own reference", 2, nil, func(w *taskstate.Word) { w.Drop(); w.WakeDrop() },
			"taskstate: WakeDrop: the last reference before COMPLETE is the task's own, which Complete drops (state: SCHEDULED references=1)",
		}, {
			"dropped once too often", 1, poll, func(w *taskstate.Word) { w.Complete(); w.Drop() },
			"taskstate: Drop: the last reference is gone, or there never was one (state: COMPLETE references=0)",
		}, {
			"woken after the last reference", 1, poll,
			func(w *taskstate.Word) { w.Complete(); w.Wake() },
			"taskstate: Wake: the last reference is gone, or there never was one (state: COMPLETE references=0)",
		}, {
			"join after detach", 3, nil, func(w *taskstate.Word) { w.Detach(); w.Join() },
			"taskstate: Join: nobody has a handle of a detached task (state: SCHEDULED detached references=2)",
		}, {
			"detach twice", 3, nil, func(w *taskstate.Word) { w.Detach(); w.Detach() },
			"taskstate: Detach: nobody has a handle of a detached task (state: SCHEDULED detached references=2)",
		}, {
			"unjoin without join", 2, nil, func(w *taskstate.Word) { w.Unjoin() },
			"taskstate: Unjoin: Join comes before Unjoin (state: SCHEDULED references=2)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := taskstate.New(c.references)
			if c.before != nil {
				c.before(&w)
			}
			require.PanicsWithValue(t, c.want, func() { c.do(&w) })
		})
	}
}

// A word that New did not make has no references, and refuses everything.
func TestZeroWordPanics(t *testing.T) {
	for _, o := range operations {
		var w taskstate.Word
		require.Equal(t, "taskstate: "+o.name+": the last reference is gone, or there never was one (state: SCHEDULED references=0)",
			o.call(&w))
		require.Zero(t, w.Load())
	}
}

// What is no state at all is not worked with.
func TestOverwrittenWordPanics(t *testing.T) {
	for bits, want := range map[taskstate.State]string{
		1<<40 | 4<<16: "taskstate: Wake: no transition leads to this lifecycle: the word was overwritten (state: LIFECYCLE(4) references=1)",
		1<<63 | 1<<40: "taskstate: Wake: there are more references than Clone gives out: the word was overwritten (state: SCHEDULED references=8388609)",
	} {
		w := taskstate.WordAt(bits)
		require.PanicsWithValue(t, want, func() { w.Wake() })
		require.Equal(t, bits, w.Load())
	}
}
