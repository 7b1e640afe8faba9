package proofs

import (
	"github.com/surewake/surewake/proofs/smt"
	"github.com/surewake/surewake/proofs/spec"
)

var (
	idleCode = []string{"idle/idle.go", "idle/worker.go"}

	manyWords = "Close and notifiers go through the words in order, each from the first"
	oneWord   = "one word of the bitmap (idle/I1 has any number)"
	anyBit    = "a notifier takes any bit that is set; the code takes the lowest"
)

// inIdle is a proof about the table spec.Idle, or a weakened one.
func inIdle(s *spec.System, invariants []string, goals ...string) invariant {
	return invariant{smt.Proof{System: s, Invariant: append([]string{s.NonNegative()}, invariants...), Goals: goals}, "idle.go"}
}

// What the mutants of idle do. Each stands for the hazard whose id the essay in idle/idle.go gives.
var (
	unchecked = spec.Rule{Name: "publish_unchecked", Code: "a worker that did not search does not recheck", When: "R > 0", Do: "R--; P_b++"}
	unowned   = spec.Rule{Name: "timeout_unowned", Code: "a timeout goes on although somebody else has the bit", When: "P_i > 0", Do: "P_i--; R++"}
	early     = spec.Rule{Name: "woke_early", Code: "a worker goes on when its bit is gone, before it is counted", When: "P_c > 0", Do: "P_c--; S++"}
	private   = spec.Rule{Name: "recheck_none_b", Code: "a recheck counts work that nobody can take", When: "B_b > 0", Do: "B_b--; P_b++; m0++"}
	silent    = spec.Rule{Name: "found_last", Code: "the last searcher does not notify", When: "F > 0 && searching == 1", Do: "F--; R++; searching--"}
)

func idleTheorems() []Theorem {
	idle, runs := spec.Idle(), spec.IdleRuns()
	wake := []string{spec.SearchingExact, spec.NoLostWakeup}
	atRest := "implies((" + spec.AtRest + ") && q > 0, P_b == 0)"
	measured := func(s *spec.System) invariant {
		p := inIdle(s, append([]string{spec.SomebodyThere, "closed == 0"}, wake...))
		p.Measure, p.Ends = spec.IdleMeasure, spec.AllDone
		return p
	}
	closing := func(s *spec.System) invariant {
		return invariant{smt.Proof{System: s, Invariant: []string{s.NonNegative(), spec.CloseInvariant}, Goals: []string{spec.NobodySleepsOn}}, "idle.go"}
	}
	leavesJoin := "(* found nothing, but what it waited for has ended *)\n    step (St L M q 1 c) (St (upd i (W R e t d) L) "
	// A worker that looks at closed before it sets its bit.
	looksFirst := spec.Close().With(spec.Rule{Name: "recheck_b", When: "R > 0 && phase == 0", Do: "R--; gone++"}).
		With(spec.Rule{Name: "late_bit", When: "gone > 0", Do: "gone--; B_b++"})
	claiming := func(s *spec.System) invariant {
		return invariant{smt.Proof{System: s, Invariant: []string{spec.ClaimInvariant}, Goals: []string{spec.ClaimHeard}}, "idle.go"}
	}
	claimsFirst := spec.Claim().With(spec.Rule{Name: "post", When: "true", Do: "claimers++"}).
		With(spec.Rule{Name: "late", When: "true", Do: "pub++"})
	looksBefore := spec.Claim().With(spec.Rule{Name: "publish", When: "at == 0", Do: "at = 1; known = pub"}).
		With(spec.Rule{Name: "recheck", When: "at == 1", Do: "at = 2"})
	bounds := func(s *spec.System) exploration {
		return exploration{s, spec.Question{Start: map[string]int{"R": 2, "left": 2, "other": 1, "hands": 3}, Always: append([]string{atRest}, wake...), Ends: "true"}, "idle.go"}
	}
	finite := func(s *spec.System) exploration {
		return exploration{s, spec.Question{Start: map[string]int{"R": 4, "left": 3}, Always: wake, Ends: spec.AllDone, Terminates: true}, "idle.go"}
	}
	coq := func(theorem string) lemma { return lemma{source: "Idle.v", theorem: theorem} }
	without := func(theorem, old, new, falseLemma string) lemma {
		return lemma{source: "Idle.v", theorem: theorem, old: old, new: new, falseLemma: falseLemma}
	}
	// A notifier that raises searching before it looks for a bit, and lowers it again if there is none.
	reserves := &spec.System{Name: idle.Name, Vars: append(append([]string{}, idle.Vars...), "m2"), Init: idle.Init + " && m2 == 0", Rules: idle.Rules}
	reserves = reserves.With(spec.Rule{Name: "notify_go", When: "m0 > 0 && searching == 0", Do: "m0--; m1++; searching++"}).
		With(spec.Rule{Name: "claim_none", When: "m1 > 0 && A_b + C_b + B_b + P_b == 0", Do: "m1--; m2++"}).
		With(spec.Rule{Name: "undo", When: "m2 > 0", Do: "m2--; searching--"})
	for _, p := range []string{"A", "C", "B", "P"} { // it has counted already
		reserves = reserves.With(spec.Rule{Name: "count_" + p, When: p + "_c > 0", Do: p + "_c--; " + p + "_i++"})
	}
	reserves = reserves.Without("close")
	reserving := bounds(reserves)
	reserving.question.Always = []string{"implies(m2 == 0 && q > 0 && (" + spec.AtRest + "), P_b == 0)"}
	promela := func(live bool, defines ...string) model {
		return model{source: "idle.pml", live: live, defines: append([]string{"N=2", "S=1", "T=2", "X=1"}, defines...)}
	}
	litmus := func(defines ...string) model { return model{source: "storebuffer.pml", defines: defines, litmus: true} }
	return []Theorem{
		{
			ID: "idle/I1", Statement: "no lost wakeup: when nobody is under way, nobody sleeps while a task is queued",
			Scope: "any N workers, words of the bitmap, notifiers, tasks, timeouts, a Close", Assumptions: []string{manyWords, anyBit}, Code: idleCode,
			proof: coq("no_lost_wakeup"),
			mutants: []mutant{
				{"I1", "a recheck that finds a task does not notify", without("no_lost_wakeup",
					"(St (upd i (W D e t d) L) (M0 :: M) q n c)", "(St (upd i (W D e t d) L) M q n c)", "step_wakes")},
				{"leaves", "a notifier leaves before it has seen all words", without("no_lost_wakeup", "k : nw <= k -> step", "k : step", "step_wakes")},
			},
		},
		{
			ID: "idle/I2", Statement: "one wake-up: a parked worker has exactly one of its bit, a claim in somebody's hands, a token; any other worker has none",
			Scope: "any N workers, words of the bitmap, notifiers, tasks, timeouts, a Close", Assumptions: []string{manyWords, anyBit}, Code: idleCode,
			proof: coq("one_wake_up"),
			mutants: []mutant{
				{"I2", "a timeout goes on whether or not it had the bit", without("one_wake_up",
					"| timeout L M q n c i t d : nth_error L i = Some (W P 1 t d)", "| timeout L M q n c i e t d : nth_error L i = Some (W P e t d)", "step_owns")},
			},
		},
		{
			ID: "idle/I3", Statement: "searching exact: it is the number of workers that search or were counted by their claimer",
			Scope: "any N workers, words of the bitmap, notifiers, tasks, timeouts, a Close", Assumptions: []string{manyWords, anyBit}, Code: idleCode,
			proof: coq("searching_exact"),
			mutants: []mutant{
				{"I3", "a worker goes on without its token", without("searching_exact", "nth_error L i = Some (W P e (t+1) d)", "nth_error L i = Some (W P e t d)", "step_counts")},
				{"uncounted", "Close does not count whom it claims", without("searching_exact", "(M2 j :: M) q n (Some (k, Some l))", "(M3 j :: M) q n (Some (k, Some l))", "step_counts")},
			},
		},
		{
			ID: "idle/I4", Statement: "if a task is queued and a worker sleeps with its bit set, then somebody searches, notifies, rechecks, is claimed or has a token, or Close is on its way",
			Scope: "any N workers, notifiers, tasks, timeouts, a Close", Assumptions: []string{oneWord, anyBit}, Code: idleCode,
			proof: inIdle(idle, wake, atRest),
			mutants: []mutant{
				{"I1", unchecked.Code, inIdle(idle.With(unchecked), wake)},
				{"last", silent.Code, inIdle(idle.With(silent), wake)},
			},
		},
		{
			ID: "idle/I5", Statement: "while a task is queued and a worker sleeps, somebody is under way, or a notifier has yet to come to the words of all sleepers",
			Scope: "any N workers, words of the bitmap, notifiers, tasks, timeouts", Assumptions: []string{manyWords, anyBit, "before Close"}, Code: idleCode,
			proof: coq("somebody_under_way"),
			mutants: []mutant{
				{"I7", "a notifier passes a word without a look at it", without("somebody_under_way",
					"sum (within k) L = 0 ->", "", "step_wakes")},
			},
		},
		{
			ID: "idle/I6", Statement: "every run ends, without livelock, with all tasks taken, all workers asleep and none of them counted",
			Scope: "any N workers and tasks", Assumptions: []string{oneWord, anyBit, "no timeouts; one queue; a task starts no others and ends"}, Code: idleCode,
			proof: measured(runs),
			mutants: []mutant{
				{"last", silent.Code, measured(runs.With(silent))},
				{"I6", private.Code, measured(runs.With(private))},
			},
		},
		{
			ID: "idle/I7", Statement: "searching is exactly the number of workers that search or were counted for it, so it is never negative",
			Scope: "any N workers, notifiers, tasks, timeouts, a Close", Assumptions: []string{oneWord, anyBit}, Code: idleCode,
			proof: inIdle(idle, []string{spec.SearchingExact}, "searching >= 0"),
			mutants: []mutant{
				{"I3", early.Code, inIdle(idle.With(early), []string{spec.SearchingExact})},
				{"I2", unowned.Code, inIdle(idle.With(unowned), []string{spec.SearchingExact})},
			},
		},
		{
			ID: "idle/I8", Statement: "there are never more than twice as many searchers as workers",
			Scope: "any N workers, words of the bitmap, notifiers, tasks, timeouts, a Close", Assumptions: []string{manyWords, anyBit}, Code: idleCode,
			proof: coq("searching_at_most_twice"),
			mutants: []mutant{
				{"two-tokens", "a claimer gives its token again", without("searching_at_most_twice",
					"(upd j (W x e (t+1) d) L) (a ++ b)", "(upd j (W x e (t+1) d) L) (a ++ M3 j :: b)", "step_counts")},
			},
		},
		{
			ID: "idle/I9", Statement: "when Close is through with all words, no worker that has passed its look at closed has its bit set",
			Scope: "any N workers, words of the bitmap, notifiers, tasks, timeouts", Assumptions: []string{manyWords}, Code: idleCode,
			proof: coq("nobody_sleeps_after_close"),
			mutants: []mutant{
				{"close-passes", "Close passes a word without a look at it", without("nobody_sleeps_after_close",
					"k : step (St L M q n (Some (k, Some [])))", "k r : step (St L M q n (Some (k, r)))", "step_closes")},
				{"unread", "Close goes through some bits of a word, not through those that it has read", without("nobody_sleeps_after_close", "set_in k L l ->", "", "step_reads")},
				{"early-look", "closed is loaded before the bit is set", without("nobody_sleeps_after_close",
					"step (St L M q n None) (St (upd i (W B e t d) L) M q n None)", "forall c, step (St L M q n c) (St (upd i (W B e t d) L) M q n c)", "step_reads")},
			},
		},
		{
			ID: "idle/I10", Statement: "after Close, nobody sleeps on: every worker was claimed or has learned it in Publish",
			Scope: "any N workers, claims and timeouts", Assumptions: []string{"one Close; it is said of each word"}, Code: idleCode,
			proof:   closing(spec.Close()),
			mutants: []mutant{{"early-look", "closed is loaded before the bit is set", closing(looksFirst)}},
		},
		{
			ID: "idle/I11", Statement: "timeouts eat no token: a worker that finds its own bit when it times out has no token and no claim on its way",
			Scope: "any N workers, words of the bitmap, notifiers, tasks, timeouts, a Close", Assumptions: []string{manyWords, anyBit}, Code: idleCode,
			proof: coq("timeout_unclaimed"),
			mutants: []mutant{
				{"blind", "a claim leaves the bit where it is", without("timeout_unclaimed",
					"(upd j (W x 0 t d) L) (a ++ M2 j :: b)", "(upd j (W x 1 t d) L) (a ++ M2 j :: b)", "step_owns")},
			},
		},
		{
			ID: "idle/I12", Statement: "a searcher that leaves a join with nothing leaves no task to sleepers alone: somebody else is under way, who covers them",
			Scope: "any N workers, words of the bitmap, notifiers, tasks, timeouts", Assumptions: []string{manyWords, anyBit, "before Close"}, Code: idleCode,
			proof: coq("leaver_is_replaced"),
			mutants: []mutant{
				{"last", "the last searcher that leaves a join does not notify", without("leaver_is_replaced", leavesJoin+"(M0 :: M) q 0 c)", leavesJoin+"M q 0 c)", "step_wakes")},
				{"stays-counted", "who leaves a join stays on the count", without("leaver_is_replaced", leavesJoin+"(M0 :: M) q 0 c)", leavesJoin+"(M0 :: M) q 1 c)", "step_counts")},
			},
		},
		{
			ID: "idle/I13", Statement: "Claim reaches: a worker that sleeps unclaimed, with no claim on its way, knows all that was published for it",
			Scope: "any N claimers, notifiers, timeouts", Assumptions: []string{"it is said of each worker"}, Code: idleCode,
			proof: claiming(spec.Claim()),
			mutants: []mutant{
				{"claims-first", "a deadline is published after the claim", claiming(claimsFirst)},
				{"early-recheck", "the recheck comes before the bit is set", claiming(looksBefore)},
			},
		},
		{
			ID: "idle/X1", Statement: "no lost wakeup and searching exact, with timeouts, other queues and a Close",
			Scope: "2 workers, 2 pushes, 1 push elsewhere, 3 notifiers at a time", Assumptions: []string{oneWord}, Code: idleCode,
			proof: bounds(idle),
			mutants: []mutant{
				{"I1", unchecked.Code, bounds(idle.With(unchecked))},
				{"I2", unowned.Code, bounds(idle.With(unowned))},
				{"I3", early.Code, bounds(idle.With(early))},
				{"I4", "a notifier raises searching first, and lowers it when there is no bit", reserving},
				{"last", silent.Code, bounds(idle.With(silent))},
			},
		},
		{
			ID: "idle/X2", Statement: "without timeouts every run ends with all tasks taken and all workers asleep, none of them counted",
			Scope: "4 workers, 3 pushes", Assumptions: []string{oneWord}, Code: idleCode,
			proof: finite(runs),
			mutants: []mutant{
				{"I1", "a recheck that finds a task does not notify", finite(runs.With(spec.Rule{Name: "recheck_work_b", When: "B_b > 0 && q > 0", Do: "B_b--; P_b++"}))},
				{"last", silent.Code, finite(runs.With(silent))},
				{"I6", private.Code, finite(runs.With(private))},
			},
		},
		{
			ID: "idle/S1", Statement: "all tasks are done while the other workers are stuck in long ones, and then all sleep and none is counted",
			Scope: "2 workers, 1 submitter of 2 tasks, 1 early timeout", Assumptions: []string{oneWord}, Code: append(idleCode, "park/park.go"),
			proof: promela(false),
			mutants: []mutant{
				{"I1", "only the last searcher rechecks", promela(false, "NOCHECK")},
				{"I2", "a timeout looks whether the bit is there, and then clears it", promela(false, "UNOWNED")},
				{"last", "the last searcher does not notify", promela(false, "SILENT")},
			},
		},
		{
			ID: "idle/S2", Statement: "liveness: in every fair run all tasks are done",
			Scope: "2 workers, 1 submitter of 2 tasks, 1 early timeout", Assumptions: []string{oneWord, "scheduling is weakly fair"}, Code: append(idleCode, "park/park.go"),
			proof:   promela(true),
			mutants: []mutant{{"I1", "only the last searcher rechecks", promela(true, "NOCHECK")}},
		},
		{
			ID: "idle/S3", Statement: "store, then load, on both sides: they do not miss each other; with a store buffer on either side they do, so idle needs sequential consistency",
			Scope: "the two accesses of each side, all interleavings", Assumptions: []string{"Go's atomics are sequentially consistent"}, Code: idleCode,
			proof: litmus(),
			mutants: []mutant{
				{"push", "the push, or Close's store, is buffered as a release store may be", litmus("BUFFER1")},
				{"publish", "the bit, or the count, is buffered as a release store may be", litmus("BUFFER2")},
			},
		},
	}
}
