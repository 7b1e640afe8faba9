package runtime_test

import (
	"errors"
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
	if other := p.r.house.any(p.rng); other != nil && other.rank > p.r.rank {
		all = append(all, choice{other.handle.EndCase(), func(runtime.Cx, error) {
			if _, _, ended := other.handle.TryJoin(); !ended {
				p.w.fail("task %d: the end of %d was taken before it", p.r.id, other.id)
			}
		}})
	}
	p.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:1+p.rng.IntN(len(all))]
	if p.rng.IntN(3) == 0 {
		all = append(all, choice{nil, func(runtime.Cx, error) {
			p.w.fail("task %d: a nil case was taken", p.r.id)
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
