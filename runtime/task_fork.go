package runtime

import "github.com/surewake/surewake/fork"

// Forks returns the stack of the forks of the running task, which package fork knows what to do
// with: a Cx is a [fork.Strand]. [Fork], [Both] and the loops call it. A task that computes for
// long without any of these calls Poll or Share of it; one that divides its work only when a worker
// is idle asks it, by [fork.Stack.Asked]. It must not call Init, Trim or Abandon, nor keep the
// stack beyond its end.
func (cx Cx) Forks() *fork.Stack[Cx] {
	co := cx.coroutine
	if co == nil || co.task != cx.task || co.forker != cx.task {
		cx.beginStrand()
	}
	return &co.forks.stack
}

// Fork makes the call fn(cx, argument) available to idle workers, and returns what the caller joins
// it with. It costs little more than the call if no worker takes it, a tenth of [Spawn]: it is for
// what computes, such as the halves of a recursion.
//
//	func fib(cx sw.Cx, n int) int {
//		if n < 2 {
//			return n
//		}
//		f := sw.Fork(cx, fib, n-1)
//		b := fib(cx, n-2)
//		return f.Join(cx) + b
//	}
//
// The function that forks joins: by Join, or Mine and Result, of [fork.Frame]; once, and the
// youngest fork first. The frame is not used after that. What a task has not joined when its
// function returns or panics is not run any more, or waited for if a worker has begun it. So a fork
// ends before its task.
//
// fn is called in the join, by the calling task; or as part of it in a task of its own, if a worker
// has taken it, or if the calling task has waited for something in between: then what it has forked
// is queued for all workers. What fn does makes no difference of that, if it uses its own Cx:
//
//   - It is told that it must end when the calling task is, by a cancellation, a timeout or
//     [Runtime.Close]; and it is called in any case.
//   - What it starts by [Spawn] is a child of the calling task.
//   - If it panics or calls [runtime.Goexit], so does the join, with the same value.
//   - It may wait, as any task.
//
// A join waits if a worker has taken the fork, and then the task may go on at another worker.
// Otherwise Fork and Join let no other task run.
//
// What idle workers do not see are at most the [fork.Private] youngest forks, until the next fork
// or join of the task, or until it waits. Before a call that computes for long without a fork,
// cx.Forks().Share() lets them see all.
//
// The call synchronizes before fn, and the end of fn before the return of the join. It panics if fn
// is nil, or if cx is not that of the running task.
func Fork[A, R any](cx Cx, fn func(Cx, A) R, argument A) *fork.Frame[Cx, A, R] {
	return fork.Fork(cx.Forks(), fn, argument)
}

// Both calls both functions, perhaps at the same time, and returns their results: a may be taken by
// another worker, as a [Fork] may, while the calling task runs b. It costs an allocation where Fork
// costs none. If one of them panics, so does Both, after the other one has ended or was given up.
func Both[A, B any](cx Cx, a func(Cx) A, b func(Cx) B) (A, B) {
	return fork.Both(cx.Forks(), cx, a, b)
}
