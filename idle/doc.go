// Package idle decides, for the workers of a scheduler, who sleeps, who searches and whom to wake.
//
// It promises three things, for any number of workers and whatever the timing:
//
//   - no lost wakeup: while a task is queued that a worker could take, some worker is not asleep, or is being woken;
//   - work conservation: that stays so while all workers but one are stuck in long tasks;
//   - few wakes: a push that finds somebody searching wakes nobody and costs one atomic load.
//
// The package knows neither queues nor how a worker sleeps. It says what to do; the caller does it.
//
// # The rules
//
//  1. Whoever puts a task where another worker can take it calls [Coordinator.Notify] afterwards.
//  2. A worker that has found something, or stops looking for another reason, calls [Worker.Found] before it goes on.
//  3. A worker that goes to sleep calls [Worker.Publish] first, sleeps as it is told, and calls [Worker.Woke] afterwards,
//     until it is told something other than [AwaitToken].
//  4. Between Publish and the sleep, when told [Recheck], it looks at every queue again, searcher or not, and calls Notify
//     if there is anything that it could take.
//  5. A worker that was claimed (by Notify, Found, [Coordinator.Claim] or [Coordinator.Close]) is given exactly one token, soon,
//     by whoever claimed it; and nobody is given a token who was not claimed. The token waits if the worker does not sleep yet.
//
// A breach that shows is a panic that names the rule.
//
// # A parking worker
//
// The tokens of package park, the queue of the reader's choice:
//
//	func (s *scheduler) work(me int) {
//		w, sleep := s.idle.Worker(me), &s.parkers[me]
//		for {
//			t, ok := s.take()
//			if !ok && w.Search() {
//				t, ok = s.take() // a searcher looks everywhere, and more than once
//			}
//			if ok {
//				s.unpark(w.Found())
//				t()
//				continue
//			}
//			next := w.Publish()
//			if next == idle.Recheck {
//				if s.queued() {
//					s.unpark(s.idle.Notify())
//				}
//				next = w.Woke(sleep.ParkTimeout(10 * time.Millisecond))
//			}
//			if next == idle.AwaitToken {
//				sleep.Park()
//				next = w.Woke(true)
//			}
//			if next == idle.Closed && !s.queued() {
//				return
//			}
//		}
//	}
//
//	func (s *scheduler) submit(t func()) {
//		s.put(t)
//		s.unpark(s.idle.Notify())
//	}
//
//	func (s *scheduler) unpark(worker int, ok bool) {
//		if ok {
//			s.parkers[worker].Unpark()
//		}
//	}
//
// The package example runs it. The timeout is not needed for any promise above: a worker that has other things to look after
// now and then may have one. To stop the workers, see that no more tasks come, and then call
//
//	s.idle.Close(func(worker int) { s.parkers[worker].Unpark() })
package idle
