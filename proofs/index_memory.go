package proofs

func memoryTheorems() []Theorem {
	machine := []string{"store buffers that empty in any order but for release stores, and loads that go early; what has gone to memory everybody sees"}
	test := func(defines ...string) model { return model{source: "litmus.pml", defines: defines, litmus: true} }
	idle, park := []string{"idle/idle.go", "idle/worker.go"}, []string{"park/park.go"}
	deque, task := []string{"deque/owner.go", "deque/steal.go"}, []string{"taskstate/run.go", "taskstate/join.go", "taskstate/reference.go"}
	// row is a theorem of which the first litmus passes and the others, of weaker orders, do not.
	row := func(id, statement, bounds string, code []string, passes model, weaker ...mutant) Theorem {
		return Theorem{ID: id, Statement: statement, Scope: bounds, Assumptions: machine, Code: code, proof: passes, mutants: weaker}
	}
	const two, three = "2 processes, the accesses in question, all interleavings", "3 processes, the accesses in question, all interleavings"
	return []Theorem{
		row("memory/M1", "publish work, then read who searches or sleeps; publish that you sleep, then read the queues: not both miss, if all four accesses are sequentially consistent", two,
			append(idle, "runtime/sched_injector.go"), test("TEST=1", "EXCHANGE", "O1=SC", "O2=SC", "O3=SC", "O4=SC"),
			mutant{"push", "the push is a release store", test("TEST=1", "EXCHANGE", "O1=REL", "O2=SC", "O3=SC", "O4=SC")},
			mutant{"look", "the pusher's load is an acquire load", test("TEST=1", "EXCHANGE", "O1=SC", "O2=ACQ", "O3=SC", "O4=SC")},
			mutant{"bit", "the bit is set, or the count lowered, by an exchange that acquires and releases", test("TEST=1", "EXCHANGE", "O1=SC", "O2=SC", "O3=REL", "O4=SC")},
			mutant{"recheck", "the recheck is an acquire load", test("TEST=1", "EXCHANGE", "O1=SC", "O2=SC", "O3=SC", "O4=ACQ")},
			mutant{"stores", "the same where both sides store, and all is acquire and release", test("TEST=1", "O1=REL", "O2=ACQ", "O3=REL", "O4=ACQ")}),
		row("memory/M2", "publish, then clear the bit; set the bit, then look: not both miss, if the two exchanges of one word acquire and release", two,
			idle, test("TEST=2", "O1=REL", "O2=REL"),
			mutant{"clear", "the exchange that clears is relaxed", test("TEST=2", "O1=RLX", "O2=REL")},
			mutant{"set", "the exchange that sets is relaxed", test("TEST=2", "O1=REL", "O2=RLX")},
			mutant{"load", "one side loads the word and writes it only if the bit is there, as a notifier does", test("TEST=2", "EMPTY", "O1=REL", "O2=REL")}),
		row("memory/M3", "a message: who acquires the store that releases it sees what was stored before; relaxed on either side it does not", two,
			deque, test("TEST=3", "O1=REL", "O2=ACQ"),
			mutant{"store", "the store is relaxed", test("TEST=3", "O1=RLX", "O2=ACQ")},
			mutant{"load", "the load is relaxed", test("TEST=3", "O1=REL", "O2=RLX")}),
		row("memory/M4", "a token by exchanges: who takes it sees what every waker stored before, also the one that found it there", three,
			append(park, "taskstate/run.go"), test("TEST=4", "O1=REL", "O2=REL"),
			mutant{"waker", "the first waker's exchange is relaxed", test("TEST=4", "O1=RLX", "O2=REL")},
			mutant{"parker", "the parker's exchange is relaxed", test("TEST=4", "O1=REL", "O2=RLX")},
			mutant{"look", "a waker that sees a token leaves it as it is", test("TEST=4", "LOOK", "O1=REL", "O2=REL")}),
		row("memory/M5", "a slot is read and cleared before it is written again, if the thief's last exchange releases", two,
			deque, test("TEST=5", "O1=REL"),
			mutant{"release", "it is relaxed", test("TEST=5", "O1=RLX")}),
		row("memory/M6", "who acquires the head and then loads the tail finds the tail not behind the head, if the head is moved by an exchange that releases", two,
			deque, test("TEST=6", "O1=REL", "O2=ACQ"),
			mutant{"pop", "the exchange is relaxed", test("TEST=6", "O1=RLX", "O2=ACQ")},
			mutant{"look", "the load of the head is relaxed", test("TEST=6", "O1=REL", "O2=RLX")}),
		row("memory/M7", "one takes it: of several exchanges of one word one comes first, relaxed or not", three,
			append(deque, "idle/idle.go", "taskstate/run.go"), test("TEST=7"),
			mutant{"split", "a load and a store instead of an exchange", test("TEST=7", "SPLIT")}),
		row("memory/M8", "who drops the last reference sees what every other owner did before it dropped its own, if the drops acquire and release", two,
			task, test("TEST=8", "O1=REL"),
			mutant{"relaxed", "the drops are relaxed", test("TEST=8", "O1=RLX")}),
		row("memory/M9", "join against completion: one of them sees the other, and what it left: the result, or the waker; if both exchanges acquire and release", two,
			task, test("TEST=9", "O1=REL", "O2=REL"),
			mutant{"join", "Join's exchange is relaxed", test("TEST=9", "O1=RLX", "O2=REL")},
			mutant{"complete", "Complete's exchange is relaxed", test("TEST=9", "O1=REL", "O2=RLX")},
			mutant{"two", "join interest and COMPLETE are two words, stored and loaded", test("TEST=9", "TWO", "O1=REL", "O2=REL")}),
		row("memory/M10", "a worker that has its token is on the count before it takes itself off, if the token is released and acquired; the count itself may be relaxed", two,
			idle, test("TEST=10", "O1=REL", "O2=ACQ"),
			mutant{"token", "the token is relaxed", test("TEST=10", "O1=RLX", "O2=ACQ")}),
		row("memory/M11", "a push that saw a searcher is seen by the worker that the last searcher wakes, if the push and the load of searching are sequentially consistent", three,
			idle, test("TEST=11", "O1=SC", "O2=SC"),
			mutant{"push", "the push is a release store", test("TEST=11", "O1=REL", "O2=SC")},
			mutant{"look", "the load of searching is an acquire load", test("TEST=11", "O1=SC", "O2=ACQ")}),
		row("memory/M12", "a Wake that finds the task SCHEDULED and writes nothing: the poll to come sees what the waker stored, if that store, the load, ToRunning and the poll's load are sequentially consistent", two,
			task, test("TEST=1", "EXCHANGE", "O1=SC", "O2=SC", "O3=SC", "O4=SC"),
			mutant{"acquire", "Wake's load is an acquire load", test("TEST=1", "EXCHANGE", "O1=SC", "O2=ACQ", "O3=SC", "O4=SC")},
			mutant{"release", "ToRunning acquires and releases", test("TEST=1", "EXCHANGE", "O1=SC", "O2=SC", "O3=REL", "O4=SC")}),
	}
}
