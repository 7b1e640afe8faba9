package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const allVerdicts = `package verdicts

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func TestBounded(t *testing.T) {
	model.Check(t, func(x *model.Exec) { reached(x.Choose(2)) })
}

func TestFailed(t *testing.T) {
	model.Check(t, func(x *model.Exec) { x.Assert(x.Choose(2) == 0, "one was chosen") })
}

func TestUndecided(t *testing.T) {
	model.Check(t, func(x *model.Exec) { t.Skip("not now") })
}

func TestSkipped(t *testing.T) {
	t.Skip("not here")
	model.Check(t, func(x *model.Exec) {})
}
`

// allVerdictsModule makes a module whose checks have one verdict each, but proved.
func allVerdictsModule(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	write := anotherModule(t, dir)
	write("verdicts.go", `package verdicts

func reached(n int) {
	if n > 1 {
		panic(n)
	}
}
`)
	write("verdicts_test.go", allVerdicts)
	return dir
}

// documentedFields reads the tables of model/README.md: type -> field -> its type.
func documentedFields(t *testing.T) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile("model/README.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## Output for programs\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	head := regexp.MustCompile(`^\| field of (?:the |an? )?([a-z ]+) \| type \|`)
	row := regexp.MustCompile("^\\| `(\\w+)` \\| ([a-z ]+) \\| (.*) \\|$")
	fields := map[string]map[string]string{}
	of := ""
	for line := range strings.Lines(section) {
		line = strings.TrimSpace(line)
		if m := head.FindStringSubmatch(line); m != nil {
			of = m[1]
			fields[of] = map[string]string{}
		} else if m := row.FindStringSubmatch(line); m != nil {
			kind := m[2]
			if strings.HasPrefix(m[3], "only ") {
				kind += "?"
			}
			fields[of][m[1]] = kind
		} else {
			require.False(t, strings.HasPrefix(line, "| `"), line)
		}
	}
	require.Len(t, fields, 6)
	return fields
}

// The schema has the fields of the tables, with their types, and requires those that are always
// there. ci/readers holds it against what the command prints.
func TestTheSchemaIsAsTheGuideSays(t *testing.T) {
	text, err := os.ReadFile("docs/check.schema.json")
	require.NoError(t, err)
	type node struct {
		Ref         string `json:"$ref"`
		Type        string
		Const       any
		Description string
		Enum        []any
		Required    []string
		Properties  map[string]node
		Items       *node
	}
	var schema struct {
		Defs map[string]node `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(text, &schema))
	names := map[string]string{"file": "unreached file"} // a file is also a string in it
	typeOf := func(n node) string {
		if ref, ok := strings.CutPrefix(n.Ref, "#/$defs/"); ok {
			if n = schema.Defs[ref]; n.Type == "object" {
				return ref
			}
		}
		if n.Type == "" && len(n.Enum) > 0 {
			return "string"
		}
		switch n.Type {
		case "integer", "":
			return "number"
		}
		return n.Type
	}
	for of, fields := range documentedFields(t) {
		name := of
		if names[of] != "" {
			name = names[of]
		}
		object := schema.Defs[name]
		require.Equal(t, "object", object.Type, of)
		var required []string
		for field, kind := range fields {
			kind, optional := strings.CutSuffix(kind, "?")
			if !optional {
				required = append(required, field)
			}
			n, has := object.Properties[field]
			require.True(t, has, "%s.%s", of, field)
			if elements, isList := strings.CutPrefix(kind, "list of "); isList {
				require.Equal(t, "array", n.Type, "%s.%s", of, field)
				element := typeOf(*n.Items)
				require.Contains(t, []string{element, element + "s"},
					strings.Replace(elements, "files", "unreached file", 1), "%s.%s", of, field)
				continue
			}
			require.Equal(t, kind, typeOf(n), "%s.%s", of, field)
		}
		require.Len(t, object.Properties, len(fields), of)
		require.ElementsMatch(t, required, object.Required, of)
	}
}

// requireDocumented holds an object against the table of its type: it has exactly those fields,
// with values of those types.
func requireDocumented(t *testing.T, all map[string]map[string]string, of string, value any) {
	t.Helper()
	object, ok := value.(map[string]any)
	require.True(t, ok, "%s: %v", of, value)
	require.NotEmpty(t, all[of], "no table for %s", of)
	for name := range object {
		require.Contains(t, all[of], name, of)
	}
	for name, kind := range all[of] {
		kind, optional := strings.CutSuffix(kind, "?")
		v, has := object[name]
		if !has {
			require.True(t, optional, "%s has no %s", of, name)
			continue
		}
		elements, isList := strings.CutPrefix(kind, "list of ")
		switch {
		case kind == "string":
			require.IsType(t, "", v, "%s.%s", of, name)
		case kind == "number":
			require.IsType(t, 0.0, v, "%s.%s", of, name)
		case isList:
			require.IsType(t, []any{}, v, "%s.%s", of, name)
			for _, e := range v.([]any) {
				switch elements {
				case "strings":
					require.IsType(t, "", e, "%s.%s", of, name)
				case "lines":
					requireDocumented(t, all, elements, e)
				default:
					requireDocumented(t, all, strings.TrimSuffix(elements, "s"), e)
				}
			}
		default:
			requireDocumented(t, all, kind, v)
		}
	}
}

// The types that a reader would write by the guide.
type (
	readLines struct{ First, Last int }
	readFile  struct {
		File  string
		Lines []readLines
	}
	readSkipped struct {
		Package, Name, Message, File string
		Line                         int
	}
	readCheck struct {
		Version                             int
		Package, Name, Verdict              string
		Complete, Deadlocked, Pruned, Steps int64
		Seconds                             float64
		Token, Message                      string
		Assumptions                         []string
		Bounded, Races, Kind, File          string
		Line                                int
		Replayed, Passes, Passing           string
	}
	readSummary struct {
		Version, Checks, Proved, Bounded, Undecided, Failed int

		Skipped  []readSkipped
		Coverage *struct {
			Statements, Reached int
			Unreached           []readFile
		}
	}
)

func decodeStrictly(t *testing.T, line string, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(into), line)
}

func TestJSONIsAsTheGuideSays(t *testing.T) {
	t.Parallel()
	dir := allVerdictsModule(t)
	a := surewake(t, dir, "check", "-json", "-race=false", "-coverprofile", "c.out", "./...")
	require.Equal(t, exitFailed, a.Code, "%s", a)
	lines := strings.Split(strings.TrimSpace(a.Stdout), "\n")
	require.Len(t, lines, 4, "%s", a)
	fields := documentedFields(t)
	var verdicts []string
	for i, line := range lines {
		var value any
		require.NoError(t, json.Unmarshal([]byte(line), &value))
		if i == len(lines)-1 {
			requireDocumented(t, fields, "summary", value)
			continue
		}
		requireDocumented(t, fields, "check", value)
		var check readCheck
		decodeStrictly(t, line, &check)
		require.Equal(t, 1, check.Version)
		verdicts = append(verdicts, check.Name+" "+check.Verdict+" "+check.Kind)
	}
	slices.Sort(verdicts)
	require.Equal(t, []string{
		"TestBounded bounded ", "TestFailed FAILED assertion", "TestUndecided undecided refused",
	}, verdicts)

	var sum readSummary
	decodeStrictly(t, lines[len(lines)-1], &sum)
	require.Equal(t, 1, sum.Version)
	require.Equal(t, [5]int{3, 0, 1, 1, 1},
		[5]int{sum.Checks, sum.Proved, sum.Bounded, sum.Undecided, sum.Failed})
	require.Equal(t, "TestSkipped", sum.Skipped[0].Name)
	require.Equal(t, []readFile{{"verdicts.go", []readLines{{5, 5}}}}, sum.Coverage.Unreached)
}

func TestExitCodesDoNotDependOnTheFormat(t *testing.T) {
	t.Parallel()
	dir := allVerdictsModule(t)
	for run, code := range map[string]int{
		"Bounded|Skipped": exitOK, "Bounded|Undecided": exitUndecided, ".": exitFailed,
	} {
		for _, format := range formats {
			a := surewake(t, dir, "check", "-format", format, "-race=false", "-run", run, "./...")
			require.Equal(t, code, a.Code, "%s %s: %s", run, format, a)
		}
	}
	for _, args := range [][]string{
		{"-format", "junit"}, {"-json", "-format", "gotest"},
	} {
		a := surewake(t, dir, append([]string{"check"}, args...)...)
		require.Equal(t, exitTrouble, a.Code, "%s", a)
		require.Contains(t, a.Stderr, "format")
	}
}

func TestTheFormatOfGoTestIsReadByTest2json(t *testing.T) {
	t.Parallel()
	a := surewake(t, allVerdictsModule(t),
		"check", "-format", "gotest", "-race=false", "./...")
	cmd := exec.Command("go", "tool", "test2json")
	cmd.Stdin = strings.NewReader(a.Stdout)
	out, err := cmd.Output()
	require.NoError(t, err)
	ends, said := map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(out)) {
		var e struct{ Action, Test, Output string }
		decodeStrictly(t, line, &e)
		if e.Action == "output" {
			said[e.Test] += e.Output
		}
		if e.Action == "pass" || e.Action == "fail" || e.Action == "skip" {
			ends[e.Test] = e.Action
		}
	}
	require.Equal(t, map[string]string{
		"TestBounded": "pass", "TestFailed": "fail", "TestUndecided": "fail", "TestSkipped": "skip",
		"": "fail",
	}, ends)
	for name, text := range map[string]string{
		"TestBounded": "    bounded: 2 complete, 0 deadlocked, 0 pruned, ",
		"TestFailed": "    verdicts_test.go:14: FAILED (assertion): " +
			"assertion failed: one was chosen\n",
		"TestUndecided": " undecided (refused): ",
		"TestSkipped":   "    verdicts_test.go:22: not here\n",
		"":              "3 checks: 0 proved, 1 bounded, 1 failed, 1 undecided, 1 skipped\nFAIL\n",
	} {
		require.Contains(t, said[name], text, name)
	}
	require.Contains(t, said["TestFailed"], "    replay  ")
}

// What is going on is said where results are not, if there is somebody to read it.
func TestWhereProgressIsShown(t *testing.T) {
	terminal, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // a device, as a terminal is
	require.NoError(t, err)
	defer terminal.Close()
	for _, c := range []struct {
		format         string
		stdout, stderr io.Writer
		shown          bool
	}{
		{"table", terminal, terminal, false}, // by the table
		{"table", terminal, io.Discard, false},
		{"table", io.Discard, terminal, true},
		{"table", io.Discard, io.Discard, true}, // a line now and then
		{"json", io.Discard, terminal, true},
		{"json", io.Discard, io.Discard, false},
		{"gotest", io.Discard, terminal, true},
		{"gotest", io.Discard, io.Discard, false},
	} {
		call := &call{format: c.format, stdout: c.stdout, stderr: c.stderr}
		require.Equal(t, c.shown, call.live() != nil, "%+v", c)
	}
}
