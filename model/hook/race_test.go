package hook

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Compiled into checked code, inlined or instantiated there, a hook would show the race detector
// what the engine reads and writes. Bind*, Dyn* and the others that are named here touch nothing of
// it: they only call other hooks, or what they are given. Nor do Close and SelectSent, and a report
// about a channel has the line that calls them.
var touchNothing = regexp.MustCompile(
	`^(Bind\d+|WithMethods|Clear|Dyn[A-Z]\w*|Once(Func|Values?)|RWMutexRLocker|` +
		`Register(ed|Foreign(Anywhere)?)?|States?|LeftOut|(Kept|Lost)?Variable|Watched|Initialised|` +
		`Step|Setting|Starting|NotRepeated|Close|SelectSent|` +
		`R?(aw)?Syscall6)$`)

func TestHooksAreKeptFromTheRaceDetector(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	n := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !f.Name.IsExported() ||
				touchNothing.MatchString(f.Name.Name) {
				continue
			}
			n++
			var directives string
			if f.Doc != nil {
				for _, c := range f.Doc.List {
					directives += c.Text + "\n"
				}
			}
			if f.Type.TypeParams != nil {
				require.Contains(t, directives, "//go:norace\n", "%s: %s", name, f.Name.Name)
			} else {
				require.Regexp(t, `//go:(noinline|norace)\n`, directives, "%s: %s", name, f.Name.Name)
			}
		}
	}
	require.Greater(t, n, 100)
}
