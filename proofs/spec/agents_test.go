package spec

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// What named agents do is what the table that counts them does, or it changes nothing there: the
// counting was not invented.
func TestTheTableOfIdleCountsItsAgents(t *testing.T) {
	a := IdleAgents()
	c := Crew{Workers: 2, Words: 1, Notifiers: 2}
	named, err := a.Named(c)
	require.NoError(t, err)
	counts, bounds := Idle().explorer(), named.explorer()
	stages := map[string]string{"1 0": "_b", "0 1": "_t"}
	count := func(state []int) []int {
		of := make([]int, len(counts.vars))
		value := func(v string) int { return state[bounds.vars[v]] }
		for _, v := range append(append([]string{}, a.Bounds...), a.Vars...) {
			of[counts.vars[v]] = value(v)
		}
		of[counts.vars["closed"]] = []int{0, 1, 1, 2}[value("close_at")]
		claimed := map[int]string{}
		for m := range c.Notifiers {
			switch at := value(notifier(m, "_at")); {
			case at == 1:
				of[counts.vars["m0"]]++
			case at == 2 && value(notifier(m, "_arg")) < c.Words:
				of[counts.vars["m1"]]++
			case at > 2:
				claimed[value(notifier(m, "_arg"))] = []string{"_c", "_i"}[at-3]
			}
		}
		for w := range c.Workers {
			place := a.places()[value(worker(w, "_at"))]
			if len(a.stagesAt(place)) > 1 {
				stage := stages[fmt.Sprint(value(worker(w, "_bit")), value(worker(w, "_tok")))]
				if stage == "" {
					stage = claimed[w]
				}
				require.NotEmpty(t, stage)
				place += stage
			}
			of[counts.vars[place]]++
		}
		return of
	}
	steps := 0
	for _, start := range []map[string]int{{"left": 1, "hands": 9},
		{"other": 1, "hands": 9}} {
		bounds = named.explorer()
		state, err := bounds.start(start)
		require.NoError(t, err)
		bounds.add(state, -1, -1)
		for at := 0; at < len(bounds.queue); at++ {
			state := bounds.state(bounds.queue[at].key)
			before := count(state)
			possible := map[string]bool{fmt.Sprint(before): true}
			counts.successors(before, 0, func(_ int, next []int) {
				possible[fmt.Sprint(next)] = true
			})
			bounds.successors(state, 0, func(rule int, next []int) {
				steps++
				if !possible[fmt.Sprint(count(next))] {
					t.Fatalf("%s in %v", named.Rules[rule].Name,
						bounds.violation(at, "a step that is not counted"))
				}
				bounds.add(next, at, rule)
			})
		}
	}
	require.Greater(t, steps, 10_000)
}

func TestEachStepOfTheAgentsHasAWitness(t *testing.T) {
	require.NoError(t, IdleAgents().Vacuous())
	err := IdleAgents().Without("push").Vacuous()
	require.ErrorContains(t, err, "never do these rules of the table Idle: ")
	require.ErrorContains(t, err, "recheck_work")
}

// A table in which a worker would lose its claim, or have two things at once, is not counted.
func TestWhatHasNoCountIsRefused(t *testing.T) {
	for _, r := range []Rule{
		{"timeout", "", "i.at == P", "i.at = R; i.bit = 0"},
		{"woke", "", "i.at == P", "i.at = S"},
		{"claim", "", "m.at == M1(k) && j.word == k && j.bit == 1", "m.at = M2(j)"},
		{"token", "", "m.at == M3(j)", "j.tok++"},
		{"claim_one", "", "true", "start(M2(j)); j.bit = 0"},
	} {
		_, err := IdleAgents().With(r).Counted("x")
		require.ErrorContains(t, err, "the rule "+r.Name+" of table Idle cannot be counted", r.When)
	}
}

func TestATableOfAgentsIsReadAsItIsPrinted(t *testing.T) {
	for _, a := range []*Agents{IdleAgents(), IdleRunsAgents()} {
		got, err := ParseAgents(a.Text())
		require.NoError(t, err)
		require.Equal(t, a, got)
	}
	for text, want := range map[string]string{
		"i.at == N":                `no worker is at N`,
		"m.at == M9":               `there is no place M9`,
		"x == 1":                   `there is no number x`,
		"i.at > R":                 `"i.at > R" has no meaning here`,
		"i.at == R && j.bit == 1":  `it is about i, and about j`,
		"k.at == R":                `it is about , and about k`,
		"i.at == R || i.bit == 1":  `"i.at == R || i.bit == 1" is no condition`,
		"close.at == Gone":         `there is no place Gone`,
		"i.at == R && m.at != M0":  `"m.at != M0" has no meaning here`,
		"unknown(k) && i.at == R":  `"unknown(k)" is no condition`,
		"i.at == R && i.tok == 0":  `it cannot need that a worker's tok == 0`,
		"i.at == R &&":             `expected operand`,
		"i.at == R && q.at == End": `it is about i, and about q`,
	} {
		_, err := IdleAgents().With(Rule{"take", "", text, "q--"}).Steps()
		require.ErrorContains(t, err, want, text)
		require.ErrorContains(t, err, "rule take of table Idle")
	}
	for text, want := range map[string]string{
		"i.at = N": "no worker is at N", "q = 7": "q cannot become 7", "x++": "x cannot become +",
		"m.at = M0": "no notifier that could go on", "i.word = 3": `"i.word" cannot be set`,
		"leap(x)": `"leap(x)" has no meaning here`, "if q {}": `has no meaning here`,
		"q--; (": "expected", "i.bit = 2": "the bit of a worker cannot become 2",
		"start(M9)": "there is no place M9",
	} {
		_, err := IdleAgents().With(Rule{"take", "", "i.at == R", text}).Steps()
		require.ErrorContains(t, err, want, text)
	}
}

// A rule that leaves everything as it is would be taken for ever. Counting must not lose it, as it
// does those that bring a notifier or Close from one word to the next.
func TestARuleThatChangesNothingIsRefused(t *testing.T) {
	for _, r := range []Rule{
		{"again", "a searcher looks again", "i.at == S", "i.at = S"},
		{"again", "a worker with its token sleeps on", "i.at == P && i.tok > 0", "i.at = P"},
		{"again", "a notifier loads again", "m.at == M0", "m.at = M0"},
		{"again", "a notifier looks at the same word again", "m.at == M1(k)", "m.at = M1(k)"},
		{"again", "a notifier looks at the first word again", "m.at == M1(k)", "m.at = M1(0)"},
		{"again", "a notifier keeps the token", "m.at == M3(j)", "m.at = M3(j)"},
	} {
		_, err := CountIdle(IdleAgents().With(r))
		require.ErrorContains(t, err, "the rule again of table Idle changes nothing", r.Code)
	}
}
