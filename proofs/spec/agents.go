package spec

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// An Agents is a protocol as a table about workers and notifiers that have names, from which the
// tables that count them, the definitions of Coq and the models in Promela are made.
//
// A worker has a place, i.at, and beside it i.bit and i.tok, its bit and its tokens, and i.word,
// the word that its bit is in, which never changes. A notifier m has a place only, which may carry
// numbers: M1(k) has read the words below k, M2(j) has claimed worker j. The place of Close is
// close.at. In a condition a name that stands nowhere else in the rule may be anything: i and j are
// any workers, k any word.
//
//	i.at == B, i.bit == 1, i.tok > 0, j.word == k, m.at == M1(k), close.at != Open   conditions
//	zero(k), k >= words                   word k has no bit set; all words are below k
//	i.at = P, j.bit = 0, j.tok++          what a worker becomes
//	m.at = M2(j), end(m), start(M0)       a notifier goes on, ends, begins
//	close.at = Claims(k, bits(k))         Close goes on; bits(k) are the workers with their bits
//	close.at == Claims(k, j, l)           the workers to go through are j and those in l
//	close.at == Claims(k, none)           there are none
//
// Other names are numbers that all share.
type Agents struct {
	Name string
	Vars []string
	// Bounds are numbers that only bound what is explored: left and other, how often something
	// happens, and hands, how many notifiers there may be. Nothing else depends on them.
	Bounds []string
	// Workers are the places of workers that are awake, Parked of those that are not, and Notifiers
	// those of notifiers; numbers of a place are in parentheses. Workers start in the first.
	Workers, Parked, Notifiers []string
	Rules                      []Rule
}

// closePlaces are the places of Close, the first of them before it.
var closePlaces = []string{"Open", "Load(k)", "Claims(k, l)", "Done"}

// A Place is where an agent is, with the numbers that it carries.
type Place struct {
	Name string
	Args []string
}

// A Step is a rule of an [Agents], taken apart.
type Step struct {
	Rule
	Worker string // the name of the worker that it is about, or ""
	At, To string // its place before and after; "" is any, and the same
	// Needs are conditions on the worker's bit, tok and word: "== 1". Gets is what happens to its
	// bit and tok: "0", "1", "+" or "-".
	Needs, Gets map[string]string
	// Numbers are conditions on shared numbers and on k, as text; Sets are their changes, "+" or
	// "-".
	Numbers []Number
	Sets    map[string]string
	// Notifier is the place of the notifier m before, and Becomes after; Ends says that it ends,
	// and Starts is where a new one begins.
	Notifier, Becomes, Starts *Place
	Ends                      bool
	// Close is the place of Close before, NotClose one where it is not, and Closes that after.
	Close, NotClose, Closes *Place
}

// A Number is a condition "X op Y"; of zero(k), X is k and Op is "zero".
type Number struct{ X, Op, Y string }

// Text returns the table as text, which [ParseAgents] reads: the form in which mutants edit it.
func (a *Agents) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "table %s\nvars %s\nbounds %s\nworkers %s\nparked %s\nnotifiers %s\n",
		a.Name, strings.Join(a.Vars, " "), strings.Join(a.Bounds, " "),
		strings.Join(a.Workers, " "), strings.Join(a.Parked, " "),
		strings.Join(a.Notifiers, " "))
	for _, r := range a.Rules {
		fmt.Fprintf(&b, "\nrule %s\ncode %s\nwhen %s\ndo %s\n", r.Name, r.Code, r.When, r.Do)
	}
	return b.String()
}

// ParseAgents reads a table from text.
func ParseAgents(text string) (*Agents, error) {
	a := &Agents{}
	var rules []string
	for line := range strings.SplitSeq(text, "\n") {
		key, value, _ := strings.Cut(line, " ")
		list := map[string]*[]string{"vars": &a.Vars, "bounds": &a.Bounds, "workers": &a.Workers,
			"parked": &a.Parked, "notifiers": &a.Notifiers}[key]
		switch {
		case list != nil && len(rules) == 0:
			*list = strings.Fields(value)
		case key == "rule" || len(rules) > 0:
			rules = append(rules, line)
		case key == "table":
			a.Name = value
		case line != "":
			return nil, fmt.Errorf("no attribute of a table: %q", line)
		}
	}
	s, err := Parse(strings.Join(rules, "\n"))
	if err != nil {
		return nil, err
	}
	a.Rules = s.Rules
	_, err = a.Steps()
	return a, err
}

// Without returns a copy of the table that lacks rules.
func (a *Agents) Without(names ...string) *Agents {
	s := &System{Name: a.Name, Rules: a.Rules}
	for _, name := range names {
		s = s.Without(name)
	}
	c := *a
	c.Rules = s.Rules
	return &c
}

// With returns a copy of the table with a rule in the place of the one of its name, or after the
// others.
func (a *Agents) With(rule Rule) *Agents {
	c := *a
	c.Rules = (&System{Rules: a.Rules}).With(rule).Rules
	return &c
}

// Unbounded returns a copy of the table of which no rule mentions a bound.
func (a *Agents) Unbounded(bound string) *Agents {
	c := *a
	c.Bounds = slices.DeleteFunc(slices.Clone(a.Bounds), func(b string) bool { return b == bound })
	c.Rules = nil
	for _, r := range a.Rules {
		if r.When = without(r.When, " && ", bound); r.When == "" {
			r.When = "true"
		}
		r.Do = without(r.Do, "; ", bound)
		c.Rules = append(c.Rules, r)
	}
	return &c
}

// without leaves out the parts of a text that mention a word.
func without(text, between, word string) string {
	parts := slices.DeleteFunc(strings.Split(text, between),
		func(part string) bool { return mentions(part, word) })
	return strings.Join(parts, between)
}

// Steps takes the rules apart.
func (a *Agents) Steps() ([]*Step, error) {
	var all []*Step
	for _, r := range a.Rules {
		s := &Step{Rule: r, Needs: map[string]string{}, Gets: map[string]string{},
			Sets: map[string]string{}}
		err := s.conditions()
		if err == nil {
			err = s.effects()
		}
		if err == nil {
			err = a.known(s)
		}
		if err != nil {
			return nil, fmt.Errorf("rule %s of table %s: %w", r.Name, a.Name, err)
		}
		all = append(all, s)
	}
	return all, nil
}

func (s *Step) conditions() error {
	if s.When == "true" {
		return nil
	}
	e, err := parser.ParseExpr(s.When)
	if err != nil {
		return fmt.Errorf("%q: %w", s.When, err)
	}
	var all func(e ast.Expr) error
	all = func(e ast.Expr) error {
		b, ok := e.(*ast.BinaryExpr)
		if ok && b.Op == token.LAND {
			if err := all(b.X); err != nil {
				return err
			}
			return all(b.Y)
		}
		return s.condition(e)
	}
	return all(e)
}

func (s *Step) condition(e ast.Expr) error {
	text := func(n ast.Expr) string { return s.When[n.Pos()-1 : n.End()-1] }
	if c, ok := e.(*ast.CallExpr); ok && text(c.Fun) == "zero" && len(c.Args) == 1 {
		s.Numbers = append(s.Numbers, Number{text(c.Args[0]), "zero", ""})
		return nil
	}
	b, ok := e.(*ast.BinaryExpr)
	if !ok || b.Op == token.LOR {
		return fmt.Errorf("%q is no condition", text(e))
	}
	of, what, ok := strings.Cut(text(b.X), ".")
	if !ok {
		s.Numbers = append(s.Numbers, Number{of, b.Op.String(), text(b.Y)})
		return nil
	}
	if of != "m" && of != "close" {
		if err := s.about(of); err != nil {
			return err
		}
		if what != "at" {
			s.Needs[what] = b.Op.String() + " " + text(b.Y)
			return nil
		}
	}
	place := placeOf(text(b.Y))
	switch {
	case what != "at" || b.Op != token.EQL && (of != "close" || b.Op != token.NEQ):
		return fmt.Errorf("%q has no meaning here", text(e))
	case of == "m":
		s.Notifier = place
	case of == "close" && b.Op == token.EQL:
		s.Close = place
	case of == "close":
		s.NotClose = place
	default:
		s.At = place.Name
	}
	return nil
}

// about notes that a step is about a worker: about one.
func (s *Step) about(worker string) error {
	if worker != "i" && worker != "j" || s.Worker != "" && s.Worker != worker {
		return fmt.Errorf("it is about %s, and about %s", s.Worker, worker)
	}
	s.Worker = worker
	return nil
}

func placeOf(text string) *Place {
	name, args, ok := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	p := &Place{Name: name}
	if ok {
		if strings.HasSuffix(args, "bits(k") {
			args += ")"
		}
		p.Args = strings.Split(args, ", ")
	}
	return p
}

func (s *Step) effects() error {
	text := "package p\nfunc _() {" + s.Do + "}"
	file, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err != nil {
		return fmt.Errorf("%q: %w", s.Do, err)
	}
	source := func(n ast.Node) string { return text[n.Pos()-1 : n.End()-1] }
	for _, stmt := range file.Decls[0].(*ast.FuncDecl).Body.List {
		switch stmt := stmt.(type) {
		case *ast.IncDecStmt:
			err = s.effect(source(stmt.X), stmt.Tok.String()[:1])
		case *ast.AssignStmt:
			err = s.effect(source(stmt.Lhs[0]), source(stmt.Rhs[0]))
		case *ast.ExprStmt:
			switch call := source(stmt.X); {
			case call == "end(m)":
				s.Ends = true
			case strings.HasPrefix(call, "start("):
				s.Starts = placeOf(strings.TrimSuffix(strings.TrimPrefix(call, "start("), ")"))
			default:
				err = fmt.Errorf("%q has no meaning here", call)
			}
		default:
			err = fmt.Errorf("%q has no meaning here", source(stmt))
		}
		if err != nil {
			return err
		}
	}
	if s.Notifier != nil && len(s.Notifier.Args) == 1 && s.Notifier.Args[0] == "j" {
		return s.about("j")
	}
	return nil
}

// effect notes that something becomes what value says, which is "+" if it goes up by one.
func (s *Step) effect(variable, value string) error {
	of, what, ok := strings.Cut(variable, ".")
	switch {
	case !ok:
		s.Sets[variable] = value
	case variable == "m.at":
		s.Becomes = placeOf(value)
	case variable == "close.at":
		s.Closes = placeOf(value)
	case what == "at":
		s.To = value
		return s.about(of)
	case what == "bit" || what == "tok":
		s.Gets[what] = value
		return s.about(of)
	default:
		return fmt.Errorf("%q cannot be set", variable)
	}
	return nil
}

// What a step may need and do of a worker's bit and tokens.
var (
	needs = []string{"bit == 1", "bit == 0", "tok > 0", "word == k"}
	gets  = []string{"bit 0", "bit 1", "tok +", "tok -"}
)

// places are those of workers.
func (a *Agents) places() []string { return slices.Concat(a.Workers, a.Parked) }

// known returns an error if a step names what the table does not have.
func (a *Agents) known(s *Step) error {
	for _, p := range []string{s.At, s.To} {
		if p != "" && !slices.Contains(a.places(), p) {
			return fmt.Errorf("no worker is at %s", p)
		}
	}
	for places, all := range map[*[]string][]*Place{
		&a.Notifiers: {s.Notifier, s.Becomes, s.Starts},
		&closePlaces: {s.Close, s.NotClose, s.Closes},
	} {
		for _, p := range all {
			if p != nil && !slices.ContainsFunc(*places,
				func(q string) bool { return placeOf(q).Name == p.Name }) {
				return fmt.Errorf("there is no place %s", p.Name)
			}
		}
	}
	numbers := append(slices.Concat(a.Vars, a.Bounds), "k", "notifiers")
	for _, n := range s.Numbers {
		if !slices.Contains(numbers, n.X) {
			return fmt.Errorf("there is no number %s", n.X)
		}
	}
	for v, change := range s.Sets {
		if !slices.Contains(numbers, v) || change != "+" && change != "-" {
			return fmt.Errorf("%s cannot become %s", v, change)
		}
	}
	for what, need := range s.Needs {
		if !slices.Contains(needs, what+" "+need) {
			return fmt.Errorf("it cannot need that a worker's %s %s", what, need)
		}
	}
	for what, got := range s.Gets {
		if !slices.Contains(gets, what+" "+got) {
			return fmt.Errorf("the %s of a worker cannot become %s", what, got)
		}
	}
	if (s.Becomes != nil || s.Ends) && s.Notifier == nil {
		return fmt.Errorf("there is no notifier that could go on")
	}
	return nil
}
