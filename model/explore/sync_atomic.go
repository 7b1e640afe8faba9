package explore

import (
	"sync/atomic"
	"unsafe"
)

// The operations of sync/atomic on one word are always enabled and have no model beside the word.
func init() {
	ops[OpLoad] = operation{name: "Load", class: read, leaves: true}
	ops[OpStore] = operation{name: "Store", class: write, leaves: true}
	ops[OpSwap] = operation{name: "Swap", class: write, leaves: true}
	ops[OpAdd] = operation{name: "Add", class: write, leaves: true}
	ops[OpAnd] = operation{name: "And", class: write, leaves: true}
	ops[OpOr] = operation{name: "Or", class: write, leaves: true}
	ops[OpCAS] = operation{
		name:    "CompareAndSwap",
		class:   write,
		resolve: casClass,
		detail:  casDetail,
		boolean: true,
		leaves:  true,
	}
}

// isAtomic reports whether the operation is one of sync/atomic. They are the most frequent ones; of
// the functions of their entries in ops, the search calls resolve only.
func (o Op) isAtomic() bool { return o <= OpCAS }

// casClass: a CompareAndSwap that would fail only reads, unless it is one of those that are writes
// because words overlap (sync_overlap.go).
func casClass(e *engine, t *thread) class {
	if e.alwaysWrites(t) || t.swaps() {
		return write
	}
	return read
}

// swaps reports whether t's CompareAndSwap would find what it expects.
func (t *thread) swaps() bool {
	switch t.width {
	case 4:
		return atomic.LoadUint32((*uint32)(t.ptr)) == uint32(t.old)
	case 8:
		return atomic.LoadUint64((*uint64)(t.ptr)) == t.old
	}
	return t.peek()
}

// casDetail shows the old and the new value.
func casDetail(t *thread, _ *event) string {
	if t.width == 0 {
		return ""
	}
	return casText(t.old, t.new)
}

func casText(old, new uint64) string { return hex(old) + " -> " + hex(new) }

// EnterCAS is Enter for a CompareAndSwap from old to new on width bytes (4 or 8).
func EnterCAS(p unsafe.Pointer, width uint8, old, new uint64) bool {
	if e := eng; e != nil && InExecution() {
		t := e.cur
		t.old, t.new, t.width = old, new, width
	}
	if width == 8 {
		return Enter(p, OpCAS|Wide)
	}
	return Enter(p, OpCAS)
}

// EnterCASPointer is EnterCAS for a pointer.
func EnterCASPointer(p, old unsafe.Pointer) bool {
	return EnterCAS(p, uint8(unsafe.Sizeof(old)), uint64(uintptr(old)), 0)
}

// EnterCASFunc is EnterCAS for the atomic.Value at p: equal reports whether it holds the old value.
func EnterCASFunc(p unsafe.Pointer, equal func() bool) bool {
	if e := eng; e != nil && InExecution() {
		t := e.cur
		t.width, t.peek = 0, equal
	}
	return EnterValue(p, OpCAS)
}
