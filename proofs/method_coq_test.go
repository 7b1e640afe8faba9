package proofs

import (
	"strings"
	"testing"
)

func TestLemmasBeforeTheFalseOneAreGranted(t *testing.T) {
	const source = "Lemma one x : x = x.\nProof. auto. Qed.\n\nLemma one_more : True.\nProof.\n  split.\nQed.\n\nTheorem last : False.\nProof. auto. Qed.\n"
	for lemma, want := range map[string]string{
		"one":      source,
		"one_more": strings.Replace(source, "Proof. auto. Qed.", "Admitted.", 1),
		"last": strings.Replace(strings.Replace(source, "Proof. auto. Qed.", "Admitted.", 1),
			"Proof.\n  split.\nQed.", "Admitted.", 1),
		"none": source,
	} {
		if got := grant(source, lemma); got != want {
			t.Errorf("%s:\n%s", lemma, got)
		}
	}
}

func TestTheLemmaInWhichCoqStops(t *testing.T) {
	const source = "Lemma one : True.\nProof. auto. Qed.\nTheorem two : False.\nProof.\n  auto.\nQed.\n"
	name, line := failedIn(source, "File \"./X.v\", line 6, characters 0-4:\nError: (in proof two): Attempt to save an incomplete proof\n")
	if name != "two" || line != 6 {
		t.Errorf("%s, line %d", name, line)
	}
}
