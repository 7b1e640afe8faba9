// Cxcheck finds uses of a runtime.Cx by somebody it does not belong to: another goroutine, or
// another task. The compiler does not see them, and neither does the runtime where the owner
// happens to wait.
//
//	go get -tool github.com/surewake/surewake/ci/cxcheck
//	go tool cxcheck ./...
//
// It is a tool for go vet, too, which then has it look at test binaries as well, and keeps results:
//
//	go install github.com/surewake/surewake/ci/cxcheck@latest
//	go vet -vettool=$(which cxcheck) ./...
//
// It reports a Cx that is
//
//   - an argument or the receiver of a go statement
//   - used in a function literal that is run by another goroutine: by a go statement, WaitGroup.Go,
//     errgroup's Go and TryGo, an AfterFunc, or as a blocking task
//   - used in a function literal that has a Cx of its own
//
// A comment //cxcheck:ignore and the reason, on the line or above it, says that it is meant.
//
// It follows variables and fields only: not a Cx that is in a struct which is passed on, and no
// calls.
package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

const (
	runtimePath = "github.com/surewake/surewake/runtime"
	directive   = "//cxcheck:ignore"

	foreignGoroutine = "%s must not be used on another goroutine: " +
		"it is the Cx of the task that runs here"
	foreignTask = "%s is the Cx of another task: this function has its own"
)

var analyzer = &analysis.Analyzer{
	Name:     "cxcheck",
	Doc:      "report a runtime.Cx that is used by another goroutine or another task",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

// main has multichecker tell apart how it was started: by go vet, or with packages.
func main() { multichecker.Main(analyzer) }

// A checker is one run on one package.
type checker struct {
	pass    *analysis.Pass
	ignored map[string]map[int]bool // lines, by file
	seen    map[token.Pos]bool      // what is reported is reported once
}

func run(pass *analysis.Pass) (any, error) {
	c := &checker{pass, map[string]map[int]bool{}, map[token.Pos]bool{}}
	for _, file := range pass.Files {
		c.readDirectives(file)
	}
	visit := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	visit.Preorder([]ast.Node{(*ast.GoStmt)(nil), (*ast.CallExpr)(nil)}, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.GoStmt:
			c.goes(n.Call)
		case *ast.CallExpr:
			if runsElsewhere(typeutil.Callee(pass.TypesInfo, n)) {
				for _, arg := range n.Args {
					if literal, ok := ast.Unparen(arg).(*ast.FuncLit); ok {
						c.body(literal, foreignGoroutine)
					}
				}
			}
		}
	})
	visit.Preorder([]ast.Node{(*ast.FuncLit)(nil)}, func(n ast.Node) {
		if literal := n.(*ast.FuncLit); c.hasOwn(literal.Type) {
			c.body(literal, foreignTask)
		}
	})
	return nil, nil
}

// readDirectives notes the lines that a comment excepts: its own and the next.
func (c *checker) readDirectives(file *ast.File) {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if !strings.HasPrefix(comment.Text, directive+" ") {
				continue
			}
			at := c.pass.Fset.Position(comment.Pos())
			if c.ignored[at.Filename] == nil {
				c.ignored[at.Filename] = map[int]bool{}
			}
			c.ignored[at.Filename][at.Line] = true
			c.ignored[at.Filename][at.Line+1] = true
		}
	}
}

// goes checks the call of a go statement.
func (c *checker) goes(call *ast.CallExpr) {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.FuncLit:
		c.body(fun, foreignGoroutine)
	case *ast.SelectorExpr:
		if c.isCx(fun.X) {
			c.report(fun.X, foreignGoroutine)
		}
	}
	for _, arg := range call.Args {
		if c.isCx(arg) {
			c.report(arg, foreignGoroutine)
		}
	}
}

// body reports every Cx in a function literal that comes from outside of it.
func (c *checker) body(literal *ast.FuncLit, message string) {
	ast.Inspect(literal.Body, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok || !c.isCx(e) {
			return true
		}
		root := c.root(e)
		if root != nil && (root.Pos() < literal.Pos() || root.Pos() >= literal.End()) {
			c.report(e, message)
			return false
		}
		return true
	})
}

// root returns the variable that e is, or that it is a field of; nil if it is something else.
func (c *checker) root(e ast.Expr) *types.Var {
	switch e := e.(type) {
	case *ast.Ident:
		v, _ := c.pass.TypesInfo.Uses[e].(*types.Var)
		return v
	case *ast.SelectorExpr:
		return c.root(e.X)
	case *ast.ParenExpr:
		return c.root(e.X)
	case *ast.StarExpr:
		return c.root(e.X)
	case *ast.IndexExpr:
		return c.root(e.X)
	}
	return nil
}

func (c *checker) report(e ast.Expr, message string) {
	at := c.pass.Fset.Position(e.Pos())
	if c.seen[e.Pos()] || c.ignored[at.Filename][at.Line] {
		return
	}
	c.seen[e.Pos()] = true
	c.pass.ReportRangef(e, message, types.ExprString(e))
}

// isCx reports whether e is a value of type runtime.Cx.
func (c *checker) isCx(e ast.Expr) bool {
	tv, ok := c.pass.TypesInfo.Types[e]
	return ok && tv.IsValue() && isCx(tv.Type)
}

func isCx(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Name() != "Cx" {
		return false
	}
	pkg := named.Obj().Pkg()
	return pkg != nil && pkg.Path() == runtimePath
}

// hasOwn reports whether a function is given a Cx.
func (c *checker) hasOwn(f *ast.FuncType) bool {
	for _, p := range f.Params.List {
		if isCx(c.pass.TypesInfo.TypeOf(p.Type)) {
			return true
		}
	}
	return false
}

// elsewhere are functions that call their argument on another goroutine.
var elsewhere = map[string]bool{
	runtimePath + ".SpawnBlocking":              true,
	runtimePath + ".SubmitBlocking":             true,
	"(*sync.WaitGroup).Go":                      true,
	"(*golang.org/x/sync/errgroup.Group).Go":    true,
	"(*golang.org/x/sync/errgroup.Group).TryGo": true,
	"time.AfterFunc":                            true,
	"context.AfterFunc":                         true,
}

func runsElsewhere(callee types.Object) bool {
	f, ok := callee.(*types.Func)
	return ok && elsewhere[f.Origin().FullName()]
}
