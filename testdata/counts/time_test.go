package counts

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// A value that comes, or a timeout: 1 trace if there are no early timeouts.
// With one, it comes before the send, or both are there and there is a choice.
func TestValueOrTimeout(t *testing.T) {
	for early := range 2 {
		t.Run(fmt.Sprint(early), func(t *testing.T) {
			check(t, func() {
				c := make(chan int, 1)
				parallel(sends(c, 1), func() {
					select {
					case <-c:
					case <-time.After(time.Second):
						if early == 0 {
							t.Error("timeout")
						}
					}
				})
			}, model.Timeouts(early))
		})
	}
}

// n goroutines, each with a value or a timeout of its own: the product of the 3 traces of each.
func TestValuesOrTimeouts(t *testing.T) {
	for n := 1; n <= 4; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			check(t, func() {
				parallel(repeat(n, func(int) func() {
					return func() {
						c := make(chan int, 1)
						parallel(sends(c, 1), func() {
							select {
							case <-c:
							case <-time.After(time.Second):
							}
						})
					}
				})...)
			}, model.Timeouts(n))
		})
	}
}

// n goroutines that only sleep: 1 trace.
func TestSleeps(t *testing.T) {
	for n := 1; n <= 4; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			check(t, func() {
				parallel(repeat(n, func(i int) func() {
					return func() { time.Sleep(time.Duration(i) * time.Second) }
				})...)
			}, model.Timeouts(n))
		})
	}
}

// Nothing else happens than that time passes: 1 trace.
func TestTimePasses(t *testing.T) {
	check(t, func() {
		start := time.Now()
		timer, ticker := time.NewTimer(3*time.Second), time.NewTicker(time.Second)
		for i := 1; i <= 2; i++ {
			select {
			case now := <-ticker.C:
				if now.Sub(start) != time.Duration(i)*time.Second {
					t.Error(now)
				}
			case <-timer.C:
				t.Error("the later of two deadlines came first")
			}
		}
		ticker.Stop()
		if timer.Reset(time.Minute) != true || timer.Stop() != true || timer.Stop() ||
			timer.Reset(4*time.Second) {
			t.Error("the timer is active")
		}
		if end := <-timer.C; end.Sub(start) != 6*time.Second || timer.Stop() {
			t.Error(end.Sub(start))
		}
		timer.Reset(time.Second)
		time.Sleep(2 * time.Second)
		timer.Stop()
		select {
		case <-timer.C:
			t.Error("a value after Stop")
		default:
		}
		timer.Reset(time.Second)
		time.Sleep(2 * time.Second)
		if len(timer.C)+cap(timer.C) != 0 {
			t.Error("the channel has a buffer")
		}
		select {
		case <-timer.C:
		default:
			t.Error("the time has come")
		}
	})
}

// A function of AfterFunc against Stop: 1 trace if it cannot come early, else 2.
func TestStop(t *testing.T) {
	for early := range 2 {
		t.Run(fmt.Sprint(early), func(t *testing.T) {
			check(t, func() {
				ran := 0
				timer := time.AfterFunc(time.Second, func() { ran++ })
				stopped := timer.Stop()
				if stopped && ran != 0 {
					t.Error("stopped, and run")
				}
			}, model.Timeouts(early))
		})
	}
}

// A goroutine waits for what a function of AfterFunc does: 1 trace. Another
// timer, that is stopped by it, never fires.
func TestAfterFunc(t *testing.T) {
	check(t, func() {
		done := make(chan struct{})
		later := time.AfterFunc(2*time.Second, func() { t.Error("too late") })
		time.AfterFunc(time.Second, func() {
			later.Stop()
			close(done)
		})
		<-done
	})
}

// n goroutines wait for a context that one cancels: 1 trace.
func TestCancel(t *testing.T) {
	for n := 1; n <= 3; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			check(t, func() {
				ctx, cancel := context.WithCancel(context.WithValue(context.Background(), "key", 1))
				child, cancelChild := context.WithTimeout(ctx, time.Hour)
				defer cancelChild()
				parallel(append(repeat(n, func(int) func() {
					return func() {
						<-child.Done()
						if child.Err() != context.Canceled || context.Cause(child) != context.Canceled || child.Value("key") != 1 {
							t.Error(child.Err())
						}
					}
				}), cancel)...)
			})
		})
	}
}

// One looks whether a context is cancelled: 2 traces.
func TestErr(t *testing.T) {
	check(t, func() {
		ctx, cancel := context.WithCancelCause(context.Background())
		parallel(func() { cancel(errors.New("why")) }, func() {
			if err := ctx.Err(); err != nil && context.Cause(ctx).Error() != "why" {
				t.Error(context.Cause(ctx))
			}
		})
	})
}

// A deadline passes when nothing else can happen: 1 trace.
func TestDeadline(t *testing.T) {
	check(t, func() {
		start := time.Now()
		parent, cancel := context.WithTimeoutCause(context.Background(), time.Second, errors.New("slow"))
		defer cancel()
		ctx, cancelInner := context.WithTimeout(parent, time.Hour)
		defer cancelInner()
		stop := context.AfterFunc(context.WithoutCancel(ctx), func() { t.Error("never cancelled") })
		ran := make(chan error, 1)
		context.AfterFunc(ctx, func() { ran <- context.Cause(ctx) })
		if d, ok := ctx.Deadline(); !ok || d.Sub(start) != time.Second {
			t.Error(d, ok)
		}
		<-ctx.Done()
		if time.Since(start) != time.Second || ctx.Err() != context.DeadlineExceeded {
			t.Error(time.Since(start), ctx.Err())
		}
		if err := <-ran; err.Error() != "slow" {
			t.Error(err)
		}
		if !stop() {
			t.Error("it ran")
		}
	})
}

// custom is a context of another type, with a channel of its own.
type custom struct {
	context.Context
	done chan struct{}
}

func (c custom) Done() <-chan struct{} { return c.done }

func (c custom) Err() error {
	select {
	case <-c.done:
		return context.Canceled
	default:
		return nil
	}
}

// A context follows a parent of a type of its own: 1 trace.
func TestCustomContext(t *testing.T) {
	check(t, func() {
		parent := custom{context.Background(), make(chan struct{})}
		ctx, cancel := context.WithCancel(parent)
		defer cancel()
		parallel(func() { <-ctx.Done() }, func() { close(parent.done) })
		if context.Cause(ctx) != context.Canceled {
			t.Error(ctx.Err())
		}
	})
}
