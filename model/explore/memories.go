package explore

import (
	"bytes"
	"runtime/debug"
)

// Memories are pieces of memory, each with a copy. They are compared here, as the race detector
// does not see this package: it neither slows that down nor takes it for an access of the program.
type Memories struct {
	now, then [][]byte
}

// Add adds a piece and its copy; without them it counts as one that differs.
func (m *Memories) Add(now, then []byte) {
	m.now, m.then = append(m.now, now), append(m.then, then)
}

// Len returns the number of pieces.
func (m *Memories) Len() int { return len(m.now) }

// Equal reports whether each piece is known to equal its copy.
//
//go:noinline
func (m *Memories) Equal() bool {
	equal := true
	return Accessible(func() {
		for i := range m.now {
			equal = equal && m.then[i] != nil && bytes.Equal(m.now[i], m.then[i])
		}
	}) && equal
}

// Restore calls put with the number of each piece that differs from its copy. It goes on behind
// pieces that cannot be accessed.
//
//go:noinline
func (m *Memories) Restore(put func(i int)) {
	for i := 0; i < len(m.now); i++ {
		Accessible(func() {
			for ; i < len(m.now); i++ {
				if m.then[i] == nil || !bytes.Equal(m.now[i], m.then[i]) {
					put(i)
				}
			}
		})
	}
}

// Accessible calls f as far as it comes, and reports whether that is to its end: a pointer may be
// a number that nobody follows, and memory may be read only.
//
//go:noinline
func Accessible(f func()) (whole bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if whole {
			return
		}
		p := recover()
		if _, fault := p.(interface{ Addr() uintptr }); !fault {
			panic(p)
		}
	}()
	f()
	return true
}
