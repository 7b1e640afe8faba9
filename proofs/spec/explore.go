package spec

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// A Question is what Explore looks into.
type Question struct {
	// Start gives the initial values that are not 0.
	Start map[string]int
	// Params is the largest value that a parameter of a rule takes; they start from 0.
	Params int
	// Always are conditions that must hold in every state; Ends one for states in which no rule can
	// fire, "" if there must be none.
	Always []string
	Ends   string
	// Terminates says that no run may go on for ever.
	Terminates bool
	// Never are rules that do not fire within these bounds. Each of the others must, and each
	// premise of Always must hold in a state.
	Never []string
	// Limit is how many states there may be, 0 for a million.
	Limit int
}

// An Exploration counts what Explore has seen.
type Exploration struct{ States, Steps, Ends int }

// A Violation is a run that ends in what must not be.
type Violation struct {
	What  string
	Run   []string // the rules that fired
	State string
}

func (v *Violation) Error() string {
	return fmt.Sprintf("%s after %s\nin %s", v.What, strings.Join(v.Run, ", "), v.State)
}

type compiledRule struct {
	name   string
	when   number
	places []int
	values []number
	params bool
}

// explorer is one exploration: breadth first, so that a violation is a shortest one.
type explorer struct {
	sys    *System
	vars   Vars
	rules  []compiledRule
	queue  []node
	seen   map[string]int32
	onward [][]int32 // per state, if needed, the states after it
}

type node struct {
	key    string
	parent int32
	rule   int16
}

// Explore walks through every state that the rules lead to. The error is a *Violation unless the
// limit was reached.
func (s *System) Explore(q Question) (Exploration, error) {
	e := s.explorer()
	limit := q.Limit
	if limit == 0 {
		limit = 1_000_000
	}
	always := make([]number, len(q.Always))
	for i, c := range q.Always {
		always[i] = e.vars.number(c)
	}
	ends := e.vars.number("false")
	if q.Ends != "" {
		ends = e.vars.number(q.Ends)
	}
	start, err := e.start(q.Start)
	if err != nil {
		return Exploration{}, err
	}
	seen := newWitnesses(s, Premises(q.Always...))
	e.add(start, -1, -1)
	var sum Exploration
	for at := 0; at < len(e.queue); at++ {
		state := e.state(e.queue[at].key)
		seen.state(e.vars, state)
		for i, holds := range always {
			if holds(state) == 0 {
				return sum, e.violation(at, "not true: "+q.Always[i])
			}
		}
		before := sum.Steps
		var after []int32
		e.successors(state, q.Params, func(rule int, next []int) {
			sum.Steps++
			seen.rule(rule)
			i := e.add(next, at, rule)
			if q.Terminates {
				after = append(after, i)
			}
		})
		if q.Terminates {
			e.onward = append(e.onward, after)
		}
		if sum.Steps == before {
			sum.Ends++
			if ends(state) == 0 {
				return sum, e.violation(at, "stuck, and not "+q.Ends)
			}
		}
		if len(e.queue) > limit {
			return sum, fmt.Errorf("%s has more than %d states within these bounds", s.Name, limit)
		}
	}
	sum.States = len(e.queue)
	if q.Terminates {
		if at := cycle(e.onward); at >= 0 {
			return sum, e.violation(at, "a run goes round and never ends,")
		}
	}
	return sum, q.vacuous(seen)
}

// vacuous returns an error if something that the question is about does not happen.
func (q *Question) vacuous(seen *witnesses) error {
	if missing := seen.missing(q.Never...); missing != "" {
		return fmt.Errorf("vacuous: in no state within these bounds %s", missing)
	}
	for i, fired := range seen.fired {
		if name := seen.sys.Rules[i].Name; fired && slices.Contains(q.Never, name) {
			return fmt.Errorf("the rule %s fires within these bounds", name)
		}
	}
	return nil
}

func (s *System) explorer() *explorer {
	e := &explorer{sys: s, vars: Vars{}, seen: map[string]int32{}}
	for i, name := range append(append([]string(nil), s.Vars...), s.Params...) {
		e.vars[name] = i
	}
	for i := range s.Rules {
		e.rules = append(e.rules, e.compile(&s.Rules[i]))
	}
	return e
}

// start returns the state with these values, which must be an initial one.
func (e *explorer) start(values map[string]int) ([]int, error) {
	start := make([]int, len(e.vars))
	for name, value := range values {
		start[e.vars[name]] = value
	}
	if e.vars.number(e.sys.Init)(start) == 0 {
		return nil, fmt.Errorf("the start is no initial state of %s", e.sys.Name)
	}
	return start, nil
}

func (e *explorer) compile(r *Rule) compiledRule {
	c := compiledRule{name: r.Name, when: e.vars.number(r.When)}
	for name, value := range r.Effect() {
		place, ok := e.vars[name]
		if !ok || place >= len(e.sys.Vars) {
			panic(fmt.Sprintf("spec: rule %s assigns %s, which is no variable", r.Name, name))
		}
		c.places = append(c.places, place)
		c.values = append(c.values, e.vars.number(value))
	}
	for _, p := range e.sys.Params {
		c.params = c.params || mentions(r.When, p) || mentions(r.Do, p)
	}
	return c
}

// mentions reports whether a word stands in a text.
func mentions(text, word string) bool {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool {
		return !(r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	}) {
		if w == word {
			return true
		}
	}
	return false
}

func (e *explorer) successors(state []int, most int, emit func(rule int, next []int)) {
	for i := range e.rules {
		r := &e.rules[i]
		if !r.params {
			e.fire(r, i, state, emit)
			continue
		}
		e.choose(len(e.sys.Vars), most, state, func() { e.fire(r, i, state, emit) })
	}
}

// choose gives the parameters from place on every value.
func (e *explorer) choose(place, most int, state []int, do func()) {
	if place == len(state) {
		do()
		return
	}
	for n := 0; n <= most; n++ {
		state[place] = n
		e.choose(place+1, most, state, do)
	}
	state[place] = 0
}

func (e *explorer) fire(r *compiledRule, i int, state []int, emit func(rule int, next []int)) {
	if r.when(state) == 0 {
		return
	}
	next := append([]int(nil), state...)
	clear(next[len(e.sys.Vars):])
	for j, place := range r.places {
		next[place] = r.values[j](state)
	}
	emit(i, next)
}

func (e *explorer) add(state []int, parent, rule int) int32 {
	var key []byte
	for _, n := range state[:len(e.sys.Vars)] {
		key = binary.AppendVarint(key, int64(n))
	}
	if i, ok := e.seen[string(key)]; ok {
		return i
	}
	n := node{string(key), int32(parent), int16(rule)}
	e.seen[n.key] = int32(len(e.queue))
	e.queue = append(e.queue, n)
	return int32(len(e.queue) - 1)
}

func (e *explorer) state(key string) []int {
	state := make([]int, len(e.vars))
	for i := range e.sys.Vars {
		n, size := binary.Varint([]byte(key[:min(len(key), binary.MaxVarintLen64)]))
		state[i], key = int(n), key[size:]
	}
	return state
}

func (e *explorer) violation(at int, what string) *Violation {
	v := &Violation{What: what}
	state := e.state(e.queue[at].key)
	var shown []string
	for i, name := range e.sys.Vars {
		if state[i] != 0 {
			shown = append(shown, fmt.Sprintf("%s=%d", name, state[i]))
		}
	}
	v.State = strings.Join(shown, " ")
	for n := e.queue[at]; n.parent >= 0; n = e.queue[n.parent] {
		v.Run = append([]string{e.rules[n.rule].name}, v.Run...)
	}
	return v
}

// cycle returns a state that lies on a cycle, or -1: whoever is left when states without onward
// steps are taken away, again and again.
func cycle(onward [][]int32) int {
	left := make([]int, len(onward))
	before := make([][]int32, len(onward))
	var done []int32
	for i, next := range onward {
		left[i] = len(next)
		for _, j := range next {
			before[j] = append(before[j], int32(i))
		}
		if len(next) == 0 {
			done = append(done, int32(i))
		}
	}
	taken := 0
	for ; len(done) > 0; taken++ {
		i := done[len(done)-1]
		done = done[:len(done)-1]
		for _, j := range before[i] {
			if left[j]--; left[j] == 0 {
				done = append(done, j)
			}
		}
	}
	if taken == len(onward) {
		return -1
	}
	for i, n := range left {
		if n > 0 {
			return i
		}
	}
	return -1
}
