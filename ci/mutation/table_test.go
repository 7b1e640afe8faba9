package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/mutant"
)

// sessionOf returns what is known of the edits of one part, by their verdicts; "" is not tried.
func sessionOf(part, key string, verdicts map[string]string) *session {
	s := &session{known: map[string]result{}, keys: map[string]string{part: key}}
	for id, verdict := range verdicts {
		s.edits = append(s.edits, edit{Generated: mutant.Generated{ID: id}, pkg: part})
		if verdict != "" {
			r := result{id: id, key: key, verdict: verdict}
			if verdict == killed {
				r.killer = "TestA"
			}
			s.known[id] = r
		}
	}
	return s
}

func TestTableIsReadAsItIsWritten(t *testing.T) {
	name := filepath.Join(t.TempDir(), "table")
	empty, err := readTable(name)
	require.NoError(t, err)
	require.Empty(t, empty)
	s := sessionOf("park", "0123456789ab", map[string]string{
		"gen-a": killed, "gen-b": survived, "gen-c": broken,
	})
	want := table{"idle": {"ffffffffffff", map[string]result{
		"gen-a": {"gen-a", "ffffffffffff", killed, "TestB"},
	}}}
	want.update(s)
	require.Equal(t, s.known, want["park"].results)
	require.NoError(t, want.write(name))
	got, err := readTable(name)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// What is not known, or waits for a longer look, keeps a part out of the table, and what was there
// of it stays.
func TestTableHasCompletePartsOnly(t *testing.T) {
	for _, verdict := range []string{"", unnoticed} {
		s := sessionOf("park", "0123456789ab", map[string]string{"gen-a": killed, "gen-b": verdict})
		old := tablePart{"ffffffffffff", map[string]result{}}
		got := table{"park": old}
		got.update(s)
		require.Equal(t, old, got["park"], "%q", verdict)
	}
}

func TestTableThatIsNone(t *testing.T) {
	name := filepath.Join(t.TempDir(), "table")
	head := "park of 0123456789ab\n"
	for text, want := range map[string]string{
		"idle\n":                `:1: what is "idle"?`,
		"  survived: 1\n":       `:1: what is "  survived: 1"?`,
		head + "    gen-a\n":    `:2: what is "    gen-a"?`,
		head + "  drowned: 1\n": `:2: what is "  drowned: 1"?`,
		head + head:             `:2: park is there twice`,
		head + "  survived: 2\n    gen-a\n    gen-a\n": `:4: gen-a is there twice`,
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
		_, err := readTable(name)
		require.EqualError(t, err, name+want, text)
	}
}

// The table, the arguments and the generator speak about the same edits. A part that has changed
// since it was tried may have others by now; arguments must be about such as there are.
func TestTableAgreesWithArgumentsAndGenerator(t *testing.T) {
	t.Chdir("../..")
	o := options{table: "ci/mutation/table.txt", results: "none"}
	s, err := o.load(context.Background())
	require.NoError(t, err)
	require.NotEmpty(t, s.table)
	made := map[string]map[string]bool{}
	argued := map[string]bool{}
	for _, e := range s.edits {
		if made[e.pkg] == nil {
			made[e.pkg] = map[string]bool{}
		}
		require.False(t, made[e.pkg][e.ID], "%s is made twice", e.ID)
		made[e.pkg][e.ID] = true
		if s.why[e.ID] != "" {
			argued[e.ID] = true
		}
	}
	for id := range s.why {
		require.True(t, argued[id], "an argument is about %s, which is no edit", id)
	}
	for p, part := range s.table {
		now := part.key == s.keys[p]
		t.Logf("%s: %d edits tried, of today's sources: %t", p, len(part.results), now)
		if now {
			require.Len(t, part.results, len(made[p]), p)
		}
		for id, r := range part.results {
			if now {
				require.True(t, made[p][id], "%s is in the table, and is not made", id)
			}
			if made[p][id] {
				require.Equal(t, r.verdict == survived, argued[id], "%s %s", r.verdict, id)
			}
		}
	}
}

func TestSampleIsDrawnByItsSeed(t *testing.T) {
	var edits []edit
	for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		edits = append(edits, edit{Generated: mutant.Generated{ID: id}})
	}
	of := func(seed int64) []edit { return draw(append([]edit(nil), edits...), 3, seed) }
	require.Len(t, of(1), 3)
	require.Equal(t, of(1), of(1))
	require.NotEqual(t, of(1), of(2))
	require.ElementsMatch(t, edits, draw(append([]edit(nil), edits...), 100, 1))
}

// A test that draws what it does, or that has goroutines race, is not relied upon.
func TestByChance(t *testing.T) {
	t.Chdir("../..")
	names, err := byChance("taskstate")
	require.NoError(t, err)
	require.Equal(t, []string{"TestWordBehavesAsAStruct", "TestEveryStateIsReadable"}, names)
	names, err = byChance("idle")
	require.NoError(t, err)
	require.Contains(t, names, "TestEveryTaskRuns")
	require.NotContains(t, names, "TestNoWakeupIsLost")
}

func TestEditNamesWhomToAskFirst(t *testing.T) {
	g := mutant.Generated{ID: "gen-a", What: "f: left out: a().", Edit: mutant.Edit{
		File: "park/park.go", Decl: "f", Old: "a()", New: "b()",
	}}
	for _, suspect := range []string{"", "TestA"} {
		e := edit{Generated: g, suspect: suspect}
		m, err := mutant.Parse([]byte(e.text()))
		require.NoError(t, err)
		require.Equal(t, g.What, m.What)
		require.Len(t, m.Edits, 1)
		if suspect != "" {
			require.Equal(t, []mutant.Killer{{Name: "TestA"}}, m.Killers)
		} else {
			require.Empty(t, m.Killers)
		}
	}
}
