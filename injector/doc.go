// Package injector is the queue that all workers of a scheduler share: tasks come in from outside,
// and from workers whose own queues are full, and workers take them in batches. It is first in,
// first out, and unbounded.
//
// [pool] is a whole work-stealing pool made of this package, deque, idle and park, to be copied:
// whoever builds a scheduler begins there.
//
// # Who may call what
//
// Anyone may call everything, at any time.
//
//	Submit, SubmitFunc    for tasks from outside: refused after Close
//	Push, PushFunc        for tasks of the workers: never refused
//	Take, TakeFunc        a worker, which takes no more than its fair share
//	Len                   exact, and one atomic load
//	Close, Update         what has to be at one instant with the content of the queue
//
// Workers may push after Close. No such value is lost if each worker, before it ends, looks here
// after its last push; package idle says how workers end.
//
//	func ExampleQueue_Take() {
//		var q injector.Queue[string]
//		q.Submit([]string{"a", "b", "c", "d"})
//		batch := make([]string, 8)
//		n := q.Take(batch, 2) // the fair share of one of two workers
//		fmt.Println(batch[:n], "and", q.Len(), "left")
//		// Output: [a b c] and 1 left
//	}
//
// # When not to use it
//
// The queue is made to be touched rarely: workers keep what they spawn in queues of their own, such
// as package deque. Where every task comes from outside and no worker spawns any, a channel does as
// well, and wakes who waits, which this package leaves to package idle. Where a full queue has to
// hold back whoever submits, count what is queued in front of it: the queue has no bound.
//
// # What is promised
//
//   - Each value comes out once, to one Take, in the order in which values went in (theorems
//     injector/J1, J7 and J8, for any number of workers, submitters and values).
//   - Len is exact at every instant (J2).
//   - After Close, no Submit queues anything, and what was queued before is still taken (J3).
//
// # A worker
//
// This is how a worker of [pool] takes at most so many tasks as its own queue has room for. One of
// them it runs; the rest goes to that queue, by Spawn, which also wakes somebody for them: while
// they moved they were in no queue, so that others may have gone to sleep. A worker comes here when
// its own queue is empty, and at every 61st look, for one task, before it looks there.
//
//	func (w *Worker) fetch(most int) (Task, bool) {
//		n := w.pool.shared.Take(w.batch[:most], len(w.pool.workers))
//		if n == 0 {
//			return nil, false
//		}
//		t := w.batch[0]
//		if n > 1 {
//			w.Spawn(w.batch[1:n]...) // with its Notify: in between, nobody could see the rest
//		}
//		clear(w.batch[:n])
//		return t, true
//	}
//
// # Memory
//
// A Submit or Push synchronizes before the return of the Take that takes its values out. Both, and
// Len, are sequentially consistent with other atomics: of a submitter that submits and then loads a
// flag, and a worker that stores the flag and then calls Len, at least one sees the other, as long
// as nobody takes the values out.
//
// # Costs, zero values, platforms
//
// Every operation except Len holds a mutex, for as long as it copies its values, and so may wait. A
// Take from an empty queue is one load. The ring grows by doubling, and shrinks to 32,768 slots
// when a burst has passed. The zero value of Queue is empty and open. It is the same on 32-bit
// platforms.
//
// # Source
//
// The injector of Tokio's multi-threaded scheduler, and the global queue of Go's, are linked lists
// under a mutex; the fair share is Go's. This one is a ring, so that values need no link.
//
// [pool]: https://github.com/surewake/surewake/tree/main/examples/pool
package injector
