// Package deque is the queue of one worker in a work-stealing scheduler: a bounded ring that its owner
// pushes to and pops from, first in first out, and from which any other goroutine takes half at once.
//
// Every operation is a bounded number of steps, whatever other goroutines do, and none allocates in the
// steady state. Values are stored as they are, of any type and size; nothing is boxed.
//
// # Who may call what
//
// A deque has one owner at a time. Only the owner calls [Deque.Push], [Deque.PushBatch] and [Deque.Pop], and only the owner
// of the destination calls [Deque.StealInto], so a thief needs a deque of its own. [Deque.Len] and
// [Deque.Cap] are for everybody. Ownership may pass to another goroutine if the two synchronize, for
// example through a channel or a mutex. The race detector sees a second owner.
//
// # Finding something to do
//
// The loop of a worker looks at its own deque, then at the queue that all share and that takes what
// overflows, and then at the others, in an order that differs from worker to worker:
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
// The package example runs it. What to do when nothing is found, and whom to wake after a push, is not
// this package's concern.
package deque
