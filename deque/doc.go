// Package deque is the queue of one worker in a work-stealing scheduler: a bounded ring that its
// owner pushes to and pops from, first in, first out, and from which any other worker steals half
// at once.
//
// No operation waits for another goroutine, and none allocates in the steady state. Values of any
// type are stored in place, without boxing.
//
// # Who may call what
//
// A deque has one owner at a time.
//
//	Push, PushBatch, Pop, Tail    the owner
//	StealInto(dst)                the owner of dst: a thief needs a deque of its own
//	Len, Cap, Stealer             anyone
//
// Give others the [Stealer] of a deque, not the deque: it has StealInto and Len only, and the
// compiler refuses a thief the calls of the owner.
//
// Ownership may pass to another goroutine if the two synchronize, for example through a channel or
// a mutex. Two owners at a time are a data race, which the race detector reports.
//
// # Memory
//
// A Push synchronizes before the return of the Pop or the StealInto that takes the value out. Push
// and Len are sequentially consistent with other atomics: of a pusher that pushes and then loads a
// flag, and a worker that stores the flag and then calls Len, at least one sees the other, as long
// as nobody takes the value out.
//
// # Finding something to do
//
// A worker looks at its own deque, then at the queue that all workers share and that takes what
// overflows, and then at the deques of the others, from the one after its own on. This is how a
// worker of [pool] steals:
//
//	func (w *Worker) steal() (Task, bool) {
//		all := w.pool.queues
//		for ; ; runtime.Gosched() {
//			contended := false
//			for i := 1; i < len(all); i++ {
//				t, result := all[(w.role.ID()+i)%len(all)].StealInto(w.local)
//				if result == deque.Stolen {
//					return t, true
//				}
//				contended = contended || result == deque.Contended // it was not empty: look again
//			}
//			if !contended {
//				return nil, false
//			}
//		}
//	}
//
// The values of a steal are in no deque while they move, and so are those of a batch from the
// shared queue. A worker that looks at all queues at that time, and goes to sleep, does not know of
// the rest, which it could have taken: the thief has to see that somebody is woken. So
//
//   - with package idle, a worker steals only as a searcher (its rules 1 and 6), and calls Notify
//     after it has put the rest of a batch into its deque;
//   - without it, a thief does what it does after a Push, if Len of its deque is not 0.
//
// That package is a whole pool made of this one, injector, idle and park, to be copied.
//
// # Callbacks
//
// The overflow that Push is given runs on the owner's goroutine, without any lock. It may call
// everything of the deque that the owner may call, and it may panic: the batch is its own then. It
// hands the values on, to another queue; whoever has to be woken for them is woken after Push, once
// for all of them.
//
// # Source
//
// The split head, with one steal open at a time and its claim, copy and release, is that of the
// local queue of Tokio's multi-threaded scheduler, which in turn follows Go's runqueue. The
// differences, and why, are in deque.go; what is proved about the ring is listed there too.
//
// [pool]: https://github.com/surewake/surewake/tree/main/examples/pool
package deque
