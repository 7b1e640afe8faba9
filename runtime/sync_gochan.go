package runtime

import "sync/atomic"

// Receive receives a value from a Go channel, like the receive operator with two results; the task
// waits, its worker does not. It returns [Cx.Err], and has received nothing, if the task must end.
// If ch is nil, it waits until the task must end.
//
// A call that waits uses a goroutine, which has all but ended when Receive returns.
func Receive[T any](cx Cx, ch <-chan T) (value T, ok bool, err error) {
	cx.checkHere("Receive")
	if err := cx.stopErr(); err != nil {
		return value, false, err
	}
	if ch == nil {
		return value, false, cx.awaitEnd()
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

// Send sends a value to a Go channel; the task waits, its worker does not. It returns [Cx.Err], and
// has sent nothing, if the task must end. If ch is nil, it waits until the task must end. It panics
// if the channel is closed, or closed while it waits.
//
// A call that waits uses a goroutine, which has all but ended when Send returns.
func Send[T any](cx Cx, ch chan<- T, value T) error {
	cx.checkHere("Send")
	if err := cx.stopErr(); err != nil {
		return err
	}
	if ch == nil {
		return cx.awaitEnd()
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

// awaitEnd waits until the task must end, and returns why.
func (cx Cx) awaitEnd() error {
	var never Notify
	return never.Wait(cx)
}

// A helper waits for a Go channel on behalf of a task, on a goroutine of its own.
type helper struct {
	task *task         // never changes
	quit chan struct{} // closed by the task when it must end
	// panicked is what the goroutine has panicked with, or nil. Written by the goroutine before it
	// sets ended, read by the task after it.
	panicked any
	ended    atomic.Bool // set by the goroutine at its end, loaded by the task
}

// awaitHelper calls wait on a helper's goroutine and suspends the task until wait has returned.
// When the task must end, it closes quit, upon which wait must return soon, and returns why. wait
// records itself whether it has done its work. If wait panics, so does awaitHelper.
func (cx Cx) awaitHelper(wait func(quit <-chan struct{})) (err error) {
	h := &helper{task: cx.task, quit: make(chan struct{})}
	go h.run(wait)
	outsiders := &cx.task.rt.outsiders
	outsiders.Add(1)
	defer outsiders.Add(-1)
	for !h.ended.Load() {
		cx.coroutine.suspend(taskWaits)
		if err != nil || h.ended.Load() {
			continue
		}
		if err = cx.stopErr(); err != nil {
			close(h.quit)
			cx.enterShield() // a cancelled task would be woken again at once
			defer cx.leaveShield()
		}
	}
	if h.panicked != nil {
		panic(h.panicked)
	}
	return err
}

// run is the goroutine.
func (h *helper) run(wait func(quit <-chan struct{})) {
	defer func() {
		h.panicked = recover()
		h.ended.Store(true)
		h.task.wake(nil)
	}()
	wait(h.quit)
}
