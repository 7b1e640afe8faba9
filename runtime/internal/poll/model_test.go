package poll

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/idle"
	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/park"
)

// A bell is a kernel that does what an operating system may do, and no less: it waits until it is
// interrupted or something is ready, and may give up before that, for its time or spuriously, when
// the checker chooses so.
type bell struct {
	x       *model.Exec
	givesUp int // how often it may
	// interrupts is how many waits the interruptions of the check may end. One that is not taken
	// back ends more, and nobody would sleep any more.
	interrupts int
	// state has a bit for each ID that is ready and was not told of; bit 0 is the interruption.
	state atomic.Uint32
}

const interruption = 1

func (b *bell) Wait(events []Event, d time.Duration) (n int, interrupted bool) {
	givesUp := d == 0
	if d != 0 && b.givesUp > 0 && b.x.Choose(2) == 1 {
		b.givesUp--
		givesUp = true
	}
	for !givesUp && b.state.Load() == 0 {
		runtime.Gosched()
	}
	state := b.state.And(interruption)
	for id := 1; id < 32; id++ {
		if state&(1<<id) != 0 {
			events[n] = Event{ID: uint64(id), Read: true}
			n++
		}
	}
	if d != 0 && state&interruption != 0 {
		b.interrupts--
		b.x.Assert(b.interrupts >= 0, "an interruption ends more than one wait")
	}
	return n, state&interruption != 0
}

func (b *bell) Interrupt()   { b.state.Or(interruption) }
func (b *bell) TakeBack()    { b.state.And(^uint32(interruption)) }
func (b *bell) ready(id int) { b.state.Or(1 << id) }

func poller(b *bell) *Poller {
	p := &Poller{}
	p.Start(b)
	return p
}

// until parks as a worker until it has its token, and returns how many events it was told of.
func until(p *Poller, worker int, parker *park.Parker) (told int) {
	var events [2]Event
	for {
		n, token := p.Park(worker, parker, Forever, events[:])
		told += n
		if token {
			return told
		}
	}
}

const gaveUp = "the kernel gives up at most once"

// A token wakes a worker that is in the kernel, or keeps it from going there. It is not left
// behind.
func TestModelTokenWakesWhoIsInTheKernel(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		p, parker := poller(&bell{x: x, givesUp: 1, interrupts: 1}), new(park.Parker)
		written := 0
		x.Go("waker", func() {
			written = 1
			p.Unpark(3, parker)
		})
		until(p, 3, parker)
		x.Assert(written == 1, "Park returned a token before Unpark")
		x.Join()
		x.Assert(!parker.ParkTimeout(0), "one Unpark left two tokens")
		x.Assert(p.Inside() == -1, "worker %d is inside for ever", p.Inside())
	}, model.Assume(gaveUp))
}

// The interruption that belongs to one token may come late, when the worker waits for the next one:
// that one is not lost.
func TestModelSecondTokenIsNotLostToTheFirst(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		p, parker := poller(&bell{x: x, interrupts: 2}), new(park.Parker)
		var first atomic.Bool
		x.Go("one", func() { p.Unpark(0, parker) })
		x.Go("two", func() {
			for !first.Load() {
				runtime.Gosched()
			}
			p.Unpark(0, parker)
		})
		until(p, 0, parker)
		first.Store(true)
		until(p, 0, parker)
		x.Join()
	})
}

// Workers take turns in the kernel; each has its own token, and an interruption that was meant for
// another costs it a turn only.
func TestModelWorkersFollowOneAnother(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		p := poller(&bell{x: x, interrupts: 2})
		var parkers [2]park.Parker
		var left atomic.Bool
		for i := range parkers {
			x.Go("waker", func() { p.Unpark(i, &parkers[i]) })
		}
		x.Go("worker 1", func() {
			for !left.Load() {
				runtime.Gosched()
			}
			until(p, 1, &parkers[1])
		})
		until(p, 0, &parkers[0])
		left.Store(true)
		x.Join()
	})
}

// Whatever becomes ready is told once, to whoever looks or to the worker inside; and a look takes
// nothing from the one inside: not its interruption.
func TestModelLooksTakeNoInterruption(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		b := &bell{x: x, interrupts: 1}
		p, parker := poller(b), new(park.Parker)
		var told atomic.Int32
		x.Go("looker", func() {
			var events [2]Event
			told.Add(int32(p.Poll(events[:])))
		})
		x.Go("waker", func() {
			b.ready(1)
			p.Unpark(0, parker)
		})
		told.Add(int32(until(p, 0, parker)))
		x.Join()
		var events [2]Event
		told.Add(int32(p.Poll(events[:])))
		x.Assert(told.Load() == 1, "told %d times", told.Load())
	})
}

// Two that look at once do not wait for one another, and what is ready is told.
func TestModelLooksShareTheEvents(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		b := &bell{x: x}
		b.ready(1)
		p := poller(b)
		var told atomic.Int32
		for range 2 {
			x.Go("looker", func() {
				var events [2]Event
				told.Add(int32(p.Poll(events[:])))
			})
		}
		b.ready(2)
		x.Join()
		var events [2]Event
		told.Add(int32(p.Poll(events[:])))
		x.Assert(told.Load() == 2, "told %d times", told.Load())
	})
}

// A worker that sleeps in the kernel as package idle says is claimed at any time, also while it is
// told of events: each claim is one token, and nothing is lost.
func TestModelClaimsMeetEvents(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		b := &bell{x: x, givesUp: 1, interrupts: 1}
		p, parker, sleepers := poller(b), new(park.Parker), idle.New(1)
		var tasks atomic.Int32
		x.Go("pusher", func() {
			tasks.Add(1)
			if worker, ok := sleepers.Notify(); ok {
				p.Unpark(worker, parker)
			}
		})
		x.Go("device", func() { b.ready(1) })
		w, told := sleepers.Worker(0), 0
		for told == 0 || tasks.Load() == 0 {
			x.Assert(w.Publish() == idle.Recheck, "nobody has closed it")
			if tasks.Load() > 0 && told > 0 {
				if worker, ok := sleepers.Notify(); ok {
					p.Unpark(worker, parker)
				}
			}
			var events [2]Event
			n, token := p.Park(0, parker, Forever, events[:])
			told += n
			if w.Woke(token) == idle.AwaitToken {
				parker.Park()
				w.Woke(true)
			}
			w.Found()
		}
		x.Join()
		x.Assert(told == 1, "told %d times", told)
		x.Assert(sleepers.Searching() == 0 && sleepers.Parked() == 0, "the worker runs")
		x.Assert(!parker.ParkTimeout(0), "a token without a claim")
	}, model.Assume(gaveUp))
}
