package instrument

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// markedFile marks one file, whose types are not needed for that.
func markedFile(t *testing.T, name string) (f CoveredFile, rewritten string) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	require.NoError(t, err)
	r := &rewriter{
		c:       &checked{meta: &listed{ImportPath: "example.com/t"}, prefix: "sw_"},
		src:     &source{name: name, text: text, ast: file, tf: fset.File(file.Pos())},
		imports: map[string]string{},
	}
	f, tail := r.mark(0)
	r.importClause()
	r.ed.replace(len(text), len(text), tail+"\n")
	return f, string(r.ed.apply(text))
}

var (
	coverPosition = regexp.MustCompile(`(?m)^\t\t(\d+), (\d+), (0x[0-9a-f]+), // \[\d+\]$`)
	coverStmts    = regexp.MustCompile(`(?m)^\t\t(\d+), // \d+$`)
)

// goCover returns what Go's own tool makes of a file: the blocks that have statements.
func goCover(t *testing.T, name string) (blocks []string) {
	t.Helper()
	out, err := exec.Command("go", "tool", "cover", "-mode=set", "-var=sw_cover", name).Output()
	require.NoError(t, err)
	_, tables, found := strings.Cut(string(out), "\nvar sw_cover = struct {\n")
	require.True(t, found)
	positions := coverPosition.FindAllStringSubmatch(tables, -1)
	stmts := coverStmts.FindAllStringSubmatch(tables, -1)
	require.Len(t, stmts, len(positions))
	for i, p := range positions {
		columns, err := strconv.ParseUint(p[3], 0, 32)
		require.NoError(t, err)
		if stmts[i][1] != "0" {
			blocks = append(blocks, fmt.Sprintf("%s.%d,%s.%d %s",
				p[1], columns&0xffff, p[2], columns>>16, stmts[i][1]))
		}
	}
	slices.Sort(blocks)
	return blocks
}

func TestBlocksAreThoseOfGoCover(t *testing.T) {
	for _, name := range []string{
		"testdata/cover/blocks.go", "rewrite_spin.go", "../driver/process.go",
		"../../deque/owner.go",
	} {
		f, _ := markedFile(t, name)
		var blocks []string
		for _, b := range f.Blocks {
			require.Positive(t, b.Stmts)
			require.LessOrEqual(t, b.StartLine, b.First)
			require.LessOrEqual(t, b.First, b.Last)
			require.LessOrEqual(t, b.Last, b.EndLine)
			blocks = append(blocks, fmt.Sprintf("%d.%d,%d.%d %d",
				b.StartLine, b.StartCol, b.EndLine, b.EndCol, b.Stmts))
		}
		slices.Sort(blocks)
		require.Equal(t, goCover(t, name), blocks, name)
	}
}

// What a mark stands in front of stays on its line, and there is one mark for each block.
func TestMarksLeaveEveryStatementOnItsLine(t *testing.T) {
	name := filepath.Join("testdata", "cover", "blocks.go")
	f, rewritten := markedFile(t, name)
	for i := range f.Blocks {
		require.Equal(t, 1, strings.Count(rewritten, fmt.Sprintf("sw_marks0[%d] = 1;", i)))
	}
	original, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, calls(t, string(original)), calls(t, rewritten))
}

// calls returns the calls of a text, with their lines.
func calls(t *testing.T, text string) (found []string) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok {
				found = append(found, fmt.Sprintf("%d %s", fset.Position(call.Pos()).Line, id.Name))
			}
		}
		return true
	})
	require.NotEmpty(t, found)
	return found
}
