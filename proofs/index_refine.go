package proofs

import "strings"

// refines is a row about a table that the code follows step by step.
func refines(
	id, what, table, scope, test, in string, code []string, mutants ...[2]string,
) Theorem {
	t := Theorem{
		ID: id, Statement: "each atomic access of the shipped " + what +
			" is a transition of " + table + ", or changes nothing",
		Scope: scope, Assumptions: []string{"the accesses of the loop and of the callers are " +
			"those of the test"}, Code: code,
		proof: refinement{test: test, in: in},
	}
	for _, m := range mutants {
		t.mutants = append(t.mutants,
			weakened{id: m[0], what: m[1],
				proof: refinement{test: test, in: in, mutant: m[0]}})
	}
	return t
}

// refinesAlone is a row about one goroutine among any number of others.
func refinesAlone(t Theorem, relies string) Theorem {
	t.proof = alone{t.proof.(refinement)}
	t.Statement = strings.Replace(t.Statement, " is a transition",
		", by one goroutine among any number of others, is a transition", 1)
	t.Assumptions = []string{relies, "the memory that the table does not know is no one else's " +
		"or atomic; plain memory is for the race detector",
		"numbers that the table does not tell apart, the code does not either"}
	return t
}

// ringsAlone is a row about rings.
func ringsAlone(t Theorem) Theorem {
	t.Assumptions = append(t.Assumptions, "neither head nor tail advances 2^32 times or more "+
		"between a thief's head.Load and its claim (deque/D7); beyond twice the capacity, "+
		"advances of 2^17, 2^31 and nearly 2^32 stand for all")
	return t
}

func refinements() []Theorem {
	both := append(append([]string{}, idleCode...), "park/park.go", "park/futex_linux.go")
	return []Theorem{
		refines("idle/R1", "idle and park", "the table",
			"1 worker and 2 submitters, or 2 and 1; 1 task each, 1 timeout or signal",
			"TestSchedulerIsTheTable", "refine/idle_test.go", both,
			[2]string{"idle-publish-swapped",
				"Publish takes itself off the count before it sets its bit"},
			[2]string{"idle/I1", "a worker that did not search is not told to recheck"},
			[2]string{"table-idle-no-timeouts", "the table has no timeouts"}),
		refines("idle/R2", "idle and park", "the table",
			"2 workers, 2 submitters, 3 preemptions, at most 10,000 executions each",
			"TestWiderSchedulersAreTheTable", "refine/idle_test.go", both,
			[2]string{"idle/last-searcher",
				"the last searcher that finds something notifies nobody"}),
		refines("idle/R3", "idle and park, and of the injector, in the pool of the package pages",
			"the table", "1 worker and 1 submitter; 2 and 1 with 1 preemption; 1 and 2, and 2 "+
				"and 2, the first 4,000 and 8,000 executions with 2 and 1",
			"TestTheSleepOfThePoolIsTheTable", "../examples/pool/refinement_test.go",
			append(append([]string{}, both...), "injector/injector.go", "examples/pool/pool.go"),
			[2]string{"recheck-forgotten", "a worker that is about to sleep does not look at the " +
				"queues again"},
			[2]string{"looks-first",
				"a worker looks at the queues before it says that it is about to sleep"},
			[2]string{"found-untold",
				"a worker that has found a task as the last searcher wakes nobody in its place"}),
		refinesAlone(refines("idle/R4", "idle and park", "the table",
			"any N workers, notifiers, claims, Closes, tasks, timeouts; their bits in 1 or 3 words",
			"TestOneAmongAnyNumber", "refine/solo_test.go", both,
			[2]string{"idle/close-forgets-two", "Close leaves out a worker if the bits of a word " +
				"are those of the first two"},
			[2]string{"idle/claim-returns-another",
				"who claims a worker returns one that has published itself meanwhile"},
			[2]string{"idle/claim-leaves-out-words",
				"a notifier looks at the first half of the words only"}),
			"of the others, what idle/I14 says"),
		refines("injector/R1", "runtime as it falls asleep, sleeps, wakes and ends",
			"the table of idle",
			"1 worker and 1 submitter; 2 and 1 with 1 preemption; 1 and 2, and 2 and 2, the "+
				"first 4,000 and 2,000 executions with 2 and 1", "TestParkPathIsTheTable",
			"../runtime/sched_refinement_model_test.go",
			append(append([]string{}, both...), "runtime/sched_idle.go", "runtime/sched_find.go",
				"injector/injector.go"),
			[2]string{"S4-recheck", "a worker that is about to sleep does not look at the " +
				"queues again"},
			[2]string{"park-looks-first",
				"a worker looks at the queues before it says that it is about to sleep"},
			[2]string{"park-found-untold",
				"who has found work as the last searcher does not say so"}),
		refines("injector/R3", "runtime as a worker becomes the driver, sleeps and leaves, and as "+
			"the earliest deadline is stored", "the table of the driver",
			"1 worker and tasks of 2 deadlines, 2 workers and tasks of 1 or 2, 1 or 2 workers and a "+
				"task that is cancelled, with 1 preemption; 2 workers and tasks of 3 deadlines without",
			"TestTheDriverIsTheTable",
			"../runtime/sched_driver_refinement_model_test.go",
			[]string{"runtime/sched_idle.go", "runtime/time_timer.go"},
			[2]string{"P3-deadline-before-the-driver",
				"a worker loads the earliest deadline before it becomes the driver"},
			[2]string{"P3-nobody-told",
				"who sets an earlier deadline does not wake the driver"}),
		refinesAlone(refines("injector/R2", "injector",
			"the part of the table which is about its queue",
			"any N outsiders, workers and closers; rings of 0, 64, 128, 2^15 and 2^16 slots, "+
				"batches of 0, 1, 2 and 66, shares of 1 to 3 workers",
			"TestOneAtAnInjectorAmongAnyNumber", "refine/solo_injector_test.go",
			[]string{"injector/injector.go"},
			[2]string{"injector/take-looks-once",
				"a worker takes what was there before it had the lock"},
			[2]string{"injector/push-to-the-empty-without-the-lock",
				"one value is pushed without the lock if the queue looks empty"},
			[2]string{"injector/update-of-the-closed-without-the-lock",
				"an Update of a queue that is closed already does not take the lock"},
			[2]string{"table-injector-closes-meanwhile",
				"in the table somebody closes while another one has the lock"}),
			"the mutex excludes; of the others, that they keep its rules, by which they change "+
				"the queue only with the lock; the length that is read without it is that of the "+
				"queue (injector/J2)"),
		refines("park/R1", "park", "the table",
			"1 parker, 2 wakers who come twice, 2 timeouts or signals",
			"TestParkerIsTheTable", "refine/park_test.go",
			[]string{"park/park.go", "park/futex_linux.go"},
			[2]string{"park/P1-plain-store-on-the-way-out",
				"the way out stores empty and does not look at what was there"},
			[2]string{"table-park-sleeps-blindly", "the table's sleep does not compare the word"}),
		refinesAlone(refines("park/R2", "park", "the table", "any N wakers, timeouts and signals",
			"TestOneParkerAmongAnyNumber", "refine/solo_park_test.go",
			[]string{"park/park.go", "park/futex_linux.go"},
			[2]string{"park/announce-overwrites-the-token",
				"who falls asleep overwrites a token that has come"}),
			"of the others, what their rules are; one parker at a time"),
		refines("deque/R1", "deque", "the table", "an owner and 2 thieves, capacities 2 and 4",
			"TestDequeIsTheTable", "refine/deque_test.go",
			[]string{"deque/owner.go", "deque/steal.go"},
			[2]string{"deque/tail-before-head", "a thief loads the tail before the head"},
			[2]string{"table-deque-pop-frees", "the table's pop frees the slots of an open steal"}),
		ringsAlone(refinesAlone(refines("deque/R2", "deque", "the table",
			"any N thieves; capacities 2, 4 and 8 of one's own ring, 2 and 4 of the other one",
			"TestOneAtARingAmongAnyNumber", "refine/solo_deque_test.go",
			[]string{"deque/owner.go", "deque/steal.go", "deque/stealer.go", "deque/deque.go"},
			[2]string{"deque/release-overwrites-at-last", "a release that has failed three times " +
				"stores the head over what the owner has popped since"},
			[2]string{"deque/pop-gives-up-at-last",
				"Pop reports an empty deque when its CAS has failed four times"},
			[2]string{"table-deque-thieves-overtake",
				"in the table other thieves may claim one value more than is queued"}),
			"of the others, what their rules are; one owner of each ring at a time")),
		refines("fork/R1", "fork", "the table", "1 owner with at most 3 forks and 1 thief who "+
			"looks twice, or 1 fork and 2 thieves; 2 private forks", "TestTheStackIsTheTable",
			"../fork/refinement_test.go",
			[]string{"fork/stack.go", "fork/frame.go", "fork/claim.go"},
			[2]string{"table-hungry-though-public", "a thief asks for more though there is more"},
			[2]string{"table-takes-back-all", "the owner takes back all that is public"},
			[2]string{"table-abandons-with-a-poll",
				"the table's Abandon looks whether a thief has asked"}),
		refinesAlone(refines("fork/R2", "fork", "the table",
			"any N thieves; an owner's Fork, Join, Poll, Share, Abandon from each state of at "+
				"most 4 forks, 2 of them private, or 5 and 4; a thief's Claim, Run, Ask, Asked at "+
				"a stack of at most 3",
			"TestOneAtForksAmongAnyNumber", "refine/solo_fork_test.go",
			[]string{"fork/stack.go", "fork/frame.go", "fork/claim.go"},
			[2]string{"fork/take-gives-up-at-last", "the owner takes it that its youngest fork is " +
				"claimed when its CAS has failed three times"},
			[2]string{"fork/expose-stores-at-last", "the owner stores the word over what thieves " +
				"claim when its CAS has failed twice"},
			[2]string{"fork/ask-stores", "who asks before it sleeps stores the word, whatever " +
				"has become public since it looked"},
			[2]string{"table-fork-waits-late", "in the table the owner waits only when thieves " +
				"have claimed more than it had made public"}),
			"of the others, what their rules are; one owner at a time"),
		refines("taskstate/R1", "taskstate", "the table", "a runner and 2 others, each transition",
			"TestTaskIsTheTable", "refine/task_test.go",
			[]string{"taskstate/run.go", "taskstate/cancel.go", "taskstate/join.go",
				"taskstate/reference.go"},
			[2]string{"taskstate/T1-two-steps",
				"RUNNING to IDLE, and rescheduling in a second step"},
			[2]string{"table-taskstate-stale-in-one-step",
				"the table has an entry that is found stale and dropped in one step"}),
		refinesAlone(refines("taskstate/R2", "taskstate", "the table",
			"any N wakers, claimers, references; a handle, Renew of its task",
			"TestOneAtATaskAmongAnyNumber", "refine/solo_task_test.go",
			[]string{"taskstate/run.go", "taskstate/cancel.go", "taskstate/join.go",
				"taskstate/reference.go"},
			[2]string{"taskstate/drop-overwrites-at-last",
				"who has failed four times to drop a reference overwrites the word"},
			[2]string{"taskstate/wake-gives-up",
				"a waker that has failed four times takes it that another one has woken the task"},
			[2]string{"table-taskstate-clones-when-idle",
				"in the table nobody clones a reference of a task that waits"}),
			"of the others, what their rules are; Renew, which is no rule of the table, leads "+
				"from the end of one life to where the table begins"),
	}
}
