package runtime

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
)

// Select
//
// A Select tries its cases; if none can be taken, it has a waiter in the line of each source, and
// lets the first source that has something decide:
//
//	select   1 lock all sources  2 take a case that can be taken, or queue a waiter for each
//	         3 unlock  4 wait  5 withdraw the waiters that are left
//	source   under its lock: dequeue the first waiter whose claim succeeds, and answer it
//
// The waiters of one Select share a word, the choice, which says what has been decided: nothing,
// the number of a case, or that the Select has given up. A claim is a compare-and-swap from
// "nothing". Sources claim a waiter before they give it anything. When the claim fails, they drop
// the waiter, and what they have goes to the next in line, or is kept. So exactly one case is
// taken, and the others have taken and given nothing, however late they are withdrawn.
// (runtime/R28)
//
// The Select gives up by a claim of its own. When that fails, a source has decided; it may hold its
// lock still, and the withdrawal of the waiter, which locks it, is also the wait for the answer.
//
// Step 2 is one step for all sources. So a Select never claims its own choice to take something: it
// takes before its waiters can be seen. Two that meet, each with what the other waits for, need one
// claim: whoever comes first waits, and the second finds it. Locks are taken in the order of their
// ranks, and whoever holds one otherwise takes no second: there is no circle. (runtime/R29)
//
// What has no lock, the end of a task, a timer and the end of a context, is looked at before,
// watched after step 3, and claims when it comes, or is found to have come.
//
// Rejected alternatives
//
//   - Trying and queueing one source after another. Who finds something at the second source must
//     claim its own choice, which the first may do at the same time, and then that of the waiter
//     that it has found there: two words. A claim that is taken back because the other failed has
//     been seen meanwhile, by a source that has passed the waiter over, and comes no more.
//   - Waking the task to try again, without an answer. Another may be faster each time, and what a
//     source has given to none it may not keep: a rendezvous needs somebody who takes.
//   - A task for each case. The losers would have to give back what they have received. So there is
//     no case for a Go channel: what has been received from one cannot be put back.
//   - Ranks by address. The order would differ from run to run, and with it what is seen in a test.

// A Case is what a [Select] waits for. The functions whose names end in Case make them. A Case can
// be used again, by one Select at a time.
type Case interface {
	// checkCase panics if the case makes no sense; what is the name of the calling function, and t
	// the calling task, or nil.
	checkCase(what string, t *task)
	// lock returns the lock of the source, or nil if it has none.
	lock() *rankedLock
	// try takes the case if it need not wait, and returns the error of the case. It is called under
	// the lock, and returns who is to be woken after the lock, or nil.
	try() (taken bool, wakes waker, err error)
	// queue waits for the case. It is called under the lock if there is one. The ticket's choice
	// may be claimed from then on. It returns nil if the case never comes.
	queue(t *ticket) queuedCase
}

// A queuedCase is a case that is waited for.
type queuedCase interface {
	// look claims the case if it has come. The owner calls it when it has been woken.
	look()
	// withdraw ends waiting, and returns when the source does not use the case any more. The owner
	// calls it once, when the choice has been made; by is its worker, or nil.
	withdraw(by *worker)
	// undo returns what the case was given, if the source can give it to another. The owner calls
	// it once, after withdraw, if it has been taken and nobody asks for its result.
	undo(by *worker)
	// result returns the error of the case that has been taken.
	result() error
}

// A choice is what one Select has decided. Its sources and its owner claim it.
type choice struct {
	made  atomic.Int32 // undecided, gaveUp, or the number of a case; changes once
	waker waker        // the owner; never changes
	rt    *Runtime     // of the owner, or nil if it is not a task; never changes
}

const (
	undecided int32 = -1 - iota
	gaveUp
)

// A ticket is that of a case.
type ticket struct {
	choice *choice
	number int32
}

// claim decides for the case of t, and reports whether nothing has been decided before. Any
// goroutine may call it; if it returns true, the caller wakes the owner.
func (t *ticket) claim() bool { return t.choice.made.CompareAndSwap(undecided, t.number) }

// wake wakes the owner.
func (t *ticket) wake(w *worker) { t.choice.waker.wake(w) }

// A rankedLock is the lock of a source. Whoever holds one and takes another does so in the order of
// their ranks.
type rankedLock struct {
	sync.Mutex
	rank atomic.Uint64 // 0 until it is asked for, and then never changes; see ranked
}

// ranks is the highest rank that there is.
var ranks atomic.Uint64

// ranked returns the rank of l.
func (l *rankedLock) ranked() uint64 {
	if l.rank.Load() == 0 {
		l.rank.CompareAndSwap(0, ranks.Add(1)) // the partner is another first use
	}
	return l.rank.Load()
}

// A selection is a Select under way. Its owner calls its methods.
type selection struct {
	choice  *choice
	cases   []Case
	tickets []ticket
	queued  []queuedCase // those of cases, nil where there is none
}

// few is for how many cases a selection allocates its own things at once, and its locks nowhere.
const few = 4

type (
	// waitOfTwo is what a selection of one or two cases has when it waits.
	waitOfTwo struct {
		choice  choice
		tickets [2]ticket
		queued  [2]queuedCase
	}
	// waitOfFew is the same for more cases.
	waitOfFew struct {
		choice  choice
		tickets [few]ticket
		queued  [few]queuedCase
	}
)

// newSelection returns a selection that has not begun; what is the name of the calling function,
// and t the calling task, or nil. It panics if a case makes no sense.
func newSelection(what string, t *task, cases []Case) selection {
	s := selection{cases: cases}
	s.check(what, t)
	return s
}

// Select waits until one of the cases can be taken, takes it, and returns its number and its error:
// nil, or [ErrChannelClosed] if a channel or oneshot is closed. If several can be taken, it chooses
// one by chance. The others have taken and given nothing then: no value is lost, no signal, no
// permit. It returns -1 and [Cx.Err], and has taken nothing, if the task must end.
//
// A nil Case is never taken, so one can be switched off. Without a case, Select waits until the
// task must end. What synchronizes before the return of the call that the case stands for
// synchronizes before the return of Select.
func Select(cx Cx, cases ...Case) (int, error) {
	cx.checkHere("Select")
	return cx.selectFor("Select", cases)
}

// selectFor is Select for the calling function, whose name is what.
func (cx Cx) selectFor(what string, cases []Case) (int, error) {
	if err := cx.stopErr(); err != nil {
		return -1, err
	}
	by := cx.coroutine.worker
	s := newSelection(what, cx.task, cases)
	if cx.coroutine.debugging {
		defer cx.noteEnds(what, cases)()
	}
	first := 0
	if len(cases) > 1 {
		first = by.randomBelow(len(cases))
	}
	if i, err := s.begin(cx.task, cx.task, first, by); i >= 0 {
		cx.charge()
		return i, err
	}
	var why error
	for why == nil && !s.decided() {
		cx.coroutine.suspend(taskWaits)
		if s.look(); !s.decided() {
			if why = cx.stopErr(); why != nil && !s.giveUp() {
				why = nil
			}
		}
	}
	return s.end(why, cx.coroutine.worker)
}

// SelectContext is [Select] for goroutines that are not tasks, since it would block a worker. If
// ctx ends first, it returns -1 and the error of ctx, as [Handle.Wait] does.
func SelectContext(ctx context.Context, cases ...Case) (int, error) {
	notNil(ctx, "SelectContext")
	if ctx.Err() != nil {
		return -1, contextErr(ctx)
	}
	s := newSelection("SelectContext", nil, cases)
	done := make(goroutine)
	if i, err := s.begin(done, nil, chance(len(cases)), nil); i >= 0 {
		return i, err
	}
	var why error
	if !s.decided() { // the end of a task that begin has found does not wake
		guards.refuse("SelectContext", func() bool {
			if !s.giveUp() {
				return false
			}
			s.abandon(nil)
			return true
		})
		defer guards.enter("SelectContext")()
		select {
		case <-done:
		case <-ctx.Done():
			if s.giveUp() {
				why = contextErr(ctx)
			}
		}
	}
	return s.end(why, nil)
}

// TrySelect is [Select] that returns -1 and [ErrWouldWait] instead of waiting. Any goroutine may
// call it.
func TrySelect(cases ...Case) (int, error) {
	s := newSelection("TrySelect", nil, cases)
	return s.begin(nil, nil, chance(len(cases)), nil)
}

// chance returns a random number in [0, n), and 0 if n is 0.
func chance(n int) int {
	if n < 2 {
		return 0
	}
	return rand.IntN(n)
}

// begin takes a case that need not wait, the first one from number first on, and returns its number
// and its error; or queues all for owner, unless that is nil, and returns -1 and ErrWouldWait. t is
// the calling task, or nil, and by its worker.
func (s *selection) begin(owner waker, t *task, first int, by *worker) (int, error) {
	var stack [few]*rankedLock
	locks := s.locks(stack[:0])
	locks.lock()
	for n := range s.cases {
		i := (first + n) % len(s.cases)
		if s.cases[i] == nil {
			continue
		}
		if taken, wakes, err := s.cases[i].try(); taken {
			locks.unlock()
			if wakes != nil {
				wakes.wake(by)
			}
			return i, err
		}
	}
	if owner == nil {
		locks.unlock()
		return -1, ErrWouldWait
	}
	s.allocate()
	s.choice.waker = owner
	if t != nil {
		s.choice.rt = t.rt
	}
	s.choice.made.Store(undecided)
	s.queue(true)
	locks.unlock()
	queued := false
	defer func() {
		if !queued { // a handle has been detached since newSelection
			s.giveUp()
			_, _ = s.end(nil, by)
		}
	}()
	s.queue(false)
	queued = true
	return -1, ErrWouldWait
}

// allocate gives s what it has when it waits.
func (s *selection) allocate() {
	switch n := len(s.cases); {
	case n <= 2:
		w := new(waitOfTwo)
		s.choice, s.tickets, s.queued = &w.choice, w.tickets[:n], w.queued[:n]
	case n <= few:
		w := new(waitOfFew)
		s.choice, s.tickets, s.queued = &w.choice, w.tickets[:n], w.queued[:n]
	default:
		s.choice, s.tickets, s.queued = new(choice), make([]ticket, n), make([]queuedCase, n)
	}
}

// check panics if a case makes no sense, before there is anything to undo.
func (s *selection) check(what string, t *task) {
	for _, c := range s.cases {
		if c != nil {
			c.checkCase(what, t)
		}
	}
}

// rankedLocks are the locks of a selection, each once, in the order of their ranks.
type rankedLocks []*rankedLock

// locks returns the locks of all cases, in the space of into if there is room.
func (s *selection) locks(into []*rankedLock) rankedLocks {
	for _, c := range s.cases {
		if c == nil {
			continue
		}
		if l := c.lock(); l != nil {
			into = append(into, l)
		}
	}
	slices.SortFunc(into, func(a, b *rankedLock) int {
		return cmp.Compare(a.ranked(), b.ranked())
	})
	return slices.Compact(into)
}

func (all rankedLocks) lock() {
	for _, l := range all {
		l.Lock()
	}
}

func (all rankedLocks) unlock() {
	for _, l := range all {
		l.Unlock()
	}
}

// queue waits for the cases whose sources have a lock, which is held, or for the others.
func (s *selection) queue(locked bool) {
	for i, c := range s.cases {
		if c != nil && (c.lock() != nil) == locked {
			s.tickets[i] = ticket{s.choice, int32(i)}
			s.queued[i] = c.queue(&s.tickets[i])
		}
	}
}

// decided reports whether the choice has been made.
func (s *selection) decided() bool { return s.choice.made.Load() != undecided }

// giveUp makes the choice to take none, and reports whether none had been taken.
func (s *selection) giveUp() bool { return s.choice.made.CompareAndSwap(undecided, gaveUp) }

// look looks at the cases that do not claim by themselves, until one is taken.
func (s *selection) look() {
	for i := 0; i < len(s.queued) && !s.decided(); i++ {
		if s.queued[i] != nil {
			s.queued[i].look()
		}
	}
}

// end withdraws all cases, after the choice, and returns the number and the error of the one that
// was taken, or -1 and why, if none was.
func (s *selection) end(why error, by *worker) (int, error) {
	if made := s.withdraw(by); made >= 0 {
		return made, s.queued[made].result()
	}
	return -1, why
}

// abandon withdraws all cases. What one of them was given goes to another.
func (s *selection) abandon(by *worker) {
	if made := s.withdraw(by); made >= 0 {
		s.queued[made].undo(by)
	}
}

// withdraw withdraws all cases and returns the number of the one that was taken, or less than 0.
func (s *selection) withdraw(by *worker) int {
	for _, q := range s.queued {
		if q != nil {
			q.withdraw(by)
		}
	}
	return int(s.choice.made.Load())
}
