package spec

import (
	"fmt"
	"slices"
	"strings"
)

// A Crew is how many agents there are, and words of the bitmap.
type Crew struct{ Workers, Words, Notifiers int }

// Named returns the table of a crew in which each agent has its own variables: of worker i w0_at,
// the number of its place, w0_bit and w0_tok; of notifier m m0_at, 0 while there is none, else the
// number of its place, and m0_arg; and close_at, close_k, and close_w0 if Close has yet to go
// through the bit of worker 0. Worker i has its bit in word i modulo the number of words. The rules
// have the names of the steps and of the agents that do them.
func (a *Agents) Named(c Crew) (*System, error) {
	steps, err := a.Steps()
	if err != nil {
		return nil, err
	}
	s := &System{Name: a.Name + " by name", Vars: append(slices.Concat(a.Bounds, a.Vars),
		"close_at", "close_k")}
	for w := range c.Workers {
		s.Vars = append(s.Vars, worker(w, "_at"), worker(w, "_bit"), worker(w, "_tok"),
			"close_"+worker(w, ""))
	}
	for m := range c.Notifiers {
		s.Vars = append(s.Vars, notifier(m, "_at"), notifier(m, "_arg"))
	}
	var init []string
	for _, v := range s.Vars {
		if !slices.Contains(a.Bounds, v) {
			init = append(init, v+" == 0")
		}
	}
	s.Init = And(init...)
	for _, step := range steps {
		s.Rules = append(s.Rules, a.name(step, c)...)
	}
	return s, nil
}

func worker(w int, what string) string   { return fmt.Sprintf("w%d%s", w, what) }
func notifier(m int, what string) string { return fmt.Sprintf("m%d%s", m, what) }

// upTo is 0 to n-1, or -1 if what is not there.
func upTo(n int, there bool) []int {
	if !there {
		return []int{-1}
	}
	var all []int
	for i := range n {
		all = append(all, i)
	}
	return all
}

// name returns the rules that a step is for each choice of its worker, its notifier, the place of
// the one that it starts, and word k.
func (a *Agents) name(s *Step, c Crew) []Rule {
	var rules []Rule
	for _, w := range upTo(c.Workers, s.Worker != "") {
		for _, m := range upTo(c.Notifiers, s.Notifier != nil) {
			for _, starts := range upTo(c.Notifiers, s.Starts != nil) {
				for _, k := range upTo(c.Words+1, s.mentionsWord()) {
					n := naming{a: a, s: s, c: c, w: w, m: m, k: k}
					if n.conditions() && n.effects(starts) {
						name := fmt.Sprintf("%s_w%d_m%d_%d_k%d", s.Name, w, m, starts, k)
						rules = append(rules, Rule{strings.ReplaceAll(name, "-", "no"), s.Code,
							And(n.when...), strings.Join(n.do, "; ")})
					}
				}
			}
		}
	}
	return rules
}

// mentionsWord reports whether a step is about a word k.
func (s *Step) mentionsWord() bool {
	for _, p := range []*Place{s.Notifier, s.Close} {
		if p != nil && len(p.Args) > 0 && p.Args[0] == "k" {
			return true
		}
	}
	return false
}

// naming is a step of certain agents.
type naming struct {
	a        *Agents
	s        *Step
	c        Crew
	w, m, k  int
	when, do []string
}

func (n *naming) needs(format string, args ...any) {
	n.when = append(n.when, fmt.Sprintf(format, args...))
}
func (n *naming) sets(format string, args ...any) {
	n.do = append(n.do, fmt.Sprintf(format, args...))
}

// placeNumber is the number of a place, from 0.
func placeNumber(places []string, name string) int {
	return slices.IndexFunc(places, func(p string) bool { return placeOf(p).Name == name })
}

// arg is what a place carries: the number of a word or a worker.
func (n *naming) arg(p *Place) string {
	if len(p.Args) == 0 {
		return "0"
	}
	return map[string]string{"k": fmt.Sprint(n.k), "k + 1": fmt.Sprint(n.k + 1),
		"j": fmt.Sprint(n.w), "0": "0"}[p.Args[0]]
}

// conditions notes the conditions of the step, and reports whether those on words hold.
func (n *naming) conditions() bool {
	s := n.s
	n.needs("true")
	if s.At != "" {
		n.needs("%s == %d", worker(n.w, "_at"), placeNumber(n.a.places(), s.At))
	}
	for _, what := range []string{"bit", "tok"} {
		if need := s.Needs[what]; need != "" {
			n.needs("%s_%s %s", worker(n.w, ""), what, need)
		}
	}
	if s.Needs["word"] != "" && n.w%n.c.Words != n.k {
		return false
	}
	if p := s.Notifier; p != nil {
		n.needs("%s == %d && %s == %s", notifier(n.m, "_at"), 1+placeNumber(n.a.Notifiers, p.Name),
			notifier(n.m, "_arg"), n.arg(p))
	}
	if p := s.NotClose; p != nil {
		n.needs("close_at != %d", placeNumber(closePlaces, p.Name))
	}
	if p := s.Close; p != nil {
		n.needs("close_at == %d && close_k == %s", placeNumber(closePlaces, p.Name), n.arg(p))
		switch {
		case len(p.Args) == 3:
			n.needs("close_%s == 1", worker(n.w, ""))
		case slices.Contains(p.Args, "none"):
			for w := range n.c.Workers {
				n.needs("close_%s == 0", worker(w, ""))
			}
		}
	}
	return n.numbers()
}

func (n *naming) numbers() bool {
	for _, c := range n.s.Numbers {
		switch {
		case c.Op == "zero":
			for w := range n.c.Workers {
				if w%n.c.Words == n.k {
					n.needs("%s == 0", worker(w, "_bit"))
				}
			}
		case c.X == "k":
			if n.k < n.c.Words {
				return false
			}
		case c.X == "notifiers":
			// there are no more of them than places
		default:
			n.needs("%s %s %s", c.X, c.Op, c.Y)
		}
	}
	return true
}

// effects notes the effects of the step, and reports whether it has any that can be noted.
func (n *naming) effects(starts int) bool {
	s := n.s
	if s.To != "" {
		n.sets("%s = %d", worker(n.w, "_at"), placeNumber(n.a.places(), s.To))
	}
	for _, what := range []string{"bit", "tok"} {
		v := worker(n.w, "_"+what)
		switch got := s.Gets[what]; got {
		case "":
		case "+", "-":
			n.sets("%s = %s %s 1", v, v, got)
		default:
			n.sets("%s = %s", v, got)
		}
	}
	for _, v := range slices.Concat(n.a.Bounds, n.a.Vars) {
		if change := s.Sets[v]; change != "" {
			n.sets("%s = %s %s 1", v, v, change)
		}
	}
	becomes := func(m int, p *Place) {
		n.sets("%s = %d; %s = %s", notifier(m, "_at"), 1+placeNumber(n.a.Notifiers, p.Name),
			notifier(m, "_arg"), n.arg(p))
	}
	if s.Ends {
		n.sets("%s = 0; %s = 0", notifier(n.m, "_at"), notifier(n.m, "_arg"))
	} else if s.Becomes != nil {
		becomes(n.m, s.Becomes)
	}
	if s.Starts != nil {
		if starts == n.m {
			return false
		}
		for m := range starts {
			n.needs("%s > 0", notifier(m, "_at")) // the first free one
		}
		n.needs("%s == 0", notifier(starts, "_at"))
		becomes(starts, s.Starts)
	}
	n.closes()
	return len(n.do) > 0
}

func (n *naming) closes() {
	p := n.s.Closes
	if p == nil {
		return
	}
	n.sets("close_at = %d; close_k = %s", placeNumber(closePlaces, p.Name), n.arg(p))
	switch {
	case slices.Contains(p.Args, "bits(k)"):
		for w := range n.c.Workers {
			if w%n.c.Words == n.k {
				n.sets("close_%s = %s", worker(w, ""), worker(w, "_bit"))
			}
		}
	case n.w >= 0:
		n.sets("close_%s = 0", worker(n.w, ""))
	}
}

// Vacuous looks for a run of a small crew in which a step is done, for each step. The error names
// those that none of them does.
func (a *Agents) Vacuous() error {
	s, err := a.Named(Crew{Workers: 2, Words: 2, Notifiers: 2})
	if err != nil {
		return err
	}
	start := map[string]int{}
	for _, b := range a.Bounds {
		start[b] = 2
	}
	done := map[string]bool{}
	e := s.explorer()
	state, err := e.start(start)
	if err != nil {
		return err
	}
	e.add(state, -1, -1)
	for at := 0; at < len(e.queue) && len(e.queue) < mostSampled && len(done) < len(a.Rules); at++ {
		e.successors(e.state(e.queue[at].key), 0, func(rule int, next []int) {
			name := s.Rules[rule].Name
			done[name[:strings.LastIndex(name, "_w")]] = true
			e.add(next, at, rule)
		})
	}
	var never []string
	for _, r := range a.Rules {
		if !done[r.Name] {
			never = append(never, r.Name)
		}
	}
	if never != nil {
		return fmt.Errorf("vacuous: two workers with two words never do these rules of the table "+
			"%s: %s", a.Name, strings.Join(never, ", "))
	}
	return nil
}
