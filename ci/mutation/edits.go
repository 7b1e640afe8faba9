package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/surewake/surewake/model/mutant"
)

// An edit is one that was generated for a package.
type edit struct {
	mutant.Generated
	pkg     string
	suspect string // the test that is asked first, "" if it is not known
}

// text returns the edit as a file.
func (e *edit) text() string {
	text := e.Text()
	if e.suspect != "" {
		text = strings.Replace(text, "\n\n-- ", "\nKilled by "+e.suspect+"\n\n-- ", 1)
	}
	return text
}

// generate returns all edits of all parts, and for each part a hash of what the results rest on.
func generate(ctx context.Context) ([]edit, map[string]string, error) {
	var all []edit
	keys := map[string]string{}
	for _, p := range parts {
		key, err := keyOf(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		keys[p] = key
		files, err := list(ctx, "{{range .GoFiles}}{{.}}\n{{end}}", "./"+p)
		if err != nil {
			return nil, nil, err
		}
		for _, f := range files {
			name := p + "/" + f
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, nil, err
			}
			edits, err := mutant.Generate(name, text)
			if err != nil {
				return nil, nil, err
			}
			for _, e := range edits {
				all = append(all, edit{Generated: e, pkg: p})
			}
		}
	}
	return all, keys, nil
}

// list returns what go list prints.
func list(ctx context.Context, format string, args ...string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-f", format}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return strings.Fields(string(out)), nil
}

// byChance returns the tests of a part that may notice a bug in one run and miss it in the next:
// those that draw what they do, and those that have real goroutines race.
func byChance(part string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(part, "*_test.go"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range parsed.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") &&
				(filepath.Base(file) == "stress_test.go" || draws(f)) {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names, nil
}

// draws reports whether a function uses package rapid.
func draws(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			x, ok := s.X.(*ast.Ident)
			found = found || ok && x.Name == "rapid"
		}
		return !found
	})
	return found
}

// keyOf hashes the sources of a part, with its tests, and of the parts that it imports.
func keyOf(ctx context.Context, part string) (string, error) {
	dirs, err := list(ctx, "{{if .Module}}{{if .Module.Main}}{{.Dir}}{{end}}{{end}}", "-deps",
		"./"+part)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return "", err
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(h, "%s %d\n%s", filepath.Base(f), len(text), text)
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:12], nil
}

// copyTree copies what git knows of the repository, without its mutants.
func copyTree(ctx context.Context, to string) error {
	out, err := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others",
		"--exclude-standard").Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if strings.Contains(name, "/testdata/mutants/") {
			continue
		}
		text, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // deleted, and not committed
		}
		if err != nil {
			return err
		}
		dest := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(dest), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(dest, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}
