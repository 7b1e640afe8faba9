package fork

import (
	"fmt"
	"testing"

	"github.com/surewake/surewake/model"
)

// The checks of this file are of the stack alone: an owner, thieves, and frames that count who runs
// them. They run as stress tests in an ordinary go test, and through every interleaving that
// matters under `surewake check`.

// A call is a frame that counts.
type call struct {
	claim Claim[*owner]
	runs  int // plain: whoever runs it must be alone
	value int // written by the owner before the fork, read by whoever runs it
	sum   int // result
}

func (c *call) run(*owner) { c.runs++; c.sum = c.value * c.value }
func (c *call) call() any  { return c.run }
func (c *call) forget()    { c.value, c.sum = 0, 0 }

// An owner has a stack whose first table has one slot and that keeps two forks private.
type owner struct {
	Stack[*owner]
	x       *model.Exec
	exposes int // forks at a time
}

func (o *owner) Exposed()                         {}
func (o *owner) Ended(_ *Claim[*owner], _ *owner) { o.x.Assert(false, "nobody waits") }
func (o *owner) Await(c *Claim[*owner]) {
	for !c.Ended() {
	}
}

func newOwner(x *model.Exec, exposes int) *owner {
	o := &owner{x: x, exposes: exposes}
	o.Init(o)
	o.most = 2
	o.slots = nil
	o.grow(1)
	o.word.Store(hungry)
	return o
}

func (o *owner) fork(value int) *call {
	if o.top >= o.limit {
		o.makeRoom()
	}
	c, ok := find[*call](&o.Stack)
	if !ok {
		c = &call{}
		c.claim.frame = c
		o.place(&c.claim)
	}
	c.value, c.runs, c.sum = value, 0, 0 // used again: whoever had it must be through
	o.top++
	if o.isHungry() {
		o.expose(min(o.exposes, o.top-o.split))
	}
	return c
}

func (o *owner) join(c *call) {
	value := c.value
	if o.Stack.join(&c.claim) {
		c.run(o)
	}
	o.x.Assert(c.runs == 1, "ran %d times", c.runs)
	o.x.Assert(c.sum == value*value, "%d squared is %d", value, c.sum)
}

// steal tries to claim n times; the last time without asking for more.
func (o *owner) steal(n int) {
	for i := range n {
		if c := o.Claim(i < n-1); c != nil {
			c.frame.run(nil)
			c.state.Store(ended)
		}
	}
}

// invariant is what holds after each step, whoever takes it.
func (o *owner) invariant() error {
	word := o.word.Load()
	tail, split := unpack(word)
	switch {
	case word&hungry != 0 && tail != split:
		return fmt.Errorf("hungry, and forks %d to %d are public", tail, split)
	case tail > split:
		return fmt.Errorf("%d claimed of %d made public", tail, split)
	case tail < split && split > o.top+1: // a join leaves the word after top
		return fmt.Errorf("%d forks, of which %d are public", o.top, split)
	case o.top-max(o.split, tail) > o.most+1: // a fork exposes at once
		return fmt.Errorf("%d forks are private", o.top-o.split)
	}
	return nil
}

func checkStack(t *testing.T, thieves, tries int, body func(o *owner), opts ...model.Option) {
	for exposes, name := range map[int]string{1: "one_at_a_time", 2: "two_at_a_time"} {
		t.Run(name, func(t *testing.T) {
			var now *owner
			opts := append(opts, model.Observe(func(*model.Step) error { return now.invariant() }))
			model.Check(t, func(x *model.Exec) {
				o := newOwner(x, exposes)
				now = o
				for range thieves {
					x.Go("thief", func() { o.steal(tries) })
				}
				body(o)
				x.Join()
				tail, split := unpack(o.word.Load())
				x.Assert(o.top == 0 && o.split == 0 && tail == split,
					"%d forks, split at %d, word %d to %d", o.top, o.split, tail, split)
			}, opts...)
		})
	}
}

func one(o *owner) { o.join(o.fork(3)) }

func two(o *owner) {
	a := o.fork(2)
	o.join(o.fork(3))
	o.join(a)
}

func threeForks(o *owner) {
	a := o.fork(2)
	b := o.fork(3)
	o.join(o.fork(4))
	o.join(b)
	o.join(a)
}

// again uses frames again at both depths, while a thief may still hold what it has seen before.
func again(o *owner) {
	a := o.fork(2)
	o.join(o.fork(3))
	o.join(o.fork(4))
	o.join(a)
	o.join(o.fork(5))
}

// four makes forks public by their number alone.
func four(o *owner) {
	o.word.Store(0)
	a := o.fork(2)
	b := o.fork(3)
	c := o.fork(4)
	o.join(o.fork(5))
	o.join(c)
	o.join(b)
	o.join(a)
}

func TestOneThiefOneFork(t *testing.T)     { checkStack(t, 1, 2, one) }
func TestOneThiefTwoForks(t *testing.T)    { checkStack(t, 1, 3, two) }
func TestOneThiefThreeForks(t *testing.T)  { checkStack(t, 1, 4, threeForks) }
func TestOneThiefFourForks(t *testing.T)   { checkStack(t, 1, 4, four) }
func TestOneThiefFramesAgain(t *testing.T) { checkStack(t, 1, 4, again) }
func TestTwoThievesOneFork(t *testing.T)   { checkStack(t, 2, 2, one) }
func TestTwoThievesTwoForks(t *testing.T)  { checkStack(t, 2, 2, two) }
