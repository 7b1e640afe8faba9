package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/proofs"
)

// What the walks of CONTRIBUTING.md name is there: package.Function, package.Type or
// package.Type.Method.
func TestTheWalksLeadSomewhere(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	require.NoError(t, err)
	_, walks, found := strings.Cut(string(text), "\n## Three walks\n")
	require.True(t, found)
	declared := declarations(t)
	names := regexp.MustCompile("`([a-z]+\\.[A-Za-z0-9.]+)`").FindAllStringSubmatch(walks, -1)
	require.Greater(t, len(names), 25)
	for _, name := range names {
		require.Contains(t, declared, name[1])
	}
}

// Every folder of the product, and every file or group of files that the map names, is there.
func TestTheMapShowsEveryFolder(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "\n## Map\n")
	require.True(t, found)
	mapped, _, _ := strings.Cut(rest, "\n## ")
	rows := regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(mapped, -1)
	require.NotEmpty(t, rows)
	var shown []string
	for _, row := range rows {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			matches, err := filepath.Glob(name[1])
			require.NoError(t, err)
			require.NotEmpty(t, matches, name[1])
			shown = append(shown, name[1])
		}
	}
	for _, dir := range goFolders(t) {
		in := func(name string) bool { return strings.HasPrefix(name+"/", dir+"/") }
		within := false
		for _, name := range shown {
			within = within || in(strings.TrimSuffix(name, "/")) ||
				strings.HasPrefix(dir+"/", strings.TrimSuffix(name, "/")+"/")
		}
		require.True(t, within, "the map does not show %s", dir)
	}
}

// goFolders returns the folders with Go files, except fixtures and what has a go.mod of its own.
func goFolders(t *testing.T) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || path == "." {
			return err
		}
		name := entry.Name()
		_, err = os.Stat(filepath.Join(path, "go.mod"))
		if err == nil || name == "testdata" || name == "ci" || strings.HasPrefix(name, ".") {
			return filepath.SkipDir
		}
		if files, _ := filepath.Glob(filepath.Join(path, "*.go")); len(files) > 0 {
			dirs = append(dirs, filepath.ToSlash(path))
		}
		return nil
	})
	require.NoError(t, err)
	return dirs
}

func declarations(t *testing.T) map[string]bool {
	t.Helper()
	declared := map[string]bool{}
	for _, dir := range goFolders(t) {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, decl := range file.Decls {
				for _, name := range namesOf(decl) {
					declared[file.Name.Name+"."+name] = true
				}
			}
		}
	}
	return declared
}

func namesOf(decl ast.Decl) (names []string) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		name := decl.Name.Name
		if decl.Recv != nil {
			recv := decl.Recv.List[0].Type
			if star, ok := recv.(*ast.StarExpr); ok {
				recv = star.X
			}
			switch of := recv.(type) {
			case *ast.IndexExpr:
				recv = of.X
			case *ast.IndexListExpr:
				recv = of.X
			}
			name = recv.(*ast.Ident).Name + "." + name
		}
		names = append(names, name)
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			if spec, ok := spec.(*ast.TypeSpec); ok {
				names = append(names, spec.Name.Name)
			}
		}
	}
	return names
}

// Each hazard that code names is in docs/hazards.md, and each other id is a theorem.
func TestEveryIDInCommentsIsInADocument(t *testing.T) {
	text, err := os.ReadFile("docs/hazards.md")
	require.NoError(t, err)
	known := map[string]bool{}
	rows := regexp.MustCompile(`(?m)^\| ([A-Z]\d+) \|`)
	for _, row := range rows.FindAllStringSubmatch(string(text), -1) {
		require.False(t, known["runtime/"+row[1]], "%s is there twice", row[1])
		known["runtime/"+row[1]] = true
	}
	require.Greater(t, len(known), 30)
	for _, theorem := range proofs.Theorems() {
		known[theorem.ID] = true
	}
	id := regexp.MustCompile(`\b(?:runtime|deque|fork|taskstate|idle|park|injector|memory)/[A-Z]\d+\b`)
	named := 0
	for _, dir := range goFolders(t) {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			for _, id := range id.FindAllString(string(text), -1) {
				require.True(t, known[id], "%s names %s, which is in no document", name, id)
				named++
			}
		}
	}
	require.Greater(t, named, 100)
}

// The mutants of the parts and of the runtime that are named after a hazard name one that there is.
func TestMutantsAreNamedAfterHazards(t *testing.T) {
	text, err := os.ReadFile("docs/hazards.md")
	require.NoError(t, err)
	for dir, letters := range map[string]string{
		"deque": "D", "fork": "K", "injector": "Q", "taskstate": "T", "park": "P", "idle": "I",
		"runtime": "DIPR",
	} {
		files, err := filepath.Glob(dir + "/testdata/mutants/*.mutant")
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			id := regexp.MustCompile(`^[` + letters + `]\d+`).FindString(filepath.Base(file))
			require.Contains(t, string(text), "\n| "+id, file)
		}
	}
}
