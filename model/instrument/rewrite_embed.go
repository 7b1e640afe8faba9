package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/surewake/surewake/model/stdlib"
)

// A type that embeds a sync.Mutex has its methods, and whoever holds the type
// in a sync.Locker calls them without any text that could be rewritten. So
// each package-level type gets methods of its own that hide the promoted ones
// and call hook, unless that changes what others have (rewrite_withdraw.go). A
// type declared inside a function, or without a name, cannot have methods: see
// rewrite_convert.go.

// explicitMethods adds the methods for the types of a declaration, on the line
// on which it ends.
func (r *rewriter) explicitMethods(d *ast.GenDecl) {
	if d.Tok != token.TYPE {
		return
	}
	text := ""
	for _, spec := range d.Specs {
		spec := spec.(*ast.TypeSpec)
		tn, ok := r.c.info.Defs[spec.Name].(*types.TypeName)
		if !ok || tn.IsAlias() || tn.Name() == "_" {
			continue
		}
		for _, m := range promotedOps(r.ss, tn) {
			if r.ss.explicitly(tn, m.Obj().Name()) {
				text += r.explicitMethod(tn, m)
			}
		}
	}
	r.ed.behind(r.off(d.End()), text)
}

// promotedOps returns the methods that a defined type gets from embedded
// fields and that may not be called directly.
func promotedOps(ss *session, tn *types.TypeName) []*types.Selection {
	st, ok := tn.Type().Underlying().(*types.Struct)
	if !ok || !embeds(st) {
		return nil
	}
	var out []*types.Selection
	for m := range types.NewMethodSet(types.NewPointer(tn.Type())).Methods() {
		if len(m.Index()) > 1 && ss.hides(m.Obj().(*types.Func)) {
			out = append(out, m)
		}
	}
	return out
}

// hides reports whether a promoted method needs an explicit one: those of sync
// and sync/atomic, and those of interfaces that may hold one of their types.
func (ss *session) hides(fn *types.Func) bool {
	switch o := ss.method(fn); o.role {
	case hookedOp, dynOp, checkOp:
		return true
	case noteOp:
		if o.reason == "" {
			return true
		}
		return unmade[o.class] && fn.Pkg().Path() != "testing"
	case refuseOp:
		path := fn.Pkg().Path()
		return path == "sync" || path == "sync/atomic"
	}
	return false
}

// unmade has the classes with objects that no function needs to make, or that were made before
// several goroutines could run: using them is noted where they are used.
var unmade = map[stdlib.Class]bool{stdlib.Locked: true, stdlib.Files: true}

func embeds(st *types.Struct) bool {
	for f := range st.Fields() {
		if f.Embedded() {
			return true
		}
	}
	return false
}

// definesMethods reports whether explicit methods can be given to a type: it
// is declared at package level, in a package that is rewritten.
func (ss *session) definesMethods(tn *types.TypeName) bool {
	if tn.Pkg() == nil || tn.Parent() != tn.Pkg().Scope() {
		return false
	}
	if _, ok := tn.Type().Underlying().(*types.Struct); !ok {
		return false
	}
	for _, c := range ss.pkgs {
		if c.pkg == tn.Pkg() {
			ok, _ := ss.rewritable(c.meta)
			return ok
		}
	}
	return false
}

// explicitMethod writes one method.
func (r *rewriter) explicitMethod(tn *types.TypeName, m *types.Selection) string {
	fn := m.Obj().(*types.Func)
	o := r.ss.method(fn)
	path, last, _ := r.fieldPath(m)
	sig := m.Type().(*types.Signature)
	params, args, ok := r.paramText(sig)
	results, named := r.typeText(sig.Results())
	if !ok || !named {
		r.fail(tn.Pos(), "%s has the method %s from an embedded field, with types that cannot be named here", tn.Name(), fn.Name())
		return ""
	}
	ret := ""
	if sig.Results().Len() > 0 {
		ret = "return "
	} else {
		results = ""
	}

	v := r.c.prefix + "r"
	star := "*"
	if r.ss.values[tn] && types.NewMethodSet(tn.Type()).Lookup(fn.Pkg(), fn.Name()) != nil {
		star = ""
	}
	amp := ""
	switch _, isPtr := last.Underlying().(*types.Pointer); {
	case o.ptr && !isPtr:
		amp = "&"
	case o.role == hookedOp && !o.ptr && isPtr:
		amp = "*"
	}
	var body string
	operand := amp + v + path
	switch o.role {
	case hookedOp, dynOp:
		body = r.hook(o.hook) + "(" + strings.Join(append([]string{operand}, args...), ", ") + ")"
	case checkOp:
		what := fmt.Sprintf(heldByInterface, fn.Name())
		body = r.hook("Held") + "(" + operand + ", " + strconv.Quote(fn.Name()) + ", " +
			r.quoteWhere(tn.Pos(), what) + ")." + fn.Name() + "(" + variadic(args, sig) + ")"
	case refuseOp, noteOp:
		before, after := r.guardText(tn.Pos(), o)
		body = before + operand + after + "." + fn.Name() + "(" + variadic(args, sig) + ")"
	}
	return fmt.Sprintf("; func (%s %s%s%s) %s(%s) %s { %s%s }",
		v, star, tn.Name(), typeParamNames(tn), fn.Name(), params, results, ret, body)
}

func variadic(args []string, sig *types.Signature) string {
	list := strings.Join(args, ", ")
	if sig.Variadic() {
		list += "..."
	}
	return list
}

// paramText writes a method's parameters, under new names, and the arguments
// that pass them on.
func (r *rewriter) paramText(sig *types.Signature) (params string, args []string, ok bool) {
	var list []string
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		dots := ""
		if sig.Variadic() && i == sig.Params().Len()-1 {
			dots, t = "...", t.(*types.Slice).Elem()
		}
		text, ok := r.typeText(t)
		if !ok {
			return "", nil, false
		}
		name := fmt.Sprintf("%sa%d", r.c.prefix, i)
		list = append(list, name+" "+dots+text)
		args = append(args, name)
	}
	return strings.Join(list, ", "), args, true
}

// typeParamNames repeats the type parameters of a generic type for a
// receiver.
func typeParamNames(tn *types.TypeName) string {
	named, ok := tn.Type().(*types.Named)
	if !ok || named.TypeParams().Len() == 0 {
		return ""
	}
	var names []string
	for p := range named.TypeParams().TypeParams() {
		names = append(names, p.Obj().Name())
	}
	return "[" + strings.Join(names, ", ") + "]"
}
