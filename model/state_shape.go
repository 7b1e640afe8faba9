package model

import (
	"hash/maphash"
	"math"
	"reflect"
	"runtime"
	"sync"

	"github.com/surewake/surewake/model/explore"
)

// shapeOf gives a hash of what can be compared of a value made twice: all that is reached from it,
// with pointers numbered by first visit. Times, seeds and code do not count, nor the variables of a
// closure, which cannot be seen. The value can be set.
func shapeOf(v reflect.Value) uint64 {
	w := &shapeWalker{seen: map[visited]int{}}
	explore.Accessible(func() { w.walk(v) })
	return w.hash
}

type visited struct {
	addr uintptr
	typ  reflect.Type
	n    int
}

type shapeWalker struct {
	hash  uint64
	seen  map[visited]int
	maps  int // around
	nodes int
	depth int
}

// Most values of a shape, and most maps inside of maps: beyond these, two
// shapes count as equal.
const (
	shapeNodes = 1_000_000
	shapeMaps  = 4
	shapeDepth = 10_000
)

var shapeSeed = maphash.MakeSeed()

func (w *shapeWalker) mix(x uint64) { w.hash = mixed(w.hash, x) }

func mixed(hash, x uint64) uint64 {
	hash = (hash ^ x) * 0x9E3779B97F4A7C15
	return hash ^ hash>>29
}

// opaqueTypes are not looked into.
var opaqueTypes = map[string]bool{
	"time.Time": true, "time.Location": true, "time.Timer": true, "time.Ticker": true,
	"hash/maphash.Seed": true, "os.File": true, "reflect.rtype": true, "internal/abi.Type": true,
	"regexp.Regexp": true,
}

func (w *shapeWalker) walk(v reflect.Value) {
	if w.nodes++; w.nodes > shapeNodes || w.depth > shapeDepth {
		return
	}
	w.depth++
	defer func() { w.depth-- }()
	t := v.Type()
	if opaqueTypes[t.PkgPath()+"."+t.Name()] {
		return
	}
	w.mix(uint64(t.Kind()))
	switch t.Kind() {
	case reflect.Pointer:
		if w.enter(v, 0, t.Elem().Size()) {
			w.walk(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			w.mix(maphash.String(shapeSeed, v.Elem().Type().String()))
			w.walk(copied(v.Elem()))
		}
	case reflect.Struct:
		w.fields(v)
	case reflect.Array:
		w.elements(v)
	case reflect.Slice:
		w.mix(uint64(v.Len()))
		if w.enter(v, v.Len(), t.Elem().Size()) {
			w.elements(v)
		}
	case reflect.Map:
		w.mix(uint64(v.Len()))
		if w.enter(v, 0, 1) {
			w.entries(v)
		}
	case reflect.Chan:
		if w.enter(v, 0, 1) {
			w.mix(uint64(v.Cap()))
			w.mix(uint64(v.Len()))
		}
	case reflect.Func:
		w.function(v.Pointer())
	case reflect.UnsafePointer, reflect.Uintptr:
		if !v.IsZero() {
			w.mix(1)
		}
	default:
		w.hash = mixedScalar(w.hash, v)
	}
}

// mixedScalar mixes in a value that leads to no other.
func mixedScalar(hash uint64, v reflect.Value) uint64 {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return mixed(hash, 1)
		}
		return mixed(hash, 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return mixed(hash, uint64(v.Int()))
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		n := numberOf(v) // by its bits: a NaN equals no value, and hashes at random
		return mixed(mixed(hash, math.Float64bits(real(n))), math.Float64bits(imag(n)))
	case reflect.String:
		return mixed(hash, maphash.String(shapeSeed, v.String()))
	default:
		return mixed(hash, v.Uint())
	}
}

func (w *shapeWalker) fields(v reflect.Value) {
	switch t := v.Type(); {
	case isSyncMap(t):
		entries := make(map[any]any)
		v.Addr().Interface().(*sync.Map).Range(func(key, value any) bool {
			entries[key] = value
			return true
		})
		w.entries(reflect.ValueOf(entries))
		return
	case isSyncPool(t):
		w.walk(v.FieldByName("New"))
		return
	}
	if target, ok := atomicPointer(v); ok {
		w.walk(target)
		return
	}
	for i := range v.NumField() {
		w.walk(settable(v.Field(i)))
	}
}

// function mixes in where a function begins: the compiler has copies of some,
// made for different callers.
func (w *shapeWalker) function(pc uintptr) {
	if f := runtime.FuncForPC(pc); f != nil {
		file, line := f.FileLine(pc)
		w.mix(maphash.String(shapeSeed, file))
		w.mix(uint64(line))
	}
}

func numberOf(v reflect.Value) complex128 {
	if v.CanComplex() {
		return v.Complex()
	}
	return complex(v.Float(), 0)
}

// enter mixes in which object v refers to, and reports whether that is to be
// visited.
func (w *shapeWalker) enter(v reflect.Value, n int, size uintptr) bool {
	addr := v.Pointer()
	if addr < lowest {
		w.mix(math.MaxUint64 - uint64(addr))
		return false
	}
	if size == 0 {
		return true // shares its address with others
	}
	key := visited{addr, v.Type(), n}
	if id, ok := w.seen[key]; ok {
		w.mix(uint64(id))
		return false
	}
	w.seen[key] = len(w.seen) + 1
	return true
}

func (w *shapeWalker) elements(v reflect.Value) {
	for i := range v.Len() {
		if w.nodes > shapeNodes {
			return
		}
		w.walk(v.Index(i))
	}
}

// entries mixes in the entries of a map, in no order.
func (w *shapeWalker) entries(v reflect.Value) {
	if w.maps == shapeMaps {
		return
	}
	var sum uint64
	for it := v.MapRange(); it.Next(); {
		e := &shapeWalker{seen: map[visited]int{}, maps: w.maps + 1, nodes: w.nodes}
		e.walk(copied(it.Key()))
		e.walk(copied(it.Value()))
		sum += e.hash
		w.nodes = e.nodes
	}
	w.mix(sum)
}
