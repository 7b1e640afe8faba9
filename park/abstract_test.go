package park

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// The checks run the package's code over sleepers that can do all that a sleeper may do, and no
// less: they time out and return spuriously when the checker chooses so, as long as their budget
// lasts.

// A budget is how often a sleeper may give up in one execution.
type budget struct {
	timeouts int // the time is over
	nothings int // spuriously, after half of the time: a signal, a spurious wake
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

// A queue is a futex with room for one. Being found by a wake comes first, comparing second: so
// whoever changes the word after the comparison finds the sleeper, as with the kernel, which does
// both under one lock.
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

func (q *queue) receiveWake() {}

func (q *queue) wake(*word) { q.queued.Store(false) }

// eachSleeper checks a body over every sleeper. What parker returns first may give up as the budget
// says, the others do not.
func eachSleeper(t *testing.T, b budget, body func(x *model.Exec, parker func() *Parker),
	opts ...model.Option) {
	// Every sleep of a queue may end at once: there are no more of them than that.
	early := model.Timeouts(b.timeouts + b.nothings)
	t.Run("queue", func(t *testing.T) {
		limit := model.Assume(fmt.Sprintf("sleeps end early at most %d times by a timeout, "+
			"%d times spuriously", b.timeouts, b.nothings))
		model.Check(t, func(x *model.Exec) {
			b := b
			body(x, func() *Parker {
				p := &Parker{sleeper: &queue{x: x, budget: b}}
				b = budget{}
				return p
			})
		}, append(opts, limit, early)...)
	})
	// The package as it is: down to the system calls, or to the channel and its timer.
	real := func(t *testing.T, k Kind) {
		model.Check(t, func(x *model.Exec) { body(x, func() *Parker { return New(k) }) },
			append(opts, early)...)
	}
	t.Run("channel", func(t *testing.T) { real(t, Portable) })
	if hasFutex {
		t.Run("futex", func(t *testing.T) { real(t, Futex) })
	}
}
