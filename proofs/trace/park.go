package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/surewake/surewake/proofs/refine"
	"github.com/surewake/surewake/proofs/spec"
	"github.com/surewake/surewake/proofs/trace/atomic"
)

// The variables of park's table that a trace follows, by their place in a state of the table. The
// calls to come are without end, and the tokens are not counted.
const (
	parkLeft = iota
	parkWord
	parkAt
	parkOwed
	parkVars
)

// A parkTable is the table of park, compiled.
type parkTable struct {
	vars  spec.Vars
	rules []*parkRule
}

type parkRule struct {
	spec.Rule
	access refine.Access
	// waker rules are done by who unparks, others by who parks. silent ones are what happens within
	// a call of the kernel, or of a channel.
	waker, silent bool
	when          func([]int) int
	sets          map[int]func([]int) int
}

func newParkTable(s *spec.System) (*parkTable, error) {
	t := &parkTable{vars: spec.Vars{"left": parkLeft, "word": parkWord, "at": parkAt,
		"owed": parkOwed}}
	for i, v := range []string{"given", "taken"} {
		t.vars[v] = parkVars + i
	}
	for _, v := range s.Vars {
		if _, ok := t.vars[v]; !ok {
			return nil, fmt.Errorf("trace: table %s has a variable %s, which no trace follows",
				s.Name, v)
		}
	}
	for _, r := range s.Rules {
		a, err := refine.ParseAccess(r.Code, "park")
		if err != nil {
			return nil, err
		}
		kind, _, _ := strings.Cut(r.Name, "_")
		p := &parkRule{Rule: r, access: a, waker: kind == "unpark" || kind == "wake",
			silent: strings.Contains(r.Code, "futex"), when: t.vars.Compile(r.When),
			sets: map[int]func([]int) int{}}
		for v, value := range r.Effect() {
			p.sets[t.vars[v]] = t.vars.Compile(value)
		}
		t.rules = append(t.rules, p)
	}
	return t, nil
}

// A parkState is a state of a Parker in the table. owed are the goroutines that have yet to wake,
// in their order, as text.
type parkState struct {
	word, at int
	owed     string
}

// fire returns the state after a rule that a goroutine does, if it can be done.
func (r *parkRule) fire(s parkState, goroutine uint64) (parkState, bool) {
	owing := fmt.Sprintf(" %x;", goroutine)
	vector := make([]int, parkVars+2)
	vector[parkLeft], vector[parkWord], vector[parkAt] = 1, s.word, s.at
	vector[parkOwed] = strings.Count(s.owed, owing)
	if r.when(vector) == 0 {
		return s, false
	}
	after := slices.Clone(vector)
	for place, value := range r.sets {
		after[place] = value(vector)
	}
	others := strings.ReplaceAll(s.owed, owing, "")
	all := strings.SplitAfter(others+strings.Repeat(owing, after[parkOwed]), ";")
	slices.Sort(all)
	return parkState{after[parkWord], after[parkAt], strings.Join(all, "")}, true
}

// A parker follows one Parker: the states in which the table may be.
type parker struct {
	states []parkState
	worker *worker // whose it is, if it is known

	sleeping bool            // the one who parks is within the kernel
	waking   map[uint64]bool // the goroutines that wake, within the kernel
	moved    map[int]*event  // when its place was left last, by place
}

func newParker() *parker {
	return &parker{states: []parkState{{}}, waking: map[uint64]bool{}, moved: map[int]*event{}}
}

// isToken reports whether the word says that there is a token.
func isToken(word uint64) int {
	if word == 1 {
		return 1
	}
	return 0
}

// within adds the states to which the kernel may have led meanwhile.
func (j *judge) within(p *parker) {
	for i := 0; i < len(p.states); i++ { // it grows
		add := func(r *parkRule, goroutine uint64) {
			if s, ok := r.fire(p.states[i], goroutine); ok && !slices.Contains(p.states, s) {
				p.states = append(p.states, s)
				j.Rules["park/"+r.Name]++
			}
		}
		for _, r := range j.park.rules {
			switch {
			case !r.silent:
			case !r.waker && p.sleeping:
				add(r, 0)
			case r.waker:
				for g := range p.waking {
					add(r, g)
				}
			}
		}
	}
}

// parkAccess leads from the states over an access to the word.
func (j *judge) parkAccess(e *event, p *parker) error {
	j.within(p)
	var next []parkState
	var about []*parkRule
	keep := func(s parkState) bool {
		if s.word != int(e.After) {
			return false
		}
		if !slices.Contains(next, s) {
			next = append(next, s)
		}
		return true
	}
	for _, r := range j.park.rules {
		if r.silent || !r.access.Is("word", e.Op.String(), e.stack.functions) {
			continue
		}
		about = append(about, r)
		for _, s := range p.states {
			if after, ok := r.fire(s, e.Goroutine); ok && s.word == int(e.Before) && keep(after) {
				j.Rules["park/"+r.Name]++
			}
		}
	}
	for _, s := range p.states { // the access means nothing
		if s.word == int(e.Before) {
			keep(s)
		}
	}
	if next == nil {
		return j.refuseParker(e, p, about)
	}
	p.moves(e, next)
	return nil
}

func (p *parker) moves(e *event, next []parkState) {
	for _, s := range p.states {
		if !slices.ContainsFunc(next, func(n parkState) bool { return n.at == s.at }) {
			p.moved[s.at] = e
		}
	}
	p.states = next
}

// kernel notes that a call of the kernel or of a channel begins or ends.
func (j *judge) kernel(e *event, t *thread, begins bool) error {
	c := t.in("Parker.")
	if c == nil {
		return nil
	}
	p := j.parkers[c.address]
	j.within(p)
	if e.stack.text == "futexWait" || e.stack.text == "channel.sleep" {
		p.sleeping = begins
		return nil
	}
	if begins {
		p.waking[e.Goroutine] = true
		return nil
	}
	delete(p.waking, e.Goroutine)
	return nil
}

// hasUnparked drops the states in which who returns from Unpark has yet to wake.
func (j *judge) hasUnparked(e *event) error {
	owing := fmt.Sprintf(" %x;", e.Goroutine)
	return j.only(e, "it has woken whom it saw asleep",
		func(s parkState) bool { return !strings.Contains(s.owed, owing) })
}

// hasParked drops the states in which who returns from Park is still in it.
func (j *judge) hasParked(e *event) error {
	return j.only(e, "at == 0", func(s parkState) bool { return s.at == 0 })
}

func (j *judge) only(e *event, condition string, holds func(parkState) bool) error {
	p := j.parkers[e.Address]
	j.within(p)
	var next []parkState
	for _, s := range p.states {
		if holds(s) {
			next = append(next, s)
		}
	}
	if next == nil {
		return fmt.Errorf("%w\n%s returns only if  %s", j.refuseParker(e, p, nil), e.stack.text,
			condition)
	}
	p.moves(e, next)
	return nil
}

// what says what an event is.
func what(e *event) string {
	switch e.Kind {
	case atomic.Access:
		return fmt.Sprintf("%v in %s", e.Op, e.stack.where)
	case atomic.Entered:
		return "a call of " + e.stack.text
	case atomic.Left:
		return "the end of " + e.stack.text
	}
	return e.stack.text + " has answered"
}

func (j *judge) refuseParker(e *event, p *parker, about []*parkRule) error {
	var b strings.Builder
	whose := ""
	if p.worker != nil {
		whose = fmt.Sprintf(" of worker %d", p.worker.id)
	}
	fmt.Fprintf(&b, "table park has no such step: %s, on a Parker%s, by goroutine %x, event %d",
		what(e), whose, e.Goroutine, e.n)
	if e.Kind == atomic.Access {
		fmt.Fprintf(&b, "\nthe memory  word=%d, and then %d", e.Before, e.After)
	}
	for i, s := range p.states {
		word := "the table was in  "
		if i > 0 {
			word = "or in             "
		}
		fmt.Fprintf(&b, "\n%s word=%d at=%d owed by [%s]", word, s.word, s.at,
			strings.TrimSpace(s.owed))
	}
	for _, r := range about {
		fmt.Fprintf(&b, "\nrule %-15s if %s then %s", r.Name, r.When, r.Do)
	}
	for at, left := range p.moved {
		for _, r := range about {
			if strings.Contains(r.When, fmt.Sprintf("at == %d", at)) {
				fmt.Fprintf(&b, "\nat == %d, as rule %s wants, was so until event %d: %s", at,
					r.Name, left.n, what(left))
			}
		}
	}
	return Refusal(b.String())
}
