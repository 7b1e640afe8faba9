package spec

import (
	"fmt"
	"slices"
	"strings"
)

// A holding is what a parked worker has: its bit, its token, or a claim that a notifier at the
// place claim has in hand. That it has exactly one of these is idle/I2.
type holding struct {
	bit, tok int
	claim    string
}

// stages are the holdings of a parked worker, by the end of the name of the variable that counts
// them.
var (
	stages   = []string{"_b", "_c", "_i", "_t"}
	holdings = map[string]holding{"_b": {bit: 1}, "_c": {claim: "M2"}, "_i": {claim: "M3"},
		"_t": {tok: 1}}
)

// Counted returns the table that counts the agents, with one word of the bitmap. A worker that is
// awake is counted by its place, a parked one by its place and what it has; a notifier by its
// place, in small letters, or if it has claimed a worker, as what that worker has. What Close has
// read is forgotten; closed is 0, 1 or 2: before Close's store, from then on, and after it has
// returned, when nobody is past a look at closed and has its bit: that is idle/I9. Rules that
// change nothing of all this are left out: they bring a notifier or Close from one word to the
// next. The error is about a rule after which a worker would have none or two of the things that a
// parked one has one of, or that leaves all as it is.
func (a *Agents) Counted(name string) (*System, error) {
	steps, err := a.Steps()
	if err != nil {
		return nil, err
	}
	s := &System{Name: name, Vars: slices.Concat(a.Bounds, a.Vars, []string{"closed"}, a.Workers,
		a.counted(), each(a.Parked, stages...))}
	for _, step := range steps {
		rules, err := a.count(step)
		if err != nil {
			return nil, fmt.Errorf("the rule %s of table %s cannot be counted: %w", step.Name,
				a.Name, err)
		}
		if len(rules) == 0 && !step.goesOn() {
			return nil, fmt.Errorf("the rule %s of table %s changes nothing: who takes it may take "+
				"it for ever", step.Name, a.Name)
		}
		s.Rules = append(s.Rules, rules...)
	}
	s.Init = s.startsRunning(a.Bounds...)
	return s, nil
}

// counted are the variables of notifiers that have claimed nobody.
func (a *Agents) counted() []string {
	var vars []string
	for _, n := range a.Notifiers {
		if p := placeOf(n); !p.claims() {
			vars = append(vars, strings.ToLower(p.Name))
		}
	}
	return vars
}

// claims reports whether an agent at this place has claimed worker j.
func (p *Place) claims() bool { return p != nil && len(p.Args) == 1 && p.Args[0] == "j" }

// goesOn reports whether a step that changes nothing that is counted brings a notifier to the next
// word, or to its end, or brings Close on.
func (s *Step) goesOn() bool {
	switch {
	case s.Notifier != nil && s.Becomes != nil:
		return s.Becomes.Name == s.Notifier.Name && slices.Equal(s.Notifier.Args, []string{"k"}) &&
			slices.Equal(s.Becomes.Args, []string{"k + 1"})
	case s.Close != nil && s.Closes != nil:
		return s.Close.Name != s.Closes.Name || len(s.Closes.Args) < len(s.Close.Args)
	}
	return s.Ends
}

// count returns the rules that a step is for each place and holding that its worker may have.
func (a *Agents) count(s *Step) ([]Rule, error) {
	if s.Worker == "" {
		r := a.rule(s, "", "")
		return slices.DeleteFunc([]Rule{r}, func(r Rule) bool { return r.Do == "" }), nil
	}
	var rules []Rule
	for _, at := range a.places() {
		if s.At != "" && s.At != at {
			continue
		}
		var here []Rule
		for _, stage := range a.stagesAt(at) {
			had := holdings[stage]
			if !s.meets(had) {
				continue
			}
			to := at
			if s.To != "" {
				to = s.To
			}
			has, err := s.changed(had)
			if err != nil {
				return nil, err
			}
			i := slices.IndexFunc(a.stagesAt(to), func(k string) bool { return holdings[k] == has })
			if i < 0 {
				return nil, fmt.Errorf("it would leave a worker at %s with bit %d, %d tokens and "+
					"the claim %q", to, has.bit, has.tok, has.claim)
			}
			r := a.rule(s, at+stage, to+a.stagesAt(to)[i])
			r.Name += stage
			here = append(here, r)
		}
		for _, r := range here {
			if len(here) == 1 {
				r.Name = s.Name
			}
			if s.At == "" {
				r.Name = s.Name + "_" + at + strings.TrimPrefix(r.Name, s.Name)
			}
			if r.Do != "" {
				rules = append(rules, r)
			}
		}
	}
	return rules, nil
}

// stagesAt are the ends of the names of the variables that count workers at a place.
func (a *Agents) stagesAt(place string) []string {
	if slices.Contains(a.Parked, place) {
		return stages
	}
	return []string{""}
}

// meets reports whether a worker with this meets the step's conditions.
func (s *Step) meets(h holding) bool {
	holds := map[string]bool{
		"bit == 1": h.bit == 1, "bit == 0": h.bit == 0, "tok > 0": h.tok > 0, "word == k": true,
	}
	for what, need := range s.Needs {
		if !holds[what+" "+need] {
			return false
		}
	}
	return !s.Notifier.claims() || h.claim == s.Notifier.Name
}

// changed returns what a worker has after a step.
func (s *Step) changed(h holding) (holding, error) {
	switch s.Gets["bit"] {
	case "0":
		h.bit = 0
	case "1":
		h.bit = 1
	}
	switch s.Gets["tok"] {
	case "+":
		h.tok++
	case "-":
		h.tok--
	}
	if s.Notifier.claims() && (s.Becomes != nil || s.Ends) {
		h.claim = ""
	}
	for _, p := range []*Place{s.Becomes, s.Starts} {
		if p.claims() && h.claim != "" {
			return h, fmt.Errorf("it would claim a worker twice")
		} else if p.claims() {
			h.claim = p.Name
		}
	}
	return h, nil
}

// rule is a step of a worker that is counted as from, and then as to. A rule without an effect is
// none.
func (a *Agents) rule(s *Step, from, to string) Rule {
	c := counting{r: Rule{Name: s.Name, Code: s.Code}, by: map[string]int{}}
	past := ""
	for _, n := range s.Numbers {
		switch {
		case n.Op == "zero":
			past = sum(each(a.Parked, "_b")...) + " == 0"
		case n.X == "k" && s.Notifier != nil:
			return c.r // with one word there is no such notifier: it has ended
		case n.X == "k":
			past = sum(each(a.past(), "_b")...) + " == 0"
		}
	}
	c.notifier(s)
	c.close(s)
	if from != "" {
		c.needs(from + " > 0")
		c.add(from, -1)
		c.add(to, 1)
	}
	if past != "" {
		c.needs(past)
	}
	for _, n := range s.Numbers {
		switch {
		case n.X == "k":
		case n.X == "notifiers":
			c.needs(strings.Join(a.counted(), " + ") + " " + n.Op + " " + n.Y)
		default:
			c.needs(n.X + " " + n.Op + " " + n.Y)
		}
	}
	for _, v := range slices.Concat(a.Bounds, a.Vars) {
		c.add(v, map[string]int{"+": 1, "-": -1}[s.Sets[v]])
	}
	return c.done()
}

// past are the places of parked workers that have looked at closed: all but the first two.
func (a *Agents) past() []string { return a.Parked[2:] }

// counting is a rule in the making.
type counting struct {
	r    Rule
	when []string
	vars []string // in the order in which they were changed
	by   map[string]int
}

func (c *counting) needs(condition string) {
	if !slices.Contains(c.when, condition) {
		c.when = append(c.when, condition)
	}
}

func (c *counting) add(v string, n int) {
	if !slices.Contains(c.vars, v) {
		c.vars = append(c.vars, v)
	}
	c.by[v] += n
}

// notifier counts the notifiers of a step, those that have claimed nobody.
func (c *counting) notifier(s *Step) {
	if p := s.Notifier; p != nil && !p.claims() {
		c.needs(strings.ToLower(p.Name) + " > 0")
		if s.Becomes != nil || s.Ends {
			c.add(strings.ToLower(p.Name), -1)
		}
	}
	for _, p := range []*Place{s.Becomes, s.Starts} {
		// One that has read the only word has ended.
		if p != nil && !p.claims() && !slices.Contains(p.Args, "k + 1") {
			c.add(strings.ToLower(p.Name), 1)
		}
	}
}

func (c *counting) close(s *Step) {
	switch {
	case s.Close != nil && s.Close.Name == "Open":
		c.needs("closed == 0")
	case s.Close != nil && s.Close.Name == "Done":
		c.needs("closed == 2")
	case s.Close != nil:
		c.needs("closed == 1")
	case s.NotClose != nil && s.NotClose.Name == "Open":
		c.needs("closed > 0")
	}
	switch {
	case s.Closes == nil:
	case s.Closes.Name == "Done":
		c.r.Do = "closed = 2"
	case s.Close == nil || s.Close.Name == "Open":
		c.r.Do = "closed = 1"
	}
}

func (c *counting) done() Rule {
	do := []string{}
	for _, v := range c.vars {
		switch n := c.by[v]; {
		case n == 1:
			do = append(do, v+"++")
		case n == -1:
			do = append(do, v+"--")
		case n != 0:
			do = append(do, fmt.Sprintf("%s += %d", v, n))
		}
	}
	if c.r.Do != "" {
		do = append(do, c.r.Do)
	}
	c.r.When, c.r.Do = strings.Join(c.when, " && "), strings.Join(do, "; ")
	if c.r.When == "" {
		c.r.When = "true"
	}
	return c.r
}
