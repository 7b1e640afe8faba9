package runtime

import "sync/atomic"

// Receive receives a value from a Go channel, as the receive operator does with two results; the task waits, its worker does not.
// It returns [Cx.Err] if the task is to end before there is a value, or when it is called: then it has received nothing. If ch is nil,
// it waits until the task is to end.
//
// A wait costs a goroutine, which has ended, but for its very last steps, when Receive returns.
func Receive[T any](cx Cx, ch <-chan T) (value T, ok bool, err error) {
	cx.check("Receive")
	if err := cx.task.stopErr(); err != nil {
		return value, false, err
	}
	select {
	case value, ok = <-ch:
		cx.charge()
		return value, ok, nil
	default:
	}
	var got struct {
		value    T
		ok, done bool
	}
	err = cx.awaitHelper(func(quit <-chan struct{}) {
		select {
		case got.value, got.ok = <-ch:
			got.done = true
		case <-quit:
		}
	})
	if got.done {
		return got.value, got.ok, nil
	}
	return value, false, err
}

// Send sends a value to a Go channel; the task waits, its worker does not. It returns [Cx.Err] if the task is to end before the channel
// takes the value, or when it is called: then it has sent nothing. If ch is nil, it waits until the task is to end. It panics if the
// channel is closed, before or while it waits.
//
// A wait costs a goroutine, which has ended, but for its very last steps, when Send returns.
func Send[T any](cx Cx, ch chan<- T, value T) error {
	cx.check("Send")
	if err := cx.task.stopErr(); err != nil {
		return err
	}
	select {
	case ch <- value:
		cx.charge()
		return nil
	default:
	}
	sent := false
	err := cx.awaitHelper(func(quit <-chan struct{}) {
		select {
		case ch <- value:
			sent = true
		case <-quit:
		}
	})
	if sent {
		return nil
	}
	return err
}

// A helper waits for a Go channel in the place of a task.
type helper struct {
	task *task         // never changes
	quit chan struct{} // closed by the task when it is to end
	// panicked is what the goroutine has panicked with, or nil. Written by the goroutine before over, read by the task behind it.
	panicked any
	ended    atomic.Bool // set by the goroutine at its end, loaded by the task
}

// help calls wait on a goroutine of its own, and suspends the task until wait has returned. When the task is to end, it closes quit:
// then wait must return soon; and help returns why. Whether wait has done what it waited for, it says itself. If it panics, so does help.
func (cx Cx) awaitHelper(wait func(quit <-chan struct{})) (err error) {
	h := &helper{task: cx.task, quit: make(chan struct{})}
	go h.run(wait)
	for !h.ended.Load() {
		cx.coroutine.suspend(taskWaits)
		if err != nil || h.ended.Load() {
			continue
		}
		if err = cx.task.stopErr(); err != nil {
			close(h.quit)
			cx.task.state.EnterShield() // it is not in a shield, and would be woken all the time
			defer cx.leaveShield()
		}
	}
	if h.panicked != nil {
		panic(h.panicked)
	}
	return err
}

func (h *helper) run(wait func(quit <-chan struct{})) {
	defer func() {
		h.panicked = recover()
		h.ended.Store(true)
		h.task.wake(nil)
	}()
	wait(h.quit)
}
