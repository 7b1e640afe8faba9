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
//	Len, Cap                      anyone
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
// overflows, and then at the deques of the others, in an order that differs from worker to worker:
//
//	func (w *worker) find() (task, bool) {
//		for {
//			if t, ok := w.local.Pop(); ok {
//				return t, true
//			}
//			if t, ok := w.shared.take(); ok {
//				return t, true
//			}
//			again := false
//			for i := range w.all {
//				victim := w.all[(w.id+1+i)%len(w.all)]
//				if victim == w {
//					continue
//				}
//				switch t, result := victim.local.StealInto(w.local); result {
//				case deque.Stolen:
//					return t, true // and the rest of the half is in w.local
//				case deque.Contended:
//					again = true // there was something, and somebody was faster
//				case deque.Empty:
//				}
//			}
//			if !again {
//				return task{}, false // every deque was empty when it was looked at
//			}
//			runtime.Gosched()
//		}
//	}
//
// The package example runs it. What to do when nothing is found, and whom to wake after a push, is
// left to the caller; package idle answers both.
//
// # Source
//
// The split head, with one steal open at a time and its claim, copy and release, is that of the
// local queue of Tokio's multi-threaded scheduler, which in turn follows Go's runqueue. The
// differences, and why, are in deque.go; what is proved about the ring is listed there too.
package deque
