package instrument

import (
	"go/types"
	"path"
	"strings"

	"github.com/surewake/surewake/model/stdlib"
)

// Libraries reach functions of the runtime that it does not export: they declare one without a body
// and have the linker join both, by a directive. Of these the clocks and the random numbers are
// modelled, and the hashes, which depend on a random number of the process.

// linkedFuncs has these functions, as the directives name them.
var linkedFuncs = map[string]linkedFunc{
	"runtime.nanotime":    {"func() int64", "LinkedNanotime", stdlib.Model},
	"runtime.cputicks":    {"func() int64", "LinkedNanotime", stdlib.Model},
	"time.runtimeNano":    {"func() int64", "LinkedNanotime", stdlib.Model},
	"runtime.walltime":    {"func() (int64, int32)", "LinkedWalltime", stdlib.Model},
	"time.now":            {"func() (int64, int32, int64)", "LinkedNow", stdlib.Model},
	"runtime.cheaprand":   {"func() uint32", "LinkedRand32", stdlib.Random},
	"runtime.fastrand":    {"func() uint32", "LinkedRand32", stdlib.Random},
	"runtime.cheaprandn":  {"func(uint32) uint32", "LinkedRandN", stdlib.Random},
	"runtime.fastrandn":   {"func(uint32) uint32", "LinkedRandN", stdlib.Random},
	"sync.fastrandn":      {"func(uint32) uint32", "LinkedRandN", stdlib.Random},
	"runtime.cheaprand64": {"func() int64", "LinkedRand63", stdlib.Random},
	"runtime.rand":        {"func() uint64", "LinkedRand64", stdlib.Random},
	"runtime.fastrand64":  {"func() uint64", "LinkedRand64", stdlib.Random},
	"runtime.memhash": {
		"func(unsafe.Pointer, uintptr, uintptr) uintptr", "LinkedMemhash", stdlib.Random,
	},
	"runtime.strhash": {"func(unsafe.Pointer, uintptr) uintptr", "LinkedStrhash", stdlib.Random},
}

// A linkedFunc is what a function of the runtime has: its type, the hook, and the class. A hook of
// class Random is given the function, and gives what is called instead.
type linkedFunc struct {
	signature, hook string
	class           stdlib.Class
}

// linked gives what becomes of a function without a body that is declared by d.
func (ss *session) linked(fn *types.Func, d funcSource) op {
	remote := linkedTo(d, fn.Name())
	f, ok := linkedFuncs[remote]
	switch {
	case !ok || bareSignature(fn.Signature()) != f.signature:
		return op{}
	case f.class == stdlib.Model:
		return op{role: hookedOp, hook: f.hook}
	}
	return op{role: noteOp, hook: f.hook, reason: f.class.Assumed(), name: remote, class: f.class}
}

// linkedTo returns what a directive in the file of d joins a function with.
func linkedTo(d funcSource, name string) string {
	for _, f := range d.pkg.files {
		if f.ast.FileStart > d.decl.Pos() || d.decl.Pos() >= f.ast.FileEnd {
			continue
		}
		for _, group := range f.ast.Comments {
			for _, line := range group.List {
				words := strings.Fields(line.Text)
				if len(words) == 3 && words[0] == "//go:linkname" && words[1] == name {
					return words[2]
				}
			}
		}
	}
	return ""
}

// bareSignature writes a signature without names.
func bareSignature(sig *types.Signature) string {
	bare := func(vars *types.Tuple) *types.Tuple {
		var out []*types.Var
		for v := range vars.Variables() {
			out = append(out, types.NewParam(0, nil, "", v.Type()))
		}
		return types.NewTuple(out...)
	}
	sig = types.NewSignatureType(nil, nil, nil, bare(sig.Params()), bare(sig.Results()),
		sig.Variadic())
	return types.TypeString(sig, func(p *types.Package) string { return path.Base(p.Path()) })
}
