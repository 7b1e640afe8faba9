package instrument

import (
	"cmp"
	"context"
	"errors"
	"go/version"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// minLanguage is what rewritten text needs of the language: hook has generic
// functions, and some are passed to others without being instantiated.
const minLanguage = "1.21"

// languageEdit returns the edit of a go.mod that gives a copied module the
// language version which its rewritten text needs, if it has an older one. It
// stays below 1.22, where the meaning of loops changed.
func languageEdit(goVersion string) []string {
	if goVersion != "" && version.Compare("go"+goVersion, "go"+minLanguage) >= 0 {
		return nil
	}
	return []string{"-go=" + minLanguage}
}

// editGoMod applies go mod edit to the text of a go.mod.
func (s *Set) editGoMod(ctx context.Context, text []byte, edits []string) ([]byte, error) {
	if len(edits) == 0 {
		return text, nil
	}
	tmp, err := os.MkdirTemp("", "surewake")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	file := filepath.Join(tmp, "go.mod")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		return nil, err
	}
	if _, err := s.goCmd(ctx, append(append([]string{"mod", "edit"}, edits...), file)...); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// writeModfile writes the main module's go.mod with edits, and its go.sum
// beside it.
func (s *Set) writeModfile(ctx context.Context, edits []string) (string, error) {
	text, err := os.ReadFile(s.goenv["GOMOD"])
	if err != nil {
		return "", err
	}
	sum, err := os.ReadFile(filepath.Join(filepath.Dir(s.goenv["GOMOD"]), "go.sum"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if text, err = s.editGoMod(ctx, text, edits); err != nil {
		return "", err
	}
	dir, err := s.writeTree("modfile", map[string][]byte{"go.mod": text, "go.sum": sum})
	return filepath.Join(dir, "go.mod"), err
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
