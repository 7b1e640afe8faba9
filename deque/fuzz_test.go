package deque_test

import (
	"testing"

	fuzz "github.com/google/gofuzz"

	"github.com/surewake/surewake/deque"
)

// operate runs a string of operations on a fleet of three rings. An operation is one byte: the
// three low bits say what, the others on which rings. What does not fit is skipped, so that every
// string means something.
func operate[T any](f *fleet[T], ops []byte, value func() T) {
	for _, op := range ops {
		who := int(op >> 3)
		r := f.rings[who%3]
		into := f.rings[(who%3+1+who/3%2)%3]
		switch op & 7 {
		case 0:
			if !r.busy() {
				f.push(r, value())
			}
		case 1: // up to 10 of them
			values := make([]T, who/3)
			for i := range values {
				values[i] = value()
			}
			if !r.busy() {
				f.pushBatch(r, values)
			}
		case 2:
			if !r.busy() {
				f.pop(r)
			}
		case 3:
			if !into.busy() {
				f.steal(r, into)
			}
		case 4:
			if into.looking() {
				f.claim(into)
			} else if !into.busy() {
				f.look(r, into)
			}
		case 5:
			if r.open != nil && !r.open.copied {
				f.copyOut(r)
			}
		case 6:
			if r.open != nil {
				f.finish(r)
			}
		case 7: // fill it, and let it overflow once
			for n := len(r.spilt); !r.busy() && len(r.spilt) == n; {
				f.push(r, value())
			}
		}
	}
	f.drain()
}

// FuzzOperations holds strings of operations on three deques against slices, see fleet.
func FuzzOperations(f *testing.F) {
	const ( // on ring 0, or from 0 to 1
		push, batch, pop, steal, look, cp, end, full = 0, 1 + 5*24, 2, 3, 4, 5, 6, 7
		// added: on ring 1 or 2, or from it to the next
		r1, r2 = 1 << 3, 2 << 3
	)
	add := func(start uint32, sizes byte, ops ...byte) { f.Add(start, sizes, ops) }
	add(0, 0, push, push, pop, pop, pop)
	// overflow again and again
	add(0, 0x15, full, full, full)
	add(1<<32-3, 0, full, steal, steal, pop) // across the wrap
	// overflow while a steal is open
	add(1<<16-3, 0x15, full, look, look, push, pop, end, full)
	// the owner pops meanwhile
	add(1<<32-1, 0x15, full, look, look, cp, pop, pop, end, push, steal)
	add(1<<32-5, 0, full, r1+full, look, look, r1+look, r1+look, r1+end, end) // a chain of steals
	// room after a steal that is open
	add(0, 0, r1+full, r1+look, r1+look, r1+pop, full, steal, r1+end, r2+steal)
	add(7, 0x2a, full, full, steal, r2+look, r1+look, look, r2+look, r1+pop, r1+look, look, r1+cp,
		r2+end)
	add(7, 0, full, look, pop, look) // a claim that comes too late
	add(1<<32-3, 0x2a, batch, pop, look, look, batch, pop, batch, end, batch)
	f.Fuzz(func(t *testing.T, start uint32, sizes byte, ops []byte) {
		if len(ops) > 200 {
			t.Skip("long strings show no more than short ones")
		}
		size := func(shift int) int { return 2 << (sizes >> shift & 3) } // 2 to 16
		next := 0
		operate(newFleet[int](t, start, size(0), size(2), size(4)), ops,
			func() int { next++; return next })
	})
}

// FuzzValues does the same with values of a shape that the fuzzer fills.
func FuzzValues(f *testing.F) {
	type value struct {
		N     int
		Name  string
		Bytes []byte
		Next  *struct{ Back *[3]uint16 }
		Any   map[string]float32
		Wide  [9]uint64
	}
	f.Add([]byte{}, []byte{0, 0, 3, 2})
	f.Add([]byte("any values at all, as long as they differ"), []byte{7, 3, 15, 11, 4, 2, 6})
	f.Fuzz(func(t *testing.T, data, ops []byte) {
		if len(ops) > 100 {
			t.Skip("long strings show no more than short ones")
		}
		filler := fuzz.NewFromGoFuzz(data).NilChance(.3).NumElements(0, 3)
		operate(newFleet[value](t, 1<<32-2, 2, 4, deque.DefaultCapacity), ops, func() (v value) {
			filler.Fuzz(&v)
			for i, x := range v.Any {
				if x != x {
					v.Any[i] = 0 // no value equals a NaN
				}
			}
			return v
		})
	})
}
