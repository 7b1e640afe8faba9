package deque_test

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/deque"
)

// thing is what the tests let the collector have: big enough for an allocation of its own, with a
// pointer in it.
type thing struct {
	self *thing
	n    int
	_    [4]uint64
}

func newThing(n int) *thing {
	x := &thing{n: n}
	x.self = x
	return x
}

// collected reports whether the collector takes what p points to within a few rounds.
func collected(p weak.Pointer[thing]) bool {
	for range 5 {
		runtime.GC()
		if p.Value() == nil {
			return true
		}
	}
	return false
}

// Each of these tests moves a value through a deque and lets go of it. The deques stay alive:
// nothing but a slot or a batch could still hold the value.

func TestPoppedValueIsNotKept(t *testing.T) {
	d := deque.New[*thing](4)
	d.Push(newThing(1), nil)
	d.Push(newThing(2), nil)
	v, _ := d.Pop()
	gone := weak.Make(v)
	v = nil
	require.True(t, collected(gone), "the slot of a popped value keeps it")
	require.Equal(t, 1, d.Len())
	v, _ = d.Pop()
	require.Equal(t, 2, v.n, "and what is queued is kept")
}

func TestStolenValuesAreNotKept(t *testing.T) {
	d, thief := deque.New[*thing](4), deque.New[*thing](4)
	for i := range 4 {
		d.Push(newThing(i), nil)
	}
	v, result := d.StealInto(thief)
	require.Equal(t, deque.Stolen, result)
	first := weak.Make(v)
	v, _ = thief.Pop()
	require.Equal(t, 1, v.n)
	second := weak.Make(v)
	v = nil
	require.True(t, collected(first), "the victim's slot keeps the value that StealInto returned")
	require.True(t, collected(second), "a slot keeps a value that was stolen and popped")
	runtime.KeepAlive(d)
	runtime.KeepAlive(thief)
}

// A slot is cleared before the steal is released: afterwards it is the owner's, and could hold its
// next value.
func TestSlotsAreClearBeforeTheRelease(t *testing.T) {
	d, thief := deque.New[*thing](4), deque.New[*thing](4)
	for i := range 4 {
		d.Push(newThing(i), nil)
	}
	open, _ := d.Claim(thief)
	open.Copy()
	slots, _ := d.Memory()
	require.Nil(t, slots[0])
	require.Nil(t, slots[1])
	require.NotNil(t, slots[2])
	open.Finish()
}

func TestOverflownValuesAreNotKept(t *testing.T) {
	for _, panics := range []bool{false, true} {
		d := deque.New[*thing](4)
		for i := range 4 {
			d.Push(newThing(i), nil)
		}
		var gone []weak.Pointer[thing]
		func() {
			defer func() { require.Equal(t, panics, recover() != nil) }()
			d.Push(newThing(4), func(batch []*thing) {
				for _, v := range batch {
					gone = append(gone, weak.Make(v))
				}
				if panics {
					panic("overflow")
				}
			})
		}()
		require.Len(t, gone, 3)
		for i, p := range gone {
			require.True(t, collected(p), "value %d of the batch is kept (panic: %t)", i, panics)
		}
		require.Equal(t, 2, d.Len())
	}
}

// The batch of one that is handed over while a steal is open is not kept either.
func TestValueOverflownBesideAStealIsNotKept(t *testing.T) {
	d, thief := deque.New[*thing](2), deque.New[*thing](2)
	d.Push(newThing(1), nil)
	d.Push(newThing(2), nil)
	open, _ := d.Claim(thief)
	var gone weak.Pointer[thing]
	d.Push(newThing(3), func(batch []*thing) {
		require.Len(t, batch, 1)
		gone = weak.Make(batch[0])
	})
	require.True(t, collected(gone))
	open.Finish()
}

// The same for all of them at once, by cleanups: after everything was taken, everything is
// collected.
func TestEverythingTakenIsCollected(t *testing.T) {
	const n = 1000
	cleaned := make(chan int, n)
	d, thief := deque.New[*thing](8), deque.New[*thing](8)
	for i := range n {
		x := newThing(i)
		runtime.AddCleanup(x, func(i int) { cleaned <- i }, i)
		d.Push(x, func([]*thing) {})
		switch i % 7 {
		case 3:
			d.StealInto(thief)
		case 5:
			d.Pop()
			popAll(thief)
		}
	}
	popAll(d)
	popAll(thief)
	seen := map[int]bool{}
	deadline := time.After(10 * time.Second)
	for len(seen) < n {
		runtime.GC()
		select {
		case i := <-cleaned:
			require.False(t, seen[i])
			seen[i] = true
			for more := true; more; {
				select {
				case i := <-cleaned:
					seen[i] = true
				default:
					more = false
				}
			}
		case <-time.After(10 * time.Millisecond):
		case <-deadline:
			t.Fatalf("%d of %d values are still kept", n-len(seen), n)
		}
	}
	runtime.KeepAlive(d)
	runtime.KeepAlive(thief)
}
