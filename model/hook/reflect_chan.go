package hook

import (
	"reflect"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// Channels that are reached by reflection. What package reflect refuses, it is left to say: such a
// call is handed on, and panics before it waits.
//
// The race detector sees what reflect copies. The value that a sender copies into the memory of a
// receiver is in the end of the send, after the edge of the engine: it has an edge of its own.

// reflectedChan describes a channel to the engine, none for nil.
//
//go:norace
func reflectedChan(v reflect.Value) explore.Chan {
	if v.IsNil() {
		return explore.Chan{}
	}
	p := v.UnsafePointer()
	return explore.Chan{Ptr: p, Cap: v.Cap(), Len: v.Len(), Closed: explore.ChanClosed(p)}
}

// isOpenTo reports whether reflect allows an operation on v.
//
//go:norace
func isOpenTo(v reflect.Value, dir reflect.ChanDir) bool {
	return v.IsValid() && v.Kind() == reflect.Chan && v.CanInterface() &&
		v.Type().ChanDir()&dir != 0
}

//go:norace
func canSend(v, x reflect.Value) bool {
	return isOpenTo(v, reflect.SendDir) && x.IsValid() && x.CanInterface() &&
		x.Type().AssignableTo(v.Type().Elem())
}

// sending is the case of a send of x, which is copied.
//
//go:norace
func sending(v, x reflect.Value) explore.Case {
	mem := reflect.New(v.Type().Elem())
	mem.Elem().Set(x)
	return explore.Case{Chan: reflectedChan(v), Send: true, Mem: mem.UnsafePointer()}
}

// receiving is the case of a receive.
//
//go:norace
func receiving(v reflect.Value) explore.Case {
	mem := reflect.New(v.Type().Elem())
	return explore.Case{Chan: reflectedChan(v), Mem: mem.UnsafePointer()}
}

// valueAt is a copy of the value of type t at p.
//
//go:norace
func valueAt(t reflect.Type, p unsafe.Pointer) reflect.Value {
	return reflect.NewAt(t, p).Elem().Convert(t) // which copies, so that it has no address
}

// sent completes a send of x.
//
//go:norace
func sent(v, x reflect.Value, r explore.Outcome) {
	switch r.Completion {
	case explore.CopyTo:
		t := v.Type().Elem()
		reflect.NewAt(t, r.Mem).Elem().Set(x)
		if t.Size() > 0 {
			explore.Release((*uint64)(r.Mem))
		}
	case explore.OnChannel:
		if explore.ChanClosed(v.UnsafePointer()) {
			v.Send(x) // panics
		}
		if !explore.Hidden(func() bool { return v.TrySend(x) }) {
			uncontrolled()
		}
		explore.Sent()
	}
	explore.LeaveValue(func() string { return show(x.Interface()) })
}

// received completes a receive into mem.
//
//go:norace
func received(v reflect.Value, mem unsafe.Pointer, r explore.Outcome) (x reflect.Value, ok bool) {
	t := v.Type().Elem()
	switch r.Completion {
	case explore.CopyFrom:
		x, ok = valueAt(t, r.Mem), true
	case explore.Completed:
		if t.Size() > 0 {
			explore.Acquire((*uint64)(mem))
		}
		x, ok = valueAt(t, mem), true
	case explore.OnChannel:
		if !explore.Hidden(func() bool {
			x, ok = v.TryRecv()
			return x.IsValid()
		}) {
			uncontrolled()
		}
	}
	explore.LeaveValue(func() string {
		if !ok {
			return "closed"
		}
		return show(x.Interface())
	})
	return x, ok
}

// ValueSend is the hook of reflect.Value.Send.
//
//go:norace
//go:noinline
func ValueSend(v, x reflect.Value) {
	if !explore.InExecution() || !canSend(v, x) {
		v.Send(x)
		return
	}
	r, _ := explore.Communicate([]explore.Case{sending(v, x)}, false)
	sent(v, x, r)
}

// ValueTrySend is the hook of reflect.Value.TrySend.
//
//go:norace
//go:noinline
func ValueTrySend(v, x reflect.Value) bool {
	if !explore.InExecution() || !canSend(v, x) {
		return v.TrySend(x)
	}
	r, _ := explore.Communicate([]explore.Case{sending(v, x)}, true)
	if r.Case >= 0 {
		sent(v, x, r)
	}
	return r.Case >= 0
}

// ValueRecv is the hook of reflect.Value.Recv.
//
//go:norace
//go:noinline
func ValueRecv(v reflect.Value) (reflect.Value, bool) {
	if !explore.InExecution() || !isOpenTo(v, reflect.RecvDir) {
		return v.Recv()
	}
	c := receiving(v)
	r, _ := explore.Communicate([]explore.Case{c}, false)
	return received(v, c.Mem, r)
}

// ValueTryRecv is the hook of reflect.Value.TryRecv.
//
//go:norace
//go:noinline
func ValueTryRecv(v reflect.Value) (reflect.Value, bool) {
	if !explore.InExecution() || !isOpenTo(v, reflect.RecvDir) {
		return v.TryRecv()
	}
	c := receiving(v)
	if r, _ := explore.Communicate([]explore.Case{c}, true); r.Case >= 0 {
		return received(v, c.Mem, r)
	}
	return reflect.Value{}, false
}

// ValueClose is the hook of reflect.Value.Close.
//
//go:norace
//go:noinline
func ValueClose(v reflect.Value) {
	in := isOpenTo(v, reflect.SendDir) && !v.IsNil() && explore.Close(reflectedChan(v))
	v.Close()
	if in {
		explore.Closed()
	}
}

// CloseAny is the hook of close of a type parameter that stands for channels of several types.
//
//go:norace
//go:noinline
func CloseAny[C any](c C) { ValueClose(reflect.ValueOf(c)) }

// LenAny is the hook of len of one.
//
//go:norace
//go:noinline
func LenAny[C any](c C) int { return ValueLen(reflect.ValueOf(c)) }

// ReflectSelect is the hook of reflect.Select.
//
//go:norace
//go:noinline
func ReflectSelect(cases []reflect.SelectCase) (chosen int, recv reflect.Value, recvOK bool) {
	list, at, def, ok := selectCases(cases)
	if !explore.InExecution() || !ok {
		return reflect.Select(cases)
	}
	r, _ := explore.Communicate(list, def >= 0)
	if r.Case < 0 {
		return def, reflect.Value{}, false
	}
	chosen = at[r.Case]
	c := &cases[chosen]
	if c.Dir == reflect.SelectSend {
		sent(c.Chan, c.Send, r)
		return chosen, reflect.Value{}, false
	}
	recv, recvOK = received(c.Chan, list[r.Case].Mem, r)
	return chosen, recv, recvOK
}

// selectCases lists the cases for the engine, and where each stands. Def is where the default
// stands, -1 for none. It reports whether reflect allows them.
//
//go:norace
func selectCases(cases []reflect.SelectCase) (list []explore.Case, at []int, def int, ok bool) {
	def = -1
	for i := range cases {
		c := &cases[i]
		var is explore.Case
		switch c.Dir {
		case reflect.SelectDefault:
			if def >= 0 || c.Chan.IsValid() || c.Send.IsValid() {
				return nil, nil, 0, false
			}
			def = i
			continue
		case reflect.SelectSend:
			is.Send = true
			if c.Chan.IsValid() && !canSend(c.Chan, c.Send) {
				return nil, nil, 0, false
			}
			if c.Chan.IsValid() {
				is = sending(c.Chan, c.Send)
			}
		case reflect.SelectRecv:
			if c.Send.IsValid() || c.Chan.IsValid() && !isOpenTo(c.Chan, reflect.RecvDir) {
				return nil, nil, 0, false
			}
			if c.Chan.IsValid() {
				is = receiving(c.Chan)
			}
		default:
			return nil, nil, 0, false
		}
		list, at = append(list, is), append(at, i)
	}
	return list, at, def, true
}
