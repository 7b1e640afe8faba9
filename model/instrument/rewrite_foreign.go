package instrument

import (
	"go/ast"
	"go/types"
)

// silent has the packages of the standard library whose calls synchronize nothing that the race
// detector sees: they have no locks, pools, atomics or caches, or the checker has hooks for those
// that they have.
var silent = map[string]bool{
	"bytes": true, "cmp": true, "container/heap": true, "container/list": true,
	"container/ring": true, "context": true, "errors": true, "io": true, "iter": true,
	"maps": true, "math": true, "math/bits": true, "runtime": true, "slices": true, "sort": true,
	"strconv": true, "strings": true, "sync": true, "sync/atomic": true, "unicode": true,
	"unicode/utf16": true, "unicode/utf8": true, "unsafe": true,
}

// usesForeign reports whether a file uses functions or methods that are not rewritten and may
// synchronize: the race detector takes their real locks and pools for an order of what is around
// the calls. Tests run inside a check neither T.Run nor T.Parallel.
func (ss *session) usesForeign(c *checked, f *source) (foreign bool) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || foreign {
			return !foreign
		}
		fn, ok := c.info.Uses[id].(*types.Func)
		if !ok || fn.Pkg() == nil {
			return true
		}
		p := ss.l.pkgs[fn.Pkg().Path()]
		switch path := fn.Pkg().Path(); {
		case p == nil || p.engine():
		case p.Standard:
			foreign = !silent[path] && !modelledTime(path, fn) && !outsideBody(path, fn)
		default:
			foreign = ss.unwritten(fn.Pkg()) != ""
		}
		return !foreign
	})
	return foreign
}

// modelledTime reports whether fn is of package time and does not format or load a location.
func modelledTime(path string, fn *types.Func) bool {
	switch fn.Name() {
	case "Format", "AppendFormat", "String", "GoString", "LoadLocation", "Parse", "ParseInLocation",
		"Local", "Date", "Zone":
		return false
	}
	return path == "time"
}

// outsideBody reports whether fn is a method of testing.T that the body of a check cannot call.
func outsideBody(path string, fn *types.Func) bool {
	return path == "testing" && (fn.Name() == "Run" || fn.Name() == "Parallel")
}
