package runtime

import (
	"context"
	"testing"

	"github.com/surewake/surewake/model"
)

// Tasks that wait for what does not belong to package runtime: contexts and Go channels.

// A task waits for a context, which ends, and is cancelled: it returns when one of them has
// happened, and says which.
func TestATaskWaitsForAContext(t *testing.T) {
	for name, cancels := range map[string]bool{"context": false, "cancellation": true} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				w := stillWorld(x, 1)
				ctx, cancel := context.WithCancel(context.Background())
				begun := make(chan struct{})
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					defer w.last(cx)
					close(begun)
					err := cx.AwaitContext(ctx)
					x.Assert(err != nil || ctx.Err() != nil, "it has not ended")
					return 1, err
				})
				x.Go(name, func() {
					<-begun
					if cancels {
						h.Cancel()
					} else {
						cancel()
					}
				})
				w.start()
				_, err := w.await(h)
				x.Join()
				x.Assert(err == nil && !cancels || err == ErrCancelled && cancels, "%v", err)
				cancel()
			})
		})
	}
}

// A task receives from a Go channel or sends to it, and may be cancelled: a goroutine has given the
// value, or taken it, if and only if the task says so.
func TestAValueOfAGoChannelPassesOrStays(t *testing.T) {
	for name, c := range map[string]struct {
		task    func(cx Cx, c chan int) (int, error)
		outside func(c chan int, over <-chan struct{}) (passed bool)
	}{
		"Receive": {
			func(cx Cx, c chan int) (int, error) {
				v, ok, err := Receive(cx, c)
				if ok != (err == nil) {
					v = -1
				}
				return v, err
			},
			func(c chan int, over <-chan struct{}) bool {
				select {
				case c <- 7:
					return true
				case <-over:
					return false
				}
			},
		},
		"Send": {
			func(cx Cx, c chan int) (int, error) { return 7, Send(cx, c, 7) },
			func(c chan int, over <-chan struct{}) bool {
				select {
				case v := <-c:
					return v == 7
				case <-over:
					return false
				}
			},
		},
	} {
		body := func(cancels bool) func(x *model.Exec) {
			return func(x *model.Exec) {
				w := stillWorld(x, 1)
				channel := make(chan int)
				begun, over := make(chan struct{}), make(chan struct{})
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					defer w.last(cx)
					defer close(over)
					close(begun)
					return c.task(cx, channel)
				})
				passed := false
				x.Go("outside", func() {
					<-begun
					passed = c.outside(channel, over)
				})
				if cancels {
					x.Go("cancels", func() {
						<-begun
						h.Cancel()
					})
				}
				w.start()
				v, err := w.await(h)
				x.Join()
				x.Assert(err == nil && v == 7 || err == ErrCancelled && cancels && v != -1,
					"%d, %v", v, err)
				x.Assert(passed == (err == nil), "%v, and the value has passed: %v", err, passed)
				x.Assert(w.outsiders.Load() == 0, "a helper is left")
			}
		}
		t.Run(name, func(t *testing.T) {
			t.Run("two preemptions", func(t *testing.T) {
				model.Check(t, body(false), model.Preemptions(2))
			})
		})
		t.Run("cancelled "+name, func(t *testing.T) {
			t.Run("one preemption", func(t *testing.T) {
				model.Check(t, body(true), model.Preemptions(1))
			})
		})
	}
}
