package instrument

import (
	"go/types"
	"runtime"
	"strings"

	"github.com/surewake/surewake/model/stdlib"
)

// role says what becomes of an operation.
type role int

const (
	plainOp  role = iota // stays
	hookedOp             // becomes a call of a hook function
	dynOp                // a call through an interface that may hold a sync type: a type switch
	checkOp              // a call through an interface that may hold a type of sync, atomic or time
	refuseOp             // is not modelled: its operand is wrapped
	noteOp               // meets state that the checker does not see: its operand is wrapped
)

// shape is the form of a hooked method: how many arguments and results.
type shape struct{ args, results int }

// hookedMethods has the methods that have a hook, by package and type. That of
// sync.Mutex.Lock is MutexLock.
var hookedMethods = map[string]map[string]map[string]shape{
	"sync": {
		"Mutex": {"Lock": {0, 0}, "Unlock": {0, 0}, "TryLock": {0, 1}},
		"RWMutex": {
			"Lock": {0, 0}, "Unlock": {0, 0}, "TryLock": {0, 1},
			"RLock": {0, 0}, "RUnlock": {0, 0}, "TryRLock": {0, 1}, "RLocker": {0, 1},
		},
		"WaitGroup": {"Add": {1, 0}, "Done": {0, 0}, "Wait": {0, 0}, "Go": {1, 0}},
		"Once":      {"Do": {1, 0}},
		"Cond":      {"Wait": {0, 0}, "Signal": {0, 0}, "Broadcast": {0, 0}},
		"Map": {
			"Load": {1, 2}, "Store": {2, 0}, "Swap": {2, 2}, "CompareAndSwap": {3, 1},
			"Delete": {1, 0}, "CompareAndDelete": {2, 1}, "LoadAndDelete": {1, 2},
			"LoadOrStore": {2, 2}, "Range": {1, 0}, "Clear": {0, 0},
		},
		"Pool": {"Get": {0, 1}, "Put": {1, 0}},
	},
	"time": {
		"Timer":  {"Stop": {0, 1}, "Reset": {1, 1}},
		"Ticker": {"Stop": {0, 0}, "Reset": {1, 0}},
	},
	"log": {"Logger": {"SetOutput": {1, 0}, "Writer": {0, 1}}},
	"reflect": {"Value": {
		"Len": {0, 1}, "Send": {1, 0}, "TrySend": {1, 1}, "Recv": {0, 2}, "TryRecv": {0, 2},
		"Close": {0, 0},
	}},
}

// atomicMethods has the methods of sync/atomic's types; not every type has
// every one.
var atomicMethods = map[string]shape{
	"Load": {0, 1}, "Store": {1, 0}, "Swap": {1, 1}, "CompareAndSwap": {2, 1},
	"Add": {1, 1}, "And": {1, 1}, "Or": {1, 1},
}

// hookedFuncs has the functions, beside all of sync/atomic's, that hook has
// under the same name.
var hookedFuncs = map[string]bool{
	"sync.OnceFunc": true, "sync.OnceValue": true, "sync.OnceValues": true,
	"runtime.Gosched": true, "runtime.Goexit": true,
	"runtime.NumGoroutine": true, "runtime.GOMAXPROCS": true,
	"iter.Pull": true, "iter.Pull2": true, "reflect.MakeChan": true,
	"time.Sleep": true, "time.Now": true, "time.Since": true, "time.Until": true,
	"time.After": true, "time.NewTimer": true, "time.NewTicker": true, "time.Tick": true,
	"context.WithCancel": true, "context.WithCancelCause": true,
	"context.WithDeadline": true, "context.WithDeadlineCause": true,
	"context.WithTimeout": true, "context.WithTimeoutCause": true,
	"context.WithoutCancel": true, "context.Cause": true,
}

// renamedFuncs has those that hook has under another name.
var renamedFuncs = map[string]string{
	"time.AfterFunc": "TimeAfterFunc", "context.AfterFunc": "ContextAfterFunc",
	"testing/synctest.Test": "SynctestTest", "testing/synctest.Wait": "SynctestWait",
	"log.New": "LogNew", "log.SetOutput": "LogSetOutput", "log.Writer": "LogWriter",
	"io.Pipe": "IOPipe", "reflect.Select": "ReflectSelect",
	"runtime.Stack": "Stack", "runtime/pprof.Lookup": "PprofLookup",
}

// aroundFuncs has the functions that a hook makes others of: f becomes hook.H(f).
var aroundFuncs = map[string]string{
	"log/slog.NewJSONHandler": "NewHandler", "log/slog.NewTextHandler": "NewHandler",
	"log/slog.NewLogLogger": "NewLogLogger", "log/slog.SetDefault": "SetDefault",
	"net.Pipe": "NetPipe", "hash/maphash.MakeSeed": "Seeds",
	"runtime.SetFinalizer": "NoFinalizer", "runtime.AddCleanup": "NoCleanup",
	"os/signal.NotifyContext": "NotifyContext",
	"runtime.GC":              "Collected",
	"reflect.NewAt":           "Overlaid", "reflect.SliceAt": "Overlaid",
}

// generators has the hooks whose methods stand for the functions of a package that draw random
// numbers: rand.Intn becomes hook.Rand(rand.Intn, ...).Intn.
var generators = map[string]string{"math/rand": "Rand", "math/rand/v2": "RandV2"}

// hookedTypes has the types, by package, that hook has under the same name: they replace them
// wherever they are written.
var hookedTypes = map[string]map[string]bool{"io": {"PipeReader": true, "PipeWriter": true}}

// isHookedType reports whether hook has the type instead.
func isHookedType(tn *types.TypeName) bool {
	return tn.Pkg() != nil && hookedTypes[tn.Pkg().Path()][tn.Name()]
}

// futexCalls are the system calls by which Linux programs reach the futex. The
// hooks, of the same name, model that and refuse every other call.
var futexCalls = map[string]bool{
	"syscall.Syscall6": true, "syscall.RawSyscall6": true,
	"golang.org/x/sys/unix.Syscall6": true, "golang.org/x/sys/unix.RawSyscall6": true,
}

// dynMethods has the interface methods that go through a type switch, with
// their signatures.
var dynMethods = map[string]string{
	"Lock": "func()", "Unlock": "func()", "RLock": "func()", "RUnlock": "func()",
	"Wait": "func()", "Done": "func()", "Signal": "func()", "Broadcast": "func()",
	"TryLock": "func() bool", "TryRLock": "func() bool",
	"Do": "func(func())", "Go": "func(func())", "Add": "func(int)",
}

// heldByInterface is what a check says of the methods of checkMethods where there is no hook.
const heldByInterface = "%s is called through an interface or type parameter that holds a type " +
	"of sync, sync/atomic or time, with a type argument that is not known here"

// checkMethods has the interface methods that a type of sync, sync/atomic or time
// could stand behind and that have no type switch: numbers of arguments and results. Those of
// mapMethods, too, if the interface has no others.
var checkMethods = map[string][]shape{
	"Load": {{0, 1}, {1, 2}}, "Store": {{1, 0}, {2, 0}},
	"Swap": {{1, 1}, {2, 2}}, "CompareAndSwap": {{2, 1}, {3, 1}},
	"Add": {{1, 1}}, "And": {{1, 1}}, "Or": {{1, 1}},
	"LoadOrStore": {{2, 2}}, "LoadAndDelete": {{1, 2}}, "CompareAndDelete": {{2, 1}},
	"Get": {{0, 1}}, "Put": {{1, 0}},
	"Stop": {{0, 1}, {0, 0}}, "Reset": {{1, 1}, {1, 0}},
}

// mapMethods are those of sync.Map.
var mapMethods = map[string]bool{
	"Load": true, "Store": true, "Swap": true, "CompareAndSwap": true, "Delete": true,
	"CompareAndDelete": true, "LoadAndDelete": true, "LoadOrStore": true, "Range": true,
	"Clear": true,
}

// onlyMapMethods reports whether a sync.Map may have all methods of an interface.
func onlyMapMethods(t types.Type) bool {
	iface, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for m := range iface.Methods() {
		if !mapMethods[m.Name()] {
			return false
		}
	}
	return true
}

// op is what becomes of the use of a function or method.
type op struct {
	role role
	hook string // name of the hook function; of refuseOp: "" for Refused
	shape
	ptr    bool   // the operation wants a pointer to its receiver
	reason string // why it is refused; of noteOp: what is assumed
	name   string // of noteOp: what is called
	class  stdlib.Class
	iface  string // for dynOp: the one-method interface
}

// method classifies a method by its declaration.
func (ss *session) method(fn *types.Func) op {
	sig := fn.Type().(*types.Signature)
	recv := sig.Recv().Type()
	_, ptr := recv.(*types.Pointer)
	if o := testMethod(fn, recv, ptr); o.role != plainOp {
		return o
	}
	if types.IsInterface(recv) {
		if o := interfaceMethod(fn, sig); o.role != plainOp {
			return o
		}
		name := ""
		if tn := typeName(recv); tn != nil {
			name = tn.Name()
		}
		if name == "" || fn.Pkg() == nil {
			return op{} // of an interface without a name; error.Error
		}
		return ss.classified(fn, name+"."+fn.Name(), false)
	}
	tn := typeName(recv)
	if tn == nil || tn.Pkg() == nil {
		return op{}
	}
	path := tn.Pkg().Path()
	if sh, ok := hookedMethods[path][tn.Name()][fn.Name()]; ok {
		return op{role: hookedOp, hook: tn.Name() + fn.Name(), shape: sh, ptr: ptr}
	}
	switch path {
	case "sync/atomic":
		if sh, ok := atomicMethods[fn.Name()]; ok {
			return op{role: hookedOp, hook: tn.Name() + fn.Name(), shape: sh, ptr: true}
		}
		return op{role: refuseOp, ptr: ptr,
			reason: "(*atomic." + tn.Name() + ")." + fn.Name() + " is not modelled"}
	}
	return ss.classified(fn, tn.Name()+"."+fn.Name(), ptr)
}

// isLocker reports whether t is sync.Locker.
func isLocker(t types.Type) bool {
	tn := typeName(t)
	return tn != nil && tn.Name() == "Locker" && tn.Pkg() != nil && tn.Pkg().Path() == "sync"
}

// ofReflect reports whether a variable is of a type of package reflect.
func ofReflect(v *types.Var) bool {
	tn := typeName(v.Type())
	return tn != nil && tn.Pkg() != nil && tn.Pkg().Path() == "reflect"
}

// interfaceMethod classifies a method of an interface, type constraints
// included.
func interfaceMethod(fn *types.Func, sig *types.Signature) op {
	if want, ok := dynMethods[fn.Name()]; ok {
		bare := types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
		if types.Identical(bare, dynSignatures[want]) {
			sh := shape{sig.Params().Len(), sig.Results().Len()}
			return op{role: dynOp, hook: "Dyn" + fn.Name(), shape: sh,
				iface: "interface{ " + fn.Name() + strings.TrimPrefix(want, "func") + " }"}
		}
	}
	if fn.Name() == "RLocker" && sig.Params().Len() == 0 && sig.Results().Len() == 1 &&
		isLocker(sig.Results().At(0).Type()) {
		return op{role: refuseOp, reason: "RLocker through an interface is not modelled"}
	}
	if name := fn.Name(); (name == "Method" || name == "MethodByName") && fn.Pkg() != nil &&
		fn.Pkg().Path() != "reflect" && sig.Results().Len() > 0 && ofReflect(sig.Results().At(0)) {
		return op{role: refuseOp, hook: "ReflectedAs",
			reason: "reflect's " + name + " through another interface is not modelled"}
	}
	if mapMethods[fn.Name()] && onlyMapMethods(sig.Recv().Type()) {
		return op{role: checkOp}
	}
	for _, sh := range checkMethods[fn.Name()] {
		if sig.Params().Len() == sh.args && sig.Results().Len() == sh.results {
			return op{role: checkOp}
		}
	}
	return op{}
}

var dynSignatures = func() map[string]*types.Signature {
	tuple := func(ts ...types.Type) *types.Tuple {
		var vars []*types.Var
		for _, t := range ts {
			vars = append(vars, types.NewParam(0, nil, "", t))
		}
		return types.NewTuple(vars...)
	}
	sig := func(params, results *types.Tuple) *types.Signature {
		return types.NewSignatureType(nil, nil, nil, params, results, false)
	}
	none := sig(nil, nil)
	return map[string]*types.Signature{
		"func()":       none,
		"func() bool":  sig(nil, tuple(types.Typ[types.Bool])),
		"func(func())": sig(tuple(none), nil),
		"func(int)":    sig(tuple(types.Typ[types.Int]), nil),
	}
}()

// function classifies a function without receiver.
func (ss *session) function(fn *types.Func) op {
	if fn.Pkg() == nil {
		return op{}
	}
	path := fn.Pkg().Path()
	if name, ok := renamedFuncs[path+"."+fn.Name()]; ok {
		return op{role: hookedOp, hook: name}
	}
	full := path + "." + fn.Name()
	if hookedFuncs[full] || runtime.GOOS == "linux" && futexCalls[full] || path == "sync/atomic" {
		return op{role: hookedOp, hook: fn.Name()}
	}
	o := ss.classified(fn, fn.Name(), false)
	if around := aroundFuncs[full]; around != "" {
		if o.role == refuseOp {
			o = op{}
		}
		o.role, o.hook = noteOp, around
	}
	return o
}

// typeName returns the name of a defined type or of what points to it, nil
// for others.
func typeName(t types.Type) *types.TypeName {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj()
	}
	return nil
}
