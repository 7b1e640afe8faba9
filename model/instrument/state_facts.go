package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A stateUnit is what the choice of package variables has to know of a piece of
// code: a function, or the initialiser of a variable.
type stateUnit struct {
	calls  []types.Object     // called as the code runs
	refs   []types.Object     // mentioned otherwise, or in a function literal
	values []*types.Signature // of function values that are called
	lits   []*types.Signature // of function literals
	uses   []stateUse
	clock  bool                     // reads the clock or makes a timer
	starts bool                     // has a go statement
	runs   bool                     // calls something, outside of function literals
	once   string                   // a function of the library that may be called once only
	closes bool                     // makes functions that have variables of their own
	reads  map[*types.Var]bool      // true if outside of function literals, too
	writes map[*types.TypeName]bool // types of whose values it changes a field
	// reflects is set if an error becomes another interface, or one of a type without a name an
	// error.
	reflects bool
}

// A stateUse is a use of a package variable other than to read a value from it.
type stateUse struct {
	v      *types.Var
	escape types.Type // what of it is handed on; nil when it is written
	later  bool       // in a function literal
}

// onceFuncs has functions of the standard library that change its own state and
// fail, or add something, when they are called again.
var onceFuncs = []string{
	"flag.*", "expvar.*", "net/http.*", "net.*", "database/sql.Register", "encoding/gob.Register*",
	"image.RegisterFormat", "mime.AddExtensionType", "crypto.RegisterHash", "archive/zip.Register*",
	"os/signal.*", "os/exec.*", "os.Open*", "os.Create*", "os.MkdirTemp", "os.Exit", "syscall.*",
	"plugin.*", "runtime.SetFinalizer", "runtime.AddCleanup", "runtime/debug.*", "testing.*",
	"log.Fatal*", "log.SetOutput", "log/slog.SetDefault",
}

func isOnceFunc(name string) bool {
	for _, p := range onceFuncs {
		prefix, ok := strings.CutSuffix(p, "*")
		if ok && strings.HasPrefix(name, prefix) || p == name {
			return name != "net.Pipe" // it reaches no network
		}
	}
	return false
}

// packageVar returns the package-level variable that an identifier names.
func packageVar(obj types.Object) *types.Var {
	v, ok := obj.(*types.Var)
	if !ok || v.IsField() || v.Pkg() == nil || v.Parent() != v.Pkg().Scope() || v.Name() == "_" {
		return nil
	}
	return v
}

// stateUnitOf collects the facts of the code below n.
func stateUnitOf(c *checked, nodes ...ast.Node) *stateUnit {
	return stateUnitOfFunc(c, nil, nodes...)
}

// stateUnitOfFunc is stateUnitOf for the parts of a function with a signature.
func stateUnitOfFunc(c *checked, sig *types.Signature, nodes ...ast.Node) *stateUnit {
	u := &stateUnit{reads: make(map[*types.Var]bool), writes: make(map[*types.TypeName]bool)}
	for _, n := range nodes {
		w := stateWalker{c: c, u: u, sig: sig}
		w.walk(n)
	}
	return u
}

type stateWalker struct {
	c     *checked
	u     *stateUnit
	sig   *types.Signature // of the function, nil if it is none
	stack []ast.Node
	lits  int // function literals around
	// local has the variables that hold the function literal of their declaration, with the types
	// of their calls: those that are assigned to are none.
	local map[types.Object][]*types.Signature
}

func (w *stateWalker) walk(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			top := w.stack[len(w.stack)-1]
			w.stack = w.stack[:len(w.stack)-1]
			if w.later(top) {
				w.lits--
			}
			return true
		}
		w.node(n)
		if w.later(n) {
			w.lits++
		}
		w.stack = append(w.stack, n)
		return true
	})
}

// later reports whether n is a function literal that is not called where it
// stands.
func (w *stateWalker) later(n ast.Node) bool {
	lit, ok := n.(*ast.FuncLit)
	if !ok || len(w.stack) == 0 {
		return ok
	}
	call, ok := w.stack[len(w.stack)-1].(*ast.CallExpr)
	if !ok || call.Fun != lit {
		return true
	}
	if len(w.stack) == 1 {
		return false
	}
	_, isGo := w.stack[len(w.stack)-2].(*ast.GoStmt)
	return isGo
}

func (w *stateWalker) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.GoStmt:
		w.u.starts = true
	case *ast.CallExpr:
		to := w.c.info.Types[n.Fun]
		w.u.runs = w.u.runs || w.lits == 0 && !to.IsType() && !to.IsBuiltin()
		w.dynamicCall(n)
		if w.lits == 0 && to.IsValue() && !to.IsBuiltin() && hasFunc(w.c.info.TypeOf(n)) {
			w.u.closes = true
		}
	case *ast.FuncLit:
		w.u.closes = w.u.closes || w.captures(n)
		if sig, ok := w.c.info.TypeOf(n).(*types.Signature); ok {
			w.u.lits = append(w.u.lits, sig)
		}
	case *ast.RangeStmt:
		if sig, ok := w.c.info.TypeOf(n.X).Underlying().(*types.Signature); ok {
			w.u.values = append(w.u.values, sig)
		}
	case *ast.AssignStmt:
		w.noteLocals(n)
	case *ast.Ident:
		w.ident(n)
	}
	w.changesOf(n)
}

// noteLocals notes the variables that a function declares with a function literal, and those of
// them that it assigns to.
func (w *stateWalker) noteLocals(n *ast.AssignStmt) {
	for i, l := range n.Lhs {
		id, ok := l.(*ast.Ident)
		if !ok {
			continue
		}
		if n.Tok != token.DEFINE || w.c.info.Defs[id] == nil {
			o := w.c.info.Uses[id]
			w.u.values = append(w.u.values, w.local[o]...)
			delete(w.local, o)
			continue
		}
		if len(n.Lhs) != len(n.Rhs) {
			continue
		}
		if _, isLit := n.Rhs[i].(*ast.FuncLit); isLit {
			if w.local == nil {
				w.local = make(map[types.Object][]*types.Signature)
			}
			w.local[w.c.info.Defs[id]] = []*types.Signature{}
		}
	}
}

// dynamicCall notes a call of a function value that comes from somewhere else.
func (w *stateWalker) dynamicCall(n *ast.CallExpr) {
	to := w.c.info.Types[n.Fun]
	if to.IsType() || to.IsBuiltin() || callee(w.c.info, n) != nil {
		return
	}
	sig, ok := to.Type.Underlying().(*types.Signature)
	if !ok {
		return
	}
	switch f := ast.Unparen(n.Fun).(type) {
	case *ast.FuncLit:
		return
	case *ast.Ident:
		if calls, ok := w.local[w.c.info.Uses[f]]; ok {
			w.local[w.c.info.Uses[f]] = append(calls, sig)
			return
		}
	}
	w.u.values = append(w.u.values, sig)
}

// captures reports whether a function literal uses variables of the function around it.
func (w *stateWalker) captures(lit *ast.FuncLit) (does bool) {
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v, ok := w.c.info.Uses[id].(*types.Var)
			does = does || ok && !v.IsField() && v.Parent() != w.c.pkg.Scope() &&
				v.Pkg() == w.c.pkg && (v.Pos() < lit.Pos() || lit.End() <= v.Pos())
		}
		return !does
	})
	return does
}

func (w *stateWalker) ident(id *ast.Ident) {
	obj := w.c.info.Uses[id]
	switch o := obj.(type) {
	case *types.Func:
		obj = o.Origin()
		w.function(o, w.lits == 0 && w.called(id))
		w.instantiated(id, o)
		w.u.closes = w.u.closes || w.methodValue(id)
	case *types.TypeName:
		w.instantiated(id, o)
	case *types.Var:
		v := packageVar(o)
		if v == nil {
			return
		}
		w.u.reads[v] = w.u.reads[v] || w.lits == 0
		w.use(id, v)
	default:
		return
	}
	if obj.Pkg() == nil {
		return
	}
	if w.lits == 0 && w.called(id) {
		w.u.calls = append(w.u.calls, obj)
	} else {
		w.u.refs = append(w.u.refs, obj)
	}
}

// methodValue reports whether the identifier names the method of a value that is kept for later.
func (w *stateWalker) methodValue(id *ast.Ident) bool {
	if len(w.stack) == 0 || w.called(id) {
		return false
	}
	sel, ok := w.stack[len(w.stack)-1].(*ast.SelectorExpr)
	if !ok || sel.Sel != id {
		return false
	}
	s := w.c.info.Selections[sel]
	return s != nil && s.Kind() == types.MethodVal
}

// function notes what a function of the standard library does.
func (w *stateWalker) function(fn *types.Func, called bool) {
	if fn.Pkg() == nil {
		return
	}
	path := fn.Pkg().Path()
	name := path + "." + fn.Name()
	recv := fn.Signature().Recv()
	if recv == nil {
		timed := path == "time" ||
			strings.Contains(name, "Deadline") || strings.Contains(name, "Timeout")
		if called && hookedFuncs[name] && timed {
			w.u.clock = true
		}
		w.u.starts = w.u.starts || fn.Name() == "AfterFunc" // of time, or of context
		if called && w.u.once == "" && isOnceFunc(name) {
			w.u.once = shortName(name)
		}
		return
	}
	if path == "sync" && fn.Name() == "Go" {
		w.u.starts = true
	}
}

// called reports whether the identifier, or the selector that it ends, is what
// a call calls, other than in a go statement.
func (w *stateWalker) called(id *ast.Ident) bool {
	i := len(w.stack) - 1
	var e ast.Expr = id
	for ; i >= 0; i-- {
		switch p := w.stack[i].(type) {
		case *ast.SelectorExpr:
			if p.Sel != e && p.X != e {
				return false
			}
			e = p
			continue
		case *ast.ParenExpr, *ast.IndexExpr, *ast.IndexListExpr:
			e = p.(ast.Expr)
			continue
		case *ast.CallExpr:
			if p.Fun != e || i == 0 {
				return p.Fun == e
			}
			_, isGo := w.stack[i-1].(*ast.GoStmt)
			return !isGo
		}
		return false
	}
	return false
}

// use classifies a use of v by what surrounds it.
func (w *stateWalker) use(id *ast.Ident, v *types.Var) {
	note := func(escape types.Type) {
		w.u.uses = append(w.u.uses, stateUse{v: v, escape: escape, later: w.lits > 0})
	}
	write := func() { note(nil) }
	e, i := w.operand(id)
	var parent ast.Node
	if i >= 0 {
		parent = w.stack[i]
	}
	switch p := parent.(type) {
	case *ast.SelectorExpr:
		w.methodUse(p, e, note)
		return
	case *ast.UnaryExpr:
		if p.Op == token.ARROW || p.Op == token.AND && !w.onceArgument(i, p) {
			write()
		}
		return
	case *ast.IncDecStmt:
		write()
		return
	case *ast.AssignStmt:
		for _, l := range p.Lhs {
			if ast.Unparen(l) == e {
				write()
				return
			}
		}
	case *ast.RangeStmt:
		w.rangeUse(p, e, note)
		return
	case *ast.SendStmt:
		if p.Chan == e {
			write()
			return
		}
	case *ast.CallExpr:
		if p.Fun == e {
			return
		}
		if b := w.builtin(p); b != "" {
			w.builtinUse(b, p, e, note)
			return
		}
	case *ast.BinaryExpr, *ast.ExprStmt, *ast.IfStmt, *ast.SwitchStmt:
		return
	}
	if t := w.c.info.TypeOf(e); t != nil {
		note(t)
	}
}

// operand returns the largest expression around the identifier that denotes the variable, a part
// of it, what it points to, or a conversion of one of these; and the index in the stack of what
// that expression is an operand of, -1 if there is none.
func (w *stateWalker) operand(id *ast.Ident) (ast.Expr, int) {
	var e ast.Expr = id
	i := len(w.stack) - 1
	for i >= 0 && w.extends(w.stack[i], e) {
		e = w.stack[i].(ast.Expr)
		i--
	}
	return e, i
}

// extends reports whether n, the parent of e, denotes what e does in the sense of operand.
func (w *stateWalker) extends(n ast.Node, e ast.Expr) bool {
	switch n := n.(type) {
	case *ast.ParenExpr, *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		if n.Sel == e {
			return true // qualified by its package
		}
		s := w.c.info.Selections[n]
		return s != nil && s.Kind() == types.FieldVal
	case *ast.IndexExpr:
		return n.X == e
	case *ast.SliceExpr:
		return n.X == e
	case *ast.CallExpr:
		return n.Fun != e && w.c.info.Types[n.Fun].IsType()
	}
	return false
}

// methodUse notes the use of e as the receiver of a method.
func (w *stateWalker) methodUse(p *ast.SelectorExpr, e ast.Expr, note func(types.Type)) {
	t := w.c.info.TypeOf(e)
	note(t)
	s := w.c.info.Selections[p]
	if s == nil || s.Kind() != types.MethodVal || !pointerReceiver(s) {
		return
	}
	if _, isPtr := t.Underlying().(*types.Pointer); !isPtr {
		note(nil) // its address is taken
	}
}

// rangeUse notes the use of e as what a loop ranges over, or assigns to.
func (w *stateWalker) rangeUse(p *ast.RangeStmt, e ast.Expr, note func(types.Type)) {
	if p.X != e {
		note(nil)
		return
	}
	switch t := deref(w.c.info.TypeOf(e)).Underlying().(type) {
	case *types.Chan:
		note(nil)
	case *types.Map:
		note(t.Key())
		note(t.Elem())
	case *types.Slice:
		note(t.Elem())
	case *types.Array:
		note(t.Elem())
	}
}

func (w *stateWalker) builtin(call *ast.CallExpr) string {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if b, ok := w.c.info.Uses[id].(*types.Builtin); ok {
			return b.Name()
		}
	}
	return ""
}

func (w *stateWalker) builtinUse(
	name string, call *ast.CallExpr, e ast.Expr, note func(types.Type),
) {
	switch name {
	case "len", "cap":
	case "append", "copy":
		s, ok := w.c.info.TypeOf(e).Underlying().(*types.Slice)
		if ok && call.Args[0] != e && (name == "copy" || call.Ellipsis.IsValid()) {
			note(s.Elem()) // copied from
			return
		}
		note(w.c.info.TypeOf(e))
	case "delete", "clear", "close":
		note(nil)
	default:
		note(w.c.info.TypeOf(e))
	}
}

// onceArgument reports whether the address is handed to a function that is
// called once only: such a function writes outside executions. A set of flags that is not that of
// the command line may be anyone's.
func (w *stateWalker) onceArgument(i int, arg ast.Expr) bool {
	if i == 0 {
		return false
	}
	call, ok := w.stack[i-1].(*ast.CallExpr)
	if !ok || call.Fun == arg {
		return false
	}
	fn := callee(w.c.info, call)
	return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "flag" &&
		(fn.Signature().Recv() == nil || w.isCommandLine(call.Fun))
}

// isCommandLine reports whether a method is one of flag.CommandLine.
func (w *stateWalker) isCommandLine(method ast.Expr) bool {
	m, ok := ast.Unparen(method).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := ast.Unparen(m.X).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	v := packageVar(w.c.info.Uses[of.Sel])
	return v != nil && v.Pkg().Path() == "flag" && v.Name() == "CommandLine"
}

func pointerReceiver(s *types.Selection) bool {
	fn, ok := s.Obj().(*types.Func)
	if !ok || fn.Signature().Recv() == nil {
		return false
	}
	_, ok = fn.Signature().Recv().Type().(*types.Pointer)
	return ok
}
