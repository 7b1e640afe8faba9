package hook

import (
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/surewake/surewake/model/stdlib"
)

// A method that is found by reflection is called without any text that could be rewritten. Where
// its own text was, that makes no difference: it runs on the goroutine that calls it. What types of
// sync, sync/atomic and time have, and testing.T, is given in another form, that calls hooks. What
// is left comes from the rest of the standard library, or from an interface that a type embeds:
// what touches nothing but what it is given is called as it is; to find another one is free, to
// call it fails the check.

// ReflectedValue gives what has the methods of v that find methods. What says where it stands.
//
//go:norace
//go:noinline
func ReflectedValue(v reflect.Value, what string) ValueMethods { return ValueMethods{v, what} }

// ReflectedType gives what has the methods of t that find methods. What says where it stands.
//
//go:norace
//go:noinline
func ReflectedType(t reflect.Type, what string) TypeMethods { return TypeMethods{t, what} }

// ReflectedAs gives v, which is of an interface with a method named as one that finds methods, and
// fails the check if it holds a reflect.Value or a reflect.Type.
//
//go:norace
//go:noinline
func ReflectedAs[T any](v T, what string) T {
	switch any(v).(type) {
	case reflect.Value, *reflect.Value, reflect.Type:
		return Refused(v, what)
	}
	return v
}

// ValueMethods is a reflect.Value where its methods are looked for.
type ValueMethods struct {
	v    reflect.Value
	what string
}

// Method is the hook of reflect.Value.Method.
func (m ValueMethods) Method(i int) reflect.Value {
	f := m.v.Method(i)
	return m.method(m.v.Type().Method(i).Name, f)
}

// MethodByName is the hook of reflect.Value.MethodByName.
func (m ValueMethods) MethodByName(name string) reflect.Value {
	return m.method(name, m.v.MethodByName(name))
}

// Methods is the hook of reflect.Value.Methods.
func (m ValueMethods) Methods() func(yield func(reflect.Method, reflect.Value) bool) {
	return func(yield func(reflect.Method, reflect.Value) bool) {
		for i := range m.v.NumMethod() {
			of := TypeMethods{m.v.Type(), m.what}
			if !yield(of.Method(i), m.Method(i)) {
				return
			}
		}
	}
}

// method gives what is to be called in place of f, a method of the value.
func (m ValueMethods) method(name string, f reflect.Value) reflect.Value {
	v := m.v
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !f.IsValid() || !v.CanInterface() { // nothing that Go would call
		return f
	}
	if h := hookedMethod(v, name); h.IsValid() && h.Type() == f.Type() {
		return h
	}
	return m.refusing(f, foreignMethod(v.Type(), name), name)
}

// TypeMethods is a reflect.Type where its methods are looked for.
type TypeMethods struct {
	t    reflect.Type
	what string
}

// Method is the hook of reflect.Type.Method.
func (m TypeMethods) Method(i int) reflect.Method { return m.method(m.t.Method(i)) }

// MethodByName is the hook of reflect.Type.MethodByName.
func (m TypeMethods) MethodByName(name string) (reflect.Method, bool) {
	f, ok := m.t.MethodByName(name)
	return m.method(f), ok
}

// Methods is the hook of reflect.Type.Methods.
func (m TypeMethods) Methods() func(yield func(reflect.Method) bool) {
	return func(yield func(reflect.Method) bool) {
		for i := range m.t.NumMethod() {
			if !yield(m.Method(i)) {
				return
			}
		}
	}
}

// method gives f with a function that is to be called in place of its own.
func (m TypeMethods) method(f reflect.Method) reflect.Method {
	if !f.Func.IsValid() { // of an interface
		return f
	}
	if hookedMethod(reflect.New(m.t).Elem(), f.Name).IsValid() {
		f.Func = reflect.MakeFunc(f.Type, func(args []reflect.Value) []reflect.Value {
			return hookedMethod(args[0], f.Name).Call(args[1:])
		})
		return f
	}
	f.Func = ValueMethods{what: m.what}.refusing(f.Func, foreignMethod(m.t, f.Name), f.Name)
	return f
}

// refusing gives f, or what refuses to call it if it is the method of a type that was not
// rewritten.
func (m ValueMethods) refusing(f reflect.Value, of reflect.Type, name string) reflect.Value {
	if of == nil {
		return f
	}
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
		f := Refused(f, m.what+": "+name+" of "+of.String())
		if f.Type().IsVariadic() {
			return f.CallSlice(args)
		}
		return f.Call(args)
	})
}

// hookedMethod gives a method of a type of sync, sync/atomic or time, or of testing.T, that calls
// hooks, the zero Value if v is of none of these types.
func hookedMethod(v reflect.Value, name string) reflect.Value {
	if v.Kind() != reflect.Pointer {
		return reflect.Value{}
	}
	h := hooked(v.Interface())
	switch p := v.Interface().(type) {
	case *sync.Mutex:
		h = heldMutex{p}
	case *sync.RWMutex:
		h = heldRWMutex{p}
	case *sync.WaitGroup:
		h = heldWaitGroup{p}
	case *sync.Once:
		h = heldOnce{p}
	case *sync.Cond:
		h = heldCond{p}
	case *testing.T:
		h = Test{p}
	}
	if h == nil {
		return reflect.Value{}
	}
	return reflect.ValueOf(h).MethodByName(name)
}

// foreignMethod gives the type that was not rewritten which a method of t may come from, and that
// shares more than it is given: t itself, or a field that it embeds at any depth. It is nil if
// there is none. A type that has the method beside what it embeds is not told from one that has it
// from there.
func foreignMethod(t reflect.Type, name string) reflect.Type {
	seen := map[reflect.Type]bool{}
	var look func(t reflect.Type) reflect.Type
	look = func(t reflect.Type) reflect.Type {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if seen[t] {
			return nil
		}
		seen[t] = true
		if t.Name() != "" && !rewritten(t.PkgPath()) || t.Kind() == reflect.Interface {
			if hasMethod(t, name) && !sharesNothing(t, name) {
				return t
			}
			return nil
		}
		if t.Kind() != reflect.Struct {
			return nil
		}
		for i := range t.NumField() {
			if f := t.Field(i); f.Anonymous {
				if of := look(f.Type); of != nil {
					return of
				}
			}
		}
		return nil
	}
	return look(t)
}

// sharesNothing reports whether a method of a type of the standard library touches nothing but its
// receiver and its arguments, as plain memory. Those of tests are pure only as hooks.
func sharesNothing(t reflect.Type, name string) bool {
	if t.PkgPath() == "testing" {
		return false
	}
	own, _, _ := strings.Cut(t.Name(), "[")
	class := stdlib.Lookup(t.PkgPath() + "." + own + "." + name)
	return t.Kind() != reflect.Interface && (class == stdlib.Pure || class == stdlib.Reach)
}

// hasMethod reports whether t or a pointer to it has a method.
func hasMethod(t reflect.Type, name string) bool {
	_, own := t.MethodByName(name)
	_, ofPointer := reflect.PointerTo(t).MethodByName(name)
	return own || ofPointer
}

// rewritten reports whether the methods of a package's types are: those of this package are hooks.
func rewritten(path string) bool {
	return path == "" || path == "main" || Registered(path) ||
		path == reflect.TypeFor[TypeMethods]().PkgPath()
}

type heldMutex struct{ m *sync.Mutex }

func (h heldMutex) Lock()         { MutexLock(h.m) }
func (h heldMutex) Unlock()       { MutexUnlock(h.m) }
func (h heldMutex) TryLock() bool { return MutexTryLock(h.m) }

type heldRWMutex struct{ m *sync.RWMutex }

func (h heldRWMutex) Lock()                { RWMutexLock(h.m) }
func (h heldRWMutex) Unlock()              { RWMutexUnlock(h.m) }
func (h heldRWMutex) TryLock() bool        { return RWMutexTryLock(h.m) }
func (h heldRWMutex) RLock()               { RWMutexRLock(h.m) }
func (h heldRWMutex) RUnlock()             { RWMutexRUnlock(h.m) }
func (h heldRWMutex) TryRLock() bool       { return RWMutexTryRLock(h.m) }
func (h heldRWMutex) RLocker() sync.Locker { return RWMutexRLocker(h.m) }

type heldWaitGroup struct{ w *sync.WaitGroup }

func (h heldWaitGroup) Add(n int)   { WaitGroupAdd(h.w, n) }
func (h heldWaitGroup) Done()       { WaitGroupDone(h.w) }
func (h heldWaitGroup) Wait()       { WaitGroupWait(h.w) }
func (h heldWaitGroup) Go(f func()) { WaitGroupGo(h.w, f) }

type heldOnce struct{ o *sync.Once }

func (h heldOnce) Do(f func()) { OnceDo(h.o, f) }

type heldCond struct{ c *sync.Cond }

func (h heldCond) Wait()      { CondWait(h.c) }
func (h heldCond) Signal()    { CondSignal(h.c) }
func (h heldCond) Broadcast() { CondBroadcast(h.c) }
