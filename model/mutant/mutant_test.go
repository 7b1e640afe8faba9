package mutant

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAMutantSaysWhatItIsWhoObjectsAndWhatIsEdited(t *testing.T) {
	m, err := Parse([]byte(`The look comes too late,
and nobody is told.
Killed by TestLook
Killed by TestTable in proofs/refine

-- p/p.go: T.F --
- a()
  b()
+ a()

  if c {
+ 	return
+

-- p/q.go: limit --
- 3
`))
	require.NoError(t, err)
	require.Equal(t, &Mutant{
		What:    "The look comes too late,\nand nobody is told.",
		Killers: []Killer{{Name: "TestLook"}, {Name: "TestTable", Place: "proofs/refine"}},
		Edits: []Edit{
			{File: "p/p.go", Decl: "T.F", Old: "a()\nb()", New: "b()\na()", Line: 7},
			{File: "p/p.go", Decl: "T.F", Old: "if c {", New: "if c {\n\treturn\n", Line: 11},
			{File: "p/q.go", Decl: "limit", Old: "3", New: "", Line: 16},
		},
	}, m)
}

func TestWhatIsNoMutantIsRefusedWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "line 1: a mutant begins with a sentence",
		"-- p.go: F --\n- a\n":              "line 1: a mutant begins with a sentence",
		"A bug.\n":                          `no edits in it; an edit begins with a line "--`,
		"A bug.\nKilled by\n":               `or "Killed by NAME in PLACE", not "Killed by"`,
		"A bug.\nKilled by A and B\n":       `line 2: want "Killed by NAME"`,
		"A bug.\n\n-- p.go --\n- a\n":       `DECLARATION --", not "-- p.go --"`,
		"A bug.\n-- /p.go: F --\n- a\n":     `line 2: file "/p.go": want a path relative`,
		"A bug.\n-- ../p.go: F --\n- a\n":   `line 2: file "../p.go": want a path relative`,
		"A bug.\n-- p.go: F --\n":           "line 3: a section without an edit",
		"A bug.\n-- p.go: F --\n+ a\n":      "line 3: nothing to find: an insertion needs",
		"A bug.\n-- p.go: F --\n\n  a\n":    "line 4: an edit that changes nothing",
		"A bug.\n-- p.go: F --\n- a\n+ a\n": "line 3: an edit that changes nothing",
		"A bug.\n-- p.go: F --\n- a\nb\n":   `line 4: want a blank, "-" or "+" at the beginnin`,
		"A bug.\n-- p.go: F --\n- a\n\n- b\n-- q.go: G --\n+ c\n": "line 7: nothing to find",
	} {
		_, err := Parse([]byte(text))
		require.ErrorContains(t, err, want, "%q", text)
	}
}
