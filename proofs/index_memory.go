package proofs

import "fmt"

func memoryTheorems() []Theorem {
	machine := []string{"store buffers that empty in any order except release stores, and " +
		"loads that go early; what has gone to memory everybody sees"}
	test := func(n int) model {
		return model{source: "litmus.pml", defines: []string{fmt.Sprint("TEST=", n)}, litmus: true}
	}
	idle, park := []string{"idle/idle.go", "idle/worker.go"}, []string{"park/park.go"}
	deque, task := []string{"deque/owner.go", "deque/steal.go"},
		[]string{"taskstate/run.go", "taskstate/join.go", "taskstate/reference.go"}
	row := func(id, statement, bounds string, code []string, proof model) Theorem {
		return Theorem{ID: id, Statement: statement, Scope: bounds, Assumptions: machine,
			Code: code, proof: proof}
	}
	const two, three = "2 processes, the accesses in question, all interleavings",
		"3 processes, the accesses in question, all interleavings"
	return []Theorem{
		row("memory/M1", "publish work, then read who searches or sleeps; publish that you "+
			"sleep, then read the queues: not both miss, if all four accesses are sequentially "+
			"consistent", two,
			append(idle, "injector/injector.go"), test(1)),
		row("memory/M2", "publish, then clear the bit; set the bit, then look: not both miss, "+
			"if the two exchanges of one word acquire and release", two,
			idle, test(2)),
		row("memory/M3", "a message: who acquires the store that releases it sees what was "+
			"stored before; relaxed on either side it does not", two,
			deque, test(3)),
		row("memory/M4", "a token by exchanges: who takes it sees what every waker stored "+
			"before, also the one that found it there", three,
			append(park, "taskstate/run.go"), test(4)),
		row("memory/M5", "a slot is read and cleared before it is written again, if the thief's "+
			"last exchange releases", two,
			deque, test(5)),
		row("memory/M6", "who acquires the head and then loads the tail finds the tail not "+
			"behind the head, if the head is moved by an exchange that releases", two,
			deque, test(6)),
		row("memory/M7", "one takes it: of several exchanges of one word one comes first, "+
			"relaxed or not", three,
			append(deque, "idle/idle.go", "taskstate/run.go"), test(7)),
		row("memory/M8", "who drops the last reference sees what every other owner did before "+
			"it dropped its own, if the drops acquire and release", two,
			task, test(8)),
		row("memory/M9", "join against completion: one of them sees the other, and what it "+
			"left: the result, or the waker; if both exchanges acquire and release", two,
			task, test(9)),
		row("memory/M10", "a worker that has its token is on the count before it takes itself "+
			"off, if the token is released and acquired; the count itself may be relaxed", two,
			idle, test(10)),
		row("memory/M11", "a push that saw a searcher is seen by the worker that the last "+
			"searcher wakes, if the push and the load of searching are sequentially consistent",
			three,
			idle, test(11)),
		row("memory/M12", "a Wake that finds the task SCHEDULED and writes nothing: the poll to "+
			"come sees what the waker stored, if that store, the load, ToRunning and the poll's "+
			"load are sequentially consistent", two,
			task, test(1)),
	}
}
