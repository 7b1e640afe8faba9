package runtime_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/runtime"
)

// tools are what tasks of a round wait for, other than one another.
type tools struct {
	pipe              *runtime.Channel[int]
	accepted, arrived atomic.Int64 // sums of what went into the pipe, and came out
	permits           *runtime.Semaphore
	taken             atomic.Int64
	bell              runtime.Notify
	rung              atomic.Int64
	locks             lockTools
	pipes             pipeWatch
	tenders           sync.WaitGroup
	stop              context.CancelFunc
}

const permits = 3

// open starts goroutines that send, receive and ring, so that nobody waits for ever.
func (t *tools) open(w *world, h *house, capacity int) {
	t.pipes.open(w, h)
	ctx, stop := context.WithCancel(context.Background())
	t.pipe, t.permits, t.stop = runtime.NewChannel[int](capacity), runtime.NewSemaphore(
		permits), stop
	t.locks.open()
	rng := rand.New(rand.NewPCG(w.seed, w.rng.Uint64()))
	t.tenders.Go(func() {
		for ctx.Err() == nil {
			patience, enough := context.WithTimeoutCause(ctx,
				time.Duration(rng.IntN(300))*time.Microsecond, errImpatient)
			switch rng.IntN(8) {
			case 7:
				t.selects(w, patience, rng)
			case 4:
				t.pipes.tend(false)
			case 5:
				t.pipes.tend(true)
			case 0:
				t.sent(1, t.pipe.SendContext(patience, 1))
			case 1:
				if rng.IntN(2) == 0 {
					t.received(w)(t.pipe.ReceiveContext(patience))
					break
				}
				for v, err := range t.pipe.AllContext(patience) {
					if t.received(w)(v, err); rng.IntN(3) == 0 {
						break
					}
				}
			case 2:
				t.rung.Add(1)
				t.bell.Broadcast()
				if rng.IntN(4) == 0 && t.bell.WaitContext(patience) == nil {
					t.bell.Signal()
				}
			case 3:
				if t.permits.AcquireContext(patience, permits) == nil {
					t.hold(w, permits)
					t.letGo(permits)
					t.permits.Release(permits)
				}
			case 6:
				t.locks.tend(w, patience, rng)
			}
			enough()
			time.Sleep(20 * time.Microsecond)
		}
	})
}

// close ends the goroutines and checks the sums.
func (t *tools) close(w *world) {
	t.stop()
	t.tenders.Wait()
	for {
		v, err := t.pipe.TryReceive()
		if err != nil {
			break
		}
		t.arrived.Add(int64(v))
	}
	if t.accepted.Load() != t.arrived.Load() {
		w.fail("%d went into a channel, %d came out", t.accepted.Load(), t.arrived.Load())
	}
	if t.permits.Free() != permits {
		w.fail("%d of %d permits are free at the end", t.permits.Free(), permits)
	}
	t.locks.close(w)
	t.pipes.close(w)
	if err := t.pipe.Close(); err != nil {
		w.fail("Close of a channel: %v", err)
	}
}

func (t *tools) sent(v int, err error) {
	if err == nil {
		t.accepted.Add(int64(v))
	}
}

func (t *tools) received(w *world) func(int, error) {
	return func(v int, err error) {
		if err != nil && v != 0 {
			w.fail("received %d and %v", v, err)
		}
		t.arrived.Add(int64(v))
	}
}

func (t *tools) hold(w *world, n int64) {
	if now := t.taken.Add(n); now > permits {
		w.fail("%d of %d permits are taken", now, permits)
	}
}

func (t *tools) letGo(n int64) { t.taken.Add(-n) }

// use waits for something.
func (p *player) use() {
	t, cx := &p.w.anywhere(p.rng).tools, p.cx
	switch p.rng.IntN(20) {
	case 0:
		v := 1 + p.rng.IntN(9)
		err := t.pipe.Send(cx, v)
		t.sent(v, err)
		p.fail(err, "Channel.Send")
	case 1:
		v, err := t.pipe.Receive(cx)
		t.received(p.w)(v, err)
		p.fail(err, "Channel.Receive")
	case 2:
		n := 1 + p.rng.IntN(permits)
		if p.fail(t.permits.Acquire(cx, n), "Semaphore.Acquire") {
			return
		}
		defer t.permits.ReleaseFrom(cx, n)
		t.hold(p.w, int64(n))
		defer t.letGo(int64(n))
		p.sleep(time.Duration(p.rng.IntN(100)) * time.Microsecond)
		cx.Yield()
	case 3:
		p.fail(t.bell.Wait(cx), "Notify.Wait")
		t.bell.SignalFrom(cx)
	case 4:
		now := t.rung.Load()
		err := t.bell.WaitFor(cx, func() bool { return t.rung.Load() > now })
		if !p.fail(err, "Notify.WaitFor") && t.rung.Load() <= now {
			p.w.fail("task %d: WaitFor returned before the condition was true", p.r.id)
		}
	case 5:
		p.oneshot()
	case 6:
		gochan := make(chan int)
		time.AfterFunc(time.Duration(p.rng.IntN(200))*time.Microsecond, func() { close(gochan) })
		if _, ok, err := runtime.Receive(cx, gochan); !p.fail(err, "Receive") && ok {
			p.w.fail("task %d: received from a closed channel", p.r.id)
		}
	case 10:
		gochan := make(chan int)
		ctx, stop := context.WithCancel(context.Background())
		got := make(chan int, 1)
		time.AfterFunc(time.Duration(p.rng.IntN(200))*time.Microsecond, func() {
			select {
			case v := <-gochan:
				got <- v
			case <-ctx.Done():
				got <- 0
			}
		})
		err := runtime.Send(cx, gochan, 3)
		stop()
		if v, _, _ := runtime.Receive(cx, got); !p.fail(err, "Send") && v != 3 &&
			p.cx.Err() == nil {
			p.w.fail("task %d: 3 was sent, %d received", p.r.id, v)
		}
	case 7:
		ctx, stop := context.WithTimeout(context.Background(),
			time.Duration(p.rng.IntN(200))*time.Microsecond)
		defer stop()
		if !p.fail(cx.AwaitContext(ctx), "AwaitContext") && ctx.Err() == nil {
			p.w.fail("task %d: AwaitContext returned before the end", p.r.id)
		}
	case 8:
		i := cx.NewTicker(time.Duration(1+p.rng.IntN(50))*time.Microsecond,
			runtime.MissedTicks(p.rng.IntN(3)))
		for range 3 {
			p.fail(i.Next(cx), "Ticker.Next")
		}
	case 9:
		p.joinTimeout()
	case 11: // of its own runtime, which must not end before
		p.fail(p.r.house.tools.pipes.use(p, p.rng.IntN(2) == 0), "Watch")
	case 12:
		p.talk()
	case 13, 14, 15:
		t.tries(p)
	case 16:
		p.fail(p.r.house.tools.pipes.deadline(p), "Watch.SetDeadline")
	default:
		t.locks.use(p)
	}
}

// tries is what a task does that does not wait if it would have to.
func (t *tools) tries(p *player) {
	refused := func(err error, what string) {
		if err != nil && err != runtime.ErrWouldWait {
			p.w.fail("task %d: %s returned %v", p.r.id, what, err)
		}
	}
	switch n := 1 + p.rng.IntN(permits); p.rng.IntN(3) {
	case 0:
		err := t.pipe.TrySend(n)
		t.sent(n, err)
		refused(err, "Channel.TrySend")
		if n, most := t.pipe.Len(), t.pipe.Cap(); n < 0 || n > most {
			p.w.fail("a channel with room for %d values has %d", most, n)
		}
	case 1:
		v, err := t.pipe.TryReceive()
		t.received(p.w)(v, err)
		refused(err, "Channel.TryReceive")
	case 2:
		if !t.permits.TryAcquire(n) {
			return
		}
		t.hold(p.w, int64(n))
		p.sleep(time.Duration(p.rng.IntN(50)) * time.Microsecond)
		t.letGo(int64(n))
		t.permits.Release(n)
	}
}

func (p *player) oneshot() {
	if p.shields > 0 {
		return // the sender has none, and may end
	}
	var o runtime.Oneshot[int]
	runtime.Spawn(p.cx, func(cx runtime.Cx) (int, error) {
		cx.Yield()
		return 0, o.SendFrom(cx, 7)
	}).
		Detach()
	if v, err := o.Receive(p.cx); !p.fail(err, "Oneshot.Receive") && v != 7 {
		p.w.fail("task %d: 7 was sent, %d received", p.r.id, v)
	}
}

// joinTimeout waits for any task for a while, also for one that waits for this one.
func (p *player) joinTimeout() {
	other := p.r.house.any(p.rng)
	if other == nil || other == p.r {
		return
	}
	start, d := time.Now(), time.Duration(p.rng.IntN(300))*time.Microsecond
	var value int
	var err error
	if p.rng.IntN(2) == 0 {
		value, err = other.handle.JoinTimeout(p.cx, d)
	} else {
		ctx, stop := context.WithTimeoutCause(context.Background(), d, runtime.ErrTimeout)
		value, err = other.handle.JoinContext(p.cx, ctx)
		stop()
	}
	if err == runtime.ErrTimeout {
		if time.Since(start) < d {
			p.w.fail("task %d: JoinTimeout(%v) returned after %v", p.r.id, d, time.Since(start))
		}
		return
	}
	if p.cx.Err() != nil &&
		(errors.Is(err, runtime.ErrCancelled) || errors.Is(err, runtime.ErrClosed)) {
		return // of the joiner, or of the target
	}
	if _, _, ended := other.handle.TryJoin(); !ended {
		p.w.fail("task %d: JoinTimeout returned %d, %v before the end", p.r.id, value, err)
		return
	}
	p.w.checkResult(other, value, err)
}

// helper returns a player for a task that p starts and waits for, and which may be cancelled at any
// time.
func (p *player) helper(cx runtime.Cx, seed uint64) *player {
	r := p.w.newRecord(p.r.house, p.r.rank+1, false)
	r.private = true
	r.cancelled.Store(true)
	r.begin()
	return &player{w: p.w, r: r, cx: cx, rng: rand.New(rand.NewPCG(p.w.seed, seed))}
}

func (p *player) mayHelp() bool { return p.r.rank < math.MaxUint64 && p.w.budget.Add(-5) > 0 }

var errOfChild = errors.New("of a child")

// scope opens a scope and checks that all children have ended after it.
func (p *player) scope() {
	if !p.mayHelp() {
		return
	}
	var begun, ended, bad atomic.Int64
	seed := p.rng.Uint64()
	child := func(seed uint64) func(cx runtime.Cx) (int, error) {
		return func(cx runtime.Cx) (int, error) {
			begun.Add(1)
			defer ended.Add(1)
			c := p.helper(cx, seed)
			c.steps(c.rng.IntN(3))
			if c.rng.IntN(6) == 0 {
				bad.Add(1)
				return 0, errOfChild
			}
			return 0, nil
		}
	}
	err := runtime.Scope(p.cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
		for i := range seed % 4 {
			runtime.SpawnIn(cx, s, child(seed+i))
		}
		_, err := child(seed + 4)(cx)
		if seed%16 == 0 {
			s.Cancel()
		}
		return err
	})
	if begun.Load() != ended.Load() {
		p.w.fail("task %d: %d children of a scope began, %d have ended after it", p.r.id,
			begun.Load(), ended.Load())
	}
	if err == nil && bad.Load() > 0 || errors.Is(err, errOfChild) && bad.Load() == 0 {
		p.w.fail("task %d: %d children returned an error; their scope returned %v", p.r.id,
			bad.Load(), err)
	}
}

// timeout runs a task that may be cancelled.
func (p *player) timeout() {
	if !p.mayHelp() {
		return
	}
	var begun, ended atomic.Int64
	seed := p.rng.Uint64()
	d := time.Duration(p.rng.IntN(300)) * time.Microsecond
	timed := func(fn func(runtime.Cx) (int, error)) (int, error) {
		if seed%2 == 0 {
			return runtime.Timeout(p.cx, d, fn)
		}
		return runtime.Deadline(p.cx, time.Now().Add(d), fn)
	}
	value, err := timed(func(cx runtime.Cx) (int, error) {
		begun.Add(1)
		defer ended.Add(1)
		c := p.helper(cx, seed)
		c.steps(c.rng.IntN(4))
		return 5, c.cx.Err()
	})
	if begun.Load() != ended.Load() || err == nil && value != 5 {
		p.w.fail(
			"task %d: a task with a timeout began %d times and ended %d times; it returned %d, %v",
			p.r.id, begun.Load(), ended.Load(), value, err)
	}
}
