package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Two folders of testdata/verdicts have the same programs, with a bug and without.
// ci/verdicts has them checked; the README of the first lists them by class.
const (
	buggyFolder    = "testdata/verdicts/ordinarybuggy"
	repairedFolder = "testdata/verdicts/ordinaryrepaired"
)

// failureKinds are the words by which a verdict's message begins, and what the README calls them.
var failureKinds = []struct{ message, name string }{
	{"^deadlock: ", "deadlock"},
	{"^panic: ", "panic"},
	{"^assertion failed: ", "assertion"},
	{"^in the race run: data race", "data race"},
	{"^timing: ", "timing"},
}

func TestEachBuggyProgramHasItsRepair(t *testing.T) {
	t.Parallel()
	buggy, repaired := programs(t, buggyFolder), programs(t, repairedFolder)
	require.GreaterOrEqual(t, len(buggy), 60)
	require.Len(t, repaired, len(buggy))
	for name, bug := range buggy {
		require.Contains(t, repaired, name)
		repair := repaired[name]
		require.Equal(t, bug.test, repair.test, name)
		require.NotEmpty(t, bug.kind(t), name)
		require.Regexp(t, "^proved($| without assumptions$)", repair.verdict, name)
		changed := differentLines(bug.text, repair.text)
		require.Positive(t, changed, name)
		require.LessOrEqual(t, changed, 24, "%s: a repair changes what is wrong", name)
	}
}

func TestTheTableOfBuggyProgramsIsTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(buggyFolder, "README.md"))
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^\| ([^|]+) \| (\d+) \| ([^|]+) \| ([^|]+) \|$`).
		FindAllStringSubmatch(string(page), -1)
	classes := map[string]string{} // by the prefix of their files
	for _, row := range rows {
		classes[strings.ToLower(strings.ReplaceAll(row[1], " ", "_"))+"_"] = row[1]
	}
	type entry struct{ kinds, names []string }
	want := map[string]*entry{}
	for name, p := range programs(t, buggyFolder) {
		class := ""
		for prefix := range classes {
			if strings.HasPrefix(name, prefix) && len(prefix) > len(class) {
				class = prefix
			}
		}
		require.NotEmpty(t, class, "no row for %s", name)
		if want[class] == nil {
			want[class] = &entry{}
		}
		want[class].kinds = append(want[class].kinds, p.kind(t))
		want[class].names = append(want[class].names,
			strings.ReplaceAll(strings.TrimPrefix(name, class), "_", " "))
	}
	var table []string
	for prefix, class := range classes {
		require.NotNil(t, want[prefix], "no program for %s", class)
		slices.Sort(want[prefix].names)
		slices.Sort(want[prefix].kinds)
		table = append(table, fmt.Sprintf("| %s | %d | %s | %s |", class, len(want[prefix].names),
			strings.Join(slices.Compact(want[prefix].kinds), ", "),
			strings.Join(want[prefix].names, ", ")))
	}
	slices.SortFunc(table, func(a, b string) int { return cmp.Compare(a, b) })
	var shown []string
	for _, row := range rows {
		shown = append(shown, row[0])
	}
	require.Equal(t, strings.Join(table, "\n"), strings.Join(shown, "\n"))
}

// A program is a file with one test.
type program struct{ test, verdict, text string }

// kind returns the name of the failure that the verdict asks for.
func (p program) kind(t *testing.T) string {
	t.Helper()
	message, failed := strings.CutPrefix(p.verdict, "FAILED ")
	require.True(t, failed, p.test)
	for _, k := range failureKinds {
		if strings.HasPrefix(message, k.message) {
			return k.name
		}
	}
	require.Fail(t, "the verdict does not say how the program fails", p.test)
	return ""
}

// programs returns those of a folder, by the names of their files without _test.go.
func programs(t *testing.T, folder string) map[string]program {
	t.Helper()
	test := regexp.MustCompile(`(?m)^// verdict: (.+)\nfunc (Test\w+)\(`)
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	all := map[string]program{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		found := test.FindAllStringSubmatch(string(text), -1)
		require.Len(t, found, 1, file)
		name := strings.TrimSuffix(filepath.Base(file), "_test.go")
		all[name] = program{test: found[0][2], verdict: found[0][1], text: string(text)}
	}
	return all
}

// differentLines counts the lines that a diff of two programs shows, without those that name the
// package and the verdict. The width of an indentation or an alignment does not count.
func differentLines(a, b string) int {
	as, bs := comparedLines(a), comparedLines(b)
	// common[i] is the length of the longest common subsequence of bs[:i] and what is read of as.
	common := make([]int, len(bs)+1)
	for _, line := range as {
		before := 0
		for i := range bs {
			here := max(common[i+1], common[i])
			if line == bs[i] {
				here = before + 1
			}
			before, common[i+1] = common[i+1], here
		}
	}
	return len(as) + len(bs) - 2*common[len(bs)]
}

func comparedLines(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "package ") && !strings.HasPrefix(line, "// verdict: ") {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
	}
	return lines
}
