package refine

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Field returns the address of a field of the struct that p points to, exported or not, or of an
// element of it if the field is a slice or an array and there is an index. It panics if there is no
// such field, so a test notices that the field was renamed.
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

// Read32 returns what is in memory. Only an observer may call it, while nothing else runs.
func Read32(p unsafe.Pointer) uint32 { return *(*uint32)(p) }

// Read64 is Read32 for 64 bits.
func Read64(p unsafe.Pointer) uint64 { return *(*uint64)(p) }
