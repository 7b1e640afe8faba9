package instrument

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

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
	args := append(append([]string{"mod", "edit"}, edits...), file)
	if _, err := s.goCmd(ctx, args...); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// writeModfile writes the go.mod of the main module with edits, and its go.sum
// beside it. The go command takes no such file in a workspace; what that
// decides is written into the go.mod then.
func (s *Set) writeModfile(
	ctx context.Context, l *listing, main *module, edits []string,
) (string, error) {
	text, err := os.ReadFile(main.GoMod)
	if err != nil {
		return "", err
	}
	sums := []string{filepath.Join(main.Dir, "go.sum")}
	if work := s.goenv["GOWORK"]; work != "" && work != "off" {
		modules := workspace(l)
		edits = append(workspaceEdits(modules, main), edits...)
		sums = append(sums, filepath.Join(filepath.Dir(work), "go.work.sum"))
		for _, m := range modules {
			if m.Main && m.Path != main.Path {
				sums = append(sums, filepath.Join(m.Dir, "go.sum"))
			}
		}
	}
	if raised := languageEdit(main.GoVersion); s.adopted && raised != nil {
		// What the library does stays what it is.
		own := cmp.Or(main.GoVersion, unnamedLanguage)
		edits = append(append(edits, raised...), "-godebug=default=go"+own)
	}
	var sum []byte
	for _, name := range sums {
		more, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		sum = append(sum, more...)
	}
	if text, err = s.editGoMod(ctx, text, edits); err != nil {
		return "", err
	}
	dir, err := s.writeTree("modfile", map[string][]byte{"go.mod": text, "go.sum": sum})
	return filepath.Join(dir, "go.mod"), err
}

// workspace returns the modules that packages were listed from.
func workspace(l *listing) []*module {
	byPath := make(map[string]*module)
	for _, p := range l.pkgs {
		if p.Module != nil {
			byPath[p.Module.Path] = p.Module
		}
	}
	var list []*module
	for _, path := range sortedKeys(byPath) {
		list = append(list, byPath[path])
	}
	return list
}

// workspaceEdits has a go.mod name the modules that the workspace chose.
func workspaceEdits(modules []*module, main *module) []string {
	var edits []string
	for _, m := range modules {
		switch {
		case m.Path == main.Path:
		case m.Main:
			edits = append(edits, "-require="+m.Path+"@v0.0.0", "-replace="+m.Path+"="+m.Dir)
		default:
			edits = append(edits, "-require="+m.Path+"@"+m.Version)
			if r := m.Replace; r != nil && r.Version != "" {
				edits = append(edits, "-replace="+m.Path+"="+r.Path+"@"+r.Version)
			} else if r != nil {
				edits = append(edits, "-replace="+m.Path+"="+m.Dir)
			}
		}
	}
	return edits
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
