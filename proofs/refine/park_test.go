package refine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/proofs/refine"
)

// The accesses of park, with the futex, to its word, and the kernel's to it, are transitions of the
// table.
func TestParkerIsTheTable(t *testing.T) {
	var all []*refine.Machine
	for _, c := range []struct {
		name            string
		wakers, unparks int // calls of each waker
		parks           []time.Duration
		timeouts        int // timeouts and signals that come early
	}{
		{"one waker", 1, 2, []time.Duration{forever, tick, 0}, 1},
		{"one waker and timeouts", 1, 1, []time.Duration{tick, tick, 0}, 2},
		{"two wakers and a timeout", 2, 1, []time.Duration{tick, tick}, 1},
		{"two wakers who come twice", 2, 2, []time.Duration{forever, tick, 0}, 0},
	} {
		actors := []string{"parker", "waker 1", "waker 2"}[:1+c.wakers]
		m := refine.NewMachine(refine.Parker(0, actors))
		m.Share("word", "word", "word")
		t.Run(c.name, func(t *testing.T) {
			if !park.Futex.Available() {
				t.Skip("there is no futex here")
			}
			model.Check(t, func(x *model.Exec) {
				p := park.New(park.Futex)
				word := refine.Field(p, "word")
				m.Begin(map[string]int{"left": c.wakers * c.unparks},
					[]refine.Object{{Name: "word", Address: word}},
					func() int { return int(refine.Read32(word)) })
				taken := 0
				x.Go(actors[0], func() {
					for _, d := range c.parks {
						if d == forever {
							p.Park()
							taken++
						} else if p.ParkTimeout(d) {
							taken++
						}
					}
				})
				for _, name := range actors[1:] {
					x.Go(name, func() {
						for range c.unparks {
							p.Unpark()
						}
					})
				}
				x.Join()
				x.Assert(m.May(fmt.Sprintf("owed == 0 && left == 0 && taken == %d", taken)),
					"%d tokens were taken, and the table knows of others, or of a wake that was not done", taken)
			}, model.Timeouts(c.timeouts), model.Observe(m.Step))
		})
		all = append(all, m)
	}
	everyRule(t, 19_000, all)
}

const (
	forever time.Duration = -1
	tick                  = time.Microsecond
)
