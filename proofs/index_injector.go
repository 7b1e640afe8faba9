package proofs

import (
	"slices"

	"github.com/surewake/surewake/proofs/smt"
	"github.com/surewake/surewake/proofs/spec"
)

func injectorTheorems() []Theorem {
	code := []string{"injector/injector.go", "runtime/sched_find.go",
		"runtime/sched_worker.go", "runtime/sched_idle.go"}
	anyNumber := "any N workers, outsiders, tasks, batches, timeouts, a Close"
	mutex := "the mutex excludes, and who gets it sees what its last holder did"
	lastRing := "a worker ends with an empty ring (injector/J10 has the rings one by one)"
	once := "a task that has run is not queued again, as one that is woken from outside is"
	rings := "rings are lists (deque/D5, D6)"
	coq := func(theorem string) lemma { return lemma{source: "Injector.v", theorem: theorem} }
	about := func(proof func(*spec.System) proof) onTable {
		return on("Injector", spec.Injector(),
			proof)
	}
	// invariantOf is a proof by these goals, which are parts of the invariant, and others.
	invariantOf := func(s *spec.System, goals []string, parts ...string) invariant {
		base := []string{s.NonNegative(), spec.LengthExact, spec.HandOffCounted}
		for _, part := range slices.Concat(goals, parts) {
			if !slices.Contains(base, part) {
				base = append(base, part)
			}
		}
		return invariant{smt.Proof{System: s, Invariant: base, Goals: goals}, "injector.go"}
	}
	prove := func(goals []string, parts ...string) onTable {
		return about(func(s *spec.System) proof { return invariantOf(s, goals, parts...) })
	}
	accepts := about(func(s *spec.System) proof {
		p := invariantOf(s, nil, spec.Shutting)
		p.At = map[string]string{"push_store": "shut == 0 && closed == 0 && X + E == 0"}
		return p
	})
	within := on("Injector", spec.InjectorWithin(), func(s *spec.System) proof {
		return exploration{s, spec.Question{
			Start:  map[string]int{"R": 2, "left": 1, "spawns": 1, "closing": 1, "hands": 1},
			Params: 2,
			Always: []string{spec.NothingLost, spec.HandOffCounted, spec.AtRestTogether,
				spec.Drained},
			Ends:  "true",
			Never: []string{"wake_lock", "wake_store", "wake_unlock"},
		}, "injector.go"}
	})
	runs := on("Injector", spec.InjectorRuns(), func(s *spec.System) proof {
		return exploration{s.With(spec.Rule{Name: "stays_open", When: "closing > 0",
			Do: "closing--"}), spec.Question{
			Start:  map[string]int{"R": 2, "left": 1, "closing": 1, "wakes": 1, "hands": 2},
			Params: 2, Ends: spec.EverythingEnds, Terminates: true,
			Never: []string{"steal", "spawn", "overflow", "overflow_lock", "overflow_store",
				"overflow_unlock"},
		}, "injector.go"}
	})
	liveCode := []string{"runtime/sched_live.go", "injector/injector.go"}
	lives := func(goals ...string) onTable {
		return on("Live", spec.Live(), func(s *spec.System) proof {
			return invariant{smt.Proof{
				System: s, Goals: goals,
				Invariant: []string{s.NonNegative("live"), spec.LiveCounts, spec.NothingLeft,
					spec.EndNoticed, spec.LiveShape},
			}, "live.go"}
		})
	}
	driverCode := []string{"runtime/sched_idle.go", "runtime/time_timer.go"}
	claimed := "a claimed worker gets its token (idle/I2)"
	driverScope := "any N workers, timers, claims, timeouts, a Close"
	drives := func(goals ...string) onTable {
		return on("Driver", spec.Driver(), func(s *spec.System) proof {
			return invariant{smt.Proof{
				System: s, Goals: goals,
				Invariant: []string{s.NonNegative(), spec.OneDriver, spec.DeadlineKept,
					spec.SomebodyDrives},
			}, "driver.go"}
		})
	}
	promela := func(live bool, defines ...string) model {
		return model{source: "injector.pml", live: live,
			defines: append([]string{"N=2", "T=2"}, defines...)}
	}
	return []Theorem{
		{
			ID: "injector/J1",
			Statement: "nothing that was accepted is lost or counted twice on its way from the " +
				"injector through hands and rings to a worker",
			Scope: anyNumber, Assumptions: []string{mutex}, Code: code,
			proof: prove([]string{spec.NothingLost}, spec.InHands),
		},
		{
			ID:        "injector/J2",
			Statement: "the length that is read without the lock is that of the queue",
			Scope:     anyNumber, Assumptions: []string{mutex}, Code: code,
			proof: prove([]string{spec.LengthExact}),
		},
		{
			ID: "injector/J3",
			Statement: "what comes from outside after the end is refused; when something is " +
				"accepted, no worker has been told to end",
			Scope: anyNumber, Assumptions: []string{mutex}, Code: code,
			proof: accepts,
		},
		{
			ID: "injector/J4",
			Statement: "no lost wakeup across the hand-off: while the injector or a ring has a " +
				"task and a worker sleeps, somebody is under way, or has a batch in transit and " +
				"will notify",
			Scope: anyNumber, Assumptions: []string{mutex, oneWord, anyBit}, Code: code,
			proof: prove([]string{spec.InjectorWakes, spec.RingWakes}, spec.Shutting),
		},
		{
			ID: "injector/J5",
			Statement: "drained: when all workers have ended, all that was accepted is done, " +
				"and nothing will be accepted any more",
			Scope: anyNumber, Assumptions: []string{mutex, lastRing}, Code: code,
			proof: prove([]string{spec.Drained}, spec.NothingLost, spec.InHands, spec.Shutting),
		},
		{
			ID:        "injector/J6",
			Statement: "searching stays exact while searchers go for batches and have them in hand",
			Scope:     anyNumber, Assumptions: []string{mutex, oneWord, anyBit}, Code: code,
			proof: prove([]string{spec.HandOffCounted}),
		},
		{
			ID: "injector/J7",
			Statement: "every task that was accepted is in the injector, in a ring or a hand, " +
				"or was run; once",
			Scope:       "any N workers, outsiders, tasks, batches, any capacity",
			Assumptions: []string{mutex, rings, once}, Code: code,
			proof: coq("nothing_lost"),
		},
		{
			ID: "injector/J8",
			Statement: "first in, first out: what was taken from the injector is what was " +
				"pushed first, in that order",
			Scope: "any N workers, outsiders, tasks, batches", Assumptions: []string{mutex, once},
			Code:  code,
			proof: coq("first_in_first_out"),
		},
		{
			ID: "injector/J9",
			Statement: "a batch fits: bounded by the room when it is taken, it never brings a " +
				"ring above its capacity",
			Scope:       "any N workers, tasks, batches, any capacity",
			Assumptions: []string{mutex, rings, once}, Code: code,
			proof: coq("batches_fit"),
		},
		{
			ID: "injector/J10",
			Statement: "drained: when all workers have ended, exactly the accepted tasks were " +
				"run, and nothing will be accepted any more",
			Scope:       "any N workers, outsiders, tasks, batches, any capacity",
			Assumptions: []string{mutex, rings, once}, Code: code,
			proof: coq("drained"),
		},
		{
			ID: "injector/J11",
			Statement: "live is the number of tasks that have begun, not ended, and are not in " +
				"the injector, and the credit of all workers, less the entries there whose " +
				"tasks a join has run",
			Scope: "any N workers, outsiders, tasks, ends", Assumptions: []string{mutex},
			Code:  liveCode,
			proof: lives(spec.LiveCounts),
		},
		{
			ID: "injector/J12",
			Statement: "workers are told to end only when there is no task, and none can begin: " +
				"the injector is empty and live is 0 at one instant",
			Scope: "any N workers, outsiders, tasks, ends", Assumptions: []string{mutex},
			Code:  liveCode,
			proof: lives(spec.NothingLeft, "implies(fin == 1, out + owed == 0 && lock != 4)"),
		},
		{
			ID: "injector/J13",
			Statement: "the end is noticed: when a runtime that is to end has no task any more, " +
				"its workers have been told, or somebody is about to look",
			Scope: "any N workers, outsiders, tasks, ends", Assumptions: []string{mutex},
			Code:  liveCode,
			proof: lives(spec.EndNoticed),
		},
		{
			ID: "injector/J14",
			Statement: "no timer is overslept: when nobody is under way, one worker sleeps " +
				"until the earliest deadline that was stored, or an earlier time",
			Scope: driverScope, Assumptions: []string{claimed}, Code: driverCode,
			proof: drives(spec.DriverAtRest),
		},
		{
			ID: "injector/J15",
			Statement: "the earliest deadline that was stored reaches the driver: while it " +
				"sleeps for longer, unclaimed, somebody who has stored it is about to claim it",
			Scope: driverScope, Assumptions: []string{claimed}, Code: driverCode,
			proof: drives(spec.DeadlineKept),
		},
		{
			ID: "injector/J16",
			Statement: "at most one worker is the driver, and when none is, one is awake or " +
				"about to be, which will find that",
			Scope: driverScope, Assumptions: []string{claimed}, Code: driverCode,
			proof: drives("N_b + N_c + D_b + D_c <= 1", spec.SomebodyDrives),
		},
		{
			ID: "injector/X1",
			Statement: "nothing lost, searching exact, no lost wakeup, drained, with timeouts " +
				"and a Close",
			Scope:       "2 workers, 1 push of at most 2, 1 spawn, 1 notifier at a time",
			Assumptions: []string{mutex, oneWord}, Code: code,
			proof: within,
		},
		{
			ID: "injector/X2",
			Statement: "without timeouts every run ends with all that was accepted done, and " +
				"all workers asleep, or ended if there was a Close",
			Scope: "2 workers, 1 push of at most 2, 1 wake from outside, 2 notifiers " +
				"at a time",
			Assumptions: []string{mutex, oneWord, lastRing}, Code: code,
			proof: runs,
		},
		{
			ID: "injector/S1",
			Statement: "all accepted tasks are done while the other workers are stuck in long " +
				"ones, and then all sleep and none is counted",
			Scope: "2 workers, 1 outsider of 2 tasks", Assumptions: []string{mutex, oneWord},
			Code:  code,
			proof: promela(false, "OPEN"),
		},
		{
			ID: "injector/S2",
			Statement: "after the end every accepted task was run once, the others were " +
				"refused, and all workers have ended",
			Scope:       "2 workers, 1 outsider of 2 tasks that then closes",
			Assumptions: []string{mutex, oneWord}, Code: code,
			proof: promela(false),
		},
		{
			ID:          "injector/S3",
			Statement:   "liveness: in every fair run all tasks are done and all workers end",
			Scope:       "2 workers, 1 outsider of 2 tasks that then closes",
			Assumptions: []string{mutex, oneWord, "scheduling is weakly fair"}, Code: code,
			proof: promela(true),
		},
	}
}
