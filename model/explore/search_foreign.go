package explore

import (
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"unsafe"
)

// Foreign code is what is not rewritten: the standard library. It may synchronize goroutines in a
// way that the race detector sees and the search does not, by a lock or a pool of its own. It can
// order two accesses only if the goroutine of the first one runs foreign code after it, and the
// goroutine of the second one before it. So each goroutine notes whether it has run such code, and
// a trace in which fewer than two have is the same for the detector in every linearization.
//
// The rewriter marks, in a binary with the race detector, every way into foreign code:
//
//   - a call that names it (Pause), or what stands for such a call (ForeignHere);
//   - a call of a function value or of a method of an interface or type parameter, and what is
//     handed as such to a function of the standard library, if what it holds is foreign
//     (IsForeign);
//   - a value that another goroutine may call without a mark: the function of a go statement, a
//     foreign function that is not called where it is named, a method that is bound to a value. If
//     it is foreign, any goroutine may run foreign code from then on (ForeignAnywhere).

// What is rewritten: import paths, and the folders of the source.
var ownPaths, ownFolders = map[string]bool{}, map[string]bool{}

// Own notes that the package at importPath was rewritten, of which file is a source file.
func Own(importPath, file string) {
	ownPaths[importPath], ownFolders[path.Dir(file)] = true, true
}

// Where the checker's packages are. They count as rewritten: what they do is of steps.
var (
	checkerPath   = path.Dir(reflect.TypeFor[Config]().PkgPath())
	checkerFolder = func() string {
		_, file, _, _ := runtime.Caller(0)
		return path.Dir(path.Dir(file))
	}()
)

func isOwn(at string, own map[string]bool, checker string) bool {
	return own[at] || at == checker || path.Dir(at) == checker
}

// anywhere: outside of executions a value was made that any goroutine may call.
var anywhere bool

// ForeignHere notes that the running goroutine may run foreign code.
func ForeignHere() {
	if e := eng; e != nil && InExecution() {
		e.cur.foreign = true
	}
}

// ForeignAnywhere notes that from now on any goroutine may.
func ForeignAnywhere() {
	if e := eng; e != nil && InExecution() {
		e.foreignAnywhere = true
		return
	}
	anywhere = true
}

// foreignOrders reports whether foreign code may have ordered steps of different goroutines.
func (e *engine) foreignOrders() bool {
	n := 0
	for _, t := range e.threads[:e.n] {
		if t.foreign {
			n++
		}
	}
	many := anywhere || e.foreignAnywhere || n > 1
	e.foreignSeen = e.foreignSeen || many
	return many
}

// IsForeign reports whether a call of v, or of a method of v, may run foreign code. It is asked
// at each such call. So it takes an interface apart by itself: the race detector sees reflection,
// which makes that slow.
func IsForeign(v any) bool {
	parts := (*struct{ typ, data unsafe.Pointer })(unsafe.Pointer(&v))
	if parts.typ == nil {
		return false // such a call panics
	}
	known := knownType(parts.typ)
	if known == nil {
		t := reflect.TypeOf(v)
		known = &foreignType{parts.typ, t.Kind() == reflect.Func, false}
		if !known.isFunc || t.PkgPath() != "" {
			known.foreign = isForeignType(t)
		}
		if InExecution() {
			foreignTypes = append(foreignTypes, *known)
		}
	}
	if !known.isFunc {
		return known.foreign
	}
	pc := uintptr(0)
	if parts.data != nil {
		pc = *(*uintptr)(parts.data) // a function value points to that
	}
	return isForeignFunc(pc) || known.foreign
}

func knownType(typ unsafe.Pointer) *foreignType {
	for i := range foreignTypes {
		if foreignTypes[i].typ == typ {
			return &foreignTypes[i]
		}
	}
	return nil
}

type foreignType struct {
	typ     unsafe.Pointer // the first word of an interface
	isFunc  bool
	foreign bool // whatever the function
}

type foreignFunc struct {
	pc      uintptr
	foreign bool
}

// Memos of IsForeign, which threads use one at a time.
var (
	foreignTypes []foreignType
	foreignFuncs []foreignFunc
)

// isForeignType reports whether methods of t may be foreign, or be promoted from a field that is.
func isForeignType(t reflect.Type) bool {
	elem := t
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		elem = t.Elem()
	}
	if !isOwn(elem.PkgPath(), ownPaths, checkerPath) && elem.Name() != "" ||
		elem.Kind() == reflect.Interface {
		return !isPlain(elem)
	}
	if elem.Kind() != reflect.Struct {
		return false
	}
	for i := range elem.NumField() {
		f := elem.Field(i)
		if f.Anonymous && (f.Type.Kind() == reflect.Interface || isForeignType(f.Type)) {
			return true
		}
	}
	return false
}

// plainPackages have no locks, pools, atomics or caches. What does not hold anything that they
// could call synchronizes nothing.
var plainPackages = []string{"bytes", "context", "errors", "strings", "time"}

func isPlain(t reflect.Type) bool {
	if t.PkgPath() == "" { // predeclared
		return t.Kind() != reflect.Interface
	}
	isClock := t.PkgPath() == "time" && t.Name() != "Duration"
	return slices.Contains(plainPackages, t.PkgPath()) && !isClock && !holdsCode(t)
}

// holdsCode reports whether a value of type t may hold functions or values with methods.
func holdsCode(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Func, reflect.Pointer, reflect.Map, reflect.Chan:
		return true
	case reflect.Slice, reflect.Array:
		return holdsCode(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsCode(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// iterators has the packages of the standard library whose functions return iterators. These call
// nothing but the body of the loop.
var iterators = map[string]bool{"maps": true, "slices": true}

// isForeignFunc reports whether the function at pc is not of a rewritten file. A method that is
// bound to a value has no file; it is of the package that its name says.
func isForeignFunc(pc uintptr) bool {
	for i := range foreignFuncs {
		if foreignFuncs[i].pc == pc {
			return foreignFuncs[i].foreign
		}
	}
	is := true
	if f := runtime.FuncForPC(pc); f != nil {
		file, _ := f.FileLine(pc)
		name, bound := strings.CutSuffix(f.Name(), "-fm")
		if bound {
			name = packageOf(name)
		}
		folder := path.Dir(file)
		is = !isOwn(folder, ownFolders, checkerFolder) &&
			!(bound && isOwn(name, ownPaths, checkerPath)) && !iterators[path.Base(folder)]
	}
	if InExecution() {
		foreignFuncs = append(foreignFuncs, foreignFunc{pc, is})
	}
	return is
}

// packageOf returns the import path in the name of a function.
func packageOf(name string) string {
	slash := strings.LastIndexByte(name, '/') + 1
	base, _, _ := strings.Cut(name[slash:], ".")
	return name[:slash] + base
}

// A pause is a call of foreign code: the thread that makes it, and its number among such calls of
// that thread, from 1.
type pause struct {
	thread int
	call   int32
}

// hidingCalls returns the calls of this execution if they may hide a race in all linearizations
// without a pause: there is a call before and one after each of the two accesses. None of these is
// both, or it would order the accesses; nor are all of one thread, which would order them, too.
func (e *engine) hidingCalls() []pause {
	other := func(p pause) bool { return p.thread != e.pauses[0].thread }
	if len(e.pauses) < 4 || !slices.ContainsFunc(e.pauses, other) {
		return nil
	}
	return e.pauses
}

// The bounds on the linearizations with a pause of one check, and on their steps.
const (
	mostPauses      = 20_000
	mostPausedSteps = 5_000_000
)

// pausesNotRun is the assumption of a race run with more than that.
const pausesNotRun = "what is not rewritten hides no data race: the check makes so many calls of " +
	"it that goroutines were not paused before each of them"

// Pause is called before each call that names foreign code.
func Pause() {
	e := eng
	if e == nil || e.aborting || e.follows == nil && !e.cfg.Linearize || !InExecution() {
		return
	}
	t := e.cur
	t.foreign = true
	t.foreignCalls++
	switch l := e.follows; {
	case l == nil && !e.quiet && e.n > 1:
		e.pauses = append(e.pauses, pause{t.id, t.foreignCalls})
	case l != nil && t.id == l.first && t.foreignCalls == l.stop:
		l.held = true
		l.letOthersRun(t)
	}
}
