package proofs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// atomics returns the atomic accesses of files, as "function: name.Operation".
func atomics(t *testing.T, files []string) []string {
	operations := []string{"Load", "Store", "Swap", "CompareAndSwap", "And", "Or", "Add", "swap",
		"LoadUint64", "CompareAndSwapUint64"}
	var found []string
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				op, ok := call.Fun.(*ast.SelectorExpr)
				if !ok || !slices.Contains(operations, op.Sel.Name) {
					return true
				}
				on := op.X
				if strings.HasSuffix(op.Sel.Name, "Uint64") { // a function of sync/atomic
					on = call.Args[0].(*ast.UnaryExpr).X
				}
				found = append(found, fn.Name.Name+": "+lastName(on)+"."+op.Sel.Name)
				return true
			})
		}
	}
	return found
}

func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return lastName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}

func TestEveryAtomicAccessIsInTheTable(t *testing.T) {
	files := map[string][]string{}
	for _, dir := range []string{"idle", "park", "deque", "fork", "taskstate", "injector"} {
		all, err := filepath.Glob("../" + dir + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		files[dir] = slices.DeleteFunc(all,
			func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	}
	theorems := map[string]bool{}
	for _, th := range Theorems() {
		theorems[th.ID] = true
	}
	for dir, names := range files {
		inCode := map[string]bool{}
		for _, access := range atomics(t, names) {
			inCode[access] = true
		}
		inTable := map[string]bool{}
		for _, a := range Accesses() {
			if a.Package != dir {
				continue
			}
			for _, f := range a.Functions() {
				access := f + ": " + a.What
				if inTable[access] {
					t.Errorf("%s: %s is there twice", dir, access)
				}
				inTable[access] = true
				if !inCode[access] {
					t.Errorf("%s: the table has %s, the code does not", dir, access)
				}
			}
			for _, id := range a.Tests() {
				if !strings.HasPrefix(id, "memory/") || !theorems[id] {
					t.Errorf("%s: %s: %s is no litmus test", dir, a.What, id)
				}
			}
			if a.Litmus == "" && a.Order != relaxed {
				t.Errorf("%s: %s needs %s, and no litmus test says why", dir, a.What, a.Order)
			}
		}
		for access := range inCode {
			if !inTable[access] {
				t.Errorf("%s: the code has %s, the table does not: add it to Accesses in "+
					"index_access.go, and to MEMORY.md", dir, access)
			}
		}
	}
}

func TestMemoryMdHasEveryAccess(t *testing.T) {
	text, err := os.ReadFile("MEMORY.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range Accesses() {
		if row := a.row(); !strings.Contains(string(text), row+"\n") {
			t.Errorf("MEMORY.md lacks:\n%s", row)
		}
	}
}

func (a *Access) row() string {
	litmus := strings.ReplaceAll(a.Litmus, "memory/", "")
	return "| " + strings.Join([]string{a.Package, a.Where, "`" + a.What + "`", a.Order, a.Why,
		litmus}, " | ") + " |"
}
