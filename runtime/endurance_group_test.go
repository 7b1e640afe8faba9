package runtime_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/runtime"
)

// results runs functions of a group, of which some fail or start others, and holds that all have
// ended when the join has returned, and that the results are those of what was started.
func (p *player) results() {
	if !p.mayHelp() {
		return
	}
	var begun, ended, bad atomic.Int64
	limit := p.rng.IntN(4)
	var most atomic.Int64
	r := runtime.NewResults[uint64](p.cx.Context(), p.r.house.rt)
	if limit > 0 {
		r.SetLimit(limit)
	}
	seed := p.rng.Uint64()
	one := func(seed uint64) func(cx runtime.Cx) (uint64, error) {
		return func(cx runtime.Cx) (uint64, error) {
			if now := most.Add(1); limit > 0 && now > int64(limit) {
				p.w.fail("task %d: %d functions of a group with the limit %d", p.r.id, now, limit)
			}
			defer most.Add(-1)
			begun.Add(1)
			defer ended.Add(1)
			c := p.helper(cx, seed)
			c.steps(c.rng.IntN(3))
			if c.rng.IntN(12) == 0 {
				bad.Add(1)
				return 0, errOfChild
			}
			return seed, nil
		}
	}
	var want []uint64
	var refused error
	for i := range seed % 5 {
		if p.rng.IntN(3) == 0 {
			if r.TryGo(one(seed + i)) {
				want = append(want, seed+i)
			}
		} else if err := r.Spawn(p.cx, one(seed+i)); err == nil {
			want = append(want, seed+i)
		} else {
			refused = err
		}
	}
	if seed%16 == 0 {
		r.Cancel()
	}
	got, err := r.Join(p.cx)
	switch {
	case begun.Load() != ended.Load():
		p.w.fail("task %d: %d functions of a group began, %d have ended after it", p.r.id,
			begun.Load(), ended.Load())
	case err == nil && (bad.Load() > 0 || seed%16 == 0 || !slices.Equal(got, want)),
		err != nil && got != nil, errors.Is(err, errOfChild) && bad.Load() == 0:
		p.w.fail("task %d: a group has ended with %v, %v in place of %v; %d failed, one refused: %v",
			p.r.id, got, err, want, bad.Load(), refused)
	}
}

// A choice is what a Select may take. What has taken it calls taken.
type choice struct {
	of    runtime.Case
	taken func(cx runtime.Cx, err error)
}

// choices returns some, of which one can be taken some time.
func (p *player) choices() []choice {
	t := &p.w.anywhere(p.rng).tools
	v, n := 1+p.rng.IntN(9), 1+p.rng.IntN(permits)
	received := 0
	start, pause := time.Now(), time.Duration(p.rng.IntN(300))*time.Microsecond
	all := []choice{
		{t.pipe.SendCase(v), func(_ runtime.Cx, err error) { t.sent(v, err) }},
		{t.pipe.ReceiveCase(&received), func(_ runtime.Cx, err error) {
			t.received(p.w)(received, err)
		}},
		{t.permits.AcquireCase(n), func(cx runtime.Cx, _ error) {
			defer t.permits.ReleaseFrom(cx, n)
			t.hold(p.w, int64(n))
			defer t.letGo(int64(n))
			cx.Yield()
		}},
		{t.bell.WaitCase(), func(cx runtime.Cx, _ error) { t.bell.SignalFrom(cx) }},
		{runtime.AfterCase(pause), func(runtime.Cx, error) {
			if time.Since(start) < pause {
				p.w.fail("task %d: a timer of %v came early", p.r.id, pause)
			}
		}},
	}
	ctx, cancel := context.WithTimeout(context.Background(), pause)
	context.AfterFunc(ctx, cancel)
	all = append(all, choice{runtime.DoneCase(ctx), func(runtime.Cx, error) {
		if ctx.Err() == nil {
			p.w.fail("task %d: the end of a context was taken before it", p.r.id)
		}
	}})
	if other := p.r.house.any(p.rng); other != nil && other.rank > p.r.rank {
		all = append(all, choice{other.handle.EndCase(), func(runtime.Cx, error) {
			if _, _, ended := other.handle.TryJoin(); !ended {
				p.w.fail("task %d: the end of %d was taken before it", p.r.id, other.id)
			}
		}})
	}
	all = append(all, p.further()...)
	p.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:1+p.rng.IntN(len(all))]
	if p.rng.IntN(3) == 0 {
		all = append(all, choice{nil, func(runtime.Cx, error) {
			p.w.fail("task %d: a nil case was taken", p.r.id)
		}})
	}
	return all
}

// further returns choices among what belongs to the runtime of the task.
func (p *player) further() []choice {
	var all []choice
	for _, c := range p.r.house.tools.pipes.cases() {
		all = append(all, choice{c, func(runtime.Cx, error) {}})
	}
	if p.shields == 0 && p.rng.IntN(4) == 0 { // the sender has no shield, and may end
		o, v := new(runtime.Oneshot[int]), 0
		runtime.Spawn(p.cx, func(cx runtime.Cx) (int, error) {
			cx.Yield()
			return 0, o.SendFrom(cx, 7)
		}).Detach()
		all = append(all, choice{o.ReceiveCase(&v), func(_ runtime.Cx, err error) {
			if err == nil && v != 7 {
				p.w.fail("task %d: 7 was sent, a Select has received %d", p.r.id, v)
			}
		}})
	}
	return all
}

func casesOf(all []choice) []runtime.Case {
	cases := make([]runtime.Case, len(all))
	for i, c := range all {
		cases[i] = c.of
	}
	return cases
}

// choose waits for the first of several.
func (p *player) choose() {
	all := p.choices()
	if p.rng.IntN(4) == 0 {
		i, err := runtime.TrySelect(casesOf(all)...)
		if i >= 0 {
			all[i].taken(p.cx, err)
		} else if err != runtime.ErrWouldWait {
			p.w.fail("task %d: TrySelect returned %v", p.r.id, err)
		}
		return
	}
	i, err := runtime.Select(p.cx, casesOf(all)...)
	if i >= 0 {
		all[i].taken(p.cx, err)
	} else if !p.fail(err, "Select") {
		p.w.fail("task %d: Select took nothing", p.r.id)
	}
}

// A groupWork is a group of functions of which some fail or start others.
type groupWork struct {
	p                 *player
	g                 *runtime.Group
	begun, ended, bad atomic.Int64
	inside            atomic.Int64
	limit             int64
}

// one returns a function of the group, which starts others from the depth 1 on.
func (g *groupWork) one(seed uint64, depth int) func(cx runtime.Cx) error {
	return func(cx runtime.Cx) error {
		g.begun.Add(1)
		defer g.ended.Add(1)
		if now := g.inside.Add(1); g.limit > 0 && now > g.limit {
			g.p.w.fail("task %d: %d functions of a group with the limit %d", g.p.r.id, now, g.limit)
		}
		defer g.inside.Add(-1)
		c := g.p.helper(cx, seed)
		c.steps(c.rng.IntN(3))
		for range c.rng.IntN(1 + depth) {
			if err := g.g.Spawn(cx, g.one(c.rng.Uint64(), depth-1)); err != nil {
				return err
			}
		}
		if c.rng.IntN(12) == 0 {
			g.bad.Add(1)
			return errOfChild
		}
		return nil
	}
}

// group runs functions of a group that start others, and holds that all have ended after its join,
// also if that is cancelled.
func (p *player) group() {
	if !p.mayHelp() {
		return
	}
	g := &groupWork{p: p, g: runtime.NewGroup(p.cx.Context(), p.cx.Runtime())}
	if g.limit = p.rng.Int64N(4); g.limit > 0 {
		g.g.SetLimit(int(g.limit))
	}
	for range p.rng.IntN(4) {
		_ = g.g.Spawn(p.cx, g.one(p.rng.Uint64(), 2)) // Join returns the error
	}
	cancels := p.rng.IntN(16) == 0
	if cancels {
		g.g.Cancel()
	}
	g.check(g.g.Join(p.cx), cancels, p.r.id)
}

// group is that of a player, from outside.
func (o *outsider) group(h *house) {
	r := o.w.newRecord(h, 0, true)
	r.cancelled.Store(true)
	g := &groupWork{g: runtime.NewGroup(context.Background(), h.rt)}
	g.p = &player{w: o.w, r: r, rng: rand.New(rand.NewPCG(o.w.seed, o.rng.Uint64()))}
	if g.limit = o.rng.Int64N(4); g.limit > 0 {
		g.g.SetLimit(int(g.limit))
	}
	for range 1 + o.rng.IntN(4) {
		if o.rng.IntN(3) == 0 {
			g.g.TryGo(g.one(o.rng.Uint64(), 2))
		} else {
			g.g.Go(g.one(o.rng.Uint64(), 2))
		}
	}
	g.check(g.g.Wait(), false, r.id)
}

// procedure is a task without a result.
func (o *outsider) procedure(h *house) {
	ran := false
	_, err := h.rt.Go(func(cx runtime.Cx) {
		cx.Yield()
		ran = true
	}).Wait(context.Background())
	refused := errors.Is(err, runtime.ErrClosed) && (h.closed.Load() || h.drained.Load())
	if ran != (err == nil) || err != nil && !refused {
		o.w.fail("Runtime.Go: ran: %v, %v", ran, err)
	}
}

// results is that of a player, from outside.
func (o *outsider) results(h *house) {
	r := runtime.NewResults[int](context.Background(), h.rt)
	r.SetLimit(1 + o.rng.IntN(3))
	n, bad := o.rng.IntN(6), o.rng.IntN(12)
	for i := range n {
		r.Go(func(cx runtime.Cx) (int, error) {
			if cx.Yield(); i == bad {
				return 0, errOfChild
			}
			return i, nil
		})
	}
	got, err := r.Wait()
	switch {
	case err == nil && bad >= n && slices.Equal(got, upTo(0, n)):
	case err == errOfChild && bad < n && got == nil:
	case errors.Is(err, runtime.ErrClosed) && (h.closed.Load() || h.drained.Load()) && got == nil:
	default:
		o.w.fail("%d results, the bad one is %d: %v, %v", n, bad, got, err)
	}
}

// oneshot receives what a task sends, which may be refused, and learns of it.
func (o *outsider) oneshot(h *house) {
	var one runtime.Oneshot[int]
	sender := runtime.Submit(h.rt, func(cx runtime.Cx) (int, error) {
		if cx.Yield(); cx.Err() != nil {
			return 0, cx.Err()
		}
		return 0, one.Send(7)
	})
	go func() { // if it was refused, or had to end
		if _, err := sender.Wait(context.Background()); err != nil {
			one.Close()
		}
	}()
	v, err := one.ReceiveContext(context.Background())
	refused := err == runtime.ErrChannelClosed && (h.closed.Load() || h.drained.Load())
	if err == nil && v != 7 || err != nil && !refused {
		o.w.fail("a goroutine has received %d, %v in place of 7", v, err)
	}
	if v, err := one.TryReceive(); v != 0 || err != runtime.ErrChannelClosed {
		o.w.fail("a goroutine has received a second time: %d, %v", v, err)
	}
}

// check holds what is so when a group has ended with err.
func (g *groupWork) check(err error, cancelled bool, id int) {
	if begun, ended := g.begun.Load(), g.ended.Load(); begun != ended {
		g.p.w.fail("task %d: %d functions of a group began, %d have ended after it", id, begun,
			ended)
	}
	if bad := g.bad.Load(); err == nil && (bad > 0 || cancelled) ||
		errors.Is(err, errOfChild) && bad == 0 {
		g.p.w.fail("task %d: a group has ended with %v; %d failed, cancelled: %v", id, err, bad,
			cancelled)
	}
}
