package runtime_test

import (
	"math/rand/v2"
	"time"

	"github.com/surewake/surewake/runtime"
)

// A machine is a future: it is polled some times, and makes sure each time that it is woken.
type machine struct {
	w       *world
	r       *record
	rng     *rand.Rand
	left    int // polls that find it not ready
	polls   int
	dropped bool

	nap   runtime.Nap
	pause time.Duration // of the nap; 0 if there is none
	began time.Time

	next    runtime.Pending
	choices []choice // of next; nil if it does not wait
	cases   []runtime.Case
}

// spawnFuture starts r as a future, which may be part of its task.
func (w *world) spawnFuture(cx runtime.Cx, r *record, rng *rand.Rand) {
	r.future = true
	if rng.Uint64()%2 == 0 {
		r.handle = runtime.SpawnFuture[int](cx, &machine{w: w, r: r, rng: rng})
	} else {
		r.handle = runtime.SpawnFutureValue[int](cx, machine{w: w, r: r, rng: rng})
	}
}

// submitFuture is spawnFuture from outside.
func (w *world) submitFuture(r *record, rng *rand.Rand) {
	r.future = true
	if rng.Uint64()%2 == 0 {
		r.handle = runtime.SubmitFuture[int](r.house.rt, &machine{w: w, r: r, rng: rng})
	} else {
		r.handle = runtime.SubmitFutureValue[int](r.house.rt, machine{w: w, r: r, rng: rng})
	}
}

// Poll implements runtime.Future.
func (m *machine) Poll(cx runtime.Cx) (int, error, bool) {
	if m.r.outcome == none {
		m.r.begin()
		m.left = m.rng.IntN(5)
	}
	m.polls++
	if m.r.polls++; m.polls != m.r.polls {
		m.w.fail("future %d: of %d polls, it remembers %d", m.r.id, m.r.polls, m.polls)
	}
	if m.dropped || m.r.outcome != running {
		m.w.fail("future %d: polled after its end", m.r.id)
	}
	if m.waits(cx) {
		return 0, nil, false
	}
	if m.rng.IntN(4) == 0 {
		(&player{w: m.w, r: m.r, cx: cx, rng: m.rng}).steps(1)
	}
	if m.left--; m.left < 0 {
		value, err := m.w.outcomeOf(m.r, m.rng)
		return value, err, true
	}
	switch waker := cx.Waker(); m.rng.IntN(8) {
	case 0:
		waker.Wake()
	case 1:
		waker.WakeFrom(cx)
		waker.Wake()
	case 2:
		time.AfterFunc(time.Duration(m.rng.IntN(300))*time.Microsecond, waker.Wake)
	case 3:
		runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
			cx.Yield()
			waker.WakeFrom(cx)
			return 0, nil
		}).
			Detach()
	case 4:
		child := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) { cx.Yield(); return 0, nil })
		if !child.WakeOnEnd(waker) {
			waker.Wake()
		}
	case 5:
		m.w.bells.leave(waker)
	case 6:
		m.pause, m.began = time.Duration(1+m.rng.IntN(500))*time.Microsecond, time.Now()
		if m.waits(cx) {
			return 0, nil, false
		}
		waker.Wake()
	case 7:
		m.choices = (&player{w: m.w, r: m.r, cx: cx, rng: m.rng}).choices()
		m.cases = casesOf(m.choices)
		if m.waits(cx) {
			return 0, nil, false
		}
		waker.Wake()
	}
	return 0, nil, false
}

// waits reports whether the nap is not over, or nothing has been chosen.
func (m *machine) waits(cx runtime.Cx) bool {
	if m.pause > 0 {
		if !m.nap.Over(cx, m.pause) {
			return true
		}
		if d := time.Since(m.began); d < m.pause {
			m.w.fail("future %d: a nap of %v took %v", m.r.id, m.pause, d)
		}
		m.pause = 0
	}
	if m.choices == nil {
		return false
	}
	if m.polls%4 == 0 && m.next.Stop(cx) {
		m.choices = nil
		return false
	}
	i, err, ready := m.next.Poll(cx, m.cases...)
	if !ready {
		return true
	}
	taken := m.choices
	m.choices = nil
	if i >= 0 {
		taken[i].taken(cx, err)
	} else {
		(&player{w: m.w, r: m.r, cx: cx}).fail(err, "Pending.Poll")
	}
	return false
}

// Drop implements runtime.Dropper.
func (m *machine) Drop() {
	if m.dropped || m.r.outcome > running || !m.r.mayNotRun() {
		m.w.fail("future %d: dropped; before that: %v, outcome %d, may be dropped: %v", m.r.id,
			m.dropped, m.r.outcome, m.r.mayNotRun())
	}
	m.dropped = true
}
