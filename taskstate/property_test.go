package taskstate_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/taskstate"
)

// A word behaves as a struct, whatever is done to it, permitted or not.
func TestWordBehavesAsAStruct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plain{references: rapid.OneOf(
			rapid.IntRange(1, 5),
			rapid.IntRange(taskstate.MaxReferences-3, taskstate.MaxReferences),
		).Draw(t, "references")}
		w := taskstate.New(p.references)
		require.Equal(t, p.state(), w.Load())
		actions := map[string]func(*rapid.T){}
		for _, o := range operations {
			actions[o.name] = func(t *rapid.T) { require.NoError(t, o.hold(&w, &p)) }
		}
		shields := func(name string) func(*rapid.T) {
			return func(t *rapid.T) { // all the way, now and then
				if p.lifecycle != taskstate.Running || rapid.IntRange(0, 9).Draw(t, "tenth") > 0 {
					t.Skip()
				}
				for range rapid.IntRange(250, 260).Draw(t, "times") {
					for _, o := range operations {
						if o.name == name {
							require.NoError(t, o.hold(&w, &p))
						}
					}
				}
			}
		}
		actions["EnterShield again and again"] = shields("EnterShield")
		actions["LeaveShield again and again"] = shields("LeaveShield")
		actions["start over"] = func(*rapid.T) {
			if p.references > 0 {
				t.Skip()
			}
			p = plain{references: 2}
			w = taskstate.New(2)
		}
		actions[""] = func(t *rapid.T) { require.Equal(t, p, plainOf(w.Load())) }
		t.Repeat(actions)
	})
}

// Any 64 bits have accessors and a string that say what they are.
func TestEveryStateIsReadable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := taskstate.State(rapid.Uint64().Draw(t, "state"))
		p := plainOf(s)
		require.Equal(t, s, p.state())
		require.Equal(t, p.String(), s.String())
		require.Equal(t, p.cancelled && p.shield == 0, s.CancelEffective())
	})
	for _, c := range []struct {
		s    taskstate.State
		want string
	}{
		{0, "SCHEDULED references=0"},
		{2 << 40, "SCHEDULED references=2"},
		{1 << 16, "RUNNING references=0"},
		{1<<40 | 1<<24 | 2<<16, "IDLE notified references=1"},
		{3<<40 | 255<<32 | 15<<24 | 3<<16,
			"COMPLETE notified cancelled join-interest detached shield=255 references=3"},
		{1<<64 - 1, "LIFECYCLE(255) notified cancelled join-interest detached shield=255 references=16777215 reserved=0xf000ffff"},
	} {
		require.Equal(t, c.want, c.s.String())
		require.Equal(t, c.want, fmt.Sprint(c.s))
	}
}

func TestEveryOutcomeHasAName(t *testing.T) {
	for _, c := range []struct {
		outcome fmt.Stringer
		want    string
	}{
		{taskstate.WakeNoted, "WakeNoted"}, {taskstate.WakeFinished, "WakeFinished"},
		{taskstate.WakeEnqueue, "WakeEnqueue"},
		{taskstate.WakeRelease, "WakeRelease"},
		{taskstate.WakeRelease + 1, "taskstate.WakeOutcome(4)"},
		{taskstate.RunStale, "RunStale"}, {taskstate.RunPoll, "RunPoll"},
		{taskstate.RunCancelled, "RunCancelled"},
		{taskstate.RunCancelled + 1, "taskstate.RunOutcome(3)"},
		{taskstate.IdleWaits, "IdleWaits"}, {taskstate.IdleEnqueue, "IdleEnqueue"},
		{taskstate.IdleEnqueue + 1, "taskstate.IdleOutcome(2)"},
		{taskstate.CompleteDone, "CompleteDone"}, {taskstate.CompleteRelease, "CompleteRelease"},
		{taskstate.CompleteWakeJoiner, "CompleteWakeJoiner"},
		{taskstate.CompleteDiscard, "CompleteDiscard"},
		{taskstate.CompleteDiscard + 1, "taskstate.CompleteOutcome(4)"},
		{taskstate.CancelNoted, "CancelNoted"}, {taskstate.CancelDeferred, "CancelDeferred"},
		{taskstate.CancelAlready, "CancelAlready"}, {taskstate.CancelFinished, "CancelFinished"},
		{taskstate.CancelEnqueue, "CancelEnqueue"},
		{taskstate.CancelEnqueue + 1, "taskstate.CancelOutcome(5)"},
		{taskstate.ShieldLeft, "ShieldLeft"}, {taskstate.ShieldHeld, "ShieldHeld"},
		{taskstate.ShieldCancelled, "ShieldCancelled"},
		{taskstate.ShieldCancelled + 1, "taskstate.ShieldOutcome(3)"},
		{taskstate.JoinReady, "JoinReady"}, {taskstate.JoinWait, "JoinWait"},
		{taskstate.JoinWithdrawn, "JoinWithdrawn"},
		{taskstate.JoinWithdrawn + 1, "taskstate.JoinOutcome(3)"},
		{taskstate.DetachDone, "DetachDone"}, {taskstate.DetachDiscard, "DetachDiscard"},
		{taskstate.DetachRelease, "DetachRelease"},
		{taskstate.DetachRelease + 1, "taskstate.DetachOutcome(3)"},
		{taskstate.DropKept, "DropKept"}, {taskstate.DropRelease, "DropRelease"},
		{taskstate.DropRelease + 1, "taskstate.DropOutcome(2)"},
	} {
		require.Equal(t, c.want, c.outcome.String())
	}
}
