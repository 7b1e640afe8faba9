package futexes

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/park"
)

// wait waits for what produce makes ready, with a timeout.
func wait(t *testing.T, produce func(p *park.Parker, ready *atomic.Bool), opts ...model.Option) {
	model.Check(t, func(x *model.Exec) {
		p := park.New(park.Futex)
		var ready atomic.Bool
		x.Go("producer", func() { produce(p, &ready) })
		for !ready.Load() {
			p.ParkTimeout(10 * time.Millisecond)
		}
		x.Join()
	}, opts...)
}

func wakesFirst(p *park.Parker, ready *atomic.Bool) {
	p.Unpark()
	ready.Store(true)
}

// The timeout hides that the token comes too early.
//
// verdict: bounded only by the timeout of a futex wait.*model.NoRescue
func TestATimeoutThatRescues(t *testing.T) { wait(t, wakesFirst) }

// verdict: FAILED deadlock
func TestWithoutTheRescue(t *testing.T) { wait(t, wakesFirst, model.NoRescue()) }

// Who sets the timeouts has said that they belong to the program.
//
// verdict: said executions went on only by a timeout
func TestATimeoutThatIsMeant(t *testing.T) { wait(t, wakesFirst, model.Timeouts(0)) }

// verdict: proved without assumptions
func TestATimeoutThatNobodyNeeds(t *testing.T) {
	wait(t, func(p *park.Parker, ready *atomic.Bool) {
		ready.Store(true)
		p.Unpark()
	})
}
