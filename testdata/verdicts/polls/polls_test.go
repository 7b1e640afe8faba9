// Package polls holds loops that look again and again, and carry what they saw to the next look.
package polls

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// verdict: proved, 3 traces
func TestValueFromBeforeTheLoop(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var ready atomic.Bool
		x.Go("set", func() { ready.Store(true) })
		v := ready.Load()
		for !v {
			runtime.Gosched()
			v = ready.Load()
		}
		x.Join()
	})
}

// verdict: proved, 3 traces
func TestPointerInTheHead(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var p atomic.Pointer[int]
		x.Go("set", func() { p.Store(new(int)) })
		for v := p.Load(); v == nil; v = p.Load() {
		}
		*p.Load() = 1
		x.Join()
	})
}

// The loop sees a 1, or it does not.
//
// verdict: FAILED saw 1
func TestValueOnTheWay(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int32
		x.Go("set", func() {
			n.Store(1)
			n.Store(2)
		})
		saw := false
		v := n.Load()
		for v != 2 {
			if v == 1 {
				saw = true
			}
			v = n.Load()
		}
		x.Join()
		x.Assert(!saw, "saw 1")
	})
}

// The value is used one iteration after it was loaded.
//
// verdict: proved
func TestValueThatIsLate(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var flag atomic.Bool
		flag.Store(true)
		x.Go("other", func() { flag.CompareAndSwap(false, true) })
		late := false
		for {
			if late {
				break
			}
			late = flag.Load()
		}
		x.Join()
	})
}

// verdict: FAILED livelock
func TestValueThatNeverComes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int32
		x.Go("set", func() { n.Store(1) })
		v := n.Load()
		for v != 2 {
			v = n.Load()
		}
		x.Join()
	})
}

// verdict: proved, 2 traces
func TestPollOfAChannelThatIsClosed(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		done := make(chan bool)
		x.Go("close", func() { close(done) })
	loop:
		for {
			select {
			case <-done:
				break loop
			default:
				runtime.Gosched()
			}
		}
		x.Join()
	})
}

// verdict: proved
func TestOffersToAFullChannel(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int, 1)
		for i := range 2 {
			x.Go("offer", func() {
				for {
					select {
					case c <- i:
						return
					default:
					}
				}
			})
		}
		x.Go("receive", func() { <-c; <-c })
		x.Join()
	})
}

// Either goroutine may get both values.
//
// verdict: FAILED two
func TestPollsOfOneChannel(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c, done := make(chan int, 2), make(chan bool)
		var most atomic.Int32
		for range 2 {
			x.Go("poll", func() {
				n := 0
				for {
					select {
					case <-c:
						n++
						if n == 2 {
							most.Store(2)
						}
						continue
					default:
					}
					select {
					case <-done:
						return
					default:
					}
				}
			})
		}
		c <- 1
		c <- 2
		close(done)
		x.Join()
		x.Assert(most.Load() != 2, "two")
	})
}

// Another goroutine sees when all values are taken.
//
// verdict: proved
func TestPollThatTakesValues(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c, done := make(chan int, 2), make(chan bool)
		x.Go("poll", func() {
			for {
				select {
				case <-c:
				default:
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
		c <- 1
		c <- 2
		for len(c) > 0 {
		}
		close(done)
		x.Join()
	})
}

// verdict: proved, 3 traces
func TestLengthOfAChannel(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int, 1)
		x.Go("send", func() { c <- 1 })
		for len(c) == 0 {
		}
		<-c
		x.Join()
	})
}

// verdict: proved
func TestErrAndDoneOfAContext(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		x.Go("Err", func() {
			for ctx.Err() == nil {
			}
		})
		for {
			select {
			case <-ctx.Done():
				x.Join()
				return
			default:
			}
		}
	})
}

// verdict: FAILED livelock
func TestPollOfNothing(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		never := make(chan bool)
		x.Go("poll", func() {
			for {
				select {
				case <-never:
					return
				default:
				}
			}
		})
		x.Join()
	})
}

// Time passes while nothing else can run, also for who only looks.
//
// verdict: proved|bounded
func TestPollOfATimer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		late := time.After(time.Minute)
		for {
			select {
			case <-late:
				return
			default:
			}
		}
	})
}

// verdict: proved|bounded
func TestPollOfATicker(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ticker := time.NewTicker(10 * time.Millisecond)
		defer ticker.Stop()
		var stop atomic.Bool
		x.Go("stop", func() {
			time.Sleep(25 * time.Millisecond)
			stop.Store(true)
		})
		for n := 0; n < 3 && !stop.Load(); {
			select {
			case <-ticker.C:
				n++
			default:
				runtime.Gosched()
			}
		}
		x.Join()
	})
}
