package runtime

import (
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// Two ask at the same time, or one a little later, for the only token: one gets it.
func TestATokenIsTakenOnce(t *testing.T) {
	for name, later := range map[string]int64{"at once": 0, "a little later": 99} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				l := &Limiter{interval: 100}
				var taken atomic.Int32
				for _, now := range []int64{1000, 1000 + later} {
					x.Go("takes", func() {
						if l.take(now) == 0 {
							taken.Add(1)
						}
					})
				}
				x.Join()
				x.Assert(taken.Load() == 1, "%d have taken it", taken.Load())
				x.Assert(l.take(1100+later) == 0, "the next one does not come")
			})
		})
	}
}

// A token is for those who wait: the first of them may just have been woken.
func TestATokenIsForWhoWaits(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		l := NewLimiter(1, 1)
		x.Assert(l.turn.TryLock(), "somebody waits")
		x.Assert(!l.Allow(), "who does not wait has taken it")
		l.turn.Unlock()
		x.Assert(l.Allow(), "there is none")
	})
}
