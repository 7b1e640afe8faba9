// Package racewords holds programs with a data race between two accesses with others to the same
// word of 8 bytes between them. The race detector keeps four.
package racewords

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/surewake/surewake/model"
)

// word is a word of eight bytes that nothing else shares.
type word struct {
	b    [8]byte
	next *word
}

// read reads bytes that nobody writes.
func (w *word) read(x *model.Exec, bytes ...int) {
	for _, i := range bytes {
		x.Assert(w.b[i] == 0, "byte %d is written", i)
	}
}

// readParts reads the word in eleven parts, none of which has the first byte: nearly always that
// replaces each earlier access.
func (w *word) readParts(x *model.Exec) {
	w.read(x, 1, 2, 3, 4, 5, 6, 7)
	for i := 2; i < 8; i += 2 {
		x.Assert(*(*uint16)(unsafe.Pointer(&w.b[i])) == 0, "bytes from %d are written", i)
	}
	x.Assert(*(*uint32)(unsafe.Pointer(&w.b[4])) == 0, "bytes from 4 are written")
}

// verdict: FAILED race
func TestManyReadsBeforeTheWrite(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := new(word)
		x.Go("reader", func() { w.read(x, 0) })
		x.Go("writer", func() {
			w.readParts(x)
			w.b[0] = 1
		})
		x.Join()
	})
}

// verdict: FAILED race
func TestManyReadsAfterTheWrite(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := new(word)
		x.Go("writer", func() {
			w.b[0] = 1
			w.read(x, 1, 2, 3, 4, 5, 6)
		})
		x.Go("reader", func() { x.Assert(w.b[0] < 2, "") })
		x.Join()
	})
}

// verdict: FAILED race
func TestManyReadsWithinABound(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := new(word)
		x.Go("reader", func() { w.read(x, 0) })
		x.Go("writer", func() {
			w.readParts(x)
			w.b[0] = 1
		})
		x.Join()
	}, model.Preemptions(2))
}

// Two halves of a word, and three goroutines.
//
// verdict: FAILED race
func TestReadersOfOneHalf(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := &struct {
			low, high int32
			next      *word
		}{}
		var once sync.Once
		for range 2 {
			x.Go("reader", func() { x.Assert(w.high < 2, "") })
		}
		x.Go("writer", func() {
			once.Do(func() { x.Assert(w.high == 0, "") })
			w.low = 1
			once.Do(func() {})
			x.Assert(w.low == 1, "")
			w.high = 1
		})
		x.Join()
	})
}

// verdict: proved
func TestHalvesOfTwoGoroutines(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := new(word)
		for i := range 2 {
			x.Go("writer", func() {
				for range 3 {
					w.b[i]++
					w.read(x, 2, 3, 4, 5)
				}
			})
		}
		x.Join()
	})
}
