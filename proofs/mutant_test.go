package proofs

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/mutant"
)

// Each mutant names theorems that there are, and applies to what they are about.
func TestEveryMutantOfATheoremApplies(t *testing.T) {
	theorems := map[string]bool{}
	for _, th := range Theorems() {
		theorems[th.ID] = true
		for _, m := range th.mutants {
			if no, ok := m.proof.(unmade); ok {
				t.Errorf("%s: %v", th.ID, no.err)
			}
		}
	}
	files, err := fs.Glob(mutants, "mutants/*/*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := mutants.ReadFile(file)
		require.NoError(t, err)
		bug, err := mutant.Parse(text)
		require.NoError(t, err, file)
		require.True(t, strings.HasSuffix(file, ".mutant"), file)
		require.NotEmpty(t, bug.Killers, file)
		for _, k := range bug.Killers {
			require.True(t, theorems[k.Name], "%s: there is no theorem %s", file, k.Name)
		}
	}
}

// The mutants of refinements are files of the package of the test, or of the part that it says.
func TestEveryMutantOfARefinementIsThere(t *testing.T) {
	seen := 0
	for _, th := range Theorems() {
		for _, m := range th.mutants {
			r, ok := m.proof.(refinement)
			if !ok {
				continue
			}
			seen++
			dir, name := filepath.Dir(r.in), r.mutant
			if part, of, ok := strings.Cut(name, "/"); ok {
				dir, name = filepath.Join("..", part), of
			}
			require.FileExists(t, filepath.Join(dir, "testdata", "mutants", name+".mutant"), th.ID)
		}
	}
	require.NotZero(t, seen)
}

func TestAMutantThatDoesNotApplyHasNotSurvived(t *testing.T) {
	w := weakened{id: "a", proof: unmade{err: &inapplicable{"a.mutant does not apply: no"}}}
	got := w.check(t.Context(), nil)
	require.Equal(t, Inapplicable, got.Result)
	require.Equal(t, "a.mutant does not apply: no", got.Reason)
}

func TestAMutantThatDoesNotApplyFailsItsTheorem(t *testing.T) {
	bug := &mutant.Mutant{Edits: []mutant.Edit{
		{File: "proofs/spec/park.go", Decl: "Park.sleep", Old: "at == 9", New: "at == 3"},
	}}
	for _, th := range Theorems() {
		_, err := weaken(th.proof, bug, "")
		require.Error(t, err, th.ID)
		if th.ID == "park/P1" {
			require.ErrorContains(t, err, "Park.sleep has no")
			require.ErrorContains(t, err, "nearest is this line of Park.sleep\n")
		}
	}
}
