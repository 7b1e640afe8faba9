package smt

import (
	"slices"
	"strings"
	"testing"

	"github.com/surewake/surewake/proofs/spec"
)

func proof() *Proof {
	return &Proof{
		System: &spec.System{Name: "countdown", Vars: []string{"x"}, Init: "x >= 0",
			Rules: []spec.Rule{{Name: "down", When: "x > 0", Do: "x--"}}},
		Invariant: []string{"x >= 0"}, Goals: []string{"x > -1"}, Measure: []string{"x"},
		Ends: "x == 0",
	}
}

func TestQuestionsOfAProof(t *testing.T) {
	var got []string
	for _, q := range proof().Questions() {
		got = append(got, q.Name+": "+q.Expect)
	}
	want := []string{
		"there is a start: sat", "the invariant holds at the start: unsat", "down can fire: sat",
		"down keeps part 1 of the invariant: unsat",
		"down lowers the measure: unsat", "so: x > -1: unsat",
		"where nothing can happen: x == 0: unsat",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	if script := proof().Script(proof().Questions()); !strings.Contains(script,
		"(assert (not (>= (- v.x 1) 0)))") {
		t.Error(script)
	}
}

func TestAnswersAreJudged(t *testing.T) {
	p := proof()
	for answers, want := range map[string]string{
		"sat unsat sat unsat unsat unsat unsat":   "",
		"sat unsat sat sat unsat unsat unsat":     "down keeps part 1 of the invariant",
		"sat unsat unsat sat unsat unsat unsat":   "down keeps part 1 of the invariant",
		"sat unsat unsat unsat unsat unsat unsat": "error: not so: down can fire",
		"sat unsat sat unknown unsat unsat unsat": "error: down keeps part 1",
		"sat unsat": "error: 7 questions",
	} {
		output := ""
		for i, a := range strings.Fields(answers) {
			output += "\"" + string(rune('0'+i)) + "\"\n" + a + "\n"
		}
		refuted, err := Judge(p.Questions(), output)
		var names []string
		for _, q := range refuted {
			names = append(names, q.Name)
		}
		got := strings.Join(names, "; ")
		if err != nil {
			got = "error: " + err.Error()
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %s, want %s", answers, got, want)
		}
	}
}

// What is relied on is asked of each rule, of no step and of two pieces; which values are large, of
// each rule.
func TestQuestionsAboutOthers(t *testing.T) {
	p := proof()
	p.Relies = []spec.Relied{{Name: "never up", Keeps: "x <= was_x"}}
	p.Few = map[string]int{"x": 1}
	script := p.Script(p.Questions())
	for _, want := range []string{
		"; down keeps: never up: unsat", "(assert (not (<= (- v.x 1) v.x)))",
		"; no step keeps: never up: unsat", "(assert (not (<= v.x v.x)))",
		"; two pieces keep: never up: unsat",
		"(assert (<= m.x v.x))\n(assert (<= l.x m.x))\n(assert (not (<= l.x v.x)))",
		"(declare-const m.x Int)\n(declare-const l.x Int)",
		"; down is the same for all x from 1 on: unsat", "(assert (>= v.x 1))",
		"(= (> v.x 0) (> (+ v.x 1) 0))", "(= (+ (- v.x 1) 1) (- (+ v.x 1) 1))",
	} {
		if !strings.Contains(script, want) {
			t.Errorf("no %s in\n%s", want, script)
		}
	}
}

// Of a claim about runs without end it is asked that somebody helps, that whoever does can go on
// and lowers the rank by it, that nobody else takes him away, and that nobody raises it.
func TestQuestionsAboutRunsWithoutEnd(t *testing.T) {
	p := &Proof{
		System: &spec.System{Name: "post", Vars: []string{"letters", "out", "home"},
			Init: "letters == 0 && out == 0 && home == 1", Rules: []spec.Rule{
				{Name: "write", When: "true", Do: "letters++"},
				{Name: "go", When: "home > 0", Do: "home--; out++"},
				{Name: "bring", When: "out > 0 && letters > 0", Do: "out--; home++; letters--"},
				{Name: "wave", When: "home > 0", Do: "letters = letters"},
			}},
		Invariant: []string{"letters >= 0", "out + home == 1"},
		Lively: &Lively{While: "letters > 0", Goals: []string{"bring"}, Rank: []string{"home"},
			Helpers: []Helper{
				{Places: []string{"home"}, At: 1, Steps: []string{"go"}},
				{Places: []string{"out"}, At: 0, Steps: []string{"bring"}},
			}},
	}
	names := func() (all []string) {
		for _, q := range p.Lively.questions(p) {
			all = append(all, q.Name+": "+q.Expect)
		}
		return all
	}
	want := []string{
		"somebody helps at home: sat", "write, by others, leaves those at home there: unsat",
		"go, by one at home, lowers the rank: unsat",
		"bring, by others, leaves those at home there: unsat",
		"it is said who takes wave, about one at home: unsat", "one at home can go on: unsat",
		"somebody helps at out: sat", "write, by others, leaves those at out there: unsat",
		"go, by others, leaves those at out there: unsat",
		"wave, by others, leaves those at out there: unsat", "one at out can go on: unsat",
		"somebody helps: unsat",
		"write does not raise the rank: unsat", "write keeps: letters > 0: unsat",
		"go does not raise the rank: unsat", "go keeps: letters > 0: unsat",
		"wave does not raise the rank: unsat", "wave keeps: letters > 0: unsat",
	}
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	p.Lively.Helpers[0].Others = []string{"wave"}
	if got := names(); got[4] != "wave, by others, leaves those at home there: unsat" {
		t.Error(got[4])
	}
	p.Lively.Helpers[0].Steps = append(p.Lively.Helpers[0].Steps, "wave")
	if got := names(); got[4] != "it is said who takes wave, about one at home: unsat" {
		t.Error(got[4])
	}
	script := p.Script(p.Lively.questions(p))
	for _, want := range []string{
		"(assert (and (> v.home 0) (= v.home 1)))\n(assert (> v.home 0))\n" +
			"(assert (not (and (< (- v.home 1) v.home) (>= (- v.home 1) 0))))",
		"(assert (not (>= (+ v.home 1) v.home)))",
		"(assert (not (and (> v.home 0) (= v.home 1))))\n(assert (not (and (> v.out 0) (= v.home 0))))",
		"(assert (not (and true (= v.home (- v.home 1)))))",
		"(assert (> v.letters 0))",
	} {
		if !strings.Contains(script, want) {
			t.Errorf("%s\nis not in\n%s", want, script)
		}
	}
}
