// Package reflectedmethods has checks that find methods by reflection, and call them.
package reflectedmethods

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

type counter struct{ n atomic.Int32 }

func (c *counter) AddInTwoSteps() { c.n.Store(c.n.Load() + 1) }

func (c *counter) Add(n int32) int32 { return c.n.Add(n) }

func (c *counter) Sum(ns ...int32) (sum int32) {
	for _, n := range ns {
		sum = c.n.Add(n)
	}
	return sum
}

// The text of these methods was rewritten: what they do is explored.
//
// verdict: FAILED 1 of 2
func TestMethodsOfAnyType(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := new(counter)
		for range 2 {
			x.Go("", func() { reflect.ValueOf(c).MethodByName("AddInTwoSteps").Call(nil) })
		}
		x.Join()
		x.Assert(c.n.Load() == 2, "%d of 2", c.n.Load())
	})
}

// verdict: proved, 2 traces without assumptions
func TestAllWaysToFindOne(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := new(counter)
		v, typ := reflect.ValueOf(c), reflect.TypeFor[*counter]()
		x.Go("value", func() {
			of := v.Method
			x.Assert(of(0).Type().NumIn() == 1, "a bound method")
			of(0).Call([]reflect.Value{reflect.ValueOf(int32(1))})
		})
		x.Go("type", func() {
			for i := range typ.NumMethod() {
				if m := typ.Method(i); strings.HasPrefix(m.Name, "Add") && m.Type.NumIn() == 2 {
					m.Func.Call([]reflect.Value{v, reflect.ValueOf(int32(1))})
				}
			}
		})
		x.Join()
		m, ok := typ.MethodByName("Sum")
		x.Assert(ok, "there is a Sum")
		m.Func.Interface().(func(*counter, ...int32) int32)(c, 1, 2)
		sum := v.MethodByName("Sum").Interface().(func(...int32) int32)(3, 4)
		x.Assert(sum == 12, "%d", sum)
		x.Assert(!v.MethodByName("None").IsValid(), "there is no None")
	})
}

type wrapped struct{ reflect.Value }

type found struct{ reflect.Type }

func nth[T interface{ Method(int) reflect.Value }](of T, i int) reflect.Value {
	return of.Method(i)
}

// ownFinder finds methods, and is no type of reflect.
type ownFinder struct{ v *reflect.Value }

func (f ownFinder) Method(i int) reflect.Value { return (*f.v).Method(i) }

// verdict: FAILED 1 of 2
func TestOtherWordsForIt(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := new(counter)
		v := []reflect.Value{reflect.ValueOf(c)}
		byExpression, ofType := reflect.Value.MethodByName, reflect.Type.Method
		x.Go("", func() { byExpression(v[0], "AddInTwoSteps").Call(nil) })
		x.Go("", func() { ofType(v[0].Type(), 1).Func.Call(v) })
		x.Join()
		x.Assert(c.n.Load() == 2, "%d of 2", c.n.Load())
		wrapped{v[0]}.MethodByName("AddInTwoSteps").Call(nil)
		m, _ := found{v[0].Type()}.MethodByName("AddInTwoSteps")
		m.Func.Call(v)
		by := found{v[0].Type()}.MethodByName
		m, _ = by("AddInTwoSteps")
		m.Func.Call(v)
		x.Assert(c.n.Load() == 5, "%d of 5", c.n.Load())
	})
}

// verdict: undecided reflect's Method through another interface is not modelled
func TestAFinderBehindATypeParameter(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		v := reflect.ValueOf(new(counter))
		one := nth(ownFinder{&v}, 0).Call([]reflect.Value{reflect.ValueOf(int32(1))})
		x.Assert(one[0].Int() == 1, "%d", one[0].Int())
		nth(v, 0)
	})
}

// Locks that are found by reflection keep others out, by a value or a type.
//
// verdict: proved, 2 traces without assumptions
func TestLocks(t *testing.T) {
	typ := reflect.TypeFor[*sync.Mutex]()
	model.Check(t, func(x *model.Exec) {
		mu, n := new(sync.Mutex), 0
		x.Go("value", func() {
			v := reflect.ValueOf(mu)
			v.MethodByName("Lock").Call(nil)
			n++
			v.MethodByName("Unlock").Call(nil)
		})
		x.Go("type", func() {
			v := []reflect.Value{reflect.ValueOf(mu)}
			lock, _ := typ.MethodByName("Lock")
			lock.Func.Call(v)
			n++
			unlock, _ := typ.MethodByName("Unlock")
			unlock.Func.Call(v)
		})
		x.Join()
		x.Assert(n == 2, "%d", n)
	})
}

// verdict: FAILED deadlock
func TestALockThatNobodyReleases(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var locker any = new(sync.RWMutex)
		for range 2 {
			x.Go("", func() { reflect.ValueOf(locker).MethodByName("Lock").Call(nil) })
		}
		x.Join()
	})
}

// verdict: FAILED the second came first
func TestALockOfAType(t *testing.T) {
	try, _ := reflect.TypeFor[*sync.Mutex]().MethodByName("TryLock")
	model.Check(t, func(x *model.Exec) {
		v := []reflect.Value{reflect.ValueOf(new(sync.Mutex))}
		x.Go("first", func() { x.Assert(try.Func.Call(v)[0].Bool(), "the second came first") })
		x.Go("second", func() { try.Func.Call(v) })
		x.Join()
	})
}

// verdict: FAILED both came first
func TestWordsAndWaits(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		wg, n, first := new(sync.WaitGroup), new(atomic.Int64), new(atomic.Int64)
		wg.Add(2)
		for range 2 {
			x.Go("", func() {
				if reflect.ValueOf(n).MethodByName("Load").Call(nil)[0].Int() == 0 {
					first.Add(1)
				}
				n.Store(1)
				reflect.ValueOf(wg).MethodByName("Done").Call(nil)
			})
		}
		reflect.ValueOf(wg).MethodByName("Wait").Call(nil)
		x.Assert(first.Load() == 1, "both came first")
	})
}

// verdict: proved, 2 traces without assumptions
func TestOnceAndCond(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		once, n := new(sync.Once), 0
		for range 2 {
			x.Go("", func() {
				reflect.ValueOf(once).MethodByName("Do").Call(
					[]reflect.Value{reflect.ValueOf(func() { n++ })})
			})
		}
		x.Join()
		x.Assert(n == 1, "%d", n)
		mu := new(sync.Mutex)
		reflect.ValueOf(sync.NewCond(mu)).MethodByName("Broadcast").Call(nil)
		reflect.ValueOf(mu).MethodByName("TryLock").Call(nil)
	})
}

// To find a method is not to call it.
//
// verdict: proved without assumptions
func TestMethodsThatAreNotCalled(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		typ, found := reflect.TypeOf(t), 0
		for i := range typ.NumMethod() {
			if typ.Method(i).Name == "Run" && reflect.ValueOf(t).Method(i).IsValid() {
				found++
			}
		}
		x.Assert(found == 1, "%d", found)
	})
}

// What a test has is modelled by whatever way it is reached.
//
// verdict: FAILED from a subtest
func TestAMethodOfATest(t *testing.T) {
	run := reflect.ValueOf(t).MethodByName("Run").Interface().(func(string, func(*testing.T)) bool)
	model.Check(t, func(x *model.Exec) {
		x.Assert(run("sub", func(t *testing.T) { x.Assert(false, "from a subtest") }), "")
	})
}

// verdict: undecided what reflect.Value.MethodByName finds here is not modelled: Start of exec.Cmd
func TestAProcess(t *testing.T) {
	start := reflect.ValueOf(exec.Command("true")).MethodByName("Start")
	model.Check(t, func(x *model.Exec) { start.Call(nil) })
}

// A test that is handed on by reflection is the test.
//
// verdict: FAILED handed on
func TestATestAsAnArgument(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		fail := func(t *testing.T, text string) { t.Error(text) }
		typ := reflect.TypeOf(fail)
		x.Assert(typ.In(0) == reflect.TypeOf(t), "another type")
		reflect.ValueOf(fail).Call([]reflect.Value{
			reflect.ValueOf(t), reflect.ValueOf("handed on"),
		})
	})
}

type log struct {
	level int
	*bufio.ReadWriter
}

// What touches nothing but its own memory is called as it is.
//
// verdict: proved, 1 traces without assumptions
func TestMethodsThatShareNothing(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		call := func(of any, name string, args ...any) []reflect.Value {
			var in []reflect.Value
			for _, a := range args {
				in = append(in, reflect.ValueOf(a))
			}
			return reflect.ValueOf(of).MethodByName(name).Call(in)
		}
		var text bytes.Buffer
		l := &log{1, bufio.NewReadWriter(bufio.NewReader(&text), bufio.NewWriter(&text))}
		call(l, "WriteString", "ab")
		call(l, "Flush")
		x.Assert(call(&text, "String")[0].String() == "ab", "%s", &text)
		x.Assert(call(l, "ReadByte")[0].Uint() == 'a', "another byte")
		x.Assert(call(time.Second, "Seconds")[0].Float() == 1, "not one second")
	})
}

// verdict: FAILED race
func TestAMethodOfASharedBuffer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var text bytes.Buffer
		write := reflect.ValueOf(&text).MethodByName("WriteString")
		for range 2 {
			x.Go("", func() { write.Call([]reflect.Value{reflect.ValueOf("a")}) })
		}
		x.Join()
	})
}

type output struct {
	name string
	*os.File
}

// A field that is embedded may have the method, behind an interface too.
//
// verdict: undecided what reflect.Value.Method finds here is not modelled: Close of os.File
func TestAMethodThatIsPromoted(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		v := reflect.ValueOf(&output{})
		for i := range v.NumMethod() {
			if v.Type().Method(i).Name == "Close" {
				v.Method(i).Call(nil)
			}
		}
	})
}

// verdict: undecided what reflect.Type.MethodByName finds here is not modelled: Write of io.Writer
func TestAMethodOfAnEmbeddedInterface(t *testing.T) {
	type writer struct{ io.Writer }
	model.Check(t, func(x *model.Exec) {
		m, _ := reflect.TypeFor[writer]().MethodByName("Write")
		m.Func.Call([]reflect.Value{
			reflect.ValueOf(writer{io.Discard}), reflect.ValueOf([]byte{}),
		})
	})
}

type locked struct{ sync.Mutex }

// verdict: undecided what reflect.Value.MethodByName finds here is not modelled: Lock of sync.Mutex
func TestALockThatIsEmbedded(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		reflect.ValueOf(new(locked)).MethodByName("Lock").Call(nil)
	})
}
