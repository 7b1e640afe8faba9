package mutant

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// In each language, the declarations that are found have the text from their beginning to the next
// one's.
func TestDeclarationsOfEachLanguage(t *testing.T) {
	const coq = `Require Import List.

(* one *)
Definition word p := p.
Lemma kept x : x = x.
Proof.
  auto.
Qed.
Inductive step : nat -> Prop :=
| up n : step n.
Arguments step : simpl never.
Theorem kept_more : True.
Proof. auto. Qed.
`
	const promela = `byte x;
#define N 3
inline take(r) {
	r = x
}
#if N == 3 /* three */
active [N] proctype worker() {
	take(x)
}
#elif N == 4
proctype worker() {
	skip
}
#endif
init {
	skip
}
`
	const tables = `table One
vars x y
init x == 0

rule up
do x++

table Two
vars x

rule up
do x--
`
	for _, c := range []struct{ file, text, name, first, last string }{
		{"a.v", coq, "word", "Definition word p := p.", "Definition word p := p."},
		{"a.v", coq, "kept", "Lemma kept x : x = x.", "Qed."},
		{"a.v", coq, "step", "Inductive step : nat -> Prop :=", "| up n : step n."},
		{"a.v", coq, "kept_more", "Theorem kept_more : True.", "Proof. auto. Qed."},
		{"a.pml", promela, "N", "#define N 3", "#define N 3"},
		{"a.pml", promela, "take", "inline take(r) {", "#if N == 3 /* three */"},
		{"a.pml", promela, "N == 3", "#if N == 3 /* three */", "}"},
		{"a.pml", promela, "N == 4", "#elif N == 4", "}"},
		{"a.pml", promela, "init", "init {", "}"},
		{"a.go", tables, "One", "table One", "do x++"},
		{"a.go", tables, "One.up", "rule up", "do x++"},
		{"a.go", tables, "One.vars", "vars x y", "vars x y"},
		{"a.go", tables, "Two.up", "rule up", "do x--"},
	} {
		from, to, err := declaration(c.file, c.text, c.name)
		require.NoError(t, err, c.name)
		lines := strings.Split(strings.TrimSpace(c.text[from:to]), "\n")
		require.Equal(t, c.first, lines[0], c.name)
		require.Equal(t, c.last, lines[len(lines)-1], c.name)
	}
	for _, c := range []struct{ file, text, name, want string }{
		{"a.v", coq, "kep", "a.v declares no kep"},
		{"a.pml", promela, "worker", "a.pml declares worker 2 times"},
		{"a.pml", promela, "N == 5", "a.pml declares no N == 5"},
		{"a.go", tables, "One.down", "a.go declares no One.down"},
		{"a.go", tables, "Three.up", "a.go declares no Three.up"},
		{"a.txt", "", "F", "a.txt: declarations are known of .go, .v and .pml"},
	} {
		_, _, err := declaration(c.file, c.text, c.name)
		require.EqualError(t, err, c.want)
	}
}
