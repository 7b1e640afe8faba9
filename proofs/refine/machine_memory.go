package refine

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Field returns the address of a field of the struct that p points to, exported or not, or of an
// element of the slice that the field is. It panics if there is no such field: a field that was
// renamed is noticed.
func Field(p any, name string, index ...int) unsafe.Pointer {
	v := reflect.ValueOf(p)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		panic(fmt.Sprintf("refine: %T is no pointer to a struct", p))
	}
	f := v.Elem().FieldByName(name)
	if !f.IsValid() {
		panic(fmt.Sprintf("refine: %T has no field %s", p, name))
	}
	for _, i := range index {
		f = f.Index(i)
	}
	return unsafe.Pointer(f.UnsafeAddr())
}

// Read32 returns what is in memory, as an observer may read it: nobody else runs.
func Read32(p unsafe.Pointer) uint32 { return *(*uint32)(p) }

// Read64 is Read32 for twice as much.
func Read64(p unsafe.Pointer) uint64 { return *(*uint64)(p) }
