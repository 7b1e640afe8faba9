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
	return invariant{smt.Proof{
		System: s, Invariant: append([]string{s.NonNegative()}, invariants...), Goals: goals,
	}, "idle.go"}
}

// idleLively is that somebody takes a task, and who helps.
var idleLively = smt.Lively{
	While: "q > 0", Goals: []string{"take", "take_searching"}, Lowers: "q", Rank: spec.IdleRank,
	Helpers: []smt.Helper{
		{Places: []string{"S"}, At: 0, Steps: []string{"take_searching", "look_none"}},
		{Places: []string{"Y"}, At: 0, Steps: []string{"publish_searching"}},
		{Places: []string{"Z"}, At: 0, Steps: []string{"publish"}},
		staged("A", "uncount"), staged("C", "open"), staged("B", "recheck_none", "recheck_work"),
		{Places: []string{"R"}, At: 1, Steps: []string{"take", "search", "look_empty"}},
		{Places: []string{"P_t"}, At: 1, Steps: []string{"woke"}},
		{Places: []string{"F"}, At: 2, Steps: []string{"found", "found_last"}},
		{Places: []string{"P_i"}, At: 2, Steps: []string{"token_P"}},
		{Places: []string{"P_c"}, At: 3, Steps: []string{"count_P"}},
		{Places: []string{"m1"}, At: 4,
			Steps: []string{"claim_none", "claim_A", "claim_C", "claim_B", "claim_P"}},
		{Places: []string{"m0"}, At: 5, Steps: []string{"notify_go", "notify_leave"}},
	},
}

// staged is a worker in Publish or before its recheck, with whatever it has; a notifier may give it
// more.
func staged(place string, steps ...string) (h smt.Helper) {
	for _, stage := range []string{"_b", "_c", "_i", "_t"} {
		h.Places = append(h.Places, place+stage)
		for _, s := range steps {
			h.Steps = append(h.Steps, s+stage)
		}
	}
	h.Others = []string{"claim_none", "claim_" + place, "count_" + place, "token_" + place}
	return h
}

func idleTheorems() []Theorem {
	// prove is a proof by these invariants.
	prove := func(invariants []string, goals ...string) onTable {
		return onAgents(spec.IdleAgents(), spec.CountIdle,
			func(s *spec.System) proof { return inIdle(s, invariants, goals...) })
	}
	ending := []string{spec.SearchingExact, spec.NoLostWakeup}
	runs := []string{spec.SomebodyThere, "closed == 0", spec.RunsExact, spec.RunsNoLostWakeup}
	wake := append(ending, spec.CloseIsThrough)
	atRest := "implies((" + spec.AtRest + ") && q > 0, P_b == 0)"
	measured := onAgents(spec.IdleRunsAgents(), spec.CountIdleRuns, func(s *spec.System) proof {
		p := inIdle(s, runs)
		p.Measure, p.Ends = spec.IdleMeasure, spec.AllDone
		return p
	})
	living := onAgents(spec.IdleLivesAgents(), spec.CountIdleLives, func(s *spec.System) proof {
		p := inIdle(s, runs)
		p.Lively = &idleLively
		return p
	})
	closing := on("Close", spec.Close(), func(s *spec.System) proof {
		return inIdle(s, []string{spec.CloseInvariant}, spec.NobodySleepsOn)
	})
	claiming := on("Claim", spec.Claim(), func(s *spec.System) proof {
		return invariant{smt.Proof{
			System: s, Invariant: []string{spec.ClaimInvariant}, Goals: []string{spec.ClaimHeard},
		}, "idle.go"}
	})
	bounds := onAgents(spec.IdleAgents(), spec.CountIdle, func(s *spec.System) proof {
		return exploration{s, spec.Question{
			Start:  map[string]int{"R": 2, "left": 2, "other": 1, "hands": 3},
			Always: append([]string{atRest}, wake...), Ends: "true",
		}, "idle.go"}
	})
	// The notifier that mutant I4 adds is under way while m4 > 0. That searching is not exact then
	// is its point.
	bounds.parts = map[string]func(*spec.System) proof{"nobody-sleeps": func(s *spec.System) proof {
		p := bounds.about(s).(exploration)
		p.question.Always = []string{"implies(m4 == 0 && q > 0 && (" + spec.AtRest + "), P_b == 0)"}
		return p
	}}
	finite := onAgents(spec.IdleRunsAgents(), spec.CountIdleRuns, func(s *spec.System) proof {
		return exploration{s, spec.Question{
			Start: map[string]int{"R": 4, "left": 3}, Always: runs, Ends: spec.AllDone,
			Terminates: true,
		}, "idle.go"}
	})
	relying := onAgents(spec.IdleAgents(), spec.CountIdle, func(s *spec.System) proof {
		p := inIdle(s, []string{spec.SearchingExact, "closed <= 2"})
		p.Relies, p.Few = spec.IdleRely(), map[string]int{"searching": 2, "q": 1}
		return p
	})
	coq := func(theorem string) lemma {
		return lemma{source: "Idle.v", theorem: theorem,
			made: idleTable}
	}
	promela := func(live bool) model {
		return model{source: "idle.pml", live: live, defines: []string{"N=2", "S=1", "T=2", "X=1"}}
	}
	return []Theorem{
		{
			ID: "idle/I1",
			Statement: "no lost wakeup: when nobody is under way, nobody sleeps while a task " +
				"is queued",
			Scope:       "any N workers, words of the bitmap, notifiers, tasks, timeouts, a Close",
			Assumptions: []string{manyWords, anyBit}, Code: idleCode,
			proof: coq("no_lost_wakeup"),
		},
		{
			ID: "idle/I2",
			Statement: "one wake-up: a parked worker has exactly one of its bit, a claim in " +
				"somebody's hands, a token; any other worker has none",
			Scope:       "any N workers, words of the bitmap, notifiers, tasks, timeouts, a Close",
			Assumptions: []string{manyWords, anyBit}, Code: idleCode,
			proof: coq("one_wake_up"),
		},
		{
			ID: "idle/I3",
			Statement: "searching exact: it is the number of workers that search or were " +
				"counted by their claimer",
			Scope:       "any N workers, words of the bitmap, notifiers, tasks, timeouts, a Close",
			Assumptions: []string{manyWords, anyBit}, Code: idleCode,
			proof: coq("searching_exact"),
		},
		{
			ID: "idle/I4",
			Statement: "if a task is queued and a worker sleeps with its bit set, then " +
				"somebody searches, notifies, rechecks, is claimed or has a token, or Close is " +
				"on its way",
			Scope:       "any N workers, notifiers, tasks, timeouts, a Close",
			Assumptions: []string{oneWord, anyBit}, Code: idleCode,
			proof: prove(wake, atRest),
		},
		{
			ID: "idle/I5",
			Statement: "while a task is queued and a worker sleeps, somebody is under way, or " +
				"a notifier has yet to come to the words of all sleepers",
			Scope:       "any N workers, words of the bitmap, notifiers, tasks, timeouts",
			Assumptions: []string{manyWords, anyBit, "before Close"}, Code: idleCode,
			proof: coq("somebody_under_way"),
		},
		{
			ID: "idle/I6",
			Statement: "every run ends, without livelock, with all tasks taken, all workers " +
				"asleep and none of them counted",
			Scope: "any N workers and tasks",
			Assumptions: []string{oneWord, anyBit,
				"no timeouts; one queue; a task starts no others and ends"}, Code: idleCode,
			proof: measured,
		},
		{
			ID: "idle/I7",
			Statement: "searching is exactly the number of workers that search or were " +
				"counted for it, so it is never negative",
			Scope:       "any N workers, notifiers, tasks, timeouts, a Close",
			Assumptions: []string{oneWord, anyBit}, Code: idleCode,
			proof: prove([]string{spec.SearchingExact}, "searching >= 0"),
		},
		{
			ID:          "idle/I8",
			Statement:   "there are never more than twice as many searchers as workers",
			Scope:       "any N workers, words of the bitmap, notifiers, tasks, timeouts, a Close",
			Assumptions: []string{manyWords, anyBit}, Code: idleCode,
			proof: coq("searching_at_most_twice"),
		},
		{
			ID: "idle/I9",
			Statement: "when Close is through with all words, no worker that has passed its " +
				"look at closed has its bit set",
			Scope:       "any N workers, words of the bitmap, notifiers, tasks, timeouts",
			Assumptions: []string{manyWords}, Code: idleCode,
			proof: coq("nobody_sleeps_after_close"),
		},
		{
			ID: "idle/I10",
			Statement: "after Close, nobody sleeps on: every worker was claimed or has " +
				"learned it in Publish",
			Scope:       "any N workers, claims and timeouts",
			Assumptions: []string{"one Close; it is said of each word"}, Code: idleCode,
			proof: closing,
		},
		{
			ID: "idle/I11",
			Statement: "timeouts eat no token: a worker that finds its own bit when it times " +
				"out has no token and no claim on its way",
			Scope:       "any N workers, words of the bitmap, notifiers, tasks, timeouts, a Close",
			Assumptions: []string{manyWords, anyBit}, Code: idleCode,
			proof: coq("timeout_unclaimed"),
		},
		{
			ID: "idle/I12",
			Statement: "a searcher that leaves a join with nothing leaves no task to sleepers " +
				"alone: somebody else is under way, who covers them",
			Scope:       "any N workers, words of the bitmap, notifiers, tasks, timeouts",
			Assumptions: []string{manyWords, anyBit, "before Close"}, Code: idleCode,
			proof: coq("leaver_is_replaced"),
		},
		{
			ID: "idle/I13",
			Statement: "Claim reaches: a worker that sleeps unclaimed, with no claim on its " +
				"way, knows all that was published for it",
			Scope:       "any N claimers, notifiers, timeouts",
			Assumptions: []string{"it is said of each worker"}, Code: idleCode,
			proof: claiming,
		},
		{
			ID: "idle/I14",
			Statement: "what one goroutine relies on of all others, in idle/R4, each of their " +
				"rules keeps; and no rule tells more than 2 searchers or 1 task from fewer",
			Scope:       "any N workers, notifiers, claims, timeouts, a Close",
			Assumptions: []string{oneWord}, Code: idleCode,
			proof: relying,
		},
		{
			ID: "idle/I15",
			Statement: "liveness: as long as a task is queued, one is taken sooner or later, " +
				"however often others are pushed and sleeps time out",
			Scope: "any N workers, notifiers, tasks, timeouts",
			Assumptions: []string{oneWord, anyBit, "one queue; each task ends; no Close",
				"no worker becomes a searcher in joins for ever, one after the other",
				"scheduling is weakly fair"}, Code: idleCode,
			proof: living,
		},
		{
			ID: "idle/X1",
			Statement: "no lost wakeup and searching exact, with timeouts, other queues and " +
				"a Close",
			Scope:       "2 workers, 2 pushes, 1 push elsewhere, 3 notifiers at a time",
			Assumptions: []string{oneWord}, Code: idleCode,
			proof: bounds,
		},
		{
			ID: "idle/X2",
			Statement: "without timeouts every run ends with all tasks taken and all workers " +
				"asleep, none of them counted",
			Scope: "4 workers, 3 pushes", Assumptions: []string{oneWord}, Code: idleCode,
			proof: finite,
		},
		{
			ID: "idle/S1",
			Statement: "all tasks are done while the other workers are stuck in long ones, " +
				"and then all sleep and none is counted",
			Scope:       "2 workers, 1 submitter of 2 tasks, 1 early timeout",
			Assumptions: []string{oneWord}, Code: append(idleCode, "park/park.go"),
			proof: promela(false),
		},
		{
			ID: "idle/S2", Statement: "liveness: in every fair run all tasks are done",
			Scope:       "2 workers, 1 submitter of 2 tasks, 1 early timeout",
			Assumptions: []string{oneWord, "scheduling is weakly fair"},
			Code:        append(idleCode, "park/park.go"),
			proof:       promela(true),
		},
		{
			ID: "idle/S3",
			Statement: "store, then load, on both sides: they do not miss each other; with a " +
				"store buffer on either side they do, so idle needs sequential consistency",
			Scope:       "the two accesses of each side, all interleavings",
			Assumptions: []string{"Go's atomics are sequentially consistent"}, Code: idleCode,
			proof: model{source: "storebuffer.pml", litmus: true},
		},
	}
}
