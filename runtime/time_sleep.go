package runtime

import "time"

// Sleep waits for at least d and returns nil; or returns [Cx.Err] if the task must end. It does not
// wait if d <= 0.
func (cx Cx) Sleep(d time.Duration) error {
	cx.checkHere("Sleep")
	if err := cx.stopErr(); err != nil {
		return err
	}
	if d <= 0 {
		cx.charge()
		return nil
	}
	return cx.sleepUntil(deadlineAfter(cx.task.rt.now(), d))
}

// SleepUntil waits until the time is at least t and returns nil; or returns [Cx.Err] if the task
// must end. If t has a monotonic clock reading, such as a result of time.Now, that decides.
// Otherwise the wall clock does, and SleepUntil waits longer when it is set back. Of tasks that
// wait for different times with such a reading, the one whose time is earlier becomes ready first.
func (cx Cx) SleepUntil(t time.Time) error {
	cx.checkHere("SleepUntil")
	for {
		now := time.Now() // the only reading: the deadline would move by what passes until another
		d := t.Sub(now)
		if err := cx.stopErr(); err != nil {
			return err
		}
		if d <= 0 {
			cx.charge()
			return nil
		}
		if err := cx.sleepUntil(deadlineAfter(cx.task.rt.clockAt(now), d)); err != nil {
			return err
		}
	}
}

// sleepUntil waits until the runtime's clock shows when.
func (cx Cx) sleepUntil(when int64) error {
	rt := cx.task.rt
	t := &timer{task: cx.task}
	rt.setTimer(t, when)
	for {
		cx.coroutine.suspend(taskWaits)
		if rt.now() >= when {
			rt.timers.stop(t) // it has not fired if something else woke the task
			return nil
		}
		if err := cx.stopErr(); err != nil {
			rt.timers.stop(t)
			return err
		}
	}
}
