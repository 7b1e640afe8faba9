package linked

import (
	"testing"
	"time"
	"unsafe"

	"github.com/surewake/surewake/model"
)

// verdict: proved, 1 trace
func TestClocks(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		start, look := nanotime(), nanotime
		time.Sleep(time.Hour)
		x.Assert(look()-start == int64(time.Hour), "slept %d", look()-start)
		sec, nsec := walltime()
		x.Assert(time.Unix(sec, int64(nsec)).Equal(time.Now()), "%d %d", sec, nsec)
		sec, nsec, mono := now()
		x.Assert(time.Unix(sec, int64(nsec)).Equal(time.Now()), "%d %d", sec, nsec)
		x.Assert(mono == nanotime(), "%d", mono)
	})
}

// verdict: said random numbers do not matter.*runtime.cheaprand \S+linked_test.go
func TestRandomNumbers(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b, draw := cheaprand(), cheaprand(), fastrand64
		x.Assert(a != b && draw() != draw(), "they repeat")
		for range 100 {
			x.Assert(fastrandn(3) < 3, "too large")
		}
	})
}

// The numbers are those of the execution: what they lead to is the same each time.
//
// verdict: FAILED both
func TestGoroutinesDraw(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var took [2]bool
		n := cheaprand() % 2
		for i := range uint32(2) {
			x.Go("", func() { took[(n+i)%2] = true })
		}
		x.Join()
		x.Assert(!took[0] || !took[1], "both")
	})
}

// verdict: said random numbers do not matter.*runtime.memhash \S+linked_test.go
func TestHashes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		one, two := [4]byte{1, 2, 3, 4}, "one"
		h := memhash(unsafe.Pointer(&one), 7, 4)
		x.Assert(h == memhash(unsafe.Pointer(&one), 7, 4), "another hash")
		x.Assert(h != memhash(unsafe.Pointer(&one), 8, 4), "the seed does not matter")
		x.Assert(h != memhash(unsafe.Pointer(&one), 7, 3), "the length does not matter")
		x.Assert(strhash(unsafe.Pointer(&two), 0) ==
			memhash(unsafe.Pointer(unsafe.StringData(two)), 0, 3), "another hash of a string")
	})
}

// The bytes that are hashed are read.
//
// verdict: FAILED race
func TestHashOfWhatAnotherWrites(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		word := new([8]byte)
		x.Go("", func() { word[7] = 1 })
		x.Go("", func() { memhash(unsafe.Pointer(word), 0, 8) })
		x.Join()
	})
}

// verdict: undecided linked.procPin has no body in Go
func TestOthersAreNotModelled(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		procPin()
		procUnpin()
	})
}
