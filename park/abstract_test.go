package park

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// The checks run the package's code over sleepers that can do all that a sleeper may do, and no less: they time out and
// return for no reason when the checker chooses so, as long as their budget lasts.

// A budget is how often a sleeper may give up in one execution.
type budget struct {
	timeouts int // the time is over
	nothings int // for no reason, after half of the time: a signal, a spurious wake
}

// spend decides how a sleep of at most d ends: it returns false if by a wake only.
func (b *budget) spend(x *model.Exec, d time.Duration) bool {
	ways := []func(){nil}
	if d >= 0 && b.timeouts > 0 {
		ways = append(ways, func() { b.timeouts--; time.Sleep(d) })
	}
	if b.nothings > 0 {
		ways = append(ways, func() { b.nothings--; time.Sleep(d / 2) })
	}
	if len(ways) == 1 {
		return false
	}
	i := x.Choose(len(ways))
	if i > 0 {
		ways[i]()
	}
	return i > 0
}

// A queue is a futex with room for one. Being found by a wake comes first, comparing second: so whoever changes the word
// after the comparison finds the sleeper, as with the kernel, which does both under one lock.
type queue struct {
	x *model.Exec
	budget
	queued atomic.Bool
}

func (q *queue) sleep(word *word, d time.Duration) bool {
	q.queued.Store(true)
	if word.Load() == asleep && !q.spend(q.x, d) {
		for q.queued.Load() {
			runtime.Gosched()
		}
	}
	q.queued.Store(false)
	return false
}

func (q *queue) settle() {}

func (q *queue) wake(*word) { q.queued.Store(false) }

// A mailbox is a channel with room for one.
type mailbox struct {
	x *model.Exec
	budget
	full atomic.Bool
}

func (m *mailbox) sleep(_ *word, d time.Duration) bool {
	if m.spend(m.x, d) {
		return false
	}
	m.settle()
	return true
}

func (m *mailbox) settle() {
	for !m.full.Load() {
		runtime.Gosched()
	}
	m.full.Store(false)
}

func (m *mailbox) wake(*word) {
	m.x.Assert(!m.full.Swap(true), "a waker would wait for the parker: the wake before was not received")
}

// eachSleeper checks a body over every sleeper. What parker returns first may give up as the budget says, the others do not.
func eachSleeper(t *testing.T, b budget, body func(x *model.Exec, parker func() *Parker), opts ...model.Option) {
	limit := model.Assume(fmt.Sprintf("sleeps end early at most %d times by a timeout, %d times for no reason", b.timeouts, b.nothings))
	check := func(t *testing.T, sleeper func(x *model.Exec, b budget) sleeper) {
		model.Check(t, func(x *model.Exec) {
			b := b
			body(x, func() *Parker {
				p := &Parker{sleeper: sleeper(x, b)}
				b = budget{}
				return p
			})
		}, append(opts, limit)...)
	}
	t.Run("queue", func(t *testing.T) {
		check(t, func(x *model.Exec, b budget) sleeper { return &queue{x: x, budget: b} })
	})
	t.Run("mailbox", func(t *testing.T) {
		check(t, func(x *model.Exec, b budget) sleeper { return &mailbox{x: x, budget: b} })
	})
	if hasFutex { // the package as it is, down to its system calls
		t.Run("futex", func(t *testing.T) {
			limit = model.Timeouts(b.timeouts + b.nothings)
			check(t, func(*model.Exec, budget) sleeper { return nil })
		})
	}
}
