package runtime

import (
	"testing"

	"github.com/surewake/surewake/model"
)

// These checks are of the kind of those in sync_waiter_model_test.go.

// empty holds that nothing is to be done and nobody waits.
func (g *WaitGroup) empty(x *model.Exec) {
	x.Assert(g.word.Load() == 0, "the word is %b at the end", g.word.Load())
	x.Assert(g.line.first == nil, "somebody waits")
}

// Two things are done while one waits, who may give up, and another comes: who waits to the end
// sees both.
func TestWhoWaitsForAGroupSeesAllOfIt(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var g WaitGroup
		var done [2]int
		g.Add(len(done))
		var seats [2]seat
		first := g.queue(&seats[0])
		leaves := leaving(x)
		x.Go("waits", func() {
			if sit(x, first, &g, &seats[0], leaves) {
				x.Assert(done[0]+done[1] == 2, "it has waited for less than both")
			}
		})
		x.Go("comes", func() {
			if w := g.queue(&seats[1]); w != nil {
				sit(x, w, &g, &seats[1], false)
			}
			x.Assert(done[0]+done[1] == 2, "it has waited for less than both")
		})
		for i := range done {
			done[i]++
			g.Done()
		}
		x.Join()
		g.empty(x)
	})
}

// The only one in line gives up while another comes, one more thing is added, and all is done.
func TestAGroupWhoseLineEmpties(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var g WaitGroup
		g.Add(1)
		var first seat
		w := g.queue(&first)
		x.Go("gives up", func() { sit(x, w, &g, &first, true) })
		x.Go("does", func() {
			g.Add(1)
			g.Done()
			g.Done()
		})
		x.Go("waits", func() {
			var me seat
			if w := g.queue(&me); w != nil {
				sit(x, w, &g, &me, false)
			}
		})
		x.Join()
		g.empty(x)
	})
}

// A group is used again at once: a wait for its second use does not end with the first.
func TestAGroupIsUsedAgain(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var g WaitGroup
		second := 0
		g.Add(1)
		var me seat
		first := g.queue(&me)
		x.Go("waits for the first", func() { sit(x, first, &g, &me, false) })
		x.Go("does", func() {
			g.Done()
			g.Add(1)
			x.Go("waits for the second", func() {
				var me seat
				if w := g.queue(&me); w != nil {
					sit(x, w, &g, &me, false)
				}
				x.Assert(second == 1, "it has not waited")
			})
			second = 1
			g.Done()
		})
		x.Join()
		g.empty(x)
	})
}

// A task waits for a goroutine, and is woken when it comes to wait, waits, or its worker sleeps.
func TestTaskWaitsForAGroup(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var g WaitGroup
		g.Add(1)
		value := 0
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			err := g.Wait(cx)
			return value, err
		})
		w.start()
		value = 7
		g.Done()
		v, err := w.await(h)
		x.Assert(v == 7 && err == nil, "the result is %v, %v", v, err)
		g.empty(x)
	})
}
