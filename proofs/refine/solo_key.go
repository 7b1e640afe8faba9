package refine

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/model/explore"
)

// What an execution does from an access on depends on the state of the table, on the clock, and on
// what the goroutine keeps for itself. That is its stack, on which at a call all is that it goes on
// with, and what is on the heap. Both are taken word by word, dead or not: two states that differ
// in a word that no one reads again are two, which costs time and is right.
//
// Addresses differ between executions of the same, so an address in something that Keep was told of
// is taken as what that is and where in it. If a word looks like any other address of the heap, the
// access has no key, and no execution ends there.

// Wipe overwrites what calls have left on the stack below the caller. Who computes something
// between the calls of the code in question, and not by it, calls this after it: else what that has
// left makes states different that are the same.
//
//go:noinline
func Wipe() {
	var below [512]uintptr
	keepAlive(below[:])
}

//go:noinline
func keepAlive([]uintptr) {}

// memory is what the goroutine keeps for itself.
type memory struct {
	kept    []keptMemory
	others  []span // parts of it that others write, before each access to them
	privacy []unsafe.Pointer
	buffer  []byte
	passed  []model.Memory // of the step
	named   []int          // the numbers in passed of those that are in the key
	// Number reports whether a word that may be an address is a number all the same, because it
	// says so by some of its bits: what the memory of the table holds. nil if there is none.
	Number func(v uintptr) bool
	// Strange are words that looked like addresses of something unknown: the function in whose
	// frame they were, and how far from the end of the stack; or in what was kept, and where.
	Strange map[string]int
}

type keptMemory struct {
	span
	address unsafe.Pointer
	opaque  bool
}

// span is a part of the address space.
type span struct{ low, size uintptr }

func (s span) has(v uintptr) bool { return v-s.low < s.size }

func (m *memory) forget() { m.kept, m.others, m.privacy = m.kept[:0], m.others[:0], m.privacy[:0] }

// Keep says that a goroutine may have addresses in the memory that p points to, and keeps there
// what is its own. The order of the calls in an execution names the memory.
func (m *memory) Keep(p unsafe.Pointer, size uintptr) { m.keep(p, size, false) }

// Refer says that a goroutine may have addresses in the memory that p points to, in which nothing
// is its own, or nothing ever changes.
func (m *memory) Refer(p unsafe.Pointer, size uintptr) { m.keep(p, size, true) }

func (m *memory) keep(p unsafe.Pointer, size uintptr, opaque bool) {
	if !onHeap(uintptr(p)) || uintptr(p)%unsafe.Sizeof(size) != 0 {
		panic(fmt.Sprintf("refine: what is kept is at %p, where no heap is expected", p))
	}
	if m.kept == nil {
		m.kept = make([]keptMemory, 0, 16)
	}
	m.kept = append(m.kept, keptMemory{span{uintptr(p), size}, p, opaque})
}

// Shares says that others write a part of what is kept, before each access to it.
func (m *memory) Shares(p unsafe.Pointer, size uintptr) {
	m.others = append(m.others, span{uintptr(p), size})
}

// FuncOf returns the address of what a function value is, for Refer.
func FuncOf[F any](f F) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&f)) }

// Private says that an atomic object is nobody else's.
func (m *memory) Private(p unsafe.Pointer) { m.privacy = append(m.privacy, p) }

func (m *memory) private(p unsafe.Pointer) bool {
	for _, q := range m.privacy {
		if p == q {
			return true
		}
	}
	return false
}

// onHeap reports whether a word may be an address of Go's heap, on 64-bit machines.
func onHeap(v uintptr) bool { return uint64(v) >= lowest && uint64(v) < 1<<48 }

var lowest = lowestFor(uint64(uintptr(unsafe.Pointer(new([64]byte)))))

// lowestFor returns where addresses of the heap begin, for what onHeap says, if there is one. The
// heap begins at a random place and grows upwards from there, so none is 4 GiB below one of the
// first. What is below is a number: a time in nanoseconds since the process began, say, which is
// beyond 1<<36 after 69 seconds. Where the heap begins below 1<<36, once in a thousand times, more
// numbers are taken for addresses; below 1<<32, once in sixteen thousand times, keep sees to it
// that nothing is believed.
func lowestFor(address uint64) uint64 {
	if address < 1<<36 {
		return 1 << 32
	}
	return address - 1<<32
}

// Where a word is, in a key.
const (
	inNothing = iota
	inStack
	inChecker
	inKept
	inLent = 128
)

// word appends a word to the key. It reports false if the word may be an address of something
// unknown.
func (m *memory) word(v uintptr) bool {
	if onHeap(v) && (m.Number == nil || !m.Number(v)) {
		for i := range m.kept {
			if k := &m.kept[i]; k.has(v) {
				m.put(inKept+i, v-k.low)
				return true
			}
		}
		return m.lent(v)
	}
	m.put(inNothing, v)
	return true
}

// lent is word for what a system call had the address of. Each call may have a new one: it is named
// by its place in the key, where its content follows.
func (m *memory) lent(v uintptr) bool {
	for i, p := range m.passed {
		if v-uintptr(p.Address) >= p.Size {
			continue
		}
		n := slices.Index(m.named, i)
		if n < 0 {
			n = len(m.named)
			m.named = append(m.named, i)
			m.buffer = append(m.buffer, unsafe.Slice((*byte)(p.Address), p.Size)...)
		}
		m.put(inLent+n, v-uintptr(p.Address))
		return true
	}
	return false
}

func (m *memory) put(where int, v uintptr) {
	m.buffer = append(m.buffer, byte(where))
	m.buffer = binary.LittleEndian.AppendUint64(m.buffer, uint64(v))
}

// key returns what an execution does from an access on depends on; ok is false if there is an
// address of something unknown.
func (s *Solo) key(step *model.Step) (key [32]byte, ok bool) {
	m := &s.memory
	m.buffer = append(m.buffer[:0], byte(step.Op))
	m.passed, m.named = step.Passed, m.named[:0]
	m.put(inNothing, uintptr(explore.Now()))
	ok = m.word(uintptr(step.Address)) || m.strange("address", 0)
	state := append([]int(nil), s.now...)
	s.Free(state)
	for _, n := range state {
		m.buffer = binary.AppendVarint(m.buffer, int64(n))
	}
	for i, w := range step.Stack {
		switch w.Space {
		case model.WordOnStack:
			m.put(inStack, w.Value)
		case model.WordChecker:
			m.put(inChecker, w.Value)
		default:
			ok = (m.word(w.Value) || m.strange(frameOf(step.Stack[:i]), len(step.Stack)-i)) && ok
		}
	}
	for i := range m.kept {
		k := &m.kept[i]
		for at := uintptr(0); at < k.size && !k.opaque; at += unsafe.Sizeof(at) {
			ok = (m.word(m.own(k, at)) || m.strange(fmt.Sprint("memory ", i), int(at))) && ok
		}
	}
	return sha256.Sum256(m.buffer), ok
}

func (m *memory) strange(where string, at int) bool {
	if m.Strange == nil {
		m.Strange = map[string]int{}
	}
	m.Strange[fmt.Sprintf("%s %d", where, at)]++
	return false
}

// frameOf returns the function that the last frame is of that begins in these words of a stack.
func frameOf(words []model.Word) string {
	for _, w := range slices.Backward(words) {
		if f := runtime.FuncForPC(w.Value); w.Space == model.WordAsItIs && f != nil {
			return f.Name()
		}
	}
	return "the hook"
}

// own returns a word of what is kept, without the bytes that others write.
func (m *memory) own(k *keptMemory, at uintptr) uintptr {
	var word [unsafe.Sizeof(at)]byte
	for i := range word {
		here := at + uintptr(i)
		if here >= k.size {
			break
		}
		mine := true
		for _, o := range m.others {
			mine = mine && !o.has(k.low+here)
		}
		if mine {
			word[i] = *(*byte)(unsafe.Add(k.address, here))
		}
	}
	return *(*uintptr)(unsafe.Pointer(&word))
}
