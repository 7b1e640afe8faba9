package mutant_test

import (
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/mutant"
)

const root = "../.."

func read(file string) ([]byte, error) {
	return os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
}

// Each mutant of this repository applies to the tree and leaves Go that parses, and the tests that it names are there. Whoever
// renames something learns here which mutants are to be mended.
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
		for _, k := range m.Killers {
			dir := path.Join(f.Home, ".")
			if k.Place != "" {
				dir = k.Place
			}
			if _, seen := tests[dir]; !seen {
				tests[dir] = testsIn(t, dir)
			}
			if !regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(k.Name)).MatchString(tests[dir]) {
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
			if _, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution); err != nil {
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

// Two files of one home that make the same edits are one mutant too many.
func TestNoMutantIsThereTwice(t *testing.T) {
	files, err := mutant.Find(root)
	require.NoError(t, err)
	seen := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f.Path)
		require.NoError(t, err)
		_, edits, _ := strings.Cut(string(text), "\n-- ")
		if other := seen[edits]; other != "" {
			t.Errorf("%s makes the edits of %s: one should name who else must object", f.Path, other)
		}
		seen[edits] = f.Path
	}
}
