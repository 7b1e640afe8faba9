// Package runtime runs many small tasks on few workers. A task is a function that is given a [Cx]; it may start other tasks,
// wait for them, for time, for channels and semaphores, and be cancelled; it ends with a result, which its [Handle] keeps for whoever
// waits for it.
//
// It is for work that is too fine for goroutines, or must be bounded: divide and conquer down to pieces of a microsecond, ten thousand
// small jobs at a time, a million state machines that mostly wait. A spawn and its join cost little more than an
// allocation, and a task that never waits has no stack of its own. Where each piece takes 100 microseconds and more, goroutines
// do as well, and are simpler.
//
// # Fork and join
//
// A task gives away one half of its work, does the other, and joins. If nobody has taken the half by then, the join runs it on
// the spot; if somebody has, the task waits and its worker does something else:
//
//	func sum(cx runtime.Cx, values []int) (int, error) {
//		if len(values) <= 100 {
//			total := 0
//			for _, v := range values {
//				total += v
//			}
//			return total, nil
//		}
//		half := len(values) / 2
//		left := runtime.SpawnWith(cx, sum, values[:half])
//		right, err := sum(cx, values[half:])
//		if err != nil {
//			return 0, err
//		}
//		total, err := left.Join(cx)
//		return total + right, err
//	}
//
// From outside, tasks are submitted:
//
//	rt, err := runtime.New()
//	if err != nil {
//		return err
//	}
//	defer rt.Close()
//	total, err := runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return sum(cx, values) }).Wait(ctx)
//
// The package example runs it. Children that must not outlive a function, and that end together when one of them fails, are started in a
// [Scope].
//
// # Kinds of tasks
//
//	Spawn, SpawnWith, Submit         a function; if it waits, it keeps a stack, about 3 KB
//	SpawnBatch, SubmitBatch          many of them at a time, in one allocation
//	SpawnFuture, SubmitFuture        a Future: a state machine that is polled, and waits in about 100 bytes
//	SpawnBlocking, SubmitBlocking    a function on a goroutine of a pool, where it may block
//
// # Who may call what
//
// A [Cx] belongs to the task that was given it, and to its goroutine, until the function returns. What takes a Cx is for tasks, and may make
// them wait: Join, Sleep, Send, Acquire. What takes a context.Context in its place blocks the goroutine that calls it and is for those
// that are no tasks: Wait, SendContext, AcquireContext, Shutdown. What takes neither never waits, and is for everybody: Submit, Cancel,
// TryJoin, Signal, Release. A few of these have a twin for tasks, such as ReleaseFrom: who is woken by it goes to the worker of
// the caller, where the cache is warm.
//
// Misuse that can be seen panics and names the rule. [Debug] sees more.
//
// # What is promised
//
//   - Every task ends exactly once, and is run at most once. Its result is what its function returned; or a [PanicError];
//     [ErrGoexit]; [ErrCancelled] or [ErrClosed] if it was cancelled, or refused by a closed runtime. Everyone who waits for it is told, any number
//     of them.
//   - No work waits while a worker sleeps, save for the task that is next in line behind a running one: after at most two watch
//     intervals (see [RescueInterval]) that is taken, too.
//   - Tasks that respawn for ever do not starve those from outside: each worker looks at the queue that all share at
//     least every 255 tasks, and aims at once a millisecond.
//   - No task waits for what lies beneath it on its own stack: a join runs its target and nothing else. Joins that wait in a circle
//     are the only deadlock of joins.
//   - No timer is early. A call that waits and returns an error has taken nothing and given nothing.
//   - When [Runtime.Done] is closed, all tasks have ended, and no goroutine is left.
//   - A runtime in which nothing happens wakes nobody: no timeouts, no polling.
//
// Spawning a task synchronizes before its function, and the end of the task before the return of each call that finds it ended. What else
// synchronizes, the functions say.
//
// # How it works
//
// Each worker has a slot for the task that it runs next, a ring that others steal from by halves ([github.com/surewake/surewake/deque]),
// and a place to sleep ([github.com/surewake/surewake/park]); all share an injector, and a coordinator that knows whom to wake
// ([github.com/surewake/surewake/idle]). The life of a task is one word ([github.com/surewake/surewake/taskstate]).
//
//	Submit, wakes from outside        Spawn, wakes by a task of this worker
//	       |                                    |
//	       v                                    v
//	+------------+   half of a full ring    +------+  the one before  +------+
//	|  injector  |<----------------+        | slot |----------------->| ring |-----> half of it:
//	+------------+                 |        +------+                  +------+       other workers
//	       |                       |            |                      |    |
//	       |                       +------------|----------------------|----+
//	       | 1: every 8 to 255 tasks            | 2: at most           | 3
//	       | 4: when nothing is left            |    3 in a row        |
//	       v                                    v                      v
//	+-------------------------------------------------------------------------+
//	| worker: takes one; resumes the stack on which it waits, or lends it one |
//	+-------------------------------------------------------------------------+
//
// Tasks run on coroutines. One that never waits ends on the stack on which the one before it ended; one that waits keeps the
// stack, and the worker goes on with another:
//
//	trampoline         stack 1                 stack 2               stack 3, of a task
//	                                                                 that waited
//	resume --------->  task A
//	                   task B
//	                     spawns C, D
//	                     joins D: runs D here
//	                     joins C, which was
//	                     stolen: waits
//	resume <---------  (belongs to B now)
//	lend a spare ---------------------------->  task E
//	                                            E wakes F -----------> (F is queued)
//	                                            next is F: leave
//	resume <----------------------------------  (a spare again)
//	resume -----------------------------------------------------------> F goes on
//
// The files are grouped by prefix; the first one named opens with how its group works:
//
//	runtime, cx, options, errors   a runtime and its end; what a task is given
//	sched_    worker, coroutine, find, queue, injector   how tasks are found, run and suspended
//	          idle, tick, live, guard                    who sleeps, the clock, the end, Debug
//	task_     task, spawn, handle, join, context         a task from its spawn to its result
//	          batch, future, blocking, scope             the other kinds of tasks, and groups of them
//	sync_     waiter                                     how a call waits in line, and for what:
//	          channel, semaphore, notify, oneshot, gochan
//	time_     timer, sleep, ticker, timeout              the heap of timers, and who waits for it
//	io_       readiness, registry, watch                 descriptors, and who waits for them
//	observe_  stats, hooks                               counters; tracer, profiles, log
//
// # What is different from goroutines
//
//   - Tasks are not preempted by one another. One that computes for long keeps its worker; the others steal what lies
//     behind it. [Cx.Yield] lets go.
//   - What blocks a goroutine blocks a worker: a mutex that is held for long, a read from a file or a socket, time.Sleep, a Go channel. There are
//     [Receive] and [Send] for Go channels, [Cx.AwaitContext] for contexts, and [SpawnBlocking] for everything else.
//   - A task may go on on another worker, and thread, after it has waited. It must not wait with a locked thread (runtime.LockOSThread): Go ends the
//     process; with [Debug], it is a panic that names the rule.
//   - Cancellation is cooperative, as with contexts: waiting functions return an error, [Cx.Err] tells, [Cx.Shield] holds it off. A
//     task that has taken over its target in a join comes to know when the target has ended.
//   - A panic is a result, not the end of the process. So is Goexit, and with it testing.T.FailNow: it ends the task and
//     those whose joins lie beneath it on the stack.
//   - The race detector, profiles and stack traces work as ever: a task that waits is a goroutine in the state "coroutine".
//
// # What it costs
//
// The directory bench of the repository measures all of it beside goroutines, pools and Tokio. In short: where a goroutine and a channel
// take 280 ns, a spawn and a join take 50, a yield 100, a join that waits 180. To wake a worker that sleeps takes
// two system calls, and longer than to wake a goroutine. A fixed set of goroutines that empties a buffered channel is faster, as
// long as the jobs need no results and start no others.
package runtime
