package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/surewake/surewake/internal/commandtest"
)

// The pages in docs/guides show programs of testdata/verdicts, where ci/verdicts has them
// checked, and what the command prints of them.

// guideFolders leads from the folders of the guides to those of the programs.
var guideFolders = strings.NewReplacer(
	"-test TestTake ./tickets", "-test TestTake ./testdata/verdicts/ordinarytickets",
	"./tickets", "./testdata/verdicts/tickets",
	"./leaks", "./testdata/verdicts/leaks",
	"./flaky", "./testdata/verdicts/ordinaryflaky",
)

// guidePages returns the text of each page, by its path.
func guidePages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"docs/guides/*.md", "docs/guides/flaky/*.md"} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, names, pattern)
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			pages[filepath.ToSlash(name)] = string(text)
		}
	}
	return pages
}

// fenced returns the blocks of a page that are fenced as text in a language.
func fenced(page, language string) (blocks []string) {
	block := regexp.MustCompile("(?s)\n```" + language + "\n(.*?)\n```\n")
	for _, m := range block.FindAllStringSubmatch(page, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// A page shows code of the files that it links, as it is there but for the lines with verdicts.
func TestGuidesShowCodeThatIsChecked(t *testing.T) {
	link := regexp.MustCompile(`\]\(([./]*(?:testdata|runtime)/[^)]*\.go)\)`)
	verdict := regexp.MustCompile(`(?m)^// verdict: .*\n`)
	shown := 0
	for page, text := range guidePages(t) {
		code := "\n"
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			file, err := os.ReadFile(filepath.Join(filepath.Dir(page), m[1]))
			require.NoError(t, err, page)
			code += verdict.ReplaceAllLiteralString(string(file), "")
		}
		for _, block := range fenced(text, "go") {
			for part := range strings.SplitSeq(block, "\n\n") {
				shown++
				require.Contains(t, code, "\n"+part+"\n", page)
			}
		}
	}
	require.Greater(t, shown, 50)
}

// What the workflow of ci.md runs are commands.
func TestTheWorkflowOfTheGuideRunsCommands(t *testing.T) {
	const page = "docs/guides/ci.md"
	type steps []struct{ Uses, Run string }
	blocks := fenced(guidePages(t)[page], "yaml")
	require.Len(t, blocks, 2)
	file, err := os.ReadFile("docs/guides/surewake.yml")
	require.NoError(t, err)
	require.Equal(t, string(file), blocks[0]+"\n")
	var workflow struct {
		On   []string
		Jobs map[string]struct {
			RunsOn string `yaml:"runs-on"`
			Steps  steps
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(blocks[0]), &workflow))
	require.NotEmpty(t, workflow.On)
	all := workflow.Jobs["check"].Steps
	require.NotEmpty(t, all)
	require.NotEmpty(t, workflow.Jobs["check"].RunsOn)
	var more steps // one step, in place of another
	require.NoError(t, yaml.Unmarshal([]byte(blocks[1]), &more))
	ran := 0
	for _, step := range append(all, more...) {
		require.True(t, (step.Uses == "") != (step.Run == ""), "%+v", step)
		if step.Run == "" {
			continue
		}
		ran++
		command, _, _ := strings.Cut(step.Run, " || ")
		args, ours := strings.CutPrefix(command, "go tool surewake ")
		require.True(t, ours, step.Run)
		requireCommand(t, page, strings.Fields(args))
	}
	require.Equal(t, 3, ran)
}

// The links of the guides, and those to them, lead to files.
func TestTheLinksOfTheGuidesLeadSomewhere(t *testing.T) {
	pages := guidePages(t)
	for _, name := range []string{"README.md", "model/README.md"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Contains(t, string(text), "docs/guides/", name)
		pages[name] = string(text)
	}
	link := regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
	code := regexp.MustCompile("(?s)\n```.*?\n```\n|`[^`\n]*`")
	linked := map[string]bool{}
	for page, text := range pages {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			if strings.HasPrefix(m[1], "https://") {
				continue
			}
			file := filepath.Join(filepath.Dir(page), m[1])
			_, err := os.Stat(file)
			require.NoError(t, err, page)
			linked[filepath.ToSlash(file)] = true
		}
	}
	for page := range guidePages(t) {
		require.True(t, linked[page], "no page links %s", page)
	}
}

// The guides quote what the command prints in a module that is made as from-a-flaky-test.md says.
func TestGuidesShowWhatTheCommandPrints(t *testing.T) {
	t.Parallel()
	commandtest.NeedRace(t)
	pages := guidePages(t)
	_, after, found := strings.Cut(pages["docs/guides/from-a-flaky-test.md"], "`../surewake`:\n\n")
	require.True(t, found)
	setup, _, _ := strings.Cut(after, "\n\n")
	here, err := os.Getwd()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Symlink(here, filepath.Join(dir, "surewake")))
	mine := filepath.Join(dir, "mine")
	require.NoError(t, os.Mkdir(mine, 0o777))
	first := "cp -r ../surewake/testdata/verdicts/ordinarytickets tickets" // as first-check.md says
	setup = first + "\n" + setup + `
		rm -r tickets
		cp -r ../surewake/testdata/verdicts/tickets tickets
		go tool surewake check ./tickets ./leaks
		go tool surewake check -run TestTwoTakers -coverprofile=cover.out ./tickets`
	var printed [][]string
	for line := range strings.SplitSeq(setup, "\n") {
		line, ours := strings.CutPrefix(strings.TrimSpace(line), "go tool surewake ")
		args := strings.Fields(line)
		if ours {
			a := surewake(t, mine, args...)
			require.Contains(t, []int{exitOK, exitFailed}, a.Code, "%s: %s", line, a)
			printed = append(printed, normal(a.Stdout))
			continue
		}
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = mine
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", line, out)
	}
	require.Len(t, printed, 3)
	quoted := 0
	for page, text := range pages {
		for _, block := range fenced(text, "text") {
			quoted++
			require.True(t, slices.ContainsFunc(printed, func(lines []string) bool {
				return quotes(normal(block), lines)
			}), "%s: nobody prints\n%s\nbut\n%s", page, block, printed)
		}
	}
	require.Greater(t, quoted, 20)
}

var (
	tableRow = regexp.MustCompile(`^\S+ +\S+ +(verdict|proved|bounded|FAILED) `)
	seconds  = regexp.MustCompile(` \d+\.\d( assumes |$)`)
)

// normal returns the lines of what the command prints, without what differs from run to run: the
// seconds in a row, and the widths of columns, which depend on the other rows.
func normal(printed string) []string {
	lines := strings.Split(printed, "\n")
	for i, line := range lines {
		if tableRow.MatchString(line) {
			line = seconds.ReplaceAllString(strings.Join(strings.Fields(line), " "), "$1")
		}
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}

// quotes reports whether the block is part of what is printed. Its line ... stands for any lines,
// and its row may follow others in the table.
func quotes(block, printed []string) bool {
	if block[0] == printed[0] {
		block = block[1:]
	}
	for len(block) > 0 {
		part := block
		end := slices.IndexFunc(block, func(line string) bool {
			return strings.TrimSpace(line) == "..."
		})
		if end >= 0 {
			part, block = block[:end], block[end+1:]
		} else {
			block = nil
		}
		for !slices.Equal(part, printed[:min(len(part), len(printed))]) {
			if len(printed) == 0 {
				return false
			}
			printed = printed[1:]
		}
		printed = printed[len(part):]
	}
	return true
}

// The pages on moving to package runtime name what it exports.
func TestTheNamesOfTheRuntimeInTheGuides(t *testing.T) {
	exported := map[string]bool{}
	files, err := filepath.Glob("runtime/*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				exported[namesOf(n)[0]] = true
				return false
			case *ast.TypeSpec:
				exported[n.Name.Name] = true
			case *ast.ValueSpec:
				for _, name := range n.Names {
					exported[name.Name] = true
				}
			}
			return true
		})
	}
	name := regexp.MustCompile("`(?:sw\\.(\\w+)|" +
		"((?:Cx|Handle|Group|Runtime|TaskScope|Results)\\.\\w+))")
	for _, page := range []string{"from-goroutines.md", "from-tokio.md"} {
		names := name.FindAllStringSubmatch(guidePages(t)["docs/guides/"+page], -1)
		require.Greater(t, len(names), 30)
		for _, m := range names {
			require.True(t, exported[m[1]+m[2]], "%s: %s", page, m[0])
		}
	}
}
