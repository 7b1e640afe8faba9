// Package runtime runs many small tasks on few workers. A task is a function that is given a [Cx];
// with it, the task can start other tasks, wait for them, for time, for channels and locks, and be
// cancelled. It ends with a result, to which its [Handle] gives access.
//
// The package is for work that is too fine for goroutines, or whose parallelism must be bounded:
// divide and conquer down to pieces of a microsecond, ten thousand small jobs at a time, a million
// state machines that mostly wait. A spawn and its join cost little more than an allocation, and a
// task that never waits has no stack of its own. Where each piece takes 100 microseconds or more,
// goroutines do as well and are simpler. Examples import it as sw, since Go has a package of its
// name.
//
// # Fork and join
//
// A task spawns one half of its work, does the other half, and joins. If no other worker has taken
// the spawned half by then, the join runs it on the spot; otherwise the task waits, and its worker
// runs other tasks:
//
//	func sum(cx sw.Cx, values []int) (int, error) {
//		if len(values) <= 100 {
//			total := 0
//			for _, v := range values {
//				total += v
//			}
//			return total, nil
//		}
//		half := len(values) / 2
//		left := sw.SpawnWith(cx, sum, values[:half])
//		right, err := sum(cx, values[half:])
//		if err != nil {
//			return 0, err
//		}
//		total, err := left.Join(cx)
//		return total + right, err
//	}
//
// Goroutines submit tasks:
//
//	rt, err := sw.New()
//	if err != nil {
//		return err
//	}
//	defer rt.Close()
//	total, err := sw.Submit(rt, func(cx sw.Cx) (int, error) {
//		return sum(cx, values)
//	}).Wait(ctx)
//
// The package example runs this. [Run] is a runtime for one such call, [Default] one that all
// share. A [Scope] holds children that must not outlive a function, and that are cancelled together
// when one of them fails. A [Group] does so for goroutines too, as errgroup does, with a limit of
// how many run at a time; [Results] does, and returns what they return.
//
// # Forks
//
// Where the halves compute and seldom wait, [Fork] is a tenth of the price: a fork is a call of the
// forking task unless an idle worker takes it, and the whole recursion is one task.
//
//	func sum(cx sw.Cx, values []int) int {
//		if len(values) <= 100 {
//			...
//		}
//		half := len(values) / 2
//		left := sw.Fork(cx, sum, values[:half])
//		right := sum(cx, values[half:])
//		return left.Join(cx) + right
//	}
//
// Which to take:
//
//	Fork            a function and its argument; costs no allocation
//	Both            two closures, of which one costs an allocation
//	For             a loop whose iterations take 100 ns and more, or differ much
//	Range, Reduce   a loop over shorter ones, in blocks; Reduce adds what the blocks return
//	Map             Range over a slice, with a result for each element
//	ForErr, MapErr  the same for calls that can fail; after the first error, no further one
//	                begins; ReduceErr, ForEachErr
//	ForEach         the values of an iterator, with a call of a microsecond and more for each
//	MapSeq          ForEach with a result for each value, ReduceSeq with a sum; MapSeqErr,
//	                ReduceSeqErr
//	Sort, SortFunc  a stable merge sort
//
// A loop whose task must end begins no further call either, and returns [Cx.Err]; so does a sort,
// which leaves the slice as it was. Loops are split only when a worker is idle, so there is no
// grain to choose. When Both or a loop returns or panics, the calls that it has made are over,
// wherever they ran; a panic of one is that of the caller.
//
// A fork makes work for idle workers only if they see it. What they may not see:
//
//	the eight youngest forks of a task   until its next fork or join, or until it waits
//	what is left of a For                until its running iteration is over
//	what is left of Range and Reduce     until the running block is over: some microseconds,
//	                                     unless iterations become much longer all at once
//	forks that a release has queued      as any other task: until a worker is free
//
// So a task that has forked, and then computes for long without a fork, a join or a wait, keeps up
// to eight forks to itself. It says Share before, or Poll in between:
//
//	left := sw.Fork(cx, sum, values[:half])
//	cx.Forks().Share()
//	right := long(values[half:])
//	return left.Join(cx) + right
//
// Forks are told of cancellation as their task is. A fork that another task runs is a task in
// [Stats], dumps and traces. Package [github.com/surewake/surewake/fork] says how it works.
//
// # Kinds of tasks
//
//	Spawn, SpawnWith, Submit         a function; if it waits, it keeps a stack, about 3 KB
//	Cx.Go, Runtime.Go                one without a result
//	SpawnBatch, SubmitBatch          many of these at a time, in one allocation
//	Task                             one that is started again when it has ended, in its memory
//	SpawnFuture, SubmitFuture        a Future: a state machine that is polled; waits in 100 bytes,
//	                                 for time by a Nap, for what Select waits for by a Pending
//	SpawnBlocking, SubmitBlocking    a function on a goroutine of a pool, where it may block
//
// [SubmitContext], [SpawnContext], [SpawnBlockingContext] and [SubmitBlockingContext] start a task
// that ends with a context, and sees its values and deadline.
//
// [MaxTasks] limits how many tasks from outside there are at a time, so that a queue of requests
// cannot grow without end. Submit waits for a place then; [TrySubmit] does not, and returns
// [ErrWouldWait], for a server that answers that it is busy. [Stats] has how many places are free
// and how many calls wait. What tasks start is not limited.
//
// # Who may call what
//
// The parameters of a function say who may call it:
//
//	Cx                call it from a task; it may suspend the task: Join, Sleep, Send, Lock
//	context.Context   call it from a goroutine; it blocks that: Wait, SendContext, Shutdown
//	neither           call it anywhere; it never blocks: Submit, Cancel, TryJoin, Signal, Unlock
//
// A Cx belongs to one task and its goroutine until the task's function returns. Some functions of
// the third kind have a twin for tasks, such as UnlockFrom for Unlock: the task that it wakes
// runs next on the caller's worker, where the cache is warm. [Group.Go], [Group.Wait] and
// [Runtime.Close] are of the second kind without a context of their own. With [MaxTasks], Submit
// waits outside of tasks.
//
// A task must end once it has been cancelled, or [Runtime.Close] was called, unless it is in a
// [Cx.Shield]. Functions that wait return [Cx.Err] then: at once if they are called in such a task,
// and as soon as it must end if they wait already. [Select] waits for the first of several.
//
// Detected misuse panics and names the broken rule. [Debug] detects more.
//
// # Joining a child
//
// A task's children are those that it has started by [Cx.Go], Spawn, SpawnContext, SpawnWith,
// SpawnIn or SpawnFuture. To join a child is like calling its function: what cancels the joining
// task, a timeout or a scope included, cancels the child too, and [Handle.Join] returns when the
// child has ended, with its result, also to everybody else. To join any other task, to join with a
// timeout or a context, and to join a batch or a blocking task is only to wait: a cancelled task
// gives up, and the target goes on. Neither depends on whether the child was run on the stack of
// the joining task or elsewhere. Work that must outlive its starter is submitted, or detached, not
// joined.
//
// # Guarantees
//
//   - Every task ends exactly once, and runs at most once. Its result is that of its function; or a
//     [PanicError]; [ErrGoexit]; or [ErrCancelled] or [ErrClosed] if it was cancelled, or refused
//     by a closed runtime. Any number of tasks and goroutines may wait for it; all get the result.
//   - No task is left waiting while a worker sleeps, except the one that is next after a running
//     task of the same worker: a sleeping worker takes it after at most two rescue intervals (see
//     [RescueInterval]).
//   - Tasks that respawn forever do not starve tasks from outside: each worker takes from the queue
//     that all share at least every 255 polls, and aims at once a millisecond ([InjectorInterval]);
//     while that queue holds more than a batch, after each batch. Nor do tasks from outside starve
//     others: those that a worker has queued have a turn before it takes the next batch.
//   - What a full ring has moved to that queue comes before what has had its turns since: a task
//     that starts others and its successor, or yields, or is woken again and again, waits until
//     those that are older have begun, so that their number does not grow. However long that queue
//     is, whoever sleeps, or waits for a descriptor or a context, goes first when it may go on, and
//     so does what is cancelled. Only if tasks pile up there for long, and those that such tasks
//     have added are more than a ring holds ([Ring]), does it queue behind them: a timer is late by
//     as long as what is submitted waits, until all have begun that were there. A task that has
//     been woken has a few turns before others, in a row, and queues behind them then.
//   - Nor do tasks that spawn and join for ever. A join that runs its target is a poll of it: the
//     look comes a [TaskBudget] of joins late at most, and a timer fires after a [TickBudget] of
//     joins and such a budget. Whom it wakes has its turn, if no other worker is idle, after what
//     is queued before it and eight budgets. Of other calls that could wait and need not, a budget
//     is a poll. [Fork] and its joins are calls: a task that forks for ever says Yield.
//   - Workers that have all of Go's processors, and never run out of tasks, let a goroutine run
//     that one of them has woken, or started, by this package: by the end of a task, or by a
//     function that is given a Cx, of a channel or a lock, say, or [SpawnBlocking]. Go alone lets
//     it wait for up to 10 ms, as it does one that a task wakes without a Cx (by Close of a
//     channel), or that waits for a context.
//   - No task waits for a task beneath it on its own stack: a join runs its target and nothing
//     else. So joins deadlock only if they wait in a circle.
//   - No timer fires early. A call that waits and returns an error has taken and given nothing,
//     except that [Conn.Write] may have written a part, and says how much.
//   - When [Runtime.Done] is closed, all tasks have ended and all workers have stopped.
//   - A runtime in which nothing happens wakes nobody: no timeouts, no polling; a [Watchdog] wakes
//     a goroutine of its own.
//
// Spawning a task synchronizes before its function. The end of a task synchronizes before the
// return of each call that finds it ended. The functions say what else synchronizes.
//
// # Looking into a runtime
//
//	Runtime.Dump       what each worker runs, and for what each task waits; all of it with Debug
//	Cx.SetName         the name under which a task is shown there, in panics and in profiles
//	Runtime.Stats      what has been done and what there is, in numbers; Runtime.Vars for expvar
//	Watchdog           tells of tasks that hold their worker, or that probably wait for ever
//	Trace, Labels      regions in traces, labels in profiles
//	OnPanic, LogPanics panics, as they come
//
// # How it works
//
// Each worker has a slot for the task that it runs next; a ring, which others steal half of at a
// time ([github.com/surewake/surewake/deque]); and a place to sleep
// ([github.com/surewake/surewake/park]). All share the injector
// ([github.com/surewake/surewake/injector]), and a coordinator that decides which worker to wake
// ([github.com/surewake/surewake/idle]). The state of a task is one word
// ([github.com/surewake/surewake/taskstate]).
//
//	Submit, wakes from outside        Spawn, wakes by a task of this worker
//	       |                                    |
//	       v                                    v
//	+------------+   half of a full ring    +------+   evicted task   +------+
//	|  injector  |<----------------+        | slot |----------------->| ring |-----> half of it:
//	+------------+                 |        +------+                  +------+       other workers
//	       |                       |            |                      |    |
//	       |                       +------------|----------------------|----+
//	       | 1: every 8 to 255 polls            | 2: at most           | 3
//	       | 4: when nothing else is left       |    3 in a row        |
//	       v                                    v                      v
//	+-------------------------------------------------------------------------+
//	| worker: takes one; resumes its coroutine, or gives it a spare coroutine |
//	+-------------------------------------------------------------------------+
//
// Tasks run on coroutines. A task that never waits runs on the coroutine on which the one before it
// ended. A task that waits keeps its coroutine, and the worker continues with another:
//
//	trampoline         coroutine 1             coroutine 2           coroutine 3, of a
//	                                                                 task that waits
//	resume --------->  task A
//	                   task B
//	                     spawns C, D
//	                     joins D: runs D here
//	                     joins C, which was
//	                     stolen: waits
//	resume <---------  (belongs to B now)
//	resume a spare -------------------------->  task E
//	                                            E wakes F -----------> (F is queued)
//	                                            next is F: return
//	resume <----------------------------------  (a spare again)
//	resume -----------------------------------------------------------> F continues
//
// The files are grouped by prefix. The first file of a group says how the group works:
//
//	runtime, cx, options, errors   the Runtime and its end; what a task is given; the default one
//	task      the life of a task: task_spawn, task_handle, task_join; task_context, task_binding
//	          joins: task_flow; circles of waits: task_circle
//	          other kinds of tasks: task_batch, task_future, task_blocking; many of them:
//	          task_scope, task_group, task_next; how many from outside: task_places
//	          calls that others may take: task_fork
//	sched_    running tasks: coroutine, worker, find, fork, queue, tick
//	          sleeping and stopping: idle, live; checks of Debug: guard, block
//	sync_     waiting in line: waiter; for what: channel, semaphore, notify, oneshot, gochan,
//	          mutex, rwmutex, cond, waitgroup; who holds a lock: holder; for the first of
//	          several: select, case
//	time_     timer; who waits for it: sleep, ticker, timeout, limiter
//	io_       readiness; descriptors: registry, watch, deadline, netpoll
//	          connections: transfer, conn, listener
//	observe_  stats; tracer, profiles and log: hooks; what a runtime does now: dump, record, name;
//	          watchdog
//
// # How tasks differ from goroutines
//
//   - Tasks do not preempt one another. A task that computes for long keeps its worker; the others
//     steal the tasks queued there. [Cx.Yield] lets them run.
//   - What blocks a goroutine blocks a worker: a sync.Mutex that is held for long, reading a file
//     or a socket, time.Sleep, a Go channel. A sync.Mutex that a task holds while it waits may
//     block all workers. Use [Mutex], [RWMutex], [Cond] and [WaitGroup] in place of those of
//     package sync, [Receive] and [Send] for Go channels, [Runtime.Conn] and [Runtime.Listener] for
//     connections, [Runtime.Watch] for other descriptors, [Cx.AwaitContext] for contexts, and
//     [SpawnBlocking] for everything else.
//   - A task that blocks its worker until another task has run may wait for ever: with one worker
//     always. Its own child, spawned last, is taken by a sleeping worker after one or two rescue
//     intervals. So a task calls Join, not [Handle.Wait], and [Select], not [SelectContext]; with
//     [Debug], what would block its worker so panics, and [Watchdog] tells of it.
//   - After a wait, a task may continue on another worker and thread. It must not wait while it has
//     locked its thread (runtime.LockOSThread): Go ends the process; [Debug] makes it a panic that
//     names the rule.
//   - Cancellation is cooperative, as with contexts: functions that wait return an error, [Cx.Err]
//     tells, [Cx.Shield] holds it off. It comes from the task that a task is joined by, if that
//     has spawned it: see below.
//   - A panic is a result and does not end the process. So is Goexit, and with it
//     testing.T.FailNow: it ends the task, and the task that joins it as its child.
//   - A runtime that is not closed keeps its workers, and with park.Futex a thread for each, also
//     if nothing refers to it: its tasks go on, and one of them may close it. Under
//     testing/synctest, workers sleep by park.Portable.
//   - The race detector, profiles and stack traces work: a task that waits is a goroutine in the
//     state "coroutine".
//
// # What it costs
//
// The directory bench of the repository compares the package with goroutines, pools and Tokio. In
// short: where a goroutine and a channel take 280 ns, a spawn and a join take 50, a yield 100, a
// join that waits 180. A worker that sleeps is woken by a futex call, which costs the waker 5 to
// 10 µs, more than waking a goroutine costs; the worker runs 2 to 20 µs later. A fixed set of
// goroutines that reads a buffered channel is faster if the jobs need no results and start no
// others.
package runtime
