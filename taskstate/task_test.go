package taskstate_test

import (
	"sync"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/taskstate"
)

// A task is what a scheduler would keep beside the word, and the least of a scheduler: whoever is
// told to enqueue the task runs it at once, on its own goroutine. Between the two, the explorer can
// hold it up for as long as a queue would.
//
// Nothing here is atomic or locked. All of it is ordered by the transitions, as the package
// promises: the race detector objects to each access that is not.
type task struct {
	x    *model.Exec
	word taskstate.Word
	poll func(cancelled bool) (done bool)

	entry    bool // somebody was told to enqueue it and has not yet run it
	polling  bool
	polls    int
	result   result
	joiner   *sleeper
	released bool
}

type result int

const (
	none result = iota
	stored
	collected
	discarded
)

// newTask returns a task that is SCHEDULED, and whose entry the caller has.
func newTask(x *model.Exec, references int, poll func(cancelled bool) bool) *task {
	return &task{x: x, word: taskstate.New(references), poll: poll, entry: true}
}

// run is what the holder of the entry does.
func (t *task) run() {
	for again := true; again; {
		t.x.Assert(t.entry, "run without an entry")
		t.entry = false
		again = t.turn(t.word.ToRunning())
	}
}

// turn is one poll by who was told so by ToRunning or Claim; it reports whether the task is to be
// run again.
func (t *task) turn(now taskstate.RunOutcome) bool {
	switch {
	case now == taskstate.RunStale:
		t.drop()
	case t.polled(now):
		t.completed(t.word.Complete())
	case t.word.ToIdle() == taskstate.IdleEnqueue:
		t.enqueue()
		return true
	}
	return false
}

func (t *task) polled(now taskstate.RunOutcome) (done bool) {
	t.x.Assert(!t.polling, "two polls at the same time")
	t.x.Assert(t.result == none, "a poll after the last")
	t.polling = true
	t.polls++
	if done = t.poll(now == taskstate.RunCancelled); done {
		t.result = stored
	}
	t.polling = false
	return done
}

func (t *task) completed(outcome taskstate.CompleteOutcome) {
	switch outcome {
	case taskstate.CompleteWakeJoiner:
		t.joiner.wake(t.x)
		t.drop()
	case taskstate.CompleteDiscard:
		t.discard()
		t.drop()
	case taskstate.CompleteRelease:
		t.release()
	case taskstate.CompleteDone:
	}
}

func (t *task) enqueue() {
	t.x.Assert(!t.entry, "a second entry")
	t.entry = true
}

// wake and wakeDrop are what a waker does.
func (t *task) wake() { t.woken(t.word.Wake()) }

func (t *task) wakeDrop() { t.woken(t.word.WakeDrop()) }

func (t *task) woken(outcome taskstate.WakeOutcome) {
	switch outcome {
	case taskstate.WakeEnqueue:
		t.enqueue()
		t.run()
	case taskstate.WakeRelease:
		t.release()
	case taskstate.WakeNoted, taskstate.WakeFinished:
	}
}

func (t *task) cancel() taskstate.CancelOutcome {
	outcome := t.word.Cancel()
	if outcome == taskstate.CancelEnqueue {
		t.enqueue()
		t.run()
	}
	return outcome
}

// join is what a joiner does, and reports whether it had to wait.
func (t *task) join() bool {
	s := newSleeper()
	t.joiner = s
	if t.word.Join() == taskstate.JoinReady {
		return false
	}
	s.sleep()
	return true
}

func (t *task) collect() {
	t.x.Assert(t.result == stored, "the result is collected, but it is %d", t.result)
	t.result = collected
}

func (t *task) discard() {
	t.x.Assert(t.result == stored, "the result is discarded, but it is %d", t.result)
	t.result = discarded
}

func (t *task) drop() {
	if t.word.Drop() == taskstate.DropRelease {
		t.release()
	}
}

func (t *task) detach() {
	switch t.word.Detach() {
	case taskstate.DetachDiscard:
		t.discard()
		t.drop()
	case taskstate.DetachRelease:
		t.release()
	case taskstate.DetachDone:
	}
}

// release writes to memory that everybody else has read: the race detector objects unless all of
// that came before.
func (t *task) release() {
	t.x.Assert(!t.released, "released twice")
	t.released = true
	t.polls, t.entry, t.polling = t.polls+0, false, false
	if t.result == stored {
		t.result = discarded
	}
}

// ended asserts, after everybody has gone, that the task has come to its end.
func (t *task) ended() {
	s := t.word.Load()
	t.x.Assert(s.Lifecycle() == taskstate.Complete, "everybody has gone, and the task is %v", s)
	t.x.Assert(t.released && s.References() == 0,
		"everybody has gone, and the task is not released: %v", s)
}

// A sleeper is what a joiner leaves to be woken.
type sleeper struct {
	wg    sync.WaitGroup
	woken int
}

func newSleeper() *sleeper {
	s := &sleeper{}
	s.wg.Add(1)
	return s
}

func (s *sleeper) sleep() { s.wg.Wait() }

func (s *sleeper) wake(x *model.Exec) {
	s.woken++
	x.Assert(s.woken == 1, "a joiner is woken twice")
	s.wg.Done()
}
