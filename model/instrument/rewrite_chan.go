package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// Channels keep their types; the operations become calls:
//
//	c <- v                  hook.To(c).Send(v)
//	x = <-c                 x = hook.Recv(c)
//	<-c                     hook.Await(c)
//	v, ok := <-c            v, ok := hook.Recv2(c)
//	close(c), len(c)        hook.Close(c), hook.Len(c)
//	for v := range c {      for v, r := hook.RangeVar(c); r.Into(&v); {
//	for range c {           for r := hook.Range(c); r.Next(); {
//	for x[i] = range c {    for r := hook.Range(c); r.Next(); { x[i] = r.Value;
//
// cap of a channel never changes and stays. A select statement stays one, and
// its operands are handed through hook: see hook.Selection.

// send rewrites a send statement that is no clause of a select.
func (r *rewriter) send(n *ast.SendStmt) {
	r.ed.front(r.off(n.Pos()), r.hook("To")+"(")
	r.gap(n.Chan.End(), n.Value.Pos(), ").Send(")
	r.ed.behind(r.off(n.End()), ")")
}

// receive rewrites a receive that is no clause of a select.
func (r *rewriter) receive(n *ast.UnaryExpr) {
	name := r.hook("Recv")
	if _, ok := r.outside().(*ast.ExprStmt); ok {
		name = r.hook("Await")
	}
	if tuple, ok := r.c.info.TypeOf(n).(*types.Tuple); ok {
		name = r.hook("Recv2")
		if b := r.boolean(n); b != nil {
			text, named := r.typeText(b)
			if !named {
				r.refuseChan(n.X, n.Pos(), "channel receive into "+tuple.At(1).Type().String())
				return
			}
			name = r.hook("Recv2As") + "[" + text + "]"
		}
	}
	r.gap(n.Pos(), n.X.Pos(), name+"(")
	r.ed.behind(r.off(n.End()), ")")
}

// outside returns what the node is in that is visited, parentheses aside.
func (r *rewriter) outside() ast.Node {
	i := len(r.stack) - 1
	for ; i > 0; i-- {
		if _, ok := r.stack[i].(*ast.ParenExpr); !ok {
			break
		}
	}
	return r.stack[i]
}

// boolean returns the type of the variable that says whether there was a value,
// if a bool cannot be assigned to it.
func (r *rewriter) boolean(n ast.Expr) types.Type {
	var t types.Type
	switch p := r.outside().(type) {
	case *ast.AssignStmt:
		if len(p.Lhs) == 2 {
			t = r.c.info.TypeOf(p.Lhs[1])
		}
	case *ast.ValueSpec:
		if p.Type != nil {
			t = r.c.info.TypeOf(p.Type)
		}
	}
	if t == nil || types.AssignableTo(types.Typ[types.Bool], t) {
		return nil
	}
	return t
}

// sendOnly reports whether e is a channel that cannot be received from.
func (r *rewriter) sendOnly(e ast.Expr) bool {
	out := false
	check := func(t types.Type) {
		c, ok := t.Underlying().(*types.Chan)
		out = out || ok && c.Dir() == types.SendOnly
	}
	t := r.c.info.TypeOf(e)
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok {
		typeSet(tp, check)
	} else {
		check(t)
	}
	return out
}

// onlyChan reports whether e is a channel and, behind a type parameter, cannot
// be anything else.
func (r *rewriter) onlyChan(e ast.Expr) bool {
	tp, ok := types.Unalias(r.c.info.TypeOf(e)).(*types.TypeParam)
	if !ok {
		return true
	}
	all := true
	typeSet(tp, func(t types.Type) {
		_, ok := t.Underlying().(*types.Chan)
		all = all && ok
	})
	return all
}

// oneElem reports whether e, which can only be a channel, has one type of elements. A type
// parameter may stand for channels of several.
func (r *rewriter) oneElem(e ast.Expr) bool {
	tp, ok := types.Unalias(r.c.info.TypeOf(e)).(*types.TypeParam)
	if !ok {
		return true
	}
	var first types.Type
	same := true
	typeSet(tp, func(t types.Type) {
		elem := t.Underlying().(*types.Chan).Elem()
		if first == nil {
			first = elem
		}
		same = same && types.Identical(first, elem)
	})
	return same
}

// closeHook is the hook that closes ch, which can only be a channel.
func (r *rewriter) closeHook(ch ast.Expr) string {
	if r.oneElem(ch) {
		return "Close"
	}
	return "CloseAny"
}

// chanBuiltin rewrites close and len.
func (r *rewriter) chanBuiltin(n *ast.CallExpr, name string) {
	if name == "cap" {
		return
	}
	ch := n.Args[0]
	if !r.onlyChan(ch) {
		r.refuseChan(ch, n.Pos(), name+" of what may be a channel")
		return
	}
	hook := r.closeHook(ch)
	if name == "len" {
		if hook = "Len"; !r.oneElem(ch) {
			hook = "LenAny"
		} else if r.sendOnly(ch) {
			hook = "LenOut"
		}
	}
	r.done[n.Fun] = true
	if _, isGo := r.parent().(*ast.GoStmt); isGo {
		return // see goStmt
	}
	r.gap(n.Fun.Pos(), n.Fun.End(), r.hook(hook))
}

// rangeChan rewrites a loop over a channel.
func (r *rewriter) rangeChan(n *ast.RangeStmt) {
	v := fmt.Sprintf("%srange%d", r.c.prefix, r.ranges)
	r.ranges++
	from := n.For + token.Pos(len("for"))
	id, _ := n.Key.(*ast.Ident)
	switch {
	case n.Key == nil || id != nil && id.Name == "_":
		r.gap(from, n.X.Pos(), " "+v+" := "+r.hook("Range")+"(")
		r.endRange(n, "); "+v+".Next(); ")
	case n.Tok == token.DEFINE:
		r.gap(from, n.X.Pos(), " "+id.Name+", "+v+" := "+r.hook("RangeVar")+"(")
		r.endRange(n, "); "+v+".Into(&"+id.Name+"); ")
	default:
		if !r.plainOperand(n.Key) {
			r.refuseChan(n.X, n.Pos(), "range over a channel into what is not a plain variable")
			return
		}
		r.gap(from, n.X.Pos(), " "+v+" := "+r.hook("Range")+"(")
		r.endRange(n, "); "+v+".Next(); ")
		key := r.original(n.Key.Pos(), n.Key.End())
		r.ed.front(r.off(n.Body.Lbrace)+1, " "+key+" = "+v+".Value;")
	}
	if n.Key != nil {
		r.done[n.Key] = true
	}
}

// endRange replaces the text between the channel and the body. A comma goes in
// front of newlines, which would end the statement.
func (r *rewriter) endRange(n *ast.RangeStmt, text string) {
	if nl := newlines(r.src.text[r.off(n.X.End()):r.off(n.Body.Lbrace)]); nl != "" {
		text = "," + nl + text
	}
	r.ed.replace(r.off(n.X.End()), r.off(n.Body.Lbrace), text)
}

// plainOperand reports whether nothing in e has to be rewritten, and its text
// may be moved.
func (r *rewriter) plainOperand(e ast.Expr) bool {
	from, to := r.off(e.Pos()), r.off(e.End())
	plain := from < to && newlines(r.src.text[from:to]) == ""
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.FuncLit:
			plain = false
		case *ast.UnaryExpr:
			plain = plain && n.Op != token.ARROW
		}
		return plain
	})
	return plain
}

// selectStmt rewrites a select statement. The block that it puts around is
// inside of the statement's labels as long as no goto leads to them.
func (r *rewriter) selectStmt(n *ast.SelectStmt) {
	if len(n.Body.List) == 0 {
		r.ed.front(r.off(n.Pos()), r.hook("Forever")+"(); ")
		return
	}
	v := fmt.Sprintf("%sselect%d", r.c.prefix, r.selects)
	operands, def := 0, false
	var last *ast.CommClause
	for _, s := range n.Body.List {
		if clause := s.(*ast.CommClause); clause.Comm == nil {
			def = true
		} else {
			operands++
			last = clause
		}
	}
	if last == nil {
		return // nothing but default
	}
	outermost, ok := r.labels(n)
	if !ok {
		r.refuseChan(commChan(last), n.Pos(), "select with a label for both goto and break")
		return
	}
	r.selects++
	for _, s := range n.Body.List {
		clause := s.(*ast.CommClause)
		name := "SelectRecv"
		switch comm := clause.Comm.(type) {
		case nil:
			continue
		case *ast.SendStmt:
			name = "SelectSend"
			r.comms[comm] = true
			r.ed.front(r.off(clause.Colon)+1, " "+r.hook("SelectSent")+"(&"+v+");")
			if tv := r.c.info.Types[comm.Value]; clause == last && tv.Value == nil && !tv.IsNil() {
				operands++
				open, closing := r.conversion(comm.Value, tv.Type)
				r.ed.front(r.off(comm.Value.Pos()), r.hook("SelectValue")+"(&"+v+", "+open)
				r.ed.behind(r.off(comm.Value.End()), closing+")")
			}
		default:
			if _, ok := comm.(*ast.ExprStmt); ok {
				name = "SelectAwait"
			}
			r.comms[commRecv(clause)] = true
		}
		ch := commChan(clause)
		r.ed.front(r.off(ch.Pos()), r.hook(name)+"(&"+v+", ")
		r.ed.behind(r.off(ch.End()), ")")
	}
	r.ed.front(r.off(outermost.Pos()),
		fmt.Sprintf("{ %s := %s(%d, %v); ", v, r.hook("NewSelection"), operands, def))
	r.ed.behind(r.off(n.End()), " }")
}

// commRecv returns the receive of a clause.
func commRecv(c *ast.CommClause) *ast.UnaryExpr {
	var e ast.Expr
	switch comm := c.Comm.(type) {
	case *ast.ExprStmt:
		e = comm.X
	case *ast.AssignStmt:
		e = comm.Rhs[0]
	}
	return ast.Unparen(e).(*ast.UnaryExpr)
}

// commChan returns the channel of a clause.
func commChan(c *ast.CommClause) ast.Expr {
	if s, ok := c.Comm.(*ast.SendStmt); ok {
		return s.Chan
	}
	return commRecv(c).X
}

// labels returns the outermost of the labels in front of the statement to which
// no goto leads, or the statement itself. It fails if a label further in has a
// goto, and so has to stay outside, while one further out is broken from.
func (r *rewriter) labels(n *ast.SelectStmt) (ast.Stmt, bool) {
	var out ast.Stmt = n
	kept := false
	for i := len(r.stack) - 1; i >= 0; i-- {
		l, ok := r.stack[i].(*ast.LabeledStmt)
		if !ok {
			break
		}
		jumps, breaks := r.jumps(l)
		kept = kept || jumps
		if kept && breaks {
			return nil, false
		}
		if !kept {
			out = l
		}
	}
	return out, true
}

// jumps says whether some goto leads to the label, and whether some break names it.
func (r *rewriter) jumps(l *ast.LabeledStmt) (jumps, breaks bool) {
	obj := r.c.info.Defs[l.Label]
	for i := len(r.stack) - 1; i >= 0; i-- {
		switch r.stack[i].(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			ast.Inspect(r.stack[i], func(n ast.Node) bool {
				b, ok := n.(*ast.BranchStmt)
				if ok && b.Label != nil && r.c.info.Uses[b.Label] == obj {
					jumps = jumps || b.Tok == token.GOTO
					breaks = breaks || b.Tok == token.BREAK
				}
				return true
			})
			return jumps, breaks
		}
	}
	return false, false
}
