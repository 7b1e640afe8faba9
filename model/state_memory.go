package model

import (
	"cmp"
	"hash/maphash"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"github.com/surewake/surewake/model/virtual"
)

// The memory of a variable is all that is reached from it: the variable, what pointers in it point
// to, the elements of slices, the entries of maps. It is compared with what it was when packages
// had been initialised, and put back before each execution if the variable is kept. As it is the
// same memory each time, it is told by its addresses, which a shape (state_shape.go) cannot be.
//
// Left out is what belongs to the process, such as files and running tests, and what cannot be
// seen: the variables of a closure, the values in a channel, the free objects of a sync.Pool.
type memory struct {
	hash    uint64
	values  int    // about shapeNodes at most
	unseen  bool   // more lies beyond these
	hides   bool   // it leads to something that is not seen, as by the variables of a closure
	bound   bool   // to the process: it has a time, a context, or what is never put back
	spans   []span // of objects
	inOrder bool   // spans are
	objects []object
	same    explore.Memories // of the objects and of their copies; none of a map
	whole   bool             // what the hash depends on is there
	restore func(int)        // puts an object back
}

// A span is the addresses of an object.
type span struct{ from, to uintptr }

// An object is put back as a whole.
type object struct {
	at    reflect.Value // can be set, or is a slice, or a map
	saved reflect.Value // not of a map
	keys  []reflect.Value
	vals  []reflect.Value
}

// memories returns the memory of o and that of its copy, nothing of a map. They are compared before
// o is put back, as reflection is slow, above all under the race detector.
func (o *object) memories() (now, then []byte) {
	if !o.saved.IsValid() {
		return nil, nil
	}
	return bytesOf(o.at), bytesOf(o.saved)
}

// bytesOf gives the memory of what can be set, or of the elements of a slice.
func bytesOf(v reflect.Value) []byte {
	if v.CanSet() {
		return unsafe.Slice((*byte)(v.Addr().UnsafePointer()), v.Type().Size())
	}
	return unsafe.Slice((*byte)(v.UnsafePointer()), uintptr(v.Len())*v.Type().Elem().Size())
}

// putBackValues is how many values a memory has that is put back: to put back more takes much
// longer than an execution.
const putBackValues = 100_000

// largeValues is how many values a memory has that is put back only once it was changed.
const largeValues = 1000

// memoryBytes is how long plain memory is that is looked at: longer ones are files in memory.
const memoryBytes = 16 << 20

// atInit has what hash the memory of each variable had when all packages were initialised.
var atInit map[any]uint64

func init() {
	hook.OnInitialised = func() {
		atInit = make(map[any]uint64)
		for _, p := range hook.States("") {
			for _, part := range p.Parts {
				if part.Run == nil {
					v := reflect.ValueOf(part.Pointer).Elem()
					atInit[part.Pointer] = memoryOf(v, false).hash
				}
			}
		}
	}
}

// memoryOf finds the memory of a variable, and a copy of it if that is asked for.
func memoryOf(v reflect.Value, saves bool) *memory {
	w := &memoryWalker{m: &memory{}, saves: saves, seen: make(map[visited]bool)}
	w.m.whole = saves
	w.m.restore = func(i int) { w.m.objects[i].putBack() }
	w.push(v)
	for len(w.queue) > 0 && w.m.values <= shapeNodes {
		next := w.queue[len(w.queue)-1]
		w.queue = w.queue[:len(w.queue)-1]
		if !explore.Accessible(func() { w.object(next) }) {
			w.m.unseen, w.m.whole = true, false
		}
	}
	w.m.unseen = w.m.unseen || w.m.values > shapeNodes
	if w.m.values > putBackValues {
		w.m.objects, w.m.same, w.m.whole = nil, explore.Memories{}, false
	}
	return w.m
}

// hasChanged reports whether v, of which m is, has other memory now. As long as no byte of it is
// another one, the same objects are reached.
func (m *memory) hasChanged(v reflect.Value) bool {
	return !(m.whole && m.same.Equal()) && memoryOf(v, false).hash != m.hash
}

// putBack gives all objects the values that they had. What cannot be accessed is left.
func (m *memory) putBack() { m.same.Restore(m.restore) }

func (o *object) putBack() {
	switch {
	case o.at.CanSet():
		assign(o.at, o.saved)
	case o.at.Kind() == reflect.Slice:
		assignElements(o.at, o.saved)
	default:
		o.at.Clear()
		for i, k := range o.keys {
			o.at.SetMapIndex(k, o.vals[i])
		}
	}
}

// shares reports whether two memories have something in common.
func (m *memory) shares(o *memory) bool {
	a, b := m.ordered(), o.ordered()
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].to <= b[0].from:
			a = a[1:]
		case b[0].to <= a[0].from:
			b = b[1:]
		default:
			return true
		}
	}
	return false
}

// leads reports whether there is more than the variable itself.
func (m *memory) leads() bool { return len(m.spans) > 1 }

// ordered gives the spans in order, as none that overlap.
func (m *memory) ordered() []span {
	if m.inOrder {
		return m.spans
	}
	m.inOrder = true
	slices.SortFunc(m.spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	joined := m.spans[:0]
	for _, s := range m.spans {
		if n := len(joined); n > 0 && s.from < joined[n-1].to {
			joined[n-1].to = max(joined[n-1].to, s.to)
			continue
		}
		joined = append(joined, s)
	}
	m.spans = joined
	return joined
}

type memoryWalker struct {
	m     *memory
	saves bool
	seen  map[visited]bool
	queue []reflect.Value
	hash  uint64 // of the object that is looked at
}

func (w *memoryWalker) push(v reflect.Value) { w.queue = append(w.queue, v) }

func (w *memoryWalker) mix(x uint64) { w.hash = mixed(w.hash, x) }

// object looks at a variable, at the array of a slice, or at a map. The hash is a sum, as the
// entries of a map come in no order.
func (w *memoryWalker) object(v reflect.Value) {
	w.hash = 0
	switch {
	case v.CanSet():
		w.save(object{at: v, saved: copied(v)})
		at := v.UnsafeAddr()
		w.m.spans = append(w.m.spans, span{at, at + v.Type().Size()})
		w.mix(uint64(at))
		w.walk(v)
	case v.Kind() == reflect.Map:
		w.entries(v)
	default:
		w.elements(v)
	}
	w.m.hash += w.hash
}

func (w *memoryWalker) save(o object) {
	if !w.saves || ofProcess(o.at.Type()) {
		w.m.whole = false
		return
	}
	w.m.objects = append(w.m.objects, o)
	w.m.same.Add(o.memories())
}

func (w *memoryWalker) elements(v reflect.Value) {
	w.mix(uint64(v.Pointer()))
	plain := isPlain(v.Type().Elem())
	size := uintptr(v.Len()) * v.Type().Elem().Size()
	if plain && w.isFile(size) {
		return
	}
	if w.saves {
		saved := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(saved, v)
		w.save(object{at: v, saved: saved})
	}
	if plain {
		w.plain(v.UnsafePointer(), size)
		return
	}
	for i := range v.Len() {
		if w.m.values > shapeNodes {
			return
		}
		w.walk(v.Index(i))
	}
}

// isFile reports whether plain memory is too long to be looked at, and notes that.
func (w *memoryWalker) isFile(size uintptr) bool {
	w.m.unseen = w.m.unseen || size > memoryBytes
	return size > memoryBytes
}

// plainValue is how many bytes of plain memory count as a value, by the time that they take.
const plainValue = 64

// plain mixes in memory as a whole: tables, such as those of unicode, are long.
func (w *memoryWalker) plain(at unsafe.Pointer, size uintptr) {
	w.m.values += int(size / plainValue)
	w.mix(maphash.Bytes(shapeSeed, unsafe.Slice((*byte)(at), size)))
}

func (w *memoryWalker) entries(v reflect.Value) {
	w.mix(uint64(v.Pointer()))
	o := object{at: v}
	of, sum := w.hash, uint64(0)
	for it := v.MapRange(); it.Next(); {
		w.hash = of
		w.walk(copied(it.Key()))
		w.walk(copied(it.Value()))
		sum += w.hash
		if w.saves {
			o.keys, o.vals = append(o.keys, it.Key()), append(o.vals, it.Value())
		}
	}
	w.hash = sum
	w.save(o)
}

// walk mixes in what v, which can be set, holds, and queues the objects to which it leads.
func (w *memoryWalker) walk(v reflect.Value) {
	w.m.values++
	t := v.Type()
	switch t.Kind() {
	case reflect.Pointer:
		w.mix(uint64(v.Pointer()))
		w.m.bound = w.m.bound || !v.IsNil() && holdsForeign(t.Elem())
		if isSeen(t.Elem()) && w.enter(v, 0, t.Elem().Size()) {
			w.push(v.Elem())
		}
	case reflect.Interface:
		if v.IsNil() {
			w.mix(0)
			return
		}
		w.mix(maphash.String(shapeSeed, v.Elem().Type().String()))
		w.walk(copied(v.Elem()))
	case reflect.Struct:
		w.fields(v)
	case reflect.Array:
		if isPlain(t) {
			if !w.isFile(t.Size()) {
				w.plain(v.Addr().UnsafePointer(), t.Size())
			}
			return
		}
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
	case reflect.Slice:
		w.slice(v)
	case reflect.Map:
		w.mix(uint64(v.Pointer()))
		if w.enter(v, 0, 1) {
			w.push(reflect.ValueOf(v.Interface()))
		}
	case reflect.Chan:
		w.mix(uint64(v.Pointer()))
		if w.enter(v, 0, 1) {
			w.mix(uint64(v.Len()))
			w.m.whole = false
			w.m.bound = true
			w.m.hides = w.m.hides || v.Len() > 0
		}
	case reflect.Func:
		w.function(v)
	case reflect.UnsafePointer:
		w.mix(uint64(v.Pointer()))
		w.m.hides = w.m.hides || !v.IsNil()
	default:
		w.hash = mixedScalar(w.hash, v)
	}
}

func (w *memoryWalker) fields(v reflect.Value) {
	t := v.Type()
	switch {
	case isSyncMap(t):
		w.m.whole = false
		v.Addr().Interface().(*sync.Map).Range(func(key, value any) bool {
			of := w.hash
			w.hash = 0
			w.walk(copied(reflect.ValueOf(&key).Elem()))
			w.walk(copied(reflect.ValueOf(&value).Elem()))
			w.m.hash += w.hash
			w.hash = of
			return true
		})
		return
	case isSyncPool(t):
		w.walk(v.FieldByName("New"))
		return
	case !isSeen(t):
		w.m.hides = w.m.hides || t == reflect.TypeFor[reflect.Value]() && !v.IsZero()
		return
	case t == reflect.TypeFor[time.Time]():
		w.m.bound = w.m.bound || !v.IsZero()
	}
	if target, ok := atomicPointer(v); ok {
		w.walk(target)
		return
	}
	for i := range v.NumField() {
		w.walk(settable(v.Field(i)))
	}
}

func (w *memoryWalker) slice(v reflect.Value) {
	w.mix(uint64(v.Pointer()))
	w.mix(uint64(v.Len()))
	if w.enter(v, v.Cap(), uintptr(v.Cap())*v.Type().Elem().Size()) {
		w.push(v.Slice3(0, v.Cap(), v.Cap()))
	}
}

// function mixes in which function value v is. A method value of a pointer leads to what that
// points to.
func (w *memoryWalker) function(v reflect.Value) {
	closure := *(*unsafe.Pointer)(v.Addr().UnsafePointer()) // to the code, and to its variables
	w.mix(uint64(uintptr(closure)))
	if closure == nil {
		return
	}
	w.m.hides = w.m.hides || !isStatic(closure)
	name := runtime.FuncForPC(v.Pointer()).Name()
	if strings.HasSuffix(name, "-fm") && strings.Contains(name, ".(*") {
		receiver := (*[2]uintptr)(closure)[1]
		w.m.spans = append(w.m.spans, span{receiver, receiver + 1})
	}
}

// isStatic reports whether a function value is none of a closure: it lies in the program, not in
// the heap. Where addresses have 32 bits, all count as such.
func isStatic(closure unsafe.Pointer) bool {
	here := isPlain
	a, b := uintptr(closure), uintptr(*(*unsafe.Pointer)(unsafe.Pointer(&here)))
	return max(a, b)-min(a, b) < 1<<30
}

// lowest is the least address of memory. Go ends the process if a smaller one is found on a stack.
const lowest = 4096

// enter reports whether v refers to an object, of a size, that is not known yet.
func (w *memoryWalker) enter(v reflect.Value, n int, size uintptr) bool {
	key := visited{v.Pointer(), v.Type(), n}
	if key.addr < lowest || size == 0 || w.seen[key] {
		return false
	}
	w.seen[key] = true
	w.m.spans = append(w.m.spans, span{key.addr, key.addr + size})
	return true
}

var plainTypes sync.Map // memo of isPlain

// isPlain reports whether a value of the type is its bytes, all of them: it leads to no other
// memory, and has no gaps, in which anything may stand.
func isPlain(t reflect.Type) bool {
	if known, ok := plainTypes.Load(t); ok {
		return known.(bool)
	}
	plain := false
	switch k := t.Kind(); {
	case k == reflect.Array:
		plain = isPlain(t.Elem())
	case k == reflect.Struct:
		size := uintptr(0)
		plain = !ofProcess(t)
		for i := range t.NumField() {
			plain = plain && isPlain(t.Field(i).Type)
			size += t.Field(i).Type.Size()
		}
		plain = plain && size == t.Size()
	default:
		plain = reflect.Bool <= k && k <= reflect.Complex128
	}
	plainTypes.Store(t, plain)
	return plain
}

// settable gives a field, exported or not, of a struct that can be set.
func settable(field reflect.Value) reflect.Value {
	return reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem()
}

// copied gives a copy that can be set.
func copied(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// atomicPointer gives what an atomic.Pointer holds, as the pointer that it is.
func atomicPointer(v reflect.Value) (reflect.Value, bool) {
	t := v.Type()
	if t.PkgPath() != "sync/atomic" || !strings.HasPrefix(t.Name(), "Pointer[") {
		return reflect.Value{}, false
	}
	at := v.FieldByName("v").Addr().UnsafePointer()
	return reflect.NewAt(t.Field(0).Type.Elem(), at).Elem(), true
}

func isSyncMap(t reflect.Type) bool { return t == reflect.TypeFor[sync.Map]() }

func isSyncPool(t reflect.Type) bool { return t == reflect.TypeFor[sync.Pool]() }

// ofProcess reports whether values of the type belong to the process, to the Go runtime, or to this
// library: they change while no execution does anything, and are never put back.
func ofProcess(t reflect.Type) bool {
	switch path := t.PkgPath(); {
	case path == "" || t.Kind() != reflect.Struct:
		return false
	case path == "time":
		return t.Name() == "Timer" || t.Name() == "Ticker" || t.Name() == "Location"
	case path == "regexp":
		return t.Name() == "Regexp" // nothing changes one
	case path == "internal/sync": // what a sync.Map has is seen by its methods
		return strings.HasPrefix(t.Name(), "HashTrieMap[")
	case path == "internal/poll", path == "internal/abi",
		strings.HasPrefix(path, "internal/runtime/"):
		return true
	case t.Name() == "logWriter" && strings.HasSuffix(path, "/model/hook"):
		return false // it leads to what a logger writes to
	case path == "runtime", strings.HasPrefix(path, "runtime/"), strings.HasPrefix(path, "os/"),
		strings.HasPrefix(path, "github.com/surewake/surewake/model/"):
		return true
	default:
		return path == "os" || path == "syscall" || path == "testing" || path == "reflect"
	}
}

// isSeen reports whether memory of the type is looked at. What stands for a context in executions
// is seen, but not put back.
func isSeen(t reflect.Type) bool { return !ofProcess(t) || t == reflect.TypeFor[virtual.Context]() }

// assign sets what can be set, without what belongs to the process.
func assign(to, from reflect.Value) {
	t := to.Type()
	switch {
	case !holdsForeign(t):
		to.Set(from)
	case t.Kind() == reflect.Struct && !ofProcess(t) && !isSyncPool(t):
		for i := range t.NumField() {
			assign(settable(to.Field(i)), settable(from.Field(i)))
		}
	case t.Kind() == reflect.Array:
		assignElements(to, from)
	}
}

func assignElements(to, from reflect.Value) {
	if to.Kind() == reflect.Slice && !holdsForeign(to.Type().Elem()) {
		reflect.Copy(to, from)
		return
	}
	for i := range to.Len() {
		assign(to.Index(i), from.Index(i))
	}
}

var foreign sync.Map // memo of holdsForeign

// holdsForeign reports whether a part of a value belongs to the process.
func holdsForeign(t reflect.Type) bool {
	if known, ok := foreign.Load(t); ok {
		return known.(bool)
	}
	holds := ofProcess(t) || isSyncPool(t)
	switch {
	case holds, isSyncMap(t):
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			holds = holds || holdsForeign(t.Field(i).Type)
		}
	case t.Kind() == reflect.Array:
		holds = holdsForeign(t.Elem())
	}
	foreign.Store(t, holds)
	return holds
}
