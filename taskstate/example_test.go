package taskstate_test

import (
	"fmt"
	"sync"

	"github.com/surewake/surewake/taskstate"
)

type job struct {
	state  taskstate.Word
	poll   func(t *job, cancelled bool) (done bool) // stores the result
	result string
	joiner chan struct{} // closed to wake the joiner
}

type executor chan *job

func (e executor) wake(t *job) {
	if t.state.Wake() == taskstate.WakeEnqueue {
		e <- t
	}
}

func (e executor) cancel(t *job) {
	if t.state.Cancel() == taskstate.CancelEnqueue {
		e <- t
	}
}

// run, wake and join are those of the package documentation.
func (e executor) run(t *job) { // t comes from the queue
	switch now := t.state.ToRunning(); {
	case now == taskstate.RunStale:
		t.drop()
	case t.poll(t, now == taskstate.RunCancelled):
		switch t.state.Complete() {
		case taskstate.CompleteWakeJoiner:
			close(t.joiner)
			t.drop()
		case taskstate.CompleteDiscard:
			t.result = ""
			t.drop()
		case taskstate.CompleteRelease:
			t.release()
		case taskstate.CompleteDone:
		}
	case t.state.ToIdle() == taskstate.IdleEnqueue:
		e <- t
	}
	// Nothing after the switch: except where told so, this goroutine has no reference now.
}

func (t *job) join() string {
	t.joiner = make(chan struct{})
	if t.state.Join() == taskstate.JoinWait {
		<-t.joiner
	}
	return t.result
}

func (t *job) drop() {
	if t.state.Drop() == taskstate.DropRelease {
		t.release()
	}
}

func (t *job) release() { released() }

var released = func() { fmt.Println("released") }

// An executor runs one task that waits for an event, and one that waits for ever and is cancelled.
func Example() {
	e := make(executor, 2)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for t := range e {
				e.run(t)
			}
		})
	}
	spawn := func(poll func(t *job, cancelled bool) bool) *job {
		// one reference for the task itself, one for who joins it
		t := &job{state: taskstate.New(2), poll: poll}
		e <- t
		return t
	}
	event := make(chan string, 1)
	first := spawn(func(t *job, _ bool) bool {
		select {
		case t.result = <-event:
			return true
		default:
			return false // whoever sends the event wakes it
		}
	})
	second := spawn(func(t *job, cancelled bool) bool {
		t.result = "cancelled"
		return cancelled
	})

	event <- "the event"
	e.wake(first)
	fmt.Println(first.join())
	first.drop()

	e.cancel(second)
	fmt.Println(second.join())
	second.drop()

	close(e)
	workers.Wait() // who has woken a joiner may not have dropped its own reference yet
	// Unordered output:
	// the event
	// released
	// cancelled
	// released
}

// A wake while the task runs is not lost: it does not become IDLE.
func ExampleWord_ToIdle() {
	w := taskstate.New(2)
	fmt.Println(w.ToRunning())
	fmt.Println(w.ToIdle(), "-", w.Load())
	fmt.Println(w.Wake(), w.Wake(), w.ToRunning())
	fmt.Println(w.Wake(), "-", w.Load())
	fmt.Println(w.ToIdle(), "-", w.Load())
	// Output:
	// RunPoll
	// IdleWaits - IDLE references=2
	// WakeEnqueue WakeNoted RunPoll
	// WakeNoted - RUNNING notified references=2
	// IdleEnqueue - SCHEDULED references=2
}

// Cancellation waits for the end of the shield, and is not forgotten there.
func ExampleWord_Cancel() {
	w := taskstate.New(2)
	w.ToRunning()
	w.EnterShield()
	fmt.Println(w.Cancel(), "-", w.Load())
	fmt.Println(w.LeaveShield(), "-", w.Load())
	fmt.Println(w.ToIdle(), w.ToRunning(), w.Complete(), w.Drop())
	// Output:
	// CancelDeferred - RUNNING cancelled shield=1 references=2
	// ShieldCancelled - RUNNING notified cancelled references=2
	// IdleEnqueue RunCancelled CompleteDone DropRelease
}

// The completion says whether there is a joiner to be woken.
func ExampleWord_Join() {
	w := taskstate.New(2)
	fmt.Println(w.Join(), "-", w.Load())
	w.ToRunning()
	fmt.Println(w.Complete(), w.Drop())
	fmt.Println(w.Join())
	fmt.Println(w.Drop())
	// Output:
	// JoinWait - SCHEDULED join-interest references=2
	// CompleteWakeJoiner DropKept
	// JoinReady
	// DropRelease
}

// Whoever gives up the last reference is told so.
func ExampleWord_Drop() {
	w := taskstate.New(1) // the task's own
	w.Clone()             // a waker's
	w.ToRunning()
	fmt.Println(w.Complete(), "-", w.Load())
	fmt.Println(w.Drop(), "-", w.Load())
	// Output:
	// CompleteDone - COMPLETE references=1
	// DropRelease - COMPLETE references=0
}
