package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/runtime"
)

// A record is what is known of a task. Its rank keeps joins from waiting for one another in a
// circle: a task joins only tasks of a higher rank.
type record struct {
	house     *house
	id        int
	rank      uint64
	submitted bool // came by Submit, which a closed runtime refuses
	// handle and private are set before the record is published.
	handle  *runtime.Handle[int]
	private bool // only whoever started it has the handle

	// Set before Detach by whoever has the private handle; read at the end of the round.
	detached       bool
	cancelled      atomic.Bool // Cancel has been called, or is about to be
	waitsForCancel atomic.Bool
	// parent is the task whose child this is, or nil. Set before the record is published.
	parent   *record
	stop     context.CancelCauseFunc // ends its context, or nil; set before the record is published
	asCalled atomic.Bool             // parent has joined it, outside of shields, or is about to
	future   bool                    // set before the record is published

	// What the task has done. It writes this plainly, and whoever has found it ended reads it
	// plainly, so that the race detector sees whether the end synchronizes.
	runs     int
	polls    int // of a future
	outcome  outcome
	err      error
	value    any // of a panic
	deferred bool
}

type outcome int

const (
	none outcome = iota
	running
	returned
	failed
	panicked
	exited
)

func (w *world) newRecord(h *house, rank uint64, submitted bool) *record {
	return &record{house: h, id: int(w.last.Add(1)), rank: rank, submitted: submitted}
}

// publish puts r into the ledger.
func (w *world) publish(r *record) {
	w.lock.Lock()
	w.records = append(w.records, r)
	w.lock.Unlock()
	if !r.private {
		h := r.house
		h.lock.Lock()
		h.shared = append(h.shared, r)
		h.lock.Unlock()
	}
}

// any returns one of the shared tasks, most of the time one of the newest, or nil.
func (h *house) any(rng *rand.Rand) *record {
	h.lock.Lock()
	defer h.lock.Unlock()
	n := len(h.shared)
	if n == 0 {
		return nil
	}
	if rng.IntN(3) > 0 {
		return h.shared[n-1-rng.IntN(min(n, 8))]
	}
	return h.shared[rng.IntN(n)]
}

var errStopped = errors.New("its context has ended")

func (r *record) cancel() {
	r.cancelled.Store(true)
	if r.stop != nil && r.id%3 > 0 {
		r.stop(errStopped)
	} else {
		r.handle.Cancel()
	}
}

// context returns a context for r, which may end at any time.
func (r *record) context(rng *rand.Rand) context.Context {
	ctx, stop := context.WithCancelCause(context.WithValue(context.Background(), recordKey{}, r))
	r.stop = stop
	if rng.IntN(4) == 0 {
		time.AfterFunc(time.Duration(rng.IntN(1000))*time.Microsecond, func() {
			r.cancelled.Store(true)
			stop(errStopped)
		})
	}
	return ctx
}

type recordKey struct{}

func (r *record) detach() {
	r.detached = true
	r.handle.Detach()
}

func (r *record) begin() {
	r.runs++
	r.outcome = running
}

func (r *record) returns() (int, error) {
	r.outcome = returned
	return r.id, nil
}

// mayBeCancelled reports whether Cancel has been called, or is about to be, for r or for one that
// is joining it as its child.
func (r *record) mayBeCancelled() bool {
	for ; !r.cancelled.Load(); r = r.parent {
		if r.parent == nil || !r.asCalled.Load() {
			return false
		}
	}
	return true
}

// mayNotRun reports whether there is a reason for r to have ended without having begun.
func (r *record) mayNotRun() bool {
	return r.mayBeCancelled() || r.house.closed.Load() || r.submitted && r.house.drained.Load()
}

// checkResult compares what somebody was told of r with what r did.
func (w *world) checkResult(r *record, value int, err error) {
	var p *runtime.PanicError
	ok := r.runs <= 1
	exit := errors.Is(err, runtime.ErrGoexit) && w.exits.Load() > 0
	if r.deferred && exit { // a task that it had inlined last of all called Goexit
		return
	}
	switch r.outcome {
	case none:
		ok = ok && value == 0 && (errors.Is(err, runtime.ErrCancelled) && r.mayBeCancelled() ||
			errors.Is(err, runtime.ErrClosed) &&
				(r.house.closed.Load() || r.submitted && r.house.drained.Load()))
	case running: // a task that it had inlined called Goexit, or it is a future that was dropped
		stopped := errors.Is(err, runtime.ErrCancelled) || errors.Is(err, runtime.ErrClosed)
		ok = ok && (exit || r.future && stopped && r.mayNotRun())
	case returned:
		ok = ok && value == r.id && err == nil
	case failed:
		ok = ok && value == -r.id && err == r.err
	case panicked:
		ok = ok && errors.As(err, &p) && p.Value == r.value
	case exited:
		ok = ok && exit
	}
	if !ok {
		w.fail(
			"task %d: ran %d times, outcome %d, cancelled %v, runtime drained %v, closed %v; "+
				"its result is %d, %v",
			r.id,
			r.runs,
			r.outcome,
			r.cancelled.Load(),
			r.house.drained.Load(),
			r.house.closed.Load(),
			value,
			err,
		)
	}
}

// A player is a task at work.
type player struct {
	w        *world
	r        *record
	cx       runtime.Cx
	rng      *rand.Rand
	children []*record // private
	shields  int
}

// play returns the function of r.
func (w *world) play(r *record, seed uint64) func(runtime.Cx) (int, error) {
	return func(cx runtime.Cx) (int, error) {
		r.begin()
		p := &player{w: w, r: r, cx: cx, rng: rand.New(rand.NewPCG(w.seed, seed))}
		if p.rng.IntN(8) == 0 {
			r.deferred = true
			defer p.steps(2) // also during a panic, and a Goexit
		}
		p.steps(p.rng.IntN(8))
		if p.rng.IntN(3) > 0 {
			for _, c := range p.children {
				p.join(c)
			}
		}
		for _, c := range p.children {
			if p.rng.IntN(4) > 0 {
				c.detach()
			}
		}
		p.children = nil
		return w.outcomeOf(r, p.rng)
	}
}

func (p *player) steps(n int) {
	for range n {
		p.step()
	}
}

func (p *player) step() {
	switch n := p.rng.IntN(100); {
	case n < 25:
		p.spawnSome()
	case n < 40:
		if other := p.r.house.any(p.rng); other != nil {
			p.join(other)
		}
	case n < 46:
		p.use()
	case n < 47:
		p.scope()
	case n < 48:
		p.timeout()
	case n < 49:
		if p.rng.IntN(2) == 0 {
			p.results()
		} else {
			p.group()
		}
	case n < 50:
		p.loop()
	case n < 51:
		if p.rng.IntN(2) == 0 {
			p.choose()
		} else {
			p.await()
		}
	case n < 55:
		for range 1 + p.rng.IntN(4) {
			p.cx.Yield()
		}
	case n < 63:
		p.sleep(time.Duration(p.rng.IntN(500)) * time.Microsecond)
	case n < 66:
		p.sleepUntilCancelled()
	case n < 70:
		if other := p.r.house.any(p.rng); other != nil {
			other.cancel()
		}
	case n < 74:
		if other := p.w.anywhere(p.rng).any(p.rng); other != nil {
			p.w.peek(other)
		}
	case n < 80:
		p.shield()
	case n < 84:
		p.fail(p.cx.Err(), "Err")
	case n < 88:
		spin(time.Duration(p.rng.IntN(100)) * time.Microsecond)
	case n < 89:
		time.Sleep(50 * time.Microsecond)
	case n < 92:
		h := p.w.anywhere(p.rng)
		p.w.submit(h, p.rng, p.rng.IntN(4) == 0, h.limit > 0 && h != p.r.house)
	case n < 93:
		if p.rng.IntN(2) == 0 {
			p.fib(8)
		} else {
			p.lives()
		}
	case n < 95:
		p.fork()
	case n < 96:
		p.recover()
	case n < 97:
		p.batch()
	case n < 98:
		p.convoy()
	case n < 99:
		p.w.bells.ring(p.cx)
	default:
		p.cx.SetName(fmt.Sprint("player ", p.r.id))
		p.context()
	}
}

// fail notes an error of a waiting function that has no reason, and reports whether there is one.
func (p *player) fail(err error, what string) bool {
	switch {
	case err == nil:
		return false
	case p.shields == 0 && errors.Is(err, runtime.ErrCancelled) && p.r.mayBeCancelled():
	case p.shields == 0 && errors.Is(err, runtime.ErrClosed) && p.r.house.closed.Load():
	default:
		p.w.fail("task %d: %s returned %v; shields %d, cancelled %v, closed %v", p.r.id, what, err,
			p.shields, p.r.cancelled.Load(), p.r.house.closed.Load())
	}
	if p.shields == 0 && p.cx.Err() == nil {
		p.w.fail("task %d: %s returned %v, and Err nil", p.r.id, what, err)
	}
	return true
}

func (p *player) spawnSome() {
	for range 1 + p.rng.IntN(5) {
		if p.w.budget.Add(-1) < 0 {
			return
		}
		c := p.spawn()
		switch p.rng.IntN(12) {
		case 0:
			c.cancel()
		case 1:
			p.join(c)
		}
	}
}

// spawn starts a task, most of the time one that p may join.
func (p *player) spawn() *record {
	r := p.w.newRecord(p.r.house, p.rng.Uint64(), false)
	if p.rng.IntN(5) > 0 {
		r.rank = p.r.rank + 1 + p.rng.Uint64N((math.MaxUint64-p.r.rank)/2+1)
	}
	if r.private = p.rng.IntN(4) == 0; r.private {
		p.children = append(p.children, r)
	}
	r.parent = p.r
	p.w.spawn(p.cx, r, p.rng)
	p.w.publish(r)
	return r
}

func (p *player) join(r *record) {
	if r.rank <= p.r.rank {
		return
	}
	p.w.tally.joins.Add(1)
	isChild := r.parent == p.r
	if isChild && p.shields == 0 {
		r.asCalled.Store(true)
	}
	value, err := r.handle.Join(p.cx)
	if _, _, ended := r.handle.TryJoin(); !ended {
		if !p.fail(err, "Join") || isChild && !p.r.future { // polls have children of their own
			p.w.fail("task %d: the join of %d has returned before its end", p.r.id, r.id)
		}
		return
	}
	if p.cx.Err() != nil &&
		(errors.Is(err, runtime.ErrCancelled) || errors.Is(err, runtime.ErrClosed)) {
		return // of the joiner, or of the target
	}
	p.w.checkResult(r, value, err)
}

func (p *player) sleep(d time.Duration) {
	p.w.tally.suspended.Add(1)
	start := time.Now()
	var err error
	if d/time.Microsecond%2 == 0 {
		err = p.cx.Sleep(d)
	} else {
		err = p.cx.SleepUntil(start.Add(d))
	}
	if !p.fail(err, "Sleep") && time.Since(start) < d {
		p.w.fail("task %d: Sleep(%v) took %v", p.r.id, d, time.Since(start))
	}
	if n := p.cx.Worker(); n < 0 || n >= p.r.house.workers {
		p.w.fail("task %d: runs on worker %d of %d", p.r.id, n, p.r.house.workers)
	}
}

func (p *player) sleepUntilCancelled() {
	if p.r.private || p.shields > 0 || p.w.ending.Load() {
		return
	}
	p.r.waitsForCancel.Store(true)
	defer p.r.waitsForCancel.Store(false)
	if !p.fail(p.cx.Sleep(time.Hour), "Sleep") {
		p.w.fail("task %d: an hour has passed", p.r.id)
	}
}

func (p *player) shield() {
	if p.shields == 3 {
		return
	}
	p.shields++
	defer func() { p.shields-- }()
	p.cx.Shield(func() { p.steps(1 + p.rng.IntN(3)) })
}

// fib is fork-join without records.
func (p *player) fib(n int) {
	value, err := fork(p.cx, n)
	if p.shields == 0 && err != nil && (p.cx.Err() != nil || p.r.house.closed.Load()) {
		return
	}
	if p.r.house.closed.Load() && errors.Is(err, runtime.ErrClosed) {
		return // of a child, which has no shield
	}
	if err != nil || value != 21 {
		p.w.fail("task %d: fib(8) = %d, %v", p.r.id, value, err)
	}
}

func fork(cx runtime.Cx, n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	child := runtime.SpawnWith(cx, fork, n-1)
	mine, err := fork(cx, n-2)
	if err != nil {
		return 0, err
	}
	value, err := child.Join(cx)
	return mine + value, err
}

// recover waits in the middle of a panic, and ends it.
func (p *player) recover() {
	defer func() {
		if recover() != p {
			p.w.fail("task %d has recovered something else", p.r.id)
		}
	}()
	defer p.sleep(time.Duration(p.rng.IntN(100)) * time.Microsecond)
	panic(p)
}

// context looks at what a task gives to functions that know contexts.
func (p *player) context() {
	ctx := p.cx.Context()
	if p.cx.Runtime() != p.r.house.rt || ctx != p.cx.Context() {
		p.w.fail("task %d: Cx.Runtime or Cx.Context changes", p.r.id)
	}
	if p.r.stop != nil && ctx.Value(recordKey{}) != p.r {
		p.w.fail("task %d: its context has lost its values", p.r.id)
	}
	// Whoever cancels ends ctx after Err has changed: only a call of Context sees to it.
	if err := p.cx.Err(); err != nil && context.Cause(p.cx.Context()) == nil {
		p.w.fail("task %d: is to end because of %v, and its context is not", p.r.id, err)
	}
	if err := context.Cause(ctx); err != nil && !p.r.mayNotRun() {
		p.w.fail("task %d: its context ended with %v", p.r.id, err)
	}
}

// convoy makes many tasks wait for the same one.
func (p *player) convoy() {
	const joiners = 20
	if p.w.budget.Add(-joiners-1) < 0 || p.r.rank > math.MaxUint64-2 {
		return
	}
	target := p.w.newRecord(p.r.house, math.MaxUint64, false)
	target.parent = p.r
	pause := time.Duration(p.rng.IntN(300)) * time.Microsecond
	target.handle = runtime.Spawn(p.cx, func(cx runtime.Cx) (int, error) {
		target.begin()
		(&player{w: p.w, r: target, cx: cx}).sleep(pause)
		return target.returns()
	})
	p.w.publish(target)
	for range joiners {
		r := p.w.newRecord(p.r.house, math.MaxUint64-1, false)
		r.parent = p.r
		r.handle = runtime.Spawn(p.cx, func(cx runtime.Cx) (int, error) {
			r.begin()
			(&player{w: p.w, r: r, cx: cx}).join(target)
			return r.returns()
		})
		p.w.publish(r)
	}
}

func spin(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

func (w *world) anywhere(rng *rand.Rand) *house { return w.houses[rng.IntN(len(w.houses))] }

// submit starts a task from outside of its runtime, or as if; with tries, only if it need not wait.
// It may return nil.
func (w *world) submit(h *house, rng *rand.Rand, private, tries bool) *record {
	if w.budget.Add(-1) < 0 {
		return nil
	}
	r := w.newRecord(h, rng.Uint64(), true)
	r.private = private
	if !tries {
		w.start(r, rng)
	} else if !w.tryStart(r, rng) {
		return nil
	}
	w.publish(r)
	if private && rng.IntN(2) == 0 {
		r.detach()
	}
	return r
}

// peek looks at a task without waiting for it.
func (w *world) peek(r *record) {
	select {
	case <-r.handle.Done():
		if value, err, ended := r.handle.TryJoin(); ended {
			w.checkResult(r, value, err)
		} else {
			w.fail("task %d: Done is closed, and TryJoin says that it has not ended", r.id)
		}
	default:
	}
}

// An outsider is a goroutine that is no task.
type outsider struct {
	w   *world
	rng *rand.Rand
}

func (o *outsider) run() {
	for range 5 + o.rng.IntN(40) {
		h := o.w.anywhere(o.rng)
		switch n := o.rng.IntN(20); {
		case n < 6:
			o.w.submit(h, o.rng, o.rng.IntN(4) == 0, o.rng.IntN(4) == 0)
		case n < 7:
			for range 50 {
				o.w.submit(h, o.rng, false, false)
			}
			o.batch(h)
		case n < 11:
			o.wait(h, context.Background())
		case n < 14:
			ctx, stop := context.WithTimeoutCause(context.Background(),
				time.Duration(o.rng.IntN(500))*time.Microsecond, errImpatient)
			o.wait(h, ctx)
			stop()
		case n < 15:
			if r := h.any(o.rng); r != nil {
				<-r.handle.Done()
				o.w.peek(r)
			}
		case n < 16:
			if r := h.any(o.rng); r != nil {
				r.cancel()
			}
		case n < 18:
			if r := h.any(o.rng); r != nil {
				o.w.peek(r)
			}
		case n < 19:
			switch o.rng.IntN(8) {
			case 0, 1:
				o.group(h)
			case 2:
				o.w.runAlone(o.rng)
			case 3:
				o.w.runByDefault(o.rng)
			case 4:
				o.procedure(h)
			case 5:
				o.results(h)
			case 6:
				o.oneshot(h)
			}
		default:
			time.Sleep(time.Duration(o.rng.IntN(300)) * time.Microsecond)
		}
	}
}

func (o *outsider) wait(h *house, ctx context.Context) {
	r := h.any(o.rng)
	if r == nil {
		return
	}
	value, err := r.handle.Wait(ctx)
	if errors.Is(err, errImpatient) {
		return
	}
	if _, _, ended := r.handle.TryJoin(); !ended {
		o.w.fail("task %d: Wait returned %d, %v before the end", r.id, value, err)
		return
	}
	o.w.checkResult(r, value, err)
}
