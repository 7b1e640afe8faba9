package spec

import (
	"errors"
	"strings"
	"testing"
)

// counter goes up to 3 and may be taken down by any number.
func counter() *System {
	return &System{Name: "counter", Vars: []string{"x", "y"}, Params: []string{"n"},
		Init: "x == 0 && y == 0", Rules: []Rule{
			{"up", "", "x < 3", "x++"},
			{"move", "", "n > 0 && n <= x", "x -= n; y += n"},
		}}
}

func TestExploreCountsStatesAndSteps(t *testing.T) {
	s := counter().Without("move")
	if got, err := s.Explore(Question{Ends: "x == 3", Terminates: true}); err != nil ||
		got != (Exploration{States: 4, Steps: 3, Ends: 1}) {
		t.Errorf("%+v, %v", got, err)
	}
	bounded := counter().With(Rule{Name: "up", When: "x + y < 3", Do: "x++"})
	if got, err := bounded.Explore(Question{Params: 3, Ends: "x == 0 && y == 3",
		Terminates: true}); err != nil || got.States != 10 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestExploreFindsAShortestViolation(t *testing.T) {
	_, err := counter().Explore(Question{Params: 3, Always: []string{"implies(y > 0, x != 1)"}})
	var v *Violation
	if !errors.As(err, &v) || strings.Join(v.Run, " ") != "up up move" || v.State != "x=1 y=1" {
		t.Errorf("%v", err)
	}
}

func TestExploreFindsWhatIsStuckAndWhatNeverEnds(t *testing.T) {
	s := counter().Without("move")
	if _, err := s.Explore(Question{Ends: "x == 2"}); err == nil ||
		!strings.Contains(err.Error(), "stuck") {
		t.Errorf("%v", err)
	}
	round := s.With(Rule{Name: "down", When: "x > 0", Do: "x--"})
	if _, err := round.Explore(Question{Terminates: true}); err == nil ||
		!strings.Contains(err.Error(), "never ends") {
		t.Errorf("%v", err)
	}
	if _, err := counter().Explore(Question{Params: 1, Limit: 50}); err == nil ||
		!strings.Contains(err.Error(), "more than 50") {
		t.Errorf("%v", err)
	}
}

func TestExpressionsMeanTheSameInBothReaders(t *testing.T) {
	name := func(v string) string { return v }
	for text, want := range map[string]string{
		"x == 1 && y != 2":                          "(and (= x 1) (distinct y 2))",
		"implies(x > 0, either(y < 1, x, y) >= -3)": "(=> (> x 0) (>= (ite (< y 1) x y) (- 3)))",
		"!(x <= 2*y - 1) || true":                   "(or (not (<= x (- (* 2 y) 1))) true)",
	} {
		if got := SMT(text, name); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	vars := Vars{"x": 0, "y": 1}
	for text, want := range map[string]int{
		"x == 1 && y != 2": 0, "x == 1 || y != 2": 1, "implies(x == 2, false)": 1,
		"either(x == 1, 10, 20) - -y": 12, "!(x*y >= 2)": 0, "x + y": 3,
	} {
		if got := vars.number(text)([]int{1, 2}); got != want {
			t.Errorf("%s is %d, want %d", text, got, want)
		}
	}
}

func TestRulesAssignAtOnce(t *testing.T) {
	r := Rule{Name: "swap", Do: "x = y; y = x; z -= x + 1; n++"}
	want := map[string]string{"x": "y", "y": "x", "z": "z - (x + 1)", "n": "n + 1"}
	got := r.Effect()
	for v, value := range want {
		if got[v] != value {
			t.Errorf("%s = %s, want %s", v, got[v], value)
		}
	}
}
