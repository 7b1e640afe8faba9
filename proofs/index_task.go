package proofs

import (
	"github.com/surewake/surewake/proofs/smt"
	"github.com/surewake/surewake/proofs/spec"
)

func taskTheorems() []Theorem {
	code := []string{"taskstate/run.go", "taskstate/cancel.go", "taskstate/join.go", "taskstate/reference.go"}
	callers := []string{"callers keep the rules of package taskstate: who has no reference does not touch the word, and who is told to enqueue does"}
	task := spec.Task()
	base := []string{spec.TaskShape, spec.OneRunner, spec.OneEntry, spec.NotifiedMeans, spec.ReferencesExact, spec.ReleasedOnce, spec.Shields}
	prove := func(s *spec.System, goals ...string) invariant {
		return invariant{smt.Proof{System: s, Invariant: append(append([]string{}, base...), goals...), Goals: goals}, "task.go"}
	}
	all := []string{spec.NoLostNotify, spec.CancelReaches, spec.JoinerWoken, spec.OwnReference}
	within := func(s *spec.System) exploration {
		return exploration{s, spec.Question{Start: map[string]int{"entries": 1, "handle": 1, "holders": 1, "refs": 3, "most": 5, "deep": 2},
			Always: append(append([]string{}, base...), all...), Ends: "released == 1 || life == 2 && handle + holders == 0"}, "task.go"}
	}
	twoSteps := task.With(spec.Rule{Name: "to_idle", Code: "RUNNING leaves without a look at notified", When: "runner == 1", Do: "runner = 0; life = 2; notified = 0"})
	anyRuns := task.With(spec.Rule{Name: "to_running", Code: "an entry runs the task whatever its lifecycle", When: "entries > 0 && life != 3",
		Do: "entries--; runner = runner + 1; life = 1; notified = 0; unseen = 0"})
	wakes := task.With(spec.Rule{Name: "wake_running", Code: "a Wake of a RUNNING task enqueues it", When: "holders > 0 && life == 1", Do: "notified = 1; entries++; unseen = 1"})
	marks := task.With(spec.Rule{Name: "wake_scheduled", Code: "a Wake of a SCHEDULED task sets notified", When: "holders > 0 && life == 0", Do: "notified = 1; unseen = 1"})
	flagOnly := task.With(spec.Rule{Name: "cancel_idle", Code: "Cancel of an IDLE task sets a flag only", When: "holders + handle > 0 && cancelled == 0 && life == 2 && shield == 0", Do: "cancelled = 1"})
	leaves := task.With(spec.Rule{Name: "leave", Code: "leaving the outermost shield does not look at cancelled", When: "runner == 1 && shield > 0", Do: "shield--"})
	saturates := task.With(spec.Rule{Name: "leave", Code: "a shield is left that was not entered", When: "runner == 1", Do: "shield--"})
	late := task.With(spec.Rule{Name: "join", Code: "Join sets join interest without a look at COMPLETE", When: "handle == 1", Do: "join = 1"})
	adds := task.With(spec.Rule{Name: "clone", Code: "Clone by who has no reference", When: "refs < most", Do: "holders++; refs++"})
	early := task.With(spec.Rule{Name: "complete_join", Code: "Complete drops the reference before the joiner is woken", When: "runner == 1 && shield == 0 && join == 1",
		Do: "runner = 0; life = 3; notified = 0; refs--; last = 1; woken++"})
	coq := func(theorem string) lemma { return lemma{source: "Task.v", theorem: theorem} }
	// broken is the same with one of the transitions weakened; it fails in the lemma that says what every step keeps.
	broken := func(theorem, old, new string) lemma {
		return lemma{source: "Task.v", theorem: theorem, old: old, new: new, falseLemma: "step_inv"}
	}
	refuses := lemma{source: "Task.v", theorem: "never_refused", falseLemma: "never_refused",
		old: "Definition yield_ w := if polled w then", new: "Definition yield_ w := if polled w && negb (notified w) then"}
	return []Theorem{
		{
			ID: "taskstate/T1", Statement: "one poller: exactly while the task is RUNNING, one goroutine polls it",
			Scope: "any N wakers, queues and claimers", Assumptions: callers, Code: code,
			proof:   prove(task, spec.OneRunner),
			mutants: []mutant{{"any", anyRuns.Rule("to_running").Code, prove(anyRuns, spec.OneRunner)}},
		},
		{
			ID: "taskstate/T2", Statement: "one queue entry: while the task is SCHEDULED there is one that may run it, otherwise none but those a Claim overtook",
			Scope: "any N wakers, queues and claimers", Assumptions: callers, Code: code,
			proof:   prove(task, spec.OneEntry),
			mutants: []mutant{{"twice", wakes.Rule("wake_running").Code, prove(wakes, spec.OneEntry)}},
		},
		{
			ID: "taskstate/T3", Statement: "no lost notify: after a Wake a poll begins that is later, or the task is COMPLETE",
			Scope: "any N wakers, queues and claimers", Assumptions: callers, Code: code,
			proof:   prove(task, spec.NoLostNotify),
			mutants: []mutant{{"T1", twoSteps.Rule("to_idle").Code, prove(twoSteps, spec.NoLostNotify)}},
		},
		{
			ID: "taskstate/T4", Statement: "released once: when the last reference goes, and nobody who could touch the task is left then",
			Scope: "any N references", Assumptions: callers, Code: code,
			proof: prove(task, spec.ReleasedOnce, "implies(released > 0, entries + runner + handle + holders + last == 0 && life == 3)"),
			mutants: []mutant{
				{"clone", adds.Rule("clone").Code, prove(adds, spec.ReleasedOnce)},
				{"T3c", early.Rule("complete_join").Code, prove(early, spec.ReleasedOnce)},
			},
		},
		{
			ID: "taskstate/T5", Statement: "before COMPLETE the task has a reference of its own beside those of handle and wakers",
			Scope: "any N references", Assumptions: callers, Code: code,
			proof:   prove(task, spec.OwnReference),
			mutants: []mutant{{"T3c", early.Rule("complete_join").Code, prove(early, spec.OwnReference)}},
		},
		{
			ID: "taskstate/T6", Statement: "notified is set only while RUNNING: no poll for nothing",
			Scope: "any N wakers, queues and claimers", Assumptions: callers, Code: code,
			proof:   prove(task, spec.NotifiedMeans),
			mutants: []mutant{{"T6", marks.Rule("wake_scheduled").Code, prove(marks, spec.NotifiedMeans)}},
		},
		{
			ID: "taskstate/T7", Statement: "cancel reaches: a cancelled task outside its shields does not wait before its runner was told",
			Scope: "any N wakers, any depth of shields", Assumptions: callers, Code: code,
			proof: prove(task, spec.CancelReaches),
			mutants: []mutant{
				{"T2", flagOnly.Rule("cancel_idle").Code, prove(flagOnly, spec.CancelReaches)},
				{"T5", leaves.Rule("leave").Code, prove(leaves, spec.CancelReaches)},
			},
		},
		{
			ID: "taskstate/T8", Statement: "a joiner that has published its waker is woken by the completion, once",
			Scope: "any N wakers, queues and claimers", Assumptions: callers, Code: code,
			proof:   prove(task, spec.JoinerWoken),
			mutants: []mutant{{"T3", late.Rule("join").Code, prove(late, spec.JoinerWoken)}},
		},
		{
			ID: "taskstate/T9", Statement: "shields are counted exactly: never below 0 or beyond the maximum, and 0 at COMPLETE",
			Scope: "any N wakers, any depth of shields", Assumptions: callers, Code: code,
			proof:   prove(task, spec.Shields),
			mutants: []mutant{{"T5", saturates.Rule("leave").Code, prove(saturates, spec.Shields)}},
		},
		{
			ID: "taskstate/T10", Statement: "one poller, with the transitions as the functions that the code has: exactly while the task is RUNNING there is one runner",
			Scope: "any N wakers, queues, claimers, references", Assumptions: callers, Code: code,
			proof: coq("one_poller"),
			mutants: []mutant{{"any", anyRuns.Rule("to_running").Code, broken("one_poller",
				"  | _, _ => Some (w, Stale) end.\nDefinition claim", "  | _, Complete => Some (w, Stale)\n  | _, _ => Some (move w Running, Poll) end.\nDefinition claim")}},
		},
		{
			ID: "taskstate/T11", Statement: "one queue entry, in the same model: one that may run the task while it is SCHEDULED, else none but those a Claim overtook",
			Scope: "any N wakers, queues, claimers, references", Assumptions: callers, Code: code,
			proof:   coq("one_entry"),
			mutants: []mutant{{"twice", wakes.Rule("wake_running").Code, broken("one_entry", "| _, Running => Some (note w, Noted)", "| _, Running => Some (note w, Enqueue)")}},
		},
		{
			ID: "taskstate/T12", Statement: "no lost notify, in the same model: after a Wake a poll that is later is to come, or the task is COMPLETE",
			Scope: "any N wakers, queues, claimers, references", Assumptions: callers, Code: code,
			proof: coq("no_lost_notify"),
			mutants: []mutant{{"T1", twoSteps.Rule("to_idle").Code, broken("no_lost_notify",
				"Some (if notified w then (move w Scheduled, Enqueue) else (move w Idle, Waits))", "Some (move w Idle, Waits)")}},
		},
		{
			ID: "taskstate/T13", Statement: "dropped once, in the same model: released when nobody has a reference any more, at most once, and only when COMPLETE",
			Scope: "any N references", Assumptions: callers, Code: code,
			proof:   coq("dropped_once"),
			mutants: []mutant{{"T3c", early.Rule("complete_join").Code, broken("dropped_once", "if join w then (c, WakeJoiner)", "if join w then (with_refs c (refs w - 1), WakeJoiner)")}},
		},
		{
			ID: "taskstate/T14", Statement: "cancel completes: a cancelled task that no shield makes wait needs no other wake to come to a poll that is told, and from there to COMPLETE",
			Scope: "any N wakers, queues, claimers, any depth of shields", Assumptions: append([]string{"a runner leaves its shields, and ends when it is told"}, callers...), Code: code,
			proof: coq("cancel_completes"),
			mutants: []mutant{
				{"T2", flagOnly.Rule("cancel_idle").Code, broken("cancel_completes", "| Some (w', Enqueue) => Some (cancel_ w', Enqueue)", "| Some (w', Enqueue) => Some (cancel_ w, Noted)")},
				{"T5", leaves.Rule("leave").Code, broken("cancel_completes", "else if cancelled w then (note w', Cancelled) else (w', Left))", "else (w', Left))")},
			},
		},
		{
			ID: "taskstate/T15", Statement: "shields: counted exactly, none at COMPLETE, and no runner is told of a cancellation inside one",
			Scope: "any N wakers, any depth of shields", Assumptions: callers, Code: code,
			proof: coq("shields"),
			mutants: []mutant{
				{"T5", "a shield too many is entered", broken("shields", "if polled w && (shield w <? deep) then", "if polled w then")},
				{"told", "a runner is told whatever its shields", broken("shields", "cancelled w && (shield w =? 0)", "cancelled w && (shield w =? shield w)")},
			},
		},
		{
			ID: "taskstate/T16", Statement: "who keeps the rules is never refused: no transition panics",
			Scope: "any N wakers, queues, claimers, references below the maximum", Assumptions: callers, Code: code,
			proof:   coq("never_refused"),
			mutants: []mutant{{"yield", "Yield refuses a task that is notified", refuses}},
		},
		{
			ID: "taskstate/T17", Statement: "a joiner that has published its waker and not withdrawn it is woken by the completion, once, in the same model",
			Scope: "any N wakers, queues, claimers, references", Assumptions: callers, Code: code,
			proof: coq("joiner_woken_once"),
			mutants: []mutant{{"T3", late.Rule("join").Code, broken("joiner_woken_once",
				"  | _, _, Complete => Some (w, Ready)\n  | _, _, _ => Some (with_join w true, Waits) end.", "  | _, _, _ => Some (with_join w true, Waits) end.")}},
		},
		{
			ID: "taskstate/X1", Statement: "T1 to T9 in every state, and where nothing can happen the task was released, or waits and all who could wake it have left",
			Scope: "5 references, 2 shields", Assumptions: callers, Code: code,
			proof: within(task),
			mutants: []mutant{
				{"T1", twoSteps.Rule("to_idle").Code, within(twoSteps)},
				{"T2", flagOnly.Rule("cancel_idle").Code, within(flagOnly)},
				{"T3", late.Rule("join").Code, within(late)},
			},
		},
		{
			ID: "taskstate/S1", Statement: "one poller, one entry, no lost wake, released once, and COMPLETE is reached",
			Scope: "2 workers, 3 wakers", Assumptions: callers, Code: code,
			proof: model{source: "task.pml", defines: []string{"NW=3"}},
			mutants: []mutant{
				{"T1", "RUNNING is left in two steps", model{source: "task.pml", defines: []string{"NW=3", "TWOSTEPS"}}},
				{"T1b", "ToIdle does not look at notified", model{source: "task.pml", defines: []string{"NW=3", "BLIND"}}},
			},
		},
	}
}
