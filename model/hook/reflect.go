package hook

import (
	"reflect"

	"github.com/surewake/surewake/model/explore"
)

// ValueLen is the hook of reflect.Value.Len, which may be that of a channel.
//
//go:norace
//go:noinline
func ValueLen(v reflect.Value) int {
	if v.Kind() == reflect.Chan && !v.IsNil() {
		explore.Len(explore.Chan{Ptr: v.UnsafePointer(), Cap: v.Cap(), Len: v.Len(),
			Closed: explore.ChanClosed(v.UnsafePointer()), Signals: v.Type().Elem().Size() == 0})
	}
	return v.Len()
}

// MakeChan is the hook of reflect.MakeChan.
//
//go:norace
//go:noinline
func MakeChan(t reflect.Type, buffer int) reflect.Value {
	c := reflect.MakeChan(t, buffer)
	explore.Bubbled(c.UnsafePointer())
	return c
}
