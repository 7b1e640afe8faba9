package hiddenraces

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/surewake/surewake/model"
)

// beside is around in a search that is too large to be run once more with all orders: only traces
// in which two goroutines are seen to call code that is not rewritten are.
func beside(t *testing.T, call func()) {
	model.Check(t, func(x *model.Exec) {
		data, count := new(int), new(atomic.Int32)
		for range 3 {
			x.Go("other", func() { count.Add(1); count.Add(1) })
		}
		x.Go("before", func() { *data = 1; call() })
		x.Go("after", func() { call(); *data = 2 })
		x.Join()
	})
}

// A Logger takes a lock of its own in Output.
type output interface{ Output(int, string) error }

func newOutput() *log.Logger { return log.New(nowhere{}, "", 0) }

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// verdict: FAILED race
func TestThroughAnInterface(t *testing.T) {
	var o output = newOutput()
	beside(t, func() { _ = o.Output(1, "text") })
}

func put[T output](v T) { _ = v.Output(1, "text") }

// verdict: FAILED race
func TestThroughATypeParameter(t *testing.T) {
	o := newOutput()
	beside(t, func() { put(o) })
}

// verdict: FAILED race
func TestThroughAnEmbeddedField(t *testing.T) {
	var o output = struct{ *log.Logger }{newOutput()}
	beside(t, func() { _ = o.Output(1, "text") })
}

type holder struct{ output }

// verdict: FAILED race
func TestThroughAnEmbeddedInterface(t *testing.T) {
	var o output = holder{newOutput()}
	beside(t, func() { _ = o.Output(1, "text") })
}

// verdict: FAILED race
func TestThroughAPromotedMethod(t *testing.T) {
	h := holder{newOutput()}
	beside(t, func() { _ = h.Output(1, "text") })
}

// verdict: FAILED race
func TestThroughAMethodValue(t *testing.T) {
	o := newOutput()
	beside(t, func() { f := o.Output; _ = f(1, "text") })
}

// verdict: FAILED race
func TestThroughAMethodValueOfAnInterface(t *testing.T) {
	f := output(newOutput()).Output
	beside(t, func() { _ = f(1, "text") })
}

// verdict: FAILED race
func TestThroughAPromotedMethodValue(t *testing.T) {
	h := holder{newOutput()}
	beside(t, func() { f := h.Output; _ = f(1, "text") })
}

// verdict: FAILED race
func TestThroughAMethodExpression(t *testing.T) {
	o, f := newOutput(), output.Output
	beside(t, func() { _ = f(o, 1, "text") })
}

// One goroutine binds the method, two others call it.
//
// verdict: FAILED race
func TestThroughAMethodValueOfAnother(t *testing.T) {
	o := holder{newOutput()}
	model.Check(t, func(x *model.Exec) {
		data, count, f := new(int), new(atomic.Int32), o.Output
		for range 3 {
			x.Go("other", func() { count.Add(1); count.Add(1) })
		}
		x.Go("before", func() { *data = 1; _ = f(1, "text") })
		x.Go("after", func() { _ = f(1, "text"); *data = 2 })
		x.Join()
	})
}

var environment = os.Setenv

// verdict: FAILED race
func TestThroughAFunctionValue(t *testing.T) {
	beside(t, func() { _ = environment("SUREWAKE_TEST", "1") })
}

// verdict: FAILED race
func TestThroughReflection(t *testing.T) {
	mu := reflect.ValueOf(new(sync.Mutex))
	lock := mu.MethodByName("Lock").Interface().(func())
	unlock := mu.MethodByName("Unlock").Interface().(func())
	beside(t, func() { lock(); unlock() })
}

// An iterator of go/types, whose every step takes a lock while not all methods were asked for.
//
// verdict: FAILED race
func TestThroughAnIteratorOfTheLibrary(t *testing.T) {
	const text = "package p; type N[T any] int; func (N[T]) A() {}; func (N[T]) B() {}; var X N[int]"
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := new(types.Config).Check("p", files, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var methods func(yield func(*types.Func) bool)
	methods = p.Scope().Lookup("X").Type().(*types.Named).Methods()
	beside(t, func() { methods(func(*types.Func) bool { return false }) })
}

// Some bytes of a word are read before the write of one that another goroutine reads. In a package
// that calls code that is not rewritten such a search is run once more, too.
//
// verdict: FAILED race
func TestManyReadsBeforeTheWrite(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := new(struct {
			b    [8]byte
			next *int
		})
		x.Go("reader", func() { x.Assert(w.b[0] == 0, "") })
		x.Go("writer", func() {
			for i := 1; i < 8; i++ {
				x.Assert(w.b[i] == 0, "byte %d is written", i)
			}
			for i := 2; i < 8; i += 2 {
				x.Assert(*(*uint16)(unsafe.Pointer(&w.b[i])) == 0, "bytes from %d are written", i)
			}
			x.Assert(*(*uint32)(unsafe.Pointer(&w.b[4])) == 0, "bytes from 4 are written")
			w.b[0] = 1
		})
		x.Join()
	})
}
