package smt

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/surewake/surewake/proofs/spec"
)

// A Lively is a claim about runs without end: while a condition holds, one of some rules fires
// sooner or later, if every process that can take a step from some time on does take one (weak
// fairness). How often the other rules fire is not limited.
//
// The proof is a rank, and who lowers it. No step raises the rank. At each place of the order there
// are helpers: a process at any of these places can take a step, each step of its own
// lowers the rank, and nobody else takes it away from them. As the rank cannot go down for ever,
// one of the rules fires in the end. (This is the rule for weak fairness with a well-founded order
// of Lehmann, Pnueli and Stavi, 1981, and of Manna and Pnueli, 1984.)
//
// A helper can take a step at any time, also when it does not help. So it does not matter that one
// goroutine may be two processes, as a worker that notifies is, of which one stands still while the
// other goes on.
type Lively struct {
	While string
	Goals []string // the rules one of which is to fire
	// What each of these does: it lowers a number by one, if that is not "", and makes a condition
	// true, if that is not "".
	Lowers, Makes string
	// Rank are numbers that are never negative while While holds, the most important one first.
	Rank []string
	// Helpers are all who help, in some order; of those at the last number of Rank, each helps.
	Helpers []Helper
}

// A Helper is a process by where it is.
type Helper struct {
	Places []string // variables that count processes there
	At     int      // the last number of Rank while it helps
	Steps  []string // all rules that are steps of its own from there
	// Others are rules that look at these places, but are steps of others, or of the process itself
	// and not relied on: what it may do meanwhile as often as it likes, by assumption not for ever.
	Others []string
}

// questions returns what makes the claim true, and what keeps it from being about nothing.
func (l *Lively) questions(p *Proof) (qs []Question) {
	inv, while := plain(spec.And(p.Invariant...)), plain(l.While)
	ask := func(name, expect string, assert ...string) {
		qs = append(qs, Question{name, expect, append([]string{inv, while}, assert...)})
	}
	var nobody []string
	for _, name := range l.named() {
		if !p.System.Has(name) {
			ask("there is a rule "+name, "unsat")
			return qs
		}
	}
	for _, name := range l.Goals {
		r := p.System.Rule(name)
		when, after := plain(r.When), substitute(r.Effect())
		if l.Lowers != "" {
			ask(name+" lowers "+l.Lowers, "unsat", when, not(fmt.Sprintf("(= %s (- %s 1))",
				spec.SMT(l.Lowers, after), plain(l.Lowers))))
		}
		if l.Makes != "" {
			ask(name+" makes "+l.Makes, "unsat", when, not(spec.SMT(l.Makes, after)))
		}
	}
	for _, h := range l.Helpers {
		all := strings.Join(h.Places, " + ")
		helps := plain(fmt.Sprintf("%s > 0 && %s == %d", all, l.Rank[len(l.Rank)-1], h.At))
		nobody = append(nobody, not(helps))
		ask("somebody helps at "+all, "sat", helps)
		for i := range p.System.Rules {
			r := &p.System.Rules[i]
			when, after := plain(r.When), substitute(r.Effect())
			own, others := slices.Contains(h.Steps, r.Name), slices.Contains(h.Others, r.Name)
			switch {
			case own && !others:
				if !slices.Contains(l.Goals, r.Name) {
					ask(fmt.Sprintf("%s, by one at %s, lowers the rank", r.Name, all), "unsat",
						helps, when, not(lower(l.Rank, after)))
				}
			case own || !others && isAbout(r, h.Places):
				ask(fmt.Sprintf("it is said who takes %s, about one at %s", r.Name, all), "unsat")
			default:
				left := fmt.Sprintf("(>= %s %s)", spec.SMT(all, after), plain(all))
				ask(fmt.Sprintf("%s, by others, leaves those at %s there", r.Name, all), "unsat",
					helps, when, not(left))
			}
		}
		for _, place := range h.Places { // whoever it is: others may move him between these
			stuck := []string{plain(place + " > 0")}
			for _, name := range h.Steps {
				if r := p.System.Rule(name); isAbout(r, []string{place}) {
					stuck = append(stuck, not(plain(r.When)))
				}
			}
			qs = append(qs, Question{"one at " + place + " can go on", "unsat",
				append([]string{inv}, stuck...)})
		}
	}
	ask("somebody helps", "unsat", nobody...)
	for i := range p.System.Rules {
		r := &p.System.Rules[i]
		if slices.Contains(l.Goals, r.Name) {
			continue
		}
		when, after := plain(r.When), substitute(r.Effect())
		ask(r.Name+" does not raise the rank", "unsat", when, not(lower(l.Rank, after)),
			not(equal(l.Rank, after)))
		ask(r.Name+" keeps: "+l.While, "unsat", when, not(spec.SMT(l.While, after)))
	}
	return qs
}

// named returns all rules that the claim names.
func (l *Lively) named() []string {
	all := l.Goals
	for _, h := range l.Helpers {
		all = slices.Concat(all, h.Steps, h.Others)
	}
	return all
}

// isAbout reports whether a rule looks at one of some places.
func isAbout(r *spec.Rule, places []string) bool {
	return slices.ContainsFunc(places, func(place string) bool {
		return regexp.MustCompile(`\b` + place + `\b`).MatchString(r.When)
	})
}

// equal says that a step leaves numbers as they are.
func equal(numbers []string, after func(string) string) string {
	same := "true"
	for _, n := range numbers {
		same = fmt.Sprintf("(and %s (= %s %s))", same, plain(n), spec.SMT(n, after))
	}
	return same
}
