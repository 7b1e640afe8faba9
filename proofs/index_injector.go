package proofs

import (
	"slices"

	"github.com/surewake/surewake/proofs/smt"
	"github.com/surewake/surewake/proofs/spec"
)

// What the mutants of the hand-off do.
var (
	dropped = spec.Rule{Name: "land", Code: "a worker whose budget ends drops a task of its batch", When: "T > 0", Do: "T--; R++; h--"}
	left    = spec.Rule{Name: "take", Code: "a batch is copied, and stays in the injector", When: "lock == 3 && q >= 2", Do: "lock = 4; h++; done++"}
	mute    = spec.Rule{Name: "land", Code: "the length goes down, the batch lands in the ring, and nobody is notified",
		When: spec.Injector().Rule("land").When, Do: "T--; R++; r += n; h -= n"}
	quietly  = spec.Rule{Name: "overflow_unlock", Code: "an overflow batch is pushed, and nobody is notified", When: "lock == 10", Do: "lock = 0; R++"}
	unlocked = spec.Rule{Name: "close_lock", Code: "the closed flag is set without the lock", When: "closing > 0", Do: "closing--; shut = 1"}
	hasty    = spec.Rule{Name: "close", Code: "package idle is closed before the injector", When: "closing > 0 && closed == 0", Do: "closed = 1"}
	blind    = spec.Rule{Name: "end", Code: "a worker that is told Closed ends without another look at the length", When: "X > 0", Do: "X--; E++"}
	uncounts = spec.Rule{Name: "take_lock_searching", Code: "a searcher that goes for a batch takes itself off the count, and Found does it again",
		When: "G > 0 && lock == 0", Do: "G--; lock = 6; searching--"}
)

// lateLength is the table in which a push publishes the new length only when it has unlocked and notified.
func lateLength(s *spec.System) *spec.System {
	return s.With(spec.Rule{Name: "push_store", When: "lock == 1 && n >= 1", Do: "lock = 2; q += n; accepted += n"}).
		With(spec.Rule{Name: "late_length", When: "lock == 0 && len < q", Do: "len = q"})
}

func injectorTheorems() []Theorem {
	code := []string{"runtime/sched_injector.go", "runtime/sched_find.go", "runtime/sched_worker.go", "runtime/sched_idle.go"}
	anyNumber := "any N workers, outsiders, tasks, batches, timeouts, a Close"
	mutex := "the mutex excludes, and who gets it sees what its last holder did"
	lastRing := "a worker ends with an empty ring (injector/J10 has the rings one by one)"
	rings := "rings are lists (deque/D5, D6)"
	coq := func(theorem string) lemma { return lemma{source: "Injector.v", theorem: theorem} }
	without := func(theorem, old, new, falseLemma string) lemma {
		return lemma{source: "Injector.v", theorem: theorem, old: old, new: new, falseLemma: falseLemma}
	}
	table := spec.Injector()
	// prove is a proof by these goals, which are parts of the invariant, and others.
	prove := func(s *spec.System, goals []string, parts ...string) invariant {
		base := []string{s.NonNegative(), spec.LengthExact, spec.HandOffCounted}
		for _, part := range slices.Concat(goals, parts) {
			if !slices.Contains(base, part) {
				base = append(base, part)
			}
		}
		return invariant{smt.Proof{System: s, Invariant: base, Goals: goals}, "injector.go"}
	}
	nothingLost := func(s *spec.System) invariant { return prove(s, []string{spec.NothingLost}, spec.InHands) }
	length := func(s *spec.System) invariant { return prove(s, []string{spec.LengthExact}) }
	accepts := func(s *spec.System) invariant {
		p := prove(s, nil, spec.Shutting)
		p.At = map[string]string{"push_store": "shut == 0 && closed == 0 && X + E == 0"}
		return p
	}
	wakes := func(s *spec.System) invariant {
		return prove(s, []string{spec.InjectorWakes, spec.RingWakes}, spec.Shutting)
	}
	drained := func(s *spec.System) invariant {
		return prove(s, []string{spec.Drained}, spec.NothingLost, spec.InHands, spec.Shutting)
	}
	counted := func(s *spec.System) invariant { return prove(s, []string{spec.HandOffCounted}) }
	within := func(s *spec.System) exploration {
		return exploration{s, spec.Question{Start: map[string]int{"R": 2, "left": 1, "spawns": 1, "closing": 1, "hands": 1}, Params: 2,
			Always: []string{spec.NothingLost, spec.HandOffCounted, spec.AtRestTogether, spec.Drained}, Ends: "true"}, "injector.go"}
	}
	runs := func(s *spec.System) exploration {
		return exploration{s.With(spec.Rule{Name: "stays_open", When: "closing > 0", Do: "closing--"}),
			spec.Question{Start: map[string]int{"R": 2, "left": 1, "closing": 1, "wakes": 1, "hands": 2}, Params: 2,
				Ends: spec.EverythingEnds, Terminates: true}, "injector.go"}
	}
	liveCode := []string{"runtime/sched_live.go", "runtime/sched_injector.go"}
	lives := func(s *spec.System, goals ...string) invariant {
		return invariant{smt.Proof{System: s, Invariant: []string{s.NonNegative("live"), spec.LiveCounts, spec.NothingLeft, spec.EndNoticed, spec.LiveShape}, Goals: goals}, "live.go"}
	}
	leavesFirst := spec.Live().With(spec.Rule{Name: "queue", When: "out >= 1", Do: "out--; owed++; live--; zeros += either(live == 1, 1, 0)"}).
		With(spec.Rule{Name: "queued_outside", When: "lock == 0 && owed >= 1", Do: "owed--; q++"})
	unlockedLook := spec.Live().With(spec.Rule{Name: "queue", When: "lock != 4 && out >= 1", Do: "out--; q++; owed++"})
	promela := func(live bool, defines ...string) model {
		return model{source: "injector.pml", live: live, defines: append([]string{"N=2", "T=2"}, defines...)}
	}
	bounded, finite := spec.InjectorWithin(), spec.InjectorRuns()
	return []Theorem{
		{
			ID: "injector/J1", Statement: "nothing that was accepted is lost or counted twice on its way from the injector through hands and rings to a worker",
			Scope: anyNumber, Assumptions: []string{mutex}, Code: code,
			proof: nothingLost(table),
			mutants: []mutant{
				{"R5", dropped.Code, nothingLost(table.With(dropped))},
				{"twice", left.Code, nothingLost(table.With(left))},
			},
		},
		{
			ID: "injector/J2", Statement: "the length that is read without the lock is that of the queue",
			Scope: anyNumber, Assumptions: []string{mutex}, Code: code,
			proof:   length(table),
			mutants: []mutant{{"late", "a push publishes the length after it has notified", length(lateLength(table))}},
		},
		{
			ID: "injector/J3", Statement: "what comes from outside after the end is refused; when something is accepted, no worker has been told to end",
			Scope: anyNumber, Assumptions: []string{mutex}, Code: code,
			proof: accepts(table),
			mutants: []mutant{
				{"unlocked", unlocked.Code, accepts(table.With(unlocked))},
				{"hasty", hasty.Code, accepts(table.With(hasty))},
			},
		},
		{
			ID: "injector/J4", Statement: "no lost wakeup across the hand-off: while the injector or a ring has a task and a worker sleeps, somebody is under way, or has a batch in transit and will notify",
			Scope: anyNumber, Assumptions: []string{mutex, oneWord, anyBit}, Code: code,
			proof: wakes(table),
			mutants: []mutant{
				{"mute", mute.Code, wakes(table.With(mute))},
				{"D7", quietly.Code, wakes(table.With(quietly))},
				{"late", "a push publishes the length after it has notified", wakes(lateLength(table))},
			},
		},
		{
			ID: "injector/J5", Statement: "drained: when all workers have ended, all that was accepted is done, and nothing will be accepted any more",
			Scope: anyNumber, Assumptions: []string{mutex, lastRing}, Code: code,
			proof: drained(table),
			mutants: []mutant{
				{"unlocked", unlocked.Code, drained(table.With(unlocked))},
				{"blind", blind.Code, drained(table.With(blind))},
			},
		},
		{
			ID: "injector/J6", Statement: "searching stays exact while searchers go for batches and have them in hand",
			Scope: anyNumber, Assumptions: []string{mutex, oneWord, anyBit}, Code: code,
			proof:   counted(table),
			mutants: []mutant{{"uncounts", uncounts.Code, counted(table.With(uncounts))}},
		},
		{
			ID: "injector/J7", Statement: "every task that was accepted is in the injector, in a ring or a hand, or was run; once",
			Scope: "any N workers, outsiders, tasks, batches, any capacity", Assumptions: []string{mutex, rings}, Code: code,
			proof: coq("nothing_lost"),
			mutants: []mutant{
				{"R5", "the rest of a batch is dropped", without("nothing_lost", "(upd i (W (r ++ b) [] [] false) L)", "(upd i (W r [] [] false) L)", "step_kept")},
				{"twice", left.Code, without("nothing_lost", "(St q' Free s t (upd i (W r b [] false) L)", "(St (b ++ q') Free s t (upd i (W r b [] false) L)", "step_kept")},
			},
		},
		{
			ID: "injector/J8", Statement: "first in, first out: what was taken from the injector is what was pushed first, in that order",
			Scope: "any N workers, outsiders, tasks, batches", Assumptions: []string{mutex}, Code: code,
			proof:   coq("first_in_first_out"),
			mutants: []mutant{{"front", "an overflow batch goes to the front", without("first_in_first_out", "(St (q ++ p) Free", "(St (p ++ q) Free", "step_in_order")}},
		},
		{
			ID: "injector/J9", Statement: "a batch fits: bounded by the room when it is taken, it never brings a ring above its capacity",
			Scope: "any N workers, tasks, batches, any capacity", Assumptions: []string{mutex, rings}, Code: code,
			proof: coq("batches_fit"),
			mutants: []mutant{{"D1", "a batch is bounded by the capacity, not by the room", without("batches_fit",
				"length b <= 1 + (cap - length r) ->", "length b <= 1 + cap ->", "step_fits")}},
		},
		{
			ID: "injector/J10", Statement: "drained: when all workers have ended, exactly the accepted tasks were run, and nothing will be accepted any more",
			Scope: "any N workers, outsiders, tasks, batches, any capacity", Assumptions: []string{mutex, rings}, Code: code,
			proof: coq("drained"),
			mutants: []mutant{
				{"unlocked", unlocked.Code, without("drained", "| close q s t L en g ac rn : step (St q Closer s t L en g ac rn) (St q Free true",
					"| close q k s t L en g ac rn : step (St q k s t L en g ac rn) (St q k true", "step_closing")},
				{"hasty", "workers are told to end before the injector is closed", without("drained",
					"| tell q k t L en g ac rn : step (St q k true t L en g ac rn) (St q k true true", "| tell q k s t L en g ac rn : step (St q k s t L en g ac rn) (St q k s true", "step_closing")},
				{"blind", blind.Code, without("drained", "| end_ k s L en g ac rn i : nth_error L i = Some (W [] [] [] false) -> (* it was told, and sees nothing in the injector *)\n    step (St [] k s true L en g ac rn) (St [] k",
					"| end_ q k s L en g ac rn i : nth_error L i = Some (W [] [] [] false) -> step (St q k s true L en g ac rn) (St q k", "step_emptied")},
			},
		},
		{
			ID: "injector/J11", Statement: "live is the number of tasks that have begun, not ended, and are not in the injector, and the credit of all workers, less the entries there whose tasks a join has run",
			Scope: "any N workers, outsiders, tasks, ends", Assumptions: []string{mutex}, Code: liveCode,
			proof: lives(spec.Live(), spec.LiveCounts),
			mutants: []mutant{{"lends", "a spawn takes credit that it does not have", lives(spec.Live().With(spec.Rule{Name: "spawn", When: "out >= 1", Do: "out++; credit = either(credit == 0, 0, credit - 1)"}),
				spec.LiveCounts)}},
		},
		{
			ID: "injector/J12", Statement: "workers are told to end only when there is no task, and none can begin: the injector is empty and live is 0 at one instant",
			Scope: "any N workers, outsiders, tasks, ends", Assumptions: []string{mutex}, Code: liveCode,
			proof: lives(spec.Live(), spec.NothingLeft, "implies(fin == 1, out + owed == 0 && lock != 4)"),
			mutants: []mutant{
				{"leaves-first", "a task that is woken from outside leaves live before it enters the injector", lives(leavesFirst, spec.NothingLeft)},
				{"unlocked", "the length and live are looked at without the lock", lives(unlockedLook, spec.NothingLeft)},
			},
		},
		{
			ID: "injector/J13", Statement: "the end is noticed: when a runtime that is to end has no task any more, its workers have been told, or somebody is about to look",
			Scope: "any N workers, outsiders, tasks, ends", Assumptions: []string{mutex}, Code: liveCode,
			proof: lives(spec.Live(), spec.EndNoticed),
			mutants: []mutant{
				{"mode-first", "who takes from live loads mode before", lives(spec.Live().With(spec.Rule{Name: "zero_open", When: "zeros > 0", Do: "zeros--"}), spec.EndNoticed)},
				{"last-credit", "a worker whose credit went for an entry without a task does not look when it goes to sleep",
					lives(spec.Live().With(spec.Rule{Name: "take_stale", When: "lock == 4 && stale >= 1", Do: "lock = 0; q--; stale--"}), spec.EndNoticed)},
				{"only-closers", "only who closes the runtime looks", lives(spec.Live().With(spec.Rule{Name: "give", When: "n >= 1 && n <= credit", Do: "credit -= n; live -= n"}), spec.EndNoticed)},
			},
		},
		{
			ID: "injector/X1", Statement: "nothing lost, searching exact, no lost wakeup, drained, with timeouts and a Close",
			Scope: "2 workers, 1 push of at most 2, 1 spawn, 1 notifier at a time", Assumptions: []string{mutex, oneWord}, Code: code,
			proof: within(bounded),
			mutants: []mutant{
				{"R5", dropped.Code, within(bounded.With(dropped))},
				{"mute", mute.Code, within(bounded.With(mute))},
				{"D7", quietly.Code, within(bounded.With(quietly))},
				{"unlocked", unlocked.Code, within(bounded.With(unlocked))},
				{"blind", blind.Code, within(bounded.With(blind))},
			},
		},
		{
			ID: "injector/X2", Statement: "without timeouts every run ends with all that was accepted done, and all workers asleep, or ended if there was a Close",
			Scope: "2 workers, 1 push of at most 2, 1 wake from outside, 2 notifiers at a time", Assumptions: []string{mutex, oneWord, lastRing}, Code: code,
			proof: runs(finite),
			mutants: []mutant{
				{"late", "a push publishes the length after it has notified", runs(lateLength(finite))},
				{"hasty", hasty.Code, runs(finite.With(hasty))},
			},
		},
		{
			ID: "injector/S1", Statement: "all accepted tasks are done while the other workers are stuck in long ones, and then all sleep and none is counted",
			Scope: "2 workers, 1 outsider of 2 tasks", Assumptions: []string{mutex, oneWord}, Code: code,
			proof: promela(false, "OPEN"),
			mutants: []mutant{
				{"mute", mute.Code, promela(false, "OPEN", "MUTE")},
				{"late", "a push publishes the length after it has notified", promela(false, "OPEN", "LATE")},
				{"R5", "the rest of a batch is dropped", promela(false, "OPEN", "DROP")},
			},
		},
		{
			ID: "injector/S2", Statement: "after the end every accepted task was run once, the others were refused, and all workers have ended",
			Scope: "2 workers, 1 outsider of 2 tasks that then closes", Assumptions: []string{mutex, oneWord}, Code: code,
			proof: promela(false),
			mutants: []mutant{
				{"unlocked", unlocked.Code + ", and another outsider pushes", promela(false, "UNLOCKED")},
				{"blind", blind.Code, promela(false, "BLIND")},
			},
		},
		{
			ID: "injector/S3", Statement: "liveness: in every fair run all tasks are done and all workers end",
			Scope: "2 workers, 1 outsider of 2 tasks that then closes", Assumptions: []string{mutex, oneWord, "scheduling is weakly fair"}, Code: code,
			proof:   promela(true),
			mutants: []mutant{{"blind", blind.Code, promela(true, "BLIND")}},
		},
	}
}
