package runtime

import (
	"sync/atomic"

	"github.com/surewake/surewake/fork"
	"github.com/surewake/surewake/taskstate"
)

// Forks
//
// The forks of the tasks on a coroutine are on one stack of package fork: that of the coroutine,
// which it has from its first fork on. As long as nobody takes a fork, it is a call of its task and
// nothing else. The others become tasks:
//
//	taken       an idle worker claims the oldest public fork of the coroutine that another worker
//	            runs, and runs it as a task
//	released    a task that waits or yields first claims all that is left on the stack, and queues
//	            a task for each: nobody looks at the stack of a suspended coroutine (runtime/R34)
//
// So a stack has an owner that runs while there is something to claim, and the join of a fork that
// was claimed waits for a task. Both kinds are alike from there on.
//
// The exception is the yield of a loop between two calls. The task waits for none of its forks
// then, and is queued: whoever takes it from there has the stack with it, and shows it.
// (runtime/R69)
//
// # No fork is left to a sleeper
//
// Whoever sleeps cannot ask. So a stack is asked, and stays asked, before anybody sleeps: while a
// worker sleeps, for each stack that a worker shows, the bit is set, or something is public and a
// worker is on its way. Then the owner's next fork, join or poll makes forks public and announces
// them, as a push of a task does.
//
//	falling asleep   1 idle.Publish  2 load forks of all workers  3 ask each stack; if something
//	                 is public, notify
//	showing a stack  1 store it in worker.forks  2 ask it, in the name of the sleepers
//	                 3 if a loop has left forks on it, notify: some may be public
//	exposing         1 the stack's word  2 idle.Notify
//	                 A sleeper has asked the stack, or the owner has, after it; an exposing owner
//	                 sees the sleeper, or is seen by the last look of it. (runtime/R33)
//
// A worker that is woken and finds that the owner has taken the fork back asks again in its search,
// or in its last look. A release leaves the stack asked, too. What a search misses because it finds
// something else is told by idle.Found, as for tasks.
//
// # Whose fork is it
//
// Tasks that were inlined by joins fork on the same stack, one after another, and a task may fork
// within a shield and outside. A strand is a stretch of a stack whose forks have all the same from
// their task: heritage, shield, serial. The owner stores it before it forks there, and it stays in
// the list while one of its forks is on the stack: so a thief, which has claimed depth i, finds it
// as the newest strand that begins at i or below. (runtime/R39)
//
// # What a claimed fork has of its task
//
//   - A link among the joiners of its task, as if it were inlined: a cancellation is passed on. The
//     owner makes the links beneath before anybody else may need them. (runtime/R35) Unlike what is
//     inlined, it is there while its task waits, or is in a shield: who cancels a task that waits
//     passes it on, and so does a cancelled task that leaves its shields. (runtime/R43) What was
//     forked in a shield is told by the latter only. (runtime/R46) Who has claimed a fork may find
//     its task in a shield that it has entered after it was told: that leaves a note. (runtime/R49)
//   - It always runs: its join returns what the function has returned, so a closed runtime must not
//     end it unstarted. (runtime/R36)
//   - Its task waits for it, in the join, or at its own end, in Abandon. (runtime/R37)
//   - The end of the call wakes the task that waits for it: that stores itself, says that it waits,
//     and looks whether the call has ended; whoever ends the call looks for it. (runtime/R38)
//
// Rejected alternatives
//
//   - Stacks of suspended coroutines in a list that idle workers look through. What is queued as a
//     task is found by what is proved already.
//   - The task of a fork in its argument. It is a store for each fork, and a barrier.
//   - A join that helps the thief, or runs other tasks on top of the waiting one: runtime/R2.
//   - A stack for each worker. A task that goes on elsewhere would leave its forks behind.
//   - A bit that is set only if workers sleep: it saves one exposure for each stack that is shown.

// forks are those of a coroutine.
type forks struct {
	stack     fork.Stack[Cx]
	coroutine *coroutine // never changes
	releasing bool       // release makes them public; used by the owner
	// strand is the newest. Stored by the owner, before it forks in it; loaded by whoever has
	// claimed a fork.
	strand atomic.Pointer[strand]
	// joining is the task that waits for a claimed fork, or nil. Stored by the owner, before
	// Claim.Wait; loaded by whoever ends a claimed call, after that.
	joining atomic.Pointer[task]
}

// A strand is a stretch of a stack. Apart from told, it never changes.
type strand struct {
	base     int // the depth of its first fork
	task     *task
	serial   uint64 // of the run of task
	heritage *heritage
	span     *shieldSpan // for what is started here
	shielded bool        // span is that of a shield of task
	outer    *strand     // that of which task is a claimed fork, or nil
	below    *strand     // the next older one
	ties     *joinTie    // with Debug: of the forks
	// told is set if task has been told of its cancellation, when it enters a shield. Stored by the
	// owner, loaded by whoever has claimed a fork.
	told atomic.Bool
}

// beginStrand makes the running task the one that forks.
//
//go:noinline
func (cx Cx) beginStrand() {
	cx.checkHere("Fork")
	co, t := cx.coroutine, cx.task
	t.share()
	f := co.ownForks()
	s := &strand{
		base: f.stack.Len(), task: t, serial: co.asParent(), heritage: t.heritage(),
		span: co.spanToInherit(), shielded: t.state.Load().Shield() > 0, outer: t.forkedIn(),
		ties: co.tieParts(),
	}
	below := f.strand.Load()
	for below != nil && below.base > s.base {
		below = below.below
	}
	if below == nil || below.task != t || below.span != s.span {
		if below != nil && below.base == s.base {
			below = below.below
		}
		s.below = below
		below = s
	}
	f.strand.Store(below) // partner: newForkTask, after a claim
	if !co.debugging {    // with Debug, each fork comes here, to be checked (runtime/R54)
		co.forker = t
	}
}

// forkedIn returns the strand of which t is a claimed fork, or nil. The runner calls it.
func (t *task) forkedIn() *strand {
	if ft, ok := t.ownBody().(*forkTask); ok {
		return ft.strand
	}
	return nil
}

// isPartOf reports whether t is other or a claimed fork of it, or of such a fork, and so on: so it
// must not wait for the end of other. The runner of t calls it. (runtime/R44)
func (t *task) isPartOf(other *task) bool {
	if t == other {
		return true
	}
	for s := t.forkedIn(); s != nil; s = s.outer {
		if s.task == other {
			return true
		}
	}
	return false
}

// ownForks returns the forks of co, which runs.
func (co *coroutine) ownForks() *forks {
	if co.forks == nil {
		f := &forks{coroutine: co}
		f.stack.Init(f)
		if co.debugging {
			f.stack.CheckJoins(f.refuseJoin)
		}
		co.forks = f
		co.worker.showForks(f)
	}
	return co.forks
}

// showForks lets others see the forks of the coroutine that w resumes.
func (w *worker) showForks(f *forks) {
	if w.forks.Load() != f {
		w.forks.Store(f) // partner: Runtime.takeable, after idle.Publish
		f.stack.Ask()    // whoever sleeps has not seen it (runtime/R33)
		if f.stack.Len() > 0 {
			w.rt.notify() // nor what is public (runtime/R69)
		}
	}
}

// hideForks is called by w before it sleeps: it runs nothing, and so keeps nothing. (runtime/R39)
func (w *worker) hideForks() {
	if w.forks.Load() == nil {
		return
	}
	w.forks.Store(nil)
	for _, co := range w.spares {
		if co.forks != nil {
			co.forks.stack.Trim()
		}
	}
}

// endForks ends the forks that t, the running task, has not joined. Its function has returned or
// panicked. It may suspend t.
func (co *coroutine) endForks(t *task) {
	f := co.forks
	s, base := f.ofTask(t)
	if s == f.strand.Load() {
		return
	}
	f.stack.Abandon(base) // runtime/R37
	f.strand.Store(s)
	co.forker = nil
}

// ofTask returns the depth of the first fork of t, the running task, and the newest strand beneath
// those of t. The owner calls it.
func (f *forks) ofTask(t *task) (below *strand, base int) {
	below, base = f.strand.Load(), f.stack.Len()
	for ; below != nil && below.task == t; below = below.below {
		base = min(base, below.base)
	}
	return below, base
}

// refuseJoin panics if the join of the fork at a depth is called on another goroutine than that of
// the coroutine, or by another task that it runs. (runtime/R54)
func (f *forks) refuseJoin(depth int) {
	co := f.coroutine
	if number, _ := header(); number == co.goroutine {
		if _, base := f.ofTask(co.task); depth >= base {
			return
		}
	}
	panic("surewake: Join: a fork must be joined by the task that has forked it, on its goroutine")
}

// release makes tasks of all forks on co, which is about to be suspended, and queues them.
func (f *forks) release() {
	co := f.coroutine
	co.link()
	f.releasing = true
	f.stack.Share()
	f.releasing = false
	w := co.worker
	for c := f.stack.Claim(true); c != nil; c = f.stack.Claim(true) {
		w.count.released++
		ft := w.newForkTask(f, c)
		w.pushLocal(&ft.task)
		ft.queued.set(&ft.task)
	}
}

// stealFork claims a fork of what victim runs, or asks for one. It returns a RUNNING task, or nil.
func (w *worker) stealFork(victim *worker) *task {
	f := victim.forks.Load()
	if f == nil {
		return nil
	}
	c := f.stack.Claim(true)
	if c == nil {
		return nil
	}
	w.count.forksStolen++
	ft := w.newForkTask(f, c)
	w.toRunning(&ft.task)
	ft.queued.set(&ft.task)
	return &ft.task
}

// A forkTask is a fork that was claimed.
type forkTask struct {
	task
	link   // among the joiners of the task that has forked
	claim  *fork.Claim[Cx]
	strand *strand
	fn     any // for does, also when the claim is its owner's again
}

// newForkTask returns the task of c, a fork of f that the caller has claimed on w. It has yet to be
// queued or run.
func (w *worker) newForkTask(f *forks, c *fork.Claim[Cx]) *forkTask {
	s := f.strand.Load()
	for s.base > c.Depth() {
		s = s.below
	}
	ft := &forkTask{claim: c, strand: s, fn: c.Func()}
	t := &ft.task
	t.state = taskstate.New(references)
	t.body = ft
	t.rt = w.rt
	w.count.spawned++
	w.takeCredit(1)
	w.rt.record(t)
	if s.span.lasts() {
		t.body = &shieldedBody{ft, s.span}
	}
	ft.link.child, ft.link.fork, ft.link.waker = t, true, &ft.link
	if s.shielded {
		ft.link.shield = s.span // runtime/R46
	}
	// Partners: cancelInlined, after Cancel (runtime/R35); tell, after EnterShield (runtime/R49).
	s.task.pushJoiner(&ft.link.joiner)
	if s.task.state.Load().CancelEffective() || s.told.Load() {
		t.cancel(w)
	}
	return ft
}

// tell tells all forks of t, the running task, which has been told of its cancellation and is in a
// shield now: those that are tasks, and by strand.told those that will be.
func (f *forks) tell(t *task) {
	for s := f.strand.Load(); s != nil && s.task == t; s = s.below {
		s.told.Store(true) // partner: newForkTask, which pushes the link and then loads it
	}
	t.cancelInlined(f.coroutine.worker)
}

func (ft *forkTask) poll(cx Cx) bool {
	s := ft.strand
	cx.coroutine.serial = s.serial
	own := cx.coroutine.ownForks()
	defer s.task.removeJoiner(&ft.link.joiner) // also after Goexit
	ft.claim.Run(cx, &own.stack)
	return true
}

// mustRun says that the function is called in any case. (runtime/R36)
func (ft *forkTask) mustRun() bool { return true }

func (ft *forkTask) inherited() *heritage { return ft.strand.heritage }
func (ft *forkTask) tiedTo() *joinTie     { return ft.strand.ties }
func (ft *forkTask) does() any            { return ft.fn }
func (ft *forkTask) discardInput()        {}
func (ft *forkTask) discardResult()       {}

// Exposed implements [fork.Host].
func (f *forks) Exposed() {
	co := f.coroutine
	w := co.worker
	w.count.exposed++
	if f.releasing || len(w.rt.workers) == 1 {
		return
	}
	co.link()
	w.rt.notify()
}

// Await implements [fork.Host]: it suspends the running task until c has ended.
func (f *forks) Await(c *fork.Claim[Cx]) {
	cx := Cx{f.coroutine, f.coroutine.task}
	f.joining.Store(cx.task) // partner: Ended (runtime/R38)
	c.Wait()
	cx.awaitFork(c)
	f.joining.Store(nil)
}

// awaitFork suspends the calling task until c has ended. If it must end first, c was told, too.
func (cx Cx) awaitFork(c *fork.Claim[Cx]) {
	for cx.stopErr() == nil {
		if c.Ended() {
			return
		}
		cx.coroutine.suspend(taskWaits)
	}
	cx.enterShield() // or the task would not wait, but run in turns
	defer cx.leaveShield()
	for !c.Ended() {
		cx.coroutine.suspend(taskWaits)
	}
}

// Ended implements [fork.Host].
func (f *forks) Ended(_ *fork.Claim[Cx], thief Cx) {
	if t := f.joining.Load(); t != nil { // another one now, or none: c has been seen to end
		t.wake(thief.coroutine.worker)
	}
}
