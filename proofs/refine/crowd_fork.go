package refine

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/proofs/spec"
)

// The goroutine is the owner of a stack of forks, or a thief who looks at one. The table is that of
// fork, with a few variables more, for which no rule of the table asks: see forkSystem.
//
// # What others do
//
// Before each access the rules of others are fired, in any number. Around the owner these are
// claim, ask and end: from a state they lead to few, as nothing becomes public but by the owner.
// All of these are tried. Around a thief these are the owner's, too, up to a depth. Of the states
// in which a load returns the same, one is left out if others lead to it from another one: the load
// changes nothing for others, and they do the rest before the thief's next access. A
// compare-and-swap that fails is such a load. Swaps that succeed are tried in all states.
//
// # What the owner does without an access
//
// The table's top and split are plain memory of the owner. Before each access, and at the end of a
// call, rules of the owner without an access are fired until top and split are in the table what
// they are in memory; if none lead there, the code has done what the table does not know. Which
// rules it may be says the call: op and goal are set by who makes it.
//
// # Which positions
//
// All depths up to deepest are tried, each with any part of it claimed, public and private. The
// rules compare positions with one another and with at, and top with 0; the code compares the two
// halves of the word with one another and with top and split. So forks beneath the oldest that is
// not claimed make no difference, unless a half of the word were cut off: for that, positions also
// begin at a base so high that they come over 2^16. How many may be private is a number that the
// code halves and adds; 2, of which a half is 1, and 4 are tried. Around a thief one, two and three
// can be public, and a word can come back after others have joined what it said and forked again.
//
// One depth is followed, as in the table. The state of a fork at another depth, which the table
// does not know, is ended or not before each access.

// A ForkCrowd is everybody but one goroutine at a stack of forks: any number of thieves, and the
// owner, if the goroutine is a thief.
type ForkCrowd struct {
	*Solo
	// Swap is called when others have come, before an access to an object. They may do then what
	// the table does not speak of.
	Swap func(object string)

	thief  bool
	places map[string]int
	stack  ForkMemory
	ghosts []int // places of what no rule asks for, as far as others change it
	ids    map[string]int
	states [][]int
	next   [][]int         // by state: those to which one rule leads
	reach  map[int][]int   // by state: those to which others lead, itself first
	has    map[[2]int]bool // whether the one is in reach of the other
	alike  map[string]int
	picked []bool
}

// ForkMemory is a stack in memory. State is that of the fork at the depth that is followed, Others
// are those of the rest. Positions of the table are less by Base.
type ForkMemory struct {
	Word, Top, Split, Table, State unsafe.Pointer
	Others                         []unsafe.Pointer
	Base                           int
}

// Calls of the owner, for the variable op.
const (
	ForkFast = 1 + iota // there is room, and a frame of the function
	ForkSlow
	Join
	JoinSlow // there are younger forks, or joins are checked
	Abandon
	Poll
	Share
)

// calls says in which calls the owner does a rule that begins one, or ends a fork. A join at depth
// goal first drops what is younger.
var calls = func() map[string]string {
	join := fmt.Sprintf("(op == %d || op == %d) && top == goal + 1", Join, JoinSlow)
	drop := fmt.Sprintf("(op == %d || op == %d && top > goal + 1) && top > goal", Abandon, JoinSlow)
	is := func(op int) string { return fmt.Sprint("op == ", op) }
	return map[string]string{
		"fork_fast": is(ForkFast), "fork_asked": is(ForkFast), "fork_slow": is(ForkSlow),
		"join_fast": is(Join), "join_slow": join, "join_taken": join, "join_claimed": join,
		"drop": drop, "drop_taken": drop, "drop_claimed": drop,
		"poll": is(Poll), "share": is(Share),
		"take": fmt.Sprintf("op >= %d && op <= %d && top > goal", Join, Abandon),
		"wait": fmt.Sprintf("op >= %d && op <= %d && top > goal", Join, Abandon),
	}
}()

// forkSystem is the table of fork, with variables for which its rules do not ask. mine says who has
// claimed the fork that is followed, and has not ended it; got is the position of one's last claim,
// wish whether it has asked for more, 2 if something is left, and claims how many there were. op
// and goal are the owner's call; how is 1 if its last join made the call, 2 if a thief had; told is
// how often something has become public in it.
func forkSystem() *spec.System {
	table := spec.Fork()
	s := &spec.System{Name: table.Name, Params: table.Params,
		Vars: append(slices.Clone(table.Vars),
			"mine", "got", "wish", "claims", "op", "goal", "how", "told")}
	also := map[string]string{
		"claim": "mine = either(tail == at, 1, mine); got = tail; " +
			"wish = either(tail + 1 == pub, n, 2); claims++",
		"end":       "mine = 0",
		"join_fast": "how = 1", "join_slow": "how = 1", "join_taken": "how = 1",
		"join_claimed": "how = 2",
		"expose_store": "told++", "expose_swap": "told++",
	}
	code := map[string]string{ // one fork may be fast and another one not, at the same load
		"fork_fast": "Fork: word.Load", "join_fast": "Mine: word.Load",
		"ask":        "Claim, Ask: word.CompareAndSwap",
		"poll_quiet": "Poll: word.Load", "poll_nothing": "Poll: word.Load",
		"poll_feed": "Poll: word.Load",
	}
	for _, r := range table.Rules {
		if more, ok := also[r.Name]; ok {
			r.Do += "; " + more
		}
		if other, ok := code[r.Name]; ok {
			r.Code = other
		}
		if r.Name == "end" {
			r.When = spec.And(r.When, "mine == 1")
		}
		s.Rules = append(s.Rules, r)
	}
	// A fork that would be fast is slow if a thief has asked; that load is its begin.
	slow := *s.Rule("fork_slow")
	slow.Name, slow.Code = "fork_asked", code["fork_fast"]
	slow.When = spec.And(slow.When, "hungry == 1")
	return s.With(slow)
}

// thiefRules are those that a thief does.
var thiefRules = map[string]bool{"claim": true, "ask": true, "end": true}

// forkBinding says who does which rule: the first actor is the goroutine.
func forkBinding(thief bool, deepest int) Binding {
	b := Binding{System: forkSystem(), Actors: []string{"me", "others"}, Package: "fork",
		Params: deepest + 1, Copies: map[string][]string{},
		Silent: []string{"fork_slow", "room", "push", "join_slow", "join_taken", "drop_taken",
			"drop", "join_claimed", "drop_claimed", "poll", "share"}}
	for _, v := range []string{"mine", "got", "wish", "claims"} {
		b.Copies[v] = []string{v + "_a0", v + "_a1"}
	}
	b.Instances = func(r *spec.Rule, a int) []Instance {
		i := Instance{Bind: map[string]string{}}
		for v, all := range b.Copies {
			i.Bind[v] = all[a]
		}
		switch {
		case thiefRules[r.Name]:
			if a == 0 && !thief {
				return nil
			}
		case (a == 0) == thief:
			return nil
		case a == 0:
			i.When = calls[r.Name]
		case r.Name == "fork_fast" || r.Name == "push":
			i.When = fmt.Sprint("top < ", deepest)
		}
		return []Instance{i}
	}
	return b
}

// NewForkCrowd returns one around the owner of a stack, or around a thief, named "me". It panics if
// a rule asks for what it should not.
func NewForkCrowd(thief bool, deepest int) *ForkCrowd {
	m := NewMachine(forkBinding(thief, deepest))
	for _, v := range []string{"tail", "pub", "hungry"} {
		m.Share("word", v, v)
	}
	c := &ForkCrowd{Solo: NewSolo(m, "me"), thief: thief, places: m.vars, ids: map[string]int{},
		reach: map[int][]int{}, has: map[[2]int]bool{}, alike: map[string]int{}}
	ghosts := []string{"runs", "got_a1", "wish_a1", "claims_a1"}
	if thief {
		m.Share("state", "ended", "mine == 0 && fate == 2 && done == 1")
		ghosts = append(ghosts, "due", "fed", "how", "told")
	}
	for i := range c.moves {
		c.picked = append(c.picked, c.moves[i].actor != c.actor)
	}
	for _, ghost := range ghosts {
		c.ghosts = append(c.ghosts, c.place(ghost))
		for i := range c.moves {
			if spec.Mentions(c.moves[i].text, ghost) {
				panic("refine: rule " + c.moves[i].rule.Name + " asks for " + ghost)
			}
		}
	}
	c.Others, c.Vain = c.act, true
	c.Free = func(state []int) {
		if c.thief {
			c.forgetGhosts(state)
			copy(state, c.states[c.one(c.id(state))])
		}
	}
	// The tail may look like the upper half of an address. No heap is that low or high.
	c.Number = func(v uintptr) bool { return uint64(v)>>32 < 16 || uint64(v)>>32 >= 1<<15 }
	return c
}

func (c *ForkCrowd) forgetGhosts(state []int) {
	for _, place := range c.ghosts {
		state[place] = 0
	}
}

func (c *ForkCrowd) id(state []int) int {
	k := string(encode(state))
	id, ok := c.ids[k]
	if !ok {
		id = len(c.states)
		c.ids[k] = id
		c.states, c.next = append(c.states, slices.Clone(state)), append(c.next, nil)
	}
	return id
}

// steps returns the states to which one rule of others leads.
func (c *ForkCrowd) steps(id int) []int {
	if c.next[id] == nil {
		all := []int{}
		for i := range c.moves {
			if c.picked[i] {
				c.fire(&c.moves[i], c.states[id], func(after []int) {
					after = slices.Clone(after[:len(c.names)])
					c.forgetGhosts(after)
					if to := c.id(after); !slices.Contains(all, to) {
						all = append(all, to)
					}
				})
			}
		}
		c.next[id] = all
	}
	return c.next[id]
}

// leads returns the states to which others lead.
func (c *ForkCrowd) leads(id int) []int {
	all, ok := c.reach[id]
	if !ok {
		all = []int{id}
		c.has[[2]int{id, id}] = true
		for i := 0; i < len(all); i++ {
			for _, to := range c.steps(all[i]) {
				if !c.has[[2]int{id, to}] {
					c.has[[2]int{id, to}] = true
					all = append(all, to)
				}
			}
		}
		c.reach[id] = all
	}
	return all
}

// one returns the same state for all from which others lead to the same.
func (c *ForkCrowd) one(id int) int {
	all := slices.Clone(c.leads(id))
	slices.Sort(all)
	to := string(encode(all))
	if _, ok := c.alike[to]; !ok {
		c.alike[to] = id
	}
	return c.alike[to]
}

// begin is a state in which there is no fork.
func (c *ForkCrowd) begin(most, at int) []int {
	state := make([]int, len(c.names))
	state[c.place("most")], state[c.place("at")] = most, at
	return state
}

// Starts returns the states between two calls of the owner that others lead to: with a crowd around
// a thief, all that there are.
func (c *ForkCrowd) Starts(most, at int) (all []map[string]int) {
	seen := map[string]bool{}
	for _, id := range c.leads(c.id(c.begin(most, at))) {
		state := slices.Clone(c.states[id])
		state[c.place("back")] = 0 // each call sets it before it asks for it
		if k := string(encode(state)); state[c.place("pc")] == 0 && !seen[k] {
			seen[k] = true
			named := map[string]int{}
			for i, n := range state {
				named[c.names[i]] = n
			}
			all = append(all, named)
		}
	}
	return all
}

// Begin begins an execution in a state of the table.
func (c *ForkCrowd) Begin(choose func(n int) int, stack ForkMemory, state map[string]int) {
	c.stack = stack
	objects := []Object{{"word", stack.Word}, {"table", stack.Table}, {"state", stack.State}}
	for _, p := range stack.Others {
		objects = append(objects, Object{"other", p})
	}
	position := func(half uint64) int { return int(uint32(half)) - stack.Base }
	read := []func() int{
		func() int { return position(Read64(stack.Word) &^ (1 << 63) >> 32) },
		func() int { return position(Read64(stack.Word)) },
		func() int { return int(Read64(stack.Word) >> 63) }}
	if c.thief {
		read = append(read, func() int { return flag(Read32(c.stack.State) == forkEnded) })
	}
	c.Take(c.begin(0, 0))
	for name, n := range state {
		c.Set(name, n)
	}
	c.write()
	c.Machine.Begin(state, objects, read...)
	c.Start(choose)
}

func flag(is bool) int {
	if is {
		return 1
	}
	return 0
}

// forkEnded is the state of a fork that a thief has run.
const forkEnded = 2

func (c *ForkCrowd) bits(state []int) uint64 {
	at := func(v string) uint64 { return uint64(state[c.places[v]]) }
	base := uint64(c.stack.Base)
	return at("hungry")<<63 | (at("tail")+base)<<32 | (at("pub") + base)
}

// write makes the memory what the table says.
func (c *ForkCrowd) write() {
	*(*uint64)(c.stack.Word) = c.bits(c.now)
	switch ended := c.Get("fate") == 2 && c.Get("done") == 1; {
	case ended:
		*(*uint32)(c.stack.State) = forkEnded
	case c.thief && Read32(c.stack.State) == forkEnded:
		*(*uint32)(c.stack.State) = 0
	}
}

func (c *ForkCrowd) act(object string, op explore.Op) {
	if !c.thief && !c.settle(false) {
		panic(fmt.Sprintf("refine: before an access the owner has %d forks, split at %d; the "+
			"table is in %v", *(*int)(c.stack.Top)-c.stack.Base,
			*(*int)(c.stack.Split)-c.stack.Base, c.Solo))
	}
	c.forgetGhosts(c.now)
	all := c.telling(object, op)
	c.Take(c.states[all[c.Choose(len(all))]])
	c.write()
	if c.Swap != nil {
		c.Swap(object)
	}
}

// telling returns to where others lead before an access, without those of which another one is as
// good, see above.
func (c *ForkCrowd) telling(object string, op explore.Op) []int {
	from := c.id(c.now)
	all := c.leads(from)
	if !c.thief {
		return all
	}
	type look struct {
		word  uint64
		state int
	}
	kept := map[look][]int{}
	var told []int
	for _, id := range all {
		s := c.states[id]
		shown := look{state: -1}
		switch {
		case object == "word" && op == explore.OpCAS && c.bits(s) == c.expected:
			shown.state = id
		case object == "word" && op == explore.OpLoad:
			shown.word = c.bits(s)
		case object == "state":
			shown.state = id
		}
		if !slices.ContainsFunc(kept[shown], func(k int) bool {
			c.leads(k)
			return c.has[[2]int{k, id}]
		}) {
			kept[shown] = append(kept[shown], id)
			told = append(told, id)
		}
	}
	return told
}

// Follow says that the state of the fork that is followed is another one from now on.
func (c *ForkCrowd) Follow(state unsafe.Pointer) {
	c.objects[c.stack.State], c.objects[state] = c.objects[state], c.objects[c.stack.State]
	c.stack.State = state
	c.write()
}

// Do does a rule of the owner's by which a call begins.
func (c *ForkCrowd) Do(rule string) {
	for i := range c.moves {
		if v := &c.moves[i]; v.actor == c.actor && v.rule.Name == rule {
			done := false
			c.fire(v, c.now, func(after []int) {
				c.Take(after[:len(c.names)])
				done, c.fired[rule] = true, true
			})
			if done {
				return
			}
		}
	}
	panic(fmt.Sprintf("refine: rule %s is not for %v", rule, c.Solo))
}

// Settle fires the owner's rules without an access until the table has as many forks as the stack,
// split at the same place, and the call is over. It reports false if none lead there.
func (c *ForkCrowd) Settle() bool { return c.settle(true) }

func (c *ForkCrowd) settle(over bool) bool {
	top, split := *(*int)(c.stack.Top)-c.stack.Base, *(*int)(c.stack.Split)-c.stack.Base
	type path struct {
		state []int
		rules []string
	}
	all := []path{{slices.Clone(c.now), nil}}
	for i := 0; i < len(all); i++ {
		p := all[i]
		if s := p.state; s[c.places["top"]] == top && s[c.places["split"]] == split &&
			(!over || s[c.places["pc"]] == 0) {
			c.Take(s)
			for _, rule := range p.rules {
				c.fired[rule] = true
			}
			return true
		}
		for j := range c.moves {
			if v := &c.moves[j]; v.silent && v.actor == c.actor && len(all) < 1000 {
				c.fire(v, p.state, func(after []int) {
					all = append(all, path{slices.Clone(after[:len(c.names)]),
						append(slices.Clone(p.rules), v.rule.Name)})
				})
			}
		}
	}
	return false
}
