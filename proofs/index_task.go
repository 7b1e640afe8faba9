package proofs

import (
	"slices"

	"github.com/surewake/surewake/proofs/smt"
	"github.com/surewake/surewake/proofs/spec"
)

// taskLively is that a task that was woken is polled, and who helps: its runner by the end of the
// poll, then whoever has an entry.
var taskLively = smt.Lively{
	While: "unseen == 1 && life != 3",
	Goals: []string{"to_running", "claim", "complete", "complete_join", "complete_release",
		"complete_discard"},
	Makes: "runner == 1 && life == 1 && unseen == 0 || life == 3",
	Rank:  []string{"either(life == 1, 1, 0)"},
	Helpers: []smt.Helper{
		{
			Places: []string{"runner"}, At: 1,
			Steps: []string{"to_idle", "to_idle_notified", "yield", "complete", "complete_join",
				"complete_release", "complete_discard"},
			Others: slices.Concat([]string{"enter", "leave"}, anybodys),
		},
		{
			Places: []string{"entries"}, At: 0, Steps: []string{"to_running", "stale"},
			Others: anybodys,
		},
	},
}

// anybodys are the rules of whoever has a reference, also of the runner within a poll.
var anybodys = []string{"claim", "clone", "wake_idle", "wake_running", "wake_scheduled",
	"cancel_deferred", "cancel_idle", "cancel_running", "cancel_scheduled"}

func taskTheorems() []Theorem {
	code := []string{"taskstate/run.go", "taskstate/cancel.go", "taskstate/join.go",
		"taskstate/reference.go"}
	callers := []string{"callers keep the rules of package taskstate: whoever touches the word has " +
		"a reference, and whoever is told to enqueue does"}
	base := []string{spec.TaskShape, spec.OneRunner, spec.OneEntry, spec.NotifiedMeans,
		spec.ReferencesExact, spec.ReleasedOnce, spec.Shields}
	about := func(proof func(*spec.System) proof) onTable { return on("Task", spec.Task(), proof) }
	prove := func(goals ...string) onTable {
		return about(func(s *spec.System) proof {
			return invariant{smt.Proof{
				System: s, Invariant: append(append([]string{}, base...), goals...), Goals: goals,
			}, "task.go"}
		})
	}
	all := []string{spec.NoLostNotify, spec.CancelReaches, spec.JoinerWoken, spec.OwnReference}
	within := about(func(s *spec.System) proof {
		return exploration{s, spec.Question{
			Start: map[string]int{"entries": 1, "handle": 1, "holders": 1, "refs": 3, "most": 5,
				"deep": 2},
			Always: append(append([]string{}, base...), all...),
			Ends:   "released == 1 || life == 2 && handle + holders == 0",
		}, "task.go"}
	})
	living := about(func(s *spec.System) proof {
		return invariant{smt.Proof{
			System: s, Invariant: append(append([]string{}, base...), spec.NoLostNotify),
			Lively: &taskLively,
		}, "task.go"}
	})
	coq := func(theorem string) lemma {
		return lemma{source: "Task.v", theorem: theorem,
			made: taskTable}
	}
	return []Theorem{
		{
			ID:        "taskstate/T1",
			Statement: "one poller: exactly while the task is RUNNING, one goroutine polls it",
			Scope:     "any N wakers, queues and claimers", Assumptions: callers, Code: code,
			proof: prove(spec.OneRunner),
		},
		{
			ID: "taskstate/T2",
			Statement: "one queue entry: while the task is SCHEDULED there is one that may run " +
				"it, otherwise none but those a Claim overtook",
			Scope: "any N wakers, queues and claimers", Assumptions: callers, Code: code,
			proof: prove(spec.OneEntry),
		},
		{
			ID: "taskstate/T3",
			Statement: "no lost notify: after a Wake a poll begins that is later, or the task " +
				"is COMPLETE",
			Scope: "any N wakers, queues and claimers", Assumptions: callers, Code: code,
			proof: prove(spec.NoLostNotify),
		},
		{
			ID: "taskstate/T4",
			Statement: "released once: when the last reference goes, and nobody who could touch " +
				"the task is left then",
			Scope: "any N references", Assumptions: callers, Code: code,
			proof: prove(spec.ReleasedOnce,
				"implies(released > 0, entries + runner + handle + holders + last == 0 && "+
					"life == 3)"),
		},
		{
			ID: "taskstate/T5",
			Statement: "before COMPLETE the task has a reference of its own beside those of " +
				"handle and wakers",
			Scope: "any N references", Assumptions: callers, Code: code,
			proof: prove(spec.OwnReference),
		},
		{
			ID:        "taskstate/T6",
			Statement: "notified is set only while RUNNING: no poll for nothing",
			Scope:     "any N wakers, queues and claimers", Assumptions: callers, Code: code,
			proof: prove(spec.NotifiedMeans),
		},
		{
			ID: "taskstate/T7",
			Statement: "cancel reaches: a cancelled task outside its shields does not wait " +
				"before its runner was told",
			Scope: "any N wakers, any depth of shields", Assumptions: callers, Code: code,
			proof: prove(spec.CancelReaches),
		},
		{
			ID:        "taskstate/T8",
			Statement: "a joiner that has published its waker is woken by the completion, once",
			Scope:     "any N wakers, queues and claimers", Assumptions: callers, Code: code,
			proof: prove(spec.JoinerWoken),
		},
		{
			ID: "taskstate/T9",
			Statement: "shields are counted exactly: never below 0 or beyond the maximum, and 0 " +
				"at COMPLETE",
			Scope: "any N wakers, any depth of shields", Assumptions: callers, Code: code,
			proof: prove(spec.Shields),
		},
		{
			ID: "taskstate/T10",
			Statement: "one poller, by another tool: exactly while the task is RUNNING there is " +
				"one runner",
			Scope: "any N wakers, queues, claimers, references", Assumptions: callers,
			Code:  code,
			proof: coq("one_poller"),
		},
		{
			ID: "taskstate/T11",
			Statement: "one queue entry, by another tool: one that may run the task while it " +
				"is SCHEDULED, else none but those a Claim overtook",
			Scope: "any N wakers, queues, claimers, references", Assumptions: callers,
			Code:  code,
			proof: coq("one_entry"),
		},
		{
			ID: "taskstate/T12",
			Statement: "no lost notify, by another tool: after a Wake a poll that is later is " +
				"to come, or the task is COMPLETE",
			Scope: "any N wakers, queues, claimers, references", Assumptions: callers,
			Code:  code,
			proof: coq("no_lost_notify"),
		},
		{
			ID: "taskstate/T13",
			Statement: "dropped once, by another tool: released when nobody has a reference " +
				"any more, at most once, and only when COMPLETE",
			Scope: "any N references", Assumptions: callers, Code: code,
			proof: coq("dropped_once"),
		},
		{
			ID: "taskstate/T14",
			Statement: "cancel completes: a cancelled task that no shield makes wait needs no " +
				"other wake to come to a poll that is told, and from there to COMPLETE",
			Scope: "any N wakers, queues, claimers, any depth of shields",
			Assumptions: append([]string{"a runner leaves its shields, and ends when it is told"},
				callers...), Code: code,
			proof: coq("cancel_completes"),
		},
		{
			ID: "taskstate/T15",
			Statement: "shields: counted exactly, none at COMPLETE, and no runner is told of a " +
				"cancellation inside one",
			Scope: "any N wakers, any depth of shields", Assumptions: callers, Code: code,
			proof: coq("shields"),
		},
		{
			ID:          "taskstate/T16",
			Statement:   "who keeps the rules is never refused: no transition panics",
			Scope:       "any N wakers, queues, claimers, references below the maximum",
			Assumptions: callers, Code: code,
			proof: coq("never_refused"),
		},
		{
			ID: "taskstate/T17",
			Statement: "a joiner that has published its waker and not withdrawn it is woken by " +
				"the completion, once, by another tool",
			Scope: "any N wakers, queues, claimers, references", Assumptions: callers,
			Code:  code,
			proof: coq("joiner_woken_once"),
		},
		{
			ID: "taskstate/T18",
			Statement: "liveness: after a Wake a poll begins that is later, sooner or later, or the " +
				"task is COMPLETE",
			Scope: "any N wakers, queues and claimers",
			Assumptions: append([]string{"each poll ends; whoever has an entry of a queue calls " +
				"ToRunning; scheduling is weakly fair", "a compare-and-swap that is tried again " +
				"succeeds sooner or later"}, callers...), Code: code,
			proof: living,
		},
		{
			ID: "taskstate/X1",
			Statement: "T1 to T9 in every state, and where nothing can happen the task was " +
				"released, or waits and all who could wake it have left",
			Scope: "5 references, 2 shields", Assumptions: callers, Code: code,
			proof: within,
		},
		{
			ID: "taskstate/S1",
			Statement: "one poller, one entry, no lost wake, released once, and COMPLETE " +
				"is reached",
			Scope: "2 workers, 3 wakers", Assumptions: callers, Code: code,
			proof: model{source: "task.pml", defines: []string{"NW=3"}},
		},
	}
}
