package refine

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/proofs/spec"
)

// A Machine follows executions of the real code in a table. One goroutine at a time may use it.
//
// Executions repeat one another, so each set of states has a number, and where an access leads from
// a set is computed once.
type Machine struct {
	binding       *Binding
	vars          spec.Vars
	names         []string // of the variables, without parameters
	moves         []move
	preconditions []precondition

	// What Share gave.
	shared []shared

	// Of this execution.
	objects map[unsafe.Pointer]int // numbers in objectNames
	read    []func() int           // by shared variable
	start   int                    // a set
	trail   []int                  // by step of the execution: the set after it
	last    int                    // the last step of the trail that is of this execution; -1: none

	steps, executions int64 // so far

	objectNames []string
	actors      map[string]int
	states      interner // of variables, as bytes
	sets        interner // of numbers of states, as bytes
	values      interner // of what shared variables had, as bytes
	accesses    map[site]int
	known       []known // by number of the access
	after       map[edge]int
	taken       map[string]bool // rules that were the meaning of an access
	scratch     []int
	hops        map[int][]hop // of Commutes, while it runs
	buffer      []byte
}

type shared struct {
	name   string
	object string
	of     func([]int) int
}

// site is an access as it is seen, without the addresses.
type site struct {
	actor, object int
	op            string
	result        uint64
	callers       [16]uintptr
}

// known are the moves that an access can be, those that may come before it, and the conditions
// under which it is done at all.
type known struct {
	moves, before []int
	preconditions []int
}

type edge struct{ set, access, values int }

// none is the number of the empty set, which is not stored.
const none = -1

// NewMachine returns a Machine for a table and its binding. It panics if the two do not fit
// together.
func NewMachine(b Binding) *Machine {
	m := &Machine{binding: &b, vars: spec.Vars{}, names: b.variables(), accesses: map[site]int{},
		after: map[edge]int{},
		taken: map[string]bool{}, actors: map[string]int{}}
	for i, name := range append(slices.Clone(m.names), b.System.Params...) {
		m.vars[name] = i
	}
	for i, name := range b.Actors {
		m.actors[name] = i
	}
	for name := range b.Code {
		b.System.Rule(name) // panics if there is none
	}
	for _, name := range b.Silent {
		b.System.Rule(name)
	}
	m.moves, m.preconditions = b.moves(m.vars), b.preconditions(m.vars)
	return m
}

// Share ties an expression over the table's variables to the memory of an object: at each instant
// its value must be the one that the functions read which Begin is given, in the order of the calls
// of Share. A variable that has copies stands for their sum.
func (m *Machine) Share(object, name, text string) {
	m.shared = append(m.shared, shared{name, object, m.vars.Compile(m.binding.in(text, nil))})
}

// An Object is memory that the table speaks about: atomic accesses to it are the steps. Nothing
// else runs while it is read.
type Object struct {
	Name    string
	Address unsafe.Pointer
}

// Begin begins an execution, before its first step. state gives the table's variables that are not
// 0; read gives the values of the shared expressions. It panics if the two disagree, or if state
// names a variable that there is not.
func (m *Machine) Begin(state map[string]int, objects []Object, read ...func() int) {
	if len(read) != len(m.shared) {
		panic(fmt.Sprintf("refine: %d shared variables, and %d to read them", len(m.shared),
			len(read)))
	}
	m.executions++
	m.read, m.last = read, -1
	m.objects = map[unsafe.Pointer]int{}
	for _, o := range objects {
		i := slices.Index(m.objectNames, o.Name)
		if i < 0 {
			i = len(m.objectNames)
			m.objectNames = append(m.objectNames, o.Name)
		}
		m.objects[o.Address] = i
	}
	s := make([]int, len(m.names))
	for name, value := range state {
		place, ok := m.vars[name]
		if !ok {
			panic("refine: there is no variable " + name)
		}
		s[place] = value
	}
	for i, v := range m.shared {
		if got := read[i](); v.of(m.whole(s)) != got {
			panic(fmt.Sprintf("refine: at the start %s is %d, and in the table %d", v.name, got,
				v.of(m.whole(s))))
		}
	}
	m.start = m.set([]int{m.state(s)})
}

// Step is an observer for model.Observe. It returns an error if the step is none of the table's,
// with the states in which the table was and the rules that would have allowed it.
func (m *Machine) Step(s *model.Step) error {
	if s.Again {
		if s.N >= len(m.trail) {
			panic("refine: a step is seen again that was not seen before")
		}
		m.last = s.N
		return nil
	}
	m.steps++
	from := m.start
	if s.N > 0 {
		from = m.trail[s.N-1]
	}
	to := from
	var err error
	if object, ok := m.objects[s.Address]; ok && s.Address != nil {
		to, err = m.step(from, object, s)
	}
	m.trail, m.last = append(m.trail[:s.N], to), s.N
	return err
}

// access numbers a step on an object.
func (m *Machine) access(s *model.Step, object int) int {
	actor, ok := m.actors[s.Name]
	if !ok {
		actor = -1
	}
	at := site{actor, object, s.Op.String(), s.Result, s.Callers}
	if !strings.HasPrefix(at.op, "futex") {
		at.result = 0 // no rule asks for it
	}
	number, ok := m.accesses[at]
	if !ok {
		number = len(m.known)
		m.accesses[at] = number
		m.known = append(m.known, m.meanings(actor, m.objectNames[object], s))
	}
	return number
}

func (m *Machine) step(from, object int, s *model.Step) (int, error) {
	number := m.access(s, object)
	m.buffer = m.buffer[:0]
	for _, read := range m.read {
		m.buffer = binary.AppendVarint(m.buffer, int64(read()))
	}
	e := edge{from, number, m.values.number(m.buffer)}
	to, ok := m.after[e]
	if !ok {
		to = m.lead(e)
		m.after[e] = to
	}
	if to == none {
		return to, m.refusal(e, m.objectNames[object], s)
	}
	return to, nil
}

// meanings finds the moves that a step can be.
func (m *Machine) meanings(actor int, object string, s *model.Step) known {
	var k known
	functions := functionsOf(s)
	for i := range m.moves {
		switch v := &m.moves[i]; {
		case v.actor != actor:
		case v.silent:
			k.before = append(k.before, i)
		case v.access.is(object, s, functions):
			k.moves = append(k.moves, i)
		}
	}
	for i := range m.preconditions {
		if v := &m.preconditions[i]; v.actor == actor && v.access.is(object, s, functions) {
			k.preconditions = append(k.preconditions, i)
		}
	}
	return k
}

// lead computes where an access leads from a set.
func (m *Machine) lead(e edge) int {
	want := m.numbers(m.values.at(e.values))
	from := m.numbers(m.sets.at(e.set))
	var to []int
	keep := func(s []int) {
		for i := range m.shared {
			if m.shared[i].of(s) != want[i] {
				return
			}
		}
		to = append(to, m.state(s[:len(m.names)]))
	}
	k := m.known[e.access]
	from = slices.DeleteFunc(from, func(i int) bool {
		s := m.whole(m.numbers(m.states.at(i)))
		return slices.ContainsFunc(k.preconditions,
			func(n int) bool { return m.preconditions[n].when(s) == 0 })
	})
	for _, i := range from { // the access means nothing
		keep(m.whole(m.numbers(m.states.at(i))))
	}
	for i := 0; i < len(from); i++ { // it grows
		s := m.numbers(m.states.at(from[i]))
		for _, n := range k.before {
			m.fire(&m.moves[n], s, func(after []int) {
				m.taken[m.moves[n].rule.Name] = true
				if j := m.state(after[:len(m.names)]); !slices.Contains(from, j) {
					from = append(from, j)
				}
			})
		}
		for _, n := range k.moves {
			m.fire(&m.moves[n], s, func(after []int) {
				before := len(to)
				if keep(after); len(to) > before {
					m.taken[m.moves[n].rule.Name] = true
				}
			})
		}
	}
	return m.set(to)
}

// fire does a move in a state, for each value of the parameters for which it can be done.
func (m *Machine) fire(v *move, state []int, emit func(after []int)) {
	most := 0
	if v.params {
		most = m.binding.Params
	}
	for n := 0; n <= most; n++ {
		s := m.whole(state)
		for i := len(m.names); i < len(s); i++ {
			s[i] = n
		}
		if v.when(s) == 0 {
			continue
		}
		after := slices.Clone(s)
		for i, place := range v.places {
			after[place] = v.values[i](s)
		}
		emit(after)
	}
}

// whole returns a state with room for the parameters. It is valid until the next call.
func (m *Machine) whole(state []int) []int {
	m.scratch = append(m.scratch[:0], state[:len(m.names)]...)
	for range m.binding.System.Params {
		m.scratch = append(m.scratch, 0)
	}
	return m.scratch
}

func (m *Machine) state(s []int) int { return m.states.number(encode(s)) }

// set returns the number of a set of states.
func (m *Machine) set(states []int) int {
	if len(states) == 0 {
		return none
	}
	slices.Sort(states)
	return m.sets.number(encode(slices.Compact(states)))
}

func encode(numbers []int) []byte { return appendNumbers(nil, numbers) }

func appendNumbers(b []byte, numbers []int) []byte {
	for _, n := range numbers {
		b = binary.AppendVarint(b, int64(n))
	}
	return b
}

func (m *Machine) numbers(text string) []int {
	var all []int
	for b := []byte(text); len(b) > 0; {
		n, size := binary.Varint(b)
		all, b = append(all, int(n)), b[size:]
	}
	return all
}

// May reports whether the table may now be in a state in which a condition holds. A variable that
// has copies stands for their sum. It is true where no step was observed.
func (m *Machine) May(condition string) bool {
	if m.last < 0 {
		return true
	}
	holds := m.vars.Compile(m.binding.in(condition, nil))
	for _, i := range m.numbers(m.sets.at(m.trail[m.last])) {
		if holds(m.whole(m.numbers(m.states.at(i)))) != 0 {
			return true
		}
	}
	return false
}

// Used sets, for each rule that was the meaning of an access so far, its entry in used, and returns
// in how many executions. Where no step was observed it adds nothing and returns 0.
func (m *Machine) Used(used map[string]bool) (executions int64) {
	if m.steps == 0 {
		return 0
	}
	for _, r := range m.binding.System.Rules {
		used[r.Name] = used[r.Name] || m.taken[r.Name]
	}
	return m.executions
}

// Sizes returns how many states of the table were reached, how many sets, and by how many steps.
func (m *Machine) Sizes() (states, sets int, steps int64) {
	return len(m.states.all), len(m.sets.all), m.steps
}
