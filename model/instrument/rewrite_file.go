package instrument

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// A rewriter makes the edits of one file.
type rewriter struct {
	ss  *session
	c   *checked
	src *source
	ed  edits

	stack   []ast.Node        // from the file down to the node being visited
	done    map[ast.Node]bool // taken care of from above, with all below them
	spliced map[ast.Node]bool // selectors done from above, except for an operand
	// changed are the variables of the standard library that a statement changes.
	changed map[ast.Expr]bool
	imports map[string]string // path -> name, of imports that are added
	keep    map[string]bool   // import paths that may have lost their last use
	used    bool              // hook is called
	loops   int               // marked spin loops
	ranges  int               // rewritten loops over channels
	selects int               // rewritten select statements
	comms   map[ast.Node]bool // sends and receives that are clauses of a select
	foreign foreignMarks
	errs    []error
}

// rewritten is the outcome for one package.
type rewritten struct {
	edited bool              // some file needed edits, registration apart
	files  map[string][]byte // file -> new text, only those with edits

	covered []CoveredFile
}

// rewrite makes the copies of a package's files. With register, the package
// announces itself to hook when the binary starts.
func (ss *session) rewrite(c *checked, register bool) (*rewritten, error) {
	out := &rewritten{files: make(map[string][]byte)}
	first := registerFile(c)
	var errs []error
	for _, f := range c.files {
		r := &rewriter{
			ss: ss, c: c, src: f,
			done:    make(map[ast.Node]bool),
			spliced: make(map[ast.Node]bool),
			changed: make(map[ast.Expr]bool),
			imports: make(map[string]string),
			keep:    make(map[string]bool),
			comms:   make(map[ast.Node]bool),
		}
		marks := ""
		if ss.marks(c, f) { // first: a mark stands outside of all that is put around a statement
			var covered CoveredFile
			covered, marks = r.mark(len(out.covered))
			out.covered = append(out.covered, covered)
		}
		marked := len(r.ed.list)
		r.walk()
		errs = append(errs, r.errs...)
		if len(r.ed.list) > marked {
			out.edited = true
		}
		tail := r.stateText() + r.leftOutText() + r.initialisedText()
		if tail != "" {
			out.edited = true
		}
		words := r.wordTypes()
		if words != "" {
			out.edited = true
		}
		tail += marks + words + r.keepAlive()
		if register && f == first {
			tail += "\nvar _ = " + r.hook("Register") + "(" + strconv.Quote(c.meta.ImportPath) + ")"
		}
		if ss.usesForeign(c, f) {
			tail += "\nvar _ = " + r.hook("RegisterForeign") + "()"
			out.edited = true
		}
		if r.foreign.initial {
			tail += "\nvar _ = " + r.hook("RegisterForeignAnywhere") + "()"
		}
		r.importClause()
		if tail != "" {
			r.ed.replace(len(f.text), len(f.text), tail+"\n")
		}
		if !r.ed.empty() {
			out.files[f.name] = r.ed.apply(f.text)
		}
	}
	return out, errors.Join(errs...)
}

// registerFile chooses the file that registers the package: the same one in
// all variants of the package, since they share their files.
func registerFile(c *checked) *source {
	for _, f := range c.files {
		if !strings.HasSuffix(f.name, "_test.go") {
			return f
		}
	}
	if len(c.files) == 0 {
		return nil
	}
	return c.files[0]
}

// off returns the offset of a position in the file's text. Offsets know
// nothing of //line comments.
func (r *rewriter) off(pos token.Pos) int { return r.src.tf.Offset(pos) }

// gap replaces the text between two positions, and keeps its newlines behind
// what takes its place.
func (r *rewriter) gap(from, to token.Pos, text string) {
	a, b := r.off(from), r.off(to)
	r.ed.replace(a, b, text+newlines(r.src.text[a:b]))
}

// closeCall replaces the text between two positions by the end of a call's
// last argument and the closing parenthesis. A comma goes in front of newlines:
// without it they would end the statement.
func (r *rewriter) closeCall(from, to token.Pos, text string) {
	a, b := r.off(from), r.off(to)
	if nl := newlines(r.src.text[a:b]); nl != "" {
		text += "," + nl
	}
	r.ed.replace(a, b, text+")")
}

// original returns the text between two positions.
func (r *rewriter) original(from, to token.Pos) string {
	return string(r.src.text[r.off(from):r.off(to)])
}

// hook names a function of package hook.
func (r *rewriter) hook(name string) string {
	r.used = true
	return r.c.prefix + "hook." + name
}

func (r *rewriter) quoteWhere(pos token.Pos, msg string) string {
	return strconv.Quote(r.ss.where(r.c, pos) + ": " + msg)
}

func (r *rewriter) fail(pos token.Pos, format string, args ...any) {
	text := r.ss.where(r.c, pos) + ": " + fmt.Sprintf(format, args...)
	r.errs = append(r.errs, &refusedError{text})
}

// importClause puts the imports on the line of the package clause.
func (r *rewriter) importClause() {
	if r.used {
		r.imports[hookPath] = r.c.prefix + "hook"
	}
	paths := make([]string, 0, len(r.imports))
	for path := range r.imports {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	text := ""
	for _, path := range paths {
		text += "; import " + r.imports[path] + " " + strconv.Quote(path)
	}
	if text != "" {
		r.ed.behind(r.off(r.src.ast.Name.End()), text)
	}
}

// keepTypes has a type of each package whose functions become hooks, or after "= " a function: a
// declaration of that type keeps the import in use.
var keepTypes = map[string]string{
	"syscall": "Errno", "golang.org/x/sys/unix": "Errno",
	"sync": "Mutex", "sync/atomic": "Bool", "time": "Duration", "runtime": "Error",
	"iter": "Seq[int]", "context": "Context", "log": "Logger", "reflect": "Kind",
	"testing/synctest": "= Wait", "io": "Reader", "runtime/pprof": "Profile",
	"maps": "= Clone[map[int]int]",
}

// keepAlive returns declarations that use the imports which may have lost
// their last use.
func (r *rewriter) keepAlive() string {
	text := ""
	for _, spec := range r.src.ast.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil || !r.keep[path] {
			continue
		}
		if keepTypes[path] == "" {
			r.fail(spec.Pos(), "package %s has functions that become hooks, and keepTypes names no "+
				"type of it: a defect of the checker", path)
			continue
		}
		name := ""
		if spec.Name == nil {
			name = path[strings.LastIndexByte(path, '/')+1:] + "."
		} else if spec.Name.Name == "_" {
			continue
		} else if spec.Name.Name != "." {
			name = spec.Name.Name + "."
		}
		what, isFunc := strings.CutPrefix(keepTypes[path], "= ")
		text += "\nvar _ "
		if isFunc {
			text += "= "
		}
		text += name + what
	}
	return text
}

// walk visits the file from the outside in.
func (r *rewriter) walk() {
	ast.Inspect(r.src.ast, func(n ast.Node) bool {
		if n == nil {
			r.stack = r.stack[:len(r.stack)-1]
			return true
		}
		if r.done[n] || !r.visit(n) {
			return false
		}
		r.stack = append(r.stack, n)
		return true
	})
}

// parent returns the node above the one being visited.
func (r *rewriter) parent() ast.Node { return r.stack[len(r.stack)-1] }

// visit makes the edits for one node and reports whether to go on below it.
func (r *rewriter) visit(n ast.Node) bool {
	if e, ok := n.(ast.Expr); ok {
		r.refuseConversion(e) // first: it goes around all else
		r.noteConversion(e)
		r.testConversion(e)
		r.markForeign(e)
	}
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.CallExpr:
		r.call(n)
		r.foreignCall(n)
		r.libraryBuiltin(n)
	case *ast.SelectorExpr:
		r.done[n.Sel] = true
		return r.spliced[n] || r.selector(n)
	case *ast.Ident:
		switch obj := r.c.info.Uses[n].(type) {
		case *types.Func:
			if obj.Signature().Recv() == nil {
				r.funcRef(n, nil, obj)
			}
		case *types.TypeName:
			r.typeRef(nil, n, obj)
		}
	case *ast.UnaryExpr:
		if n.Op == token.ARROW && !r.comms[n] {
			r.receive(n)
		}
		r.libraryAddress(n)
	default:
		r.statement(n)
	}
	return true
}

// statement makes the edits for one declaration or statement, or a literal.
func (r *rewriter) statement(n ast.Node) {
	switch n := n.(type) {
	case *ast.GenDecl:
		if len(r.stack) == 1 {
			r.explicitMethods(n)
		}
	case *ast.FuncDecl:
		r.exploredTest(n)
		r.markRecursion(n)
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			r.libraryAssign(n.Lhs...)
		}
		r.setting(n.Lhs...)
	case *ast.IncDecStmt:
		r.libraryAssign(n.X)
		r.setting(n.X)
	case *ast.CompositeLit:
		r.keyed(n)
	case *ast.GoStmt:
		r.goStmt(n)
	case *ast.SendStmt:
		if !r.comms[n] {
			r.send(n)
		}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			r.refuseRanged(n)
		}
		if r.isChan(n.X) {
			r.rangeChan(n)
		} else {
			r.rangeMap(n)
			r.foreignRange(n)
		}
		r.markLoop(n, n.Body)
	case *ast.SelectStmt:
		r.selectStmt(n)
	case *ast.ForStmt:
		r.forStmt(n)
	case *ast.LabeledStmt:
		r.markLabel(n)
	}
}

// call rewrites calls of methods, and of the builtins that matter.
func (r *rewriter) call(n *ast.CallExpr) {
	if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok {
		if b, ok := r.c.info.Uses[id].(*types.Builtin); ok {
			r.builtin(n, b.Name())
		}
	}
	if r.overlays(n) {
		r.ed.front(r.off(n.Pos()), r.hook("Overlaid")+"(")
		r.ed.behind(r.off(n.End()), ")")
	}
	sel, ok := n.Fun.(*ast.SelectorExpr)
	if _, isGo := r.parent().(*ast.GoStmt); isGo || !ok {
		return // a go statement binds the method as a value
	}
	s := r.c.info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		return
	}
	o := r.ss.method(s.Obj().(*types.Func))
	if o.role != hookedOp && o.role != dynOp {
		return
	}
	o, rv, ok := r.operand(s, sel.Pos(), o)
	if !ok || o.role == checkOp {
		return
	}
	// x.f.Lock(a) becomes hook(&x.f, a): the text between the receiver and
	// the arguments goes. A defer statement evaluates the method of an interface at once.
	before, after := r.hook(o.hook)+"(", ""
	if d, ok := r.parent().(*ast.DeferStmt); ok && d.Call == n &&
		types.IsInterface(s.Obj().(*types.Func).Signature().Recv().Type()) {
		before, after = before+r.hook("WithMethods")+"(", ")"
	}
	r.ed.front(r.off(n.Pos()), before+rv.amp+rv.star)
	rv.path += after
	if len(n.Args) > 0 {
		r.gap(sel.X.End(), n.Lparen+1, rv.path+", ")
	} else {
		r.closeCall(sel.X.End(), n.End(), rv.path)
	}
	r.spliced[sel] = true
}

// overlays reports whether n converts an unsafe.Pointer to a pointer by which there may be atomic
// operations: then words of different sizes may lie over one another.
func (r *rewriter) overlays(n *ast.CallExpr) bool {
	to := r.c.info.Types[n.Fun]
	if !to.IsType() || len(n.Args) != 1 {
		return false
	}
	from, ok := r.c.info.TypeOf(n.Args[0]).Underlying().(*types.Basic)
	if !ok || from.Kind() != types.UnsafePointer {
		return false
	}
	if _, isParam := types.Unalias(to.Type).(*types.TypeParam); isParam {
		return true
	}
	pointer, isPointer := to.Type.Underlying().(*types.Pointer)
	if !isPointer {
		return false
	}
	if basic, isBasic := pointer.Elem().Underlying().(*types.Basic); isBasic && r.isUsedUp(basic) {
		return false // no operation on a word needs its value
	}
	return leadsTo(pointer.Elem(), isWord)
}

// isUsedUp reports whether the pointer that is rewritten, to a value of that type, is dereferenced
// where it stands, and the place is handed to nobody. An address that is stored there makes a
// pointer to something else, perhaps.
func (r *rewriter) isUsedUp(to *types.Basic) bool {
	star := false
	address := to.Kind() == types.UnsafePointer || to.Kind() == types.Uintptr
	var inner ast.Node
	for i := len(r.stack) - 1; i >= 0; i-- {
		within := inner
		inner = r.stack[i]
		switch p := r.stack[i].(type) {
		case *ast.AssignStmt:
			assigns := slices.ContainsFunc(p.Lhs, func(e ast.Expr) bool { return e == within })
			return star && !(address && assigns)
		case *ast.ParenExpr:
			continue
		case *ast.StarExpr:
			if !star {
				star = true
				continue
			}
		case *ast.UnaryExpr:
			return star && p.Op != token.AND
		case *ast.SelectorExpr:
			return false // a method takes the address
		}
		break
	}
	return star
}

// isWord reports whether there are atomic operations on values of the type, as far as a type
// parameter may be one.
func isWord(t types.Type) bool {
	switch t := t.(type) {
	case *types.TypeParam, *types.Signature: // what a function does is not known
		return true
	case *types.Named:
		if pkg := t.Obj().Pkg(); pkg != nil && pkg.Path() == "sync/atomic" {
			return true
		}
	}
	basic, ok := t.Underlying().(*types.Basic)
	if !ok {
		return false
	}
	switch basic.Kind() {
	case types.Int32, types.Uint32, types.Int64, types.Uint64, types.Uintptr, types.UnsafePointer:
		return true
	}
	return false
}

func (r *rewriter) builtin(n *ast.CallExpr, name string) {
	switch name {
	case "recover":
		switch p := r.parent().(type) {
		case *ast.DeferStmt:
			if p.Call == n {
				return
			}
		case *ast.GoStmt:
			if p.Call == n {
				return
			}
		}
		r.ed.front(r.off(n.Pos()), r.hook("Recover")+"(")
		r.ed.behind(r.off(n.End()), ")")
	case "close", "len", "cap":
		if r.isChan(n.Args[0]) {
			r.chanBuiltin(n, name)
		}
	case "clear":
		r.clear(n)
	case "append":
		r.appendMade(n)
	case "make":
		if r.isChan(n) && r.onlyChan(n) {
			r.ed.front(r.off(n.Pos()), r.hook("MadeChan")+"(")
			r.ed.behind(r.off(n.End()), ")")
		}
	}
}
