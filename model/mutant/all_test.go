package mutant_test

import (
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/mutant"
)

const root = "../.."

func read(file string) ([]byte, error) {
	return os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
}

// Each mutant of this repository applies to the tree and leaves Go that parses, and the tests that
// it names are there. Whoever renames something learns here which mutants are to be mended. Those
// that run before a change goes in name somebody: who objects by chance may not do so again.
func TestEveryMutantApplies(t *testing.T) {
	files, err := mutant.Find(root)
	require.NoError(t, err)
	require.Greater(t, len(files), 300)
	tests := map[string]string{} // the text of all tests, by directory
	for _, f := range files {
		m, err := f.Read()
		if err != nil {
			t.Errorf("%s: %v", f.Path, err)
			continue
		}
		if !f.More && len(m.Killers) == 0 {
			t.Errorf("%s names nobody who must object", f.Path)
		}
		for _, k := range m.Killers {
			dir := path.Join(f.Home, ".")
			if k.Place != "" {
				dir = k.Place
			}
			if _, seen := tests[dir]; !seen {
				tests[dir] = testsIn(t, dir)
			}
			test := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(k.Name))
			if !test.MatchString(tests[dir]) {
				t.Errorf("%s: %s has no test %s", f.Path, dir, k.Name)
			}
		}
		edited, err := m.Apply(read)
		if err != nil {
			t.Errorf("%s: %v", f.Path, err)
		}
		for file, text := range edited {
			if path.Ext(file) != ".go" {
				continue
			}
			_, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
			if err != nil {
				t.Errorf("%s: %v", f.Path, err)
			}
		}
	}
}

func testsIn(t *testing.T, dir string) string {
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*_test.go"))
	require.NoError(t, err)
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		all.Write(text)
		all.WriteByte('\n')
	}
	return all.String()
}

// Mutants that leave the same code are one too many: one can name everybody who must object.
func TestNoMutantIsThereTwice(t *testing.T) {
	files, err := mutant.Find(root)
	require.NoError(t, err)
	seen := map[string]string{}
	for _, f := range files {
		m, err := f.Read()
		require.NoError(t, err, f.Path)
		edited, err := m.Apply(read)
		require.NoError(t, err, f.Path)
		var code strings.Builder
		for _, file := range slices.Sorted(maps.Keys(edited)) {
			fset := token.NewFileSet()
			parsed, err := parser.ParseFile(fset, file, edited[file], parser.SkipObjectResolution)
			require.NoError(t, err, f.Path)
			fmt.Fprintln(&code, file)
			require.NoError(t, format.Node(&code, token.NewFileSet(), parsed))
		}
		if other := seen[code.String()]; other != "" {
			t.Errorf("%s leaves the same code as %s: one should name who else must object",
				f.Path, other)
		}
		seen[code.String()] = f.Path
	}
}
