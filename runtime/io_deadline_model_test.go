package runtime

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// A deadline that is set to the past at any time, before the try, between that and the wait, or
// when the worker sleeps in the kernel, ends the wait.
func TestDeadlineIsNotMissed(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := &device{}
		w := d.world(x, 1)
		watch := w.watch(d)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			err := watch.Read(cx, func(uintptr) bool { return d.get() })
			w.last(cx)
			return 1, err
		})
		w.start()
		x.Go("setter", func() {
			x.Assert(watch.SetReadDeadline(time.Unix(1, 0)) == nil, "SetReadDeadline fails")
		})
		_, err := w.await(h)
		x.Join()
		x.Assert(errors.Is(err, os.ErrDeadlineExceeded), "the task ends with %v", err)
	})
}

// A byte, the deadline and Close come in any order while a task comes to wait: it ends for one of
// them, takes the byte or leaves it, and nobody is left in line.
func TestByteDeadlineAndCloseMeetAWait(t *testing.T) {
	body := func(x *model.Exec) {
		d := &device{}
		w := d.world(x, 1)
		watch := w.watch(d)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			err := watch.Read(cx, func(uintptr) bool { return d.get() })
			w.last(cx)
			return 1, err
		})
		w.start()
		x.Go("device", d.put)
		x.Go("setter", func() {
			err := watch.SetReadDeadline(time.Unix(1, 0))
			x.Assert(err == nil || err == ErrWatchClosed, "SetReadDeadline: %v", err)
		})
		x.Assert(watch.Close() == nil, "Close fails")
		_, err := w.await(h)
		x.Join()
		left := d.bytes.Load()
		x.Assert(err == nil && left == 0 || left == 1 &&
			(errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, ErrWatchClosed)),
			"the task ends with %v, and %d bytes are left", err, left)
		x.Assert(watch.directions[reading].waiting.first == nil, "the task is still in line")
	}
	t.Run("no preemption", func(t *testing.T) { model.Check(t, body, model.Preemptions(0)) })
	t.Run("one preemption", func(t *testing.T) {
		model.Check(t, body, model.Preemptions(1), model.Executions(5_000))
	})
}
