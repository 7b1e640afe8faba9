package proofs

import (
	"github.com/surewake/surewake/proofs/smt"
	"github.com/surewake/surewake/proofs/spec"
)

var (
	idleCode = []string{"idle/idle.go", "idle/worker.go"}

	oneWord = "one word of the bitmap (idle/I1 has any number)"
	anyBit  = "a notifier takes any bit that is set; the code takes the lowest"
)

// inIdle is a proof about the table spec.Idle, or a weakened one.
func inIdle(s *spec.System, invariants []string, goals ...string) invariant {
	return invariant{smt.Proof{System: s, Invariant: append([]string{s.NonNegative()}, invariants...), Goals: goals}, "idle.go"}
}

// What the mutants of idle do. Each stands for the hazard whose id the essay in idle/idle.go gives.
var (
	unchecked = spec.Rule{Name: "publish_unchecked", Code: "I1: a worker that did not search does not recheck", When: "R > 0", Do: "R--; P_b++"}
	unowned   = spec.Rule{Name: "timeout_unowned", Code: "I2: a timeout goes on although somebody else has the bit", When: "P_i > 0", Do: "P_i--; R++"}
	early     = spec.Rule{Name: "woke_early", Code: "I3: a worker goes on when its bit is gone, before it is counted", When: "P_c > 0", Do: "P_c--; S++"}
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
	// A worker that looks at closed before it sets its bit.
	looksFirst := spec.Close().With(spec.Rule{Name: "recheck_b", When: "R > 0 && phase == 0", Do: "R--; gone++"}).
		With(spec.Rule{Name: "late_bit", When: "gone > 0", Do: "gone--; B_b++"})
	bounds := func(s *spec.System) exploration {
		return exploration{s, spec.Question{Start: map[string]int{"R": 2, "left": 2, "other": 1, "hands": 3}, Always: append([]string{atRest}, wake...), Ends: "true"}, "idle.go"}
	}
	finite := func(s *spec.System) exploration {
		return exploration{s, spec.Question{Start: map[string]int{"R": 4, "left": 3}, Always: wake, Ends: spec.AllDone, Terminates: true}, "idle.go"}
	}
	return []Theorem{
		{
			ID: "idle/I3", Statement: "searching is exactly the number of workers that search or were counted for it, so it is never negative",
			Scope: "any N workers, notifiers, tasks, timeouts, a Close", Assumptions: []string{oneWord, anyBit}, Code: idleCode,
			proof: inIdle(idle, []string{spec.SearchingExact}, "searching >= 0"),
			mutants: []mutant{
				{"I3", early.Code, inIdle(idle.With(early), []string{spec.SearchingExact})},
				{"I2", unowned.Code, inIdle(idle.With(unowned), []string{spec.SearchingExact})},
			},
		},
		{
			ID: "idle/I6", Statement: "if a task is queued and a worker sleeps with its bit set, then somebody searches, notifies, rechecks, is claimed or has a token, or Close is on its way",
			Scope: "any N workers, notifiers, tasks, timeouts, a Close", Assumptions: []string{oneWord, anyBit}, Code: idleCode,
			proof: inIdle(idle, wake, atRest),
			mutants: []mutant{
				{"I1", unchecked.Code, inIdle(idle.With(unchecked), wake)},
				{"last", silent.Code, inIdle(idle.With(silent), wake)},
			},
		},
		{
			ID: "idle/I7", Statement: "every run ends: no livelock among notifiers, searchers and parkers once pushes stop",
			Scope: "any N workers and tasks", Assumptions: []string{oneWord, anyBit, "no timeouts; one queue; scheduling is fair"}, Code: idleCode,
			proof:   measured(runs),
			mutants: []mutant{{"last", silent.Code, measured(runs.With(silent))}},
		},
		{
			ID: "idle/I10", Statement: "after Close, nobody sleeps on: every worker was claimed or has learned it in Publish",
			Scope: "any N workers, claims and timeouts", Assumptions: []string{"one Close; it is said of each word"}, Code: idleCode,
			proof:   closing(spec.Close()),
			mutants: []mutant{{"early-look", "closed is loaded before the bit is set", closing(looksFirst)}},
		},
		{
			ID: "idle/X1", Statement: "no lost wakeup and searching exact, with timeouts, other queues and a Close",
			Scope: "2 workers, 2 pushes, 1 push elsewhere, 3 notifiers at a time", Assumptions: []string{oneWord}, Code: idleCode,
			proof: bounds(idle),
			mutants: []mutant{
				{"I1", unchecked.Code, bounds(idle.With(unchecked))},
				{"I2", unowned.Code, bounds(idle.With(unowned))},
				{"I3", early.Code, bounds(idle.With(early))},
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
			},
		},
	}
}
