package refine

import (
	"unsafe"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/proofs/spec"
)

// A ParkCrowd is everybody but one goroutine at a Parker: any number of wakers, and the parker, if
// the goroutine is a waker. Before each access of the goroutine it fires their rules, as many as
// there are.
type ParkCrowd struct {
	*Solo
	picked              []bool
	left, others, owing int // places in a state
	word, at            int
	given, taken        int
	forgets             bool
	memory              unsafe.Pointer
}

// NewParkCrowd returns one around the parker, or around a waker.
func NewParkCrowd(waker bool) *ParkCrowd {
	b := Parker(0, []string{"parker", "waker", "others", "owing"})
	// Whether the time is over is found out after the look at the word; in the table, at the look.
	// It is between the two that at is 2 here and may be 6 there, and no rule of others tells these
	// apart.
	b.System = b.System.With(spec.Rule{
		Name: "look_over", Code: "the time is over", When: "at == 2", Do: "at = 6",
	})
	b.Silent = []string{"look_over"}
	me := "parker"
	if waker {
		me = "waker"
	}
	m := NewMachine(b)
	m.Share("word", "word", "word")
	c := &ParkCrowd{Solo: NewSolo(m, me), forgets: waker}
	for i := range c.moves {
		c.picked = append(c.picked, c.moves[i].actor != c.actor && (waker || c.moves[i].actor > 1))
	}
	c.left, c.others, c.owing = c.place("left"), c.place("owed_a2"), c.place("owed_a3")
	c.word, c.at = c.place("word"), c.place("at")
	c.given, c.taken = c.place("given"), c.place("taken")
	c.Others, c.Free = c.act, func([]int) {}
	return c
}

// Begin begins an execution.
func (c *ParkCrowd) Begin(choose func(n int) int, p *park.Parker) {
	c.memory = Field(p, "word")
	c.Machine.Begin(map[string]int{"left": 99}, []Object{{"word", c.memory}},
		func() int { return int(Read32(c.memory)) })
	c.Start(choose)
	c.Keep(unsafe.Pointer(p), unsafe.Sizeof(*p))
	c.Shares(c.memory, 4)
}

// plenty makes of a state what is there without limit: calls of Unpark to come, and wakes that are
// owed by one of the others while another owes none. What a waker does depends on no count of
// tokens, so given is what park/P1 says.
func (c *ParkCrowd) plenty(state []int) {
	state[c.left], state[c.others], state[c.owing] = 99, 0, 99
	if c.forgets {
		state[c.given], state[c.taken] = 0, 0
		if state[c.word] == 1 {
			state[c.given] = 1
		}
	}
}

func (c *ParkCrowd) act(string, explore.Op) {
	left := c.now[c.left]
	c.plenty(c.now)
	all := c.Options(c.picked, c.plenty)
	c.Take(all[c.Choose(len(all))])
	c.now[c.left] = left
	*(*uint32)(c.memory) = uint32(c.now[c.word])
}
