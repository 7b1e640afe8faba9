package proofs

import (
	"embed"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/mutant"
)

// A table in which nothing is ever pushed keeps every invariant. Each row about it fails, since it
// speaks of what does not happen.
func TestARowOfATableWithoutPushIsVacuous(t *testing.T) {
	rows := 0
	for _, th := range Theorems() {
		p, ok := th.proof.(onTable)
		if !ok {
			continue
		}
		push := map[string]string{"Idle": "push", "Injector": "push_lock", "Live": "push"}[p.name]
		if push == "" {
			continue
		}
		rows++
		var err error
		switch q := p.about(p.table.Without(push)).(type) {
		case invariant:
			err = q.vacuous()
		case exploration:
			q.question.Ends = "true" // what is not pushed is left
			err = q.check(t.Context(), nil)
		}
		require.ErrorContains(t, err, "vacuous", th.ID)
	}
	require.Greater(t, rows, 10)
}

// Each step of the definitions that proofs of Coq speak about is done in some state that is
// reached.
func TestMadeFilesAreNotVacuous(t *testing.T) {
	for _, m := range madeFiles() {
		require.NoError(t, m.vacuous(), m.file)
	}
}

// Each file that proofs are about has an edit that does no harm, which they accept.
func TestEachFileHasAHarmlessEdit(t *testing.T) {
	accepts := map[string]bool{}
	for _, th := range Theorems() {
		for _, m := range th.mutants {
			if m.harmless {
				accepts[th.File()] = true
			}
		}
	}
	for _, th := range Theorems() {
		if !strings.HasPrefix(th.File(), "refine/") && !strings.HasPrefix(th.File(), "../") {
			require.True(t, accepts[th.File()], "%s has none", th.File())
		}
	}
	for _, file := range filesOf(harmless, "harmless") {
		require.NotEmpty(t, file.accepted, "%s: by which theorem is it accepted?", file.name)
		require.Empty(t, file.bug.Killers, file.name)
	}
}

// No file of mutants/ is taken for a harmless edit or the other way round, and each is found.
func TestEveryFileOfMutantsIsRead(t *testing.T) {
	for dir, in := range map[string]embed.FS{"mutants": mutants, "harmless": harmless} {
		names, err := fs.Glob(in, dir+"/*/*")
		require.NoError(t, err)
		require.Len(t, filesOf(in, dir), len(names))
	}
}

func TestAHarmlessEditThatIsRefutedFailsItsTheorem(t *testing.T) {
	for _, th := range Theorems() {
		if th.ID != "park/X1" {
			continue
		}
		bug := &mutant.Mutant{What: "no harm", Edits: []mutant.Edit{{
			File: "proofs/spec/park.go", Decl: "Park.leave_token",
			Old: "do word = 0; taken++; at = 0", New: "do word = 0; at = 0",
		}}}
		file := mutantFile{name: path.Join("harmless", "park", "x.mutant"), bug: bug}
		w := file.about(&th, wholeFile)
		w.harmless = true
		got := w.check(t.Context(), nil)
		require.Equal(t, Refuted, got.Result, got.Reason)
		th.mutants = []weakened{w}
		row := th.audit(t.Context(), &bench{dir: t.TempDir(), versions: map[string]string{}})
		require.Equal(t, Failed, row.Result)
		require.True(t, strings.HasPrefix(row.Message, "mutant x: "), row.Message)
		return
	}
	t.Fatal("there is no park/X1")
}
