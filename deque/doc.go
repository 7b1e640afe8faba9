// Package deque is the queue of one worker in a work-stealing scheduler: a bounded ring that its
// owner pushes to and pops from, first in, first out, and from which any other worker steals half
// at once.
//
// [pool] is a whole work-stealing pool made of this package, injector, idle and park, to be copied:
// whoever builds a scheduler begins there.
//
// # Who may call what
//
// A deque has one owner at a time, the worker whose queue it is. Other workers are thieves.
//
//	Push, PushBatch, Pop, Tail    the owner
//	StealInto(dst)                the owner of dst: a thief needs a deque of its own
//	Len, Cap, Stealer             anyone
//
// Give others the [Stealer] of a deque, not the deque: it has StealInto and Len only, and the
// compiler refuses a thief the calls of the owner.
//
//	func ExampleDeque_StealInto() {
//		local := deque.New[string](4) // the owner's
//		local.PushBatch([]string{"a", "b", "c", "d"})
//		victim := local.Stealer()      // what thieves get
//		mine := deque.New[string](256) // a thief's own
//		v, result := victim.StealInto(mine)
//		fmt.Println(result, v, "and", mine.Len(), "more,", victim.Len(), "left")
//		v, result = deque.New[string](4).StealInto(mine)
//		fmt.Printf("%v %q\n", result, v)
//		// Output:
//		// Stolen a and 1 more, 2 left
//		// Empty ""
//	}
//
// Ownership may pass to another goroutine if the two synchronize, for example through a channel or
// a mutex. Two owners at a time are a data race, which the race detector reports.
//
// # When not to use it
//
//   - Where one queue under a lock, or a channel, is not what costs. A deque pays when workers
//     themselves spawn many tasks of less than a few microseconds.
//   - Where tasks come from outside only: nobody but the owner may push. Package injector is the
//     queue for these.
//   - For a stack: the owner takes the oldest value, not the one that it pushed last.
//   - Where a thief has no deque of its own: it has to put the rest of a steal somewhere.
//
// # What is promised
//
//   - Each value that is pushed comes out once, to one taker, as it was pushed (theorems deque/D4
//     to D6 and D12, for any number of thieves and any capacity).
//   - Owner and thieves take values in the order of the pushes; a steal keeps it (deque/D11: each
//     operation linearizes).
//   - No operation waits for another goroutine. A thief that stands still in the middle of a steal
//     stops neither the owner, which goes on to pop, and to push to its overflow, nor workers that
//     steal elsewhere.
//
// One assumption: a thief does not stand still between two accesses while exactly 2^32 values, or a
// multiple, pass through the ring. See deque.go.
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
// overflows, and then at the deques of the others, from the one after its own on. Now and then the
// shared queue comes first: tasks that spawn tasks would starve it. This is what a worker of [pool]
// takes without disturbing others, and how it steals:
//
//	func (w *Worker) own() (Task, bool) {
//		if w.looks++; w.looks%61 == 0 {
//			if t, ok := w.fetch(1); ok { // local may have no room for more
//				return t, true
//			}
//		}
//		if t, ok := w.local.Pop(); ok {
//			return t, true
//		}
//		return w.fetch(len(w.batch))
//	}
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
// # Callbacks
//
// The overflow that Push is given runs on the owner's goroutine, without any lock. It may call
// everything of the deque that the owner may call, and it may panic: the batch is its own then. It
// hands the values on, to another queue; whoever has to be woken for them is woken after Push, once
// for all of them.
//
// # Costs, zero values, platforms
//
// A Push is one atomic load and one store; a PushBatch is one of each for all its values; a Pop is
// two loads and one compare-and-swap; a steal of any size is two compare-and-swaps, and copies each
// value once. Nothing allocates, except the first overflow, which makes its batch: values of any
// type are stored in place, without boxing. A deque is 384 bytes and its slots.
//
// [New] makes a deque. The zero value has no room: it answers Len, Cap, Pop and StealInto as an
// empty one, and panics at a Push. The methods of a zero [Stealer] panic.
//
// It is the same on 32-bit platforms, the capacity included; only the padding that keeps owner and
// thieves off one another's cache lines is made for 64 bits.
//
// # Source
//
// The split head, with one steal open at a time and its claim, copy and release, is that of the
// local queue of Tokio's multi-threaded scheduler, which in turn follows Go's runqueue. The
// differences, and why, are in deque.go; what is proved about the ring is listed there too.
//
// [pool]: https://github.com/surewake/surewake/tree/main/examples/pool
package deque
