// Package history records what the threads of one execution called and what they got back, and
// judges it.
//
// A history is a sequence of calls and returns. A specification ([Spec]) says which histories are
// right: first by predicates over the whole history (Spec.Predicate), then by linearizability,
// which porcupine decides - there must be an order of the operations that the sequential
// specification allows and that keeps every operation between its call and its return. An operation
// may have several such instants (Spec.Points): stealing half of a queue into another one takes
// from the first at one instant and publishes in the second at a later one.
//
//	type op struct{ add int }           // what was called
//	counter := history.Spec[int, op, int]{
//		Name: "counter",
//		Init: func() int { return 0 },
//		Step: func(s int, o op, result int) (int, bool) { return s + o.add, result == s+o.add },
//	}
//	judge := history.NewJudge(counter)
//	h := judge.Recorder(history.Options{})
//	n := history.Do(h, op{1}, func() int { return int(c.Add(1)) })
//	if v := judge.Judge(h); v != nil { t.Fatal(v) }
//
// # What it costs
//
// An exploration runs hundreds of thousands of executions a second, and nearly all of them end in a
// history that was seen before. Recording stores typed values in buffers that are kept from
// execution to execution; recognising a history is a walk down a tree of events. Neither allocates.
// Only a new history is handed to porcupine.
//
// # In a controlled execution
//
// There, one thread runs at a time and the race detector must see the program's own synchronization
// only. Recording therefore takes no lock, touches no map and is not instrumented (norace and
// noinline), so that it neither orders two threads nor is reported itself. Judging runs after the
// execution, where everything its threads wrote is ordered before it.
//
// An engine that explores one interleaving of each equivalence class must treat the calls and the
// returns as steps: whether one operation returned before another was called is part of the
// history, though the two may touch no common memory. Options.Instant is called at each of them; a
// return and a call of different threads depend on each other, two calls or two returns do not.
package history
