package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/mutant"
	"github.com/surewake/surewake/proofs"
)

// flagsOf returns the flags that a subcommand lists under -h.
func flagsOf(t *testing.T, sub string) (flags []string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	require.Equal(t, exitOK, run(context.Background(), []string{sub, "-h"}, &stdout, &stderr), sub)
	listed := regexp.MustCompile(`(?m)^  (-[A-Za-z-]+)`).FindAllStringSubmatch(stdout.String(), -1)
	for _, m := range listed {
		flags = append(flags, m[1])
	}
	require.NotEmpty(t, flags, sub)
	return flags
}

// guide returns the flags that model/README.md prints of each subcommand, with their arguments.
func guide(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("model/README.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "\n## Flags\n\n")
	require.True(t, found)
	list, _, _ := strings.Cut(rest, "\n\n")
	printed := map[string][]string{}
	sub := ""
	for line := range strings.Lines(list) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "  ")
		if name, ok := strings.CutPrefix(line, "surewake "); ok {
			sub, _, _ = strings.Cut(name, " ")
			continue
		}
		printed[sub] = append(printed[sub], strings.Split(line, ", ")...)
	}
	require.Len(t, printed, 3)
	return printed
}

func TestTheGuideHasEveryFlag(t *testing.T) {
	for sub, printed := range guide(t) {
		var names []string
		for _, p := range printed {
			names = append(names, regexp.MustCompile(`^-[A-Za-z-]+`).FindString(p))
		}
		require.ElementsMatch(t, flagsOf(t, sub), names, sub)
	}
}

// The flags of check are given as the guide prints them, all together.
func TestTheFlagsOfTheGuideAreTakenAsPrinted(t *testing.T) {
	args := []string{"check"}
	for _, p := range guide(t)["check"] {
		name, value, has := strings.Cut(p, " ")
		switch {
		case name == "-test", name == "-format", name == "-checkpoint",
			strings.HasPrefix(name, "-shard"):
			continue // in place of -run, -json, -certify, -jobs
		case name == "-C":
			value = "."
		case name == "-certify":
			value = t.TempDir()
		case value == "FILE":
			value = filepath.Join(t.TempDir(), "file")
		case value == "REGEXP":
			value = quickCheck
		case value == "NAME":
			value = "dpor"
		case value == "N":
			value = "2"
		case value == "TAGS":
			value = "some,tags"
		}
		args = append(args, name)
		if has {
			args = append(args, value)
		}
	}
	a := surewake(t, ".", append(args, "./deque")...)
	require.Equal(t, exitOK, a.Code, "%s", a)
	rows, _ := a.Rows(t)
	require.Len(t, rows, 1, "%s", a)
}

// Each command in a guide is one: subcommand, flags and packages are there, and what it selects.
func TestTheCommandsOfTheGuidesSelectSomething(t *testing.T) {
	begins := regexp.MustCompile("(?m)(?:^    |`)(?:go run \\.|go tool surewake)((?: [^`\n]+)?)")
	seen := 0
	pages := guidePages(t)
	for _, page := range []string{"README.md", "CONTRIBUTING.md", "model/README.md",
		"proofs/README.md", "examples/pool/doc.go", "idle/doc.go"} {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		pages[page] = string(text)
	}
	for page, text := range pages {
		for _, m := range begins.FindAllStringSubmatch(text, -1) {
			// What follows two spaces is for the reader.
			line, _, _ := strings.Cut(guideFolders.Replace(m[1]), "  ")
			seen++
			requireCommand(t, page, strings.Fields(line))
		}
	}
	require.Greater(t, seen, 15)
}

// The commands for a checkout in place of a release work as they are printed.
func TestACheckoutInPlaceOfARelease(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("model/README.md")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(text), "in place of a release:\n\n")
	require.True(t, found)
	block, _, _ := strings.Cut(after, "\n\n")
	here, err := os.Getwd()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Symlink(here, filepath.Join(dir, "surewake")))
	mine := filepath.Join(dir, "mine")
	require.NoError(t, os.Mkdir(mine, 0o777))
	for name, text := range map[string]string{
		"go.mod": "module example.com/mine\n\ngo 1.25.0\n",
		"mine_test.go": `package mine

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func TestTwo(t *testing.T) { model.Check(t, func(x *model.Exec) { x.Choose(2) }) }
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(mine, name), []byte(text), 0o666))
	}
	printed := strings.Split(strings.TrimSpace(block), "\n")
	require.Len(t, printed, 3)
	for _, line := range append(printed, "go tool surewake check -json -race=false ./...") {
		args := strings.Fields(line)
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = mine
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", line, out)
		if strings.HasPrefix(line, "go tool") {
			require.Contains(t, string(out), `"complete":2`)
		}
	}
}

// alone has flags without a value.
var alone = []string{"-json", "-all", "-both", "-emit-test"}

func requireCommand(t *testing.T, page string, args []string) {
	t.Helper()
	if len(args) == 0 {
		return
	}
	said := page + ": " + strings.Join(args, " ")
	sub, pattern, dir := args[0], "", ""
	known := flagsOf(t, sub)
	if redirect := slices.Index(args, ">"); redirect > 0 {
		args = args[:redirect]
	}
	for i := 1; i < len(args); i++ {
		name, _, assigned := strings.Cut(args[i], "=")
		switch {
		case !strings.HasPrefix(name, "-"):
			if dir = args[i]; dir != "TOKEN" && dir != "./..." {
				require.DirExists(t, dir, said)
			}
			continue
		case name == "-run" || name == "-test":
			i++
			pattern = strings.Trim(args[i], "'")
		default:
			require.True(t, assigned || slices.Contains(alone, name), said)
		}
		require.True(t, slices.Contains(known, name), said)
	}
	if pattern == "" || strings.Contains(pattern, "ID") {
		return
	}
	require.True(t, slices.ContainsFunc(selectable(t, sub, dir),
		regexp.MustCompile(pattern).MatchString), said)
}

// selectable returns the names among which -run of a subcommand selects.
func selectable(t *testing.T, sub, dir string) (names []string) {
	t.Helper()
	switch sub {
	case "audit":
		for _, th := range proofs.Theorems() {
			names = append(names, th.ID)
		}
	case "mutants":
		files, err := mutant.Find(".")
		require.NoError(t, err)
		for _, f := range files {
			if f.Home == filepath.Clean(dir) {
				names = append(names, f.ID)
			}
		}
	case "check":
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		require.NoError(t, err)
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			test := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
			for _, m := range test.FindAllStringSubmatch(string(text), -1) {
				names = append(names, m[1])
			}
		}
		if dir == "./..." {
			names = append(names, "any")
		}
	}
	return names
}
