package refine

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/proofs/spec"
	"github.com/surewake/surewake/taskstate"
)

// Task binds the table of taskstate to goroutines: entries, references, the handle and the right to
// run belong to actors.
func Task(actors []string) Binding {
	b := Binding{System: spec.Task(), Actors: actors, Package: "taskstate",
		Copies: map[string][]string{}}
	for _, v := range []string{"entries", "runner", "handle", "holders", "last"} {
		for a := range actors {
			b.Copies[v] = append(b.Copies[v], fmt.Sprintf("%s_a%d", v, a))
		}
	}
	b.Instances = func(_ *spec.Rule, a int) []Instance {
		i := Instance{Bind: map[string]string{}}
		for v, all := range b.Copies {
			i.Bind[v] = all[a]
		}
		return []Instance{i}
	}
	return b
}

// ShareTask ties the variables of the word to it.
func ShareTask(m *Machine) {
	for _, v := range []string{"life", "notified", "cancelled", "join", "detached", "shield",
		"refs"} {
		m.Share("word", v, v)
	}
}

// ReadTask returns the functions that read what ShareTask has tied.
func ReadTask(word unsafe.Pointer) []func() int {
	state := func() taskstate.State { return taskstate.State(Read64(word)) }
	flag := func(of func(taskstate.State) bool) func() int {
		return func() int {
			if of(state()) {
				return 1
			}
			return 0
		}
	}
	return []func() int{
		func() int { return int(state().Lifecycle()) },
		flag(taskstate.State.Notified), flag(taskstate.State.Cancelled),
		flag(taskstate.State.JoinInterest), flag(taskstate.State.Detached),
		func() int { return state().Shield() },
		func() int { return state().References() },
	}
}

// renew is no rule of the table, which is about one life of a task: it leads from the end of one to
// where the table begins. The holder of the handle needs all references that are left, which are
// its own; by ReferencesExact there is then no runner, no entry, and nobody else.
var renew = spec.Rule{
	Name: "renew", Code: "Renew",
	When: "handle == 1 && life == 3 && refs == 1 + holders",
	Do: "life = 0; notified = 0; cancelled = 0; join = 0; shield = 0; refs = refs + 1; " +
		"entries = 1; stale = 0; unseen = 0; told = 0; woken = 0; released = 0",
}

// A TaskCrowd is everybody but one goroutine at the word of a task: any number of wakers, claimers,
// holders of references, the runner and the handle. Before each access of the goroutine it fires
// their rules, as many as there are.
type TaskCrowd struct {
	*Solo
	picked []bool
	ghosts []int // places of variables that no condition speaks of
	fields []field
	word   unsafe.Pointer
}

// NewTaskCrowd returns one around a goroutine named "me".
func NewTaskCrowd() *TaskCrowd {
	b := Task([]string{"me", "others"})
	b.System = b.System.With(renew)
	// An entry is found stale by the load that says so; a swap that fails is tried again.
	b.Code = map[string]string{"stale": "ToRunning: Load"}
	all := b.Instances
	b.Instances = func(r *spec.Rule, a int) []Instance {
		instances := all(r, a)
		if a == 1 {
			instances[0].When = enough[r.Name]
		}
		return instances
	}
	m := NewMachine(b)
	ShareTask(m)
	m.Share("word", "reserved", "0")
	c := &TaskCrowd{Solo: NewSolo(m, "me")}
	for name, shift := range layout {
		c.fields = append(c.fields, field{c.place(name), shift})
	}
	for i := range c.moves {
		c.picked = append(c.picked, c.moves[i].actor != c.actor)
		for _, ghost := range ghosts {
			if spec.Mentions(c.moves[i].rule.When, ghost) {
				panic("refine: rule " + c.moves[i].rule.Name + " asks for " + ghost)
			}
		}
	}
	for _, ghost := range ghosts {
		c.ghosts = append(c.ghosts, c.place(ghost))
	}
	c.Others, c.Vain = c.act, true
	c.Free = func(state []int) {
		c.forget(state)
		copy(state, c.Alike(state, c.picked, c.forget))
	}
	c.Number = func(v uintptr) bool { return v&reservedBits == Reserved }
	return c
}

// ghosts are variables of the table that are for its theorems.
var ghosts = []string{"stale", "unseen", "told", "woken", "released"}

// enough says when others do a rule that makes more of something: while they have little of it. The
// word's code compares references with 1 and shields with 0, and beyond that with their maximum.
var enough = map[string]string{
	"claim": "entries_a0 + entries_a1 <= 1 && holders_a1 == 0", "enter": "shield == 0",
	"clone": "holders_a1 == 0", "stale": "holders_a1 == 0", "detach_discard": "holders_a1 == 0",
}

// Reserved are bits of the word that are set in it, which no transition changes. An address that
// has them is odd.
const Reserved = 0x90008001

const reservedBits = 0xf000ffff

// Starts returns states in which the goroutine has one entry, reference, handle or right to run, as
// variable says: from these others lead to all states of the table in which somebody has it.
func (c *TaskCrowd) Starts(variable string) []map[string]int {
	begin := make([]int, len(c.names))
	for name, n := range map[string]int{"entries_a1": 1, "handle_a1": 1, "holders_a1": 1, "refs": 3,
		"most": taskstate.MaxReferences, "deep": taskstate.MaxShield} {
		begin[c.place(name)] = n
	}
	theirs, mine := c.place(variable+"_a1"), c.place(variable+"_a0")
	var starts []map[string]int
	seen := map[string]bool{}
	for _, state := range c.optionsFrom(begin, c.picked, c.forget) {
		if state[theirs] == 0 {
			continue
		}
		start := slices.Clone(state)
		start[theirs]--
		start[mine]++
		if seen[string(encode(start))] {
			continue
		}
		for _, to := range c.optionsFrom(start, c.picked, c.forget) {
			seen[string(encode(to))] = true
		}
		named := map[string]int{}
		for i, n := range start {
			named[c.names[i]] = n
		}
		starts = append(starts, named)
	}
	return starts
}

// Highest returns to which value of a variable others lead from a state that Starts has returned.
func (c *TaskCrowd) Highest(start map[string]int, variable string) (n int) {
	state := make([]int, len(c.names))
	for name, n := range start {
		state[c.place(name)] = n
	}
	for _, to := range c.optionsFrom(state, c.picked, c.forget) {
		n = max(n, to[c.place(variable)])
	}
	return n
}

// Begin begins an execution in a state of the table, see Machine.Begin.
func (c *TaskCrowd) Begin(choose func(n int) int, word *taskstate.Word, state map[string]int) {
	c.word = Field(word, "bits")
	w := uint64(Reserved)
	for name, shift := range layout {
		w |= uint64(state[name]) << shift
	}
	*(*uint64)(c.word) = w
	c.Machine.Begin(state, []Object{{"word", c.word}}, append(ReadTask(c.word),
		func() int { return int(Read64(c.word)&reservedBits ^ Reserved) })...)
	c.Start(choose)
	c.Keep(unsafe.Pointer(word), unsafe.Sizeof(*word))
	c.Shares(c.word, 8)
}

// layout says where in the word the variables are, which ReadTask confirms.
var layout = map[string]int{"life": 16, "notified": 24, "cancelled": 25, "join": 26,
	"detached": 27, "shield": 32, "refs": 40}

type field struct{ place, shift int }

// bits returns the word in a state.
func (c *TaskCrowd) bits(state []int) uint64 {
	w := uint64(Reserved)
	for _, f := range c.fields {
		w |= uint64(state[f.place]) << f.shift
	}
	return w
}

// forget takes the ghosts from a state: the rules do not ask for them.
func (c *TaskCrowd) forget(state []int) {
	for _, place := range c.ghosts {
		state[place] = 0
	}
}

func (c *TaskCrowd) act(_ string, op explore.Op) {
	c.forget(c.now)
	all := c.Options(c.picked, c.forget)
	if op == explore.OpCAS {
		all = c.swapping(all)
	}
	c.Take(all[c.Choose(len(all))])
	*(*uint64)(c.word) = c.bits(c.now)
}

// swapping returns of the states to which others lead from now on those in which the word is what a
// compare-and-swap expects, and of those in which it fails one for all that are alike.
func (c *TaskCrowd) swapping(states [][]int) (all [][]int) {
	swaps := c.outlook(c.now).swaps
	if all, ok := swaps[c.expected]; ok {
		return all
	}
	seen := map[string]bool{}
	for _, state := range states {
		fails := c.bits(state) != c.expected
		to := string(encode(c.Alike(state, c.picked, c.forget)))
		if !fails || !seen[to] {
			all = append(all, state)
		}
		seen[to] = seen[to] || fails
	}
	swaps[c.expected] = all
	return all
}

// Outcome returns what the Code of the last rule says that the method returns, "" for nothing.
func (c *TaskCrowd) Outcome() string {
	if c.Last() == "" {
		return ""
	}
	_, outcome, _ := strings.Cut(c.binding.System.Rule(c.Last()).Code, ": ")
	outcome, _, _ = strings.Cut(outcome, ",")
	return outcome
}
