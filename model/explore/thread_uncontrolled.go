package explore

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"
)

// InExecution reports whether the caller is a thread of a running execution.
func InExecution() bool {
	e := eng
	if e == nil {
		return false
	}
	var mark byte
	sp := uintptr(unsafe.Pointer(&mark))
	return e.cur.stack.holds(sp) || !e.isUncontrolled(e.cur, sp)
}

// uncontrolled finds goroutines that the checker did not start. One that calls a hook is recognized
// by its stack address, one that only exists by the number of goroutines after an execution.
type uncontrolled struct {
	seen  atomic.Pointer[sighting] // a hook was called by an uncontrolled goroutine
	count int                      // goroutines there should be
}

// sighting is a type of its own: of atomic.Pointer[string] there would be one compiled function for
// this package, which the race detector does not see, and for checked code.
type sighting struct{ stack string }

func (u *uncontrolled) expect(n int) { u.count += n }

// nearby is the distance up to which an address is taken to be on the same stack as a known one.
const nearby = 16 << 10

// stackUnit: Go's stacks begin and end at multiples of it. Two goroutines never share such a block.
const stackUnit = 2 << 10

// A span is what is known of a stack: size bytes from low on belong to it. goid is the number of
// its goroutine, 0 while that is unknown.
type span struct {
	low, size uintptr
	goid      uint64
}

func (s *span) holds(sp uintptr) bool { return sp-s.low <= s.size }

// isUncontrolled decides about a caller of a hook whose stack address sp is not on the known part
// of t's stack. If another goroutine called, it records this and reports true. Otherwise the
// address extends the known part, or replaces it if it is far away: the stack was moved or is deep.
func (e *engine) isUncontrolled(t *thread, sp uintptr) bool {
	id := GoroutineID()
	s := &t.stack
	if s.goid != id {
		buf := make([]byte, 8<<10)
		text := string(buf[:runtime.Stack(buf, false)])
		e.uncontrolled.seen.CompareAndSwap(nil, &sighting{text})
		return true
	}
	block := sp &^ (stackUnit - 1)
	low, high := s.low, s.low+s.size
	switch {
	case sp < low && low-sp < nearby:
		low = block
	case sp > high && sp-high < nearby:
		high = block + stackUnit - 1
	default:
		low, high = block, block+stackUnit-1
	}
	s.low, s.size = low, high-low
	return false
}

// GoroutineID parses the number of the calling goroutine from its stack trace, which takes
// microseconds.
func GoroutineID() uint64 {
	var buf [48]byte
	b := buf[:runtime.Stack(buf[:], false)]
	b = bytes.TrimPrefix(b, []byte("goroutine "))
	if i := bytes.IndexByte(b, ' '); i > 0 {
		if n, err := strconv.ParseUint(string(b[:i]), 10, 64); err == nil {
			return n
		}
	}
	return 0
}

// KnownID returns the number of the calling goroutine if that is known to run a thread of an
// execution, otherwise 0.
func KnownID() uint64 {
	e := eng
	if e == nil {
		return 0
	}
	var mark byte
	if s := &e.cur.stack; s.holds(uintptr(unsafe.Pointer(&mark))) {
		return s.goid
	}
	return 0
}

// checkUncontrolled fails the execution if there is a goroutine that the checker did not start.
func (e *engine) checkUncontrolled() {
	if s := e.uncontrolled.seen.Load(); s != nil {
		e.uncontrolled.seen.Store(nil)
		e.failure = &Failure{Kind: KindUncontrolled, Message: "a goroutine that the checker " +
			"did not start used checked code during an execution:\n" + s.stack}
		return
	}
	n := runtime.NumGoroutine()
	if n <= e.uncontrolled.count {
		return
	}
	// A goroutine of the Go runtime, a finalizer say, may be passing by.
	for i := 0; i < 20; i++ {
		time.Sleep(time.Duration(i) * time.Millisecond)
		if n = runtime.NumGoroutine(); n <= e.uncontrolled.count {
			return
		}
	}
	e.failure = &Failure{Kind: KindUncontrolled, Message: fmt.Sprintf(
		"%d goroutine(s) were started behind the checker's back:\n%s",
		n-e.uncontrolled.count, newestGoroutine())}
}

// newestGoroutine returns the stack of the goroutine with the highest number, which is the one
// started last.
func newestGoroutine() string {
	buf := make([]byte, 1<<20)
	all := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
	best, top := "", uint64(0)
	for _, g := range all {
		f := strings.Fields(g)
		if len(f) > 1 && !strings.Contains(g, "model/explore.(*engine).newThreadCoro") &&
			!strings.Contains(g, "model/explore.(*engine).newCarrier") {
			if n, err := strconv.ParseUint(f[1], 10, 64); err == nil && n > top {
				top, best = n, g
			}
		}
	}
	return best
}
