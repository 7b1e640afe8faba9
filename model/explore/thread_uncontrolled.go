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

// InExecution reports whether the caller runs in a checked execution.
func InExecution() bool {
	e := eng
	if e == nil {
		return false
	}
	var mark byte
	sp := uintptr(unsafe.Pointer(&mark))
	return e.cur.stack.holds(sp) || !e.isUncontrolled(e.cur, sp)
}

// uncontrolled finds goroutines that the checker did not start: one that calls a
// hook is seen by its stack address, one that is merely there by the number
// of goroutines after an execution.
type uncontrolled struct {
	seen  atomic.Pointer[string] // a hook was called by an uncontrolled goroutine, with its stack
	count int                    // goroutines there should be
}

func (u *uncontrolled) expect(n int) { u.count += n }

// nearby is how far from a known address of a stack another one is taken to be
// on the same stack.
const nearby = 16 << 10

// A span is what is known of a stack: addresses from low on, for size bytes,
// are on it, and the number of its goroutine, 0 while that is unknown.
type span struct {
	low, size uintptr
	goid      uint64
}

func (s *span) holds(sp uintptr) bool { return sp-s.low <= s.size }

// isUncontrolled is asked when a hook is called at a stack address outside of what
// is known of the stack that thread t runs on. It reports true when another goroutine called,
// and notes it. Otherwise the address widens what is known; one from afar
// replaces it, since the stack has moved or is deep.
func (e *engine) isUncontrolled(t *thread, sp uintptr) bool {
	id := GoroutineID()
	s := &t.stack
	if s.goid == 0 {
		s.goid = id
	}
	if s.goid != id {
		buf := make([]byte, 8<<10)
		text := string(buf[:runtime.Stack(buf, false)])
		e.uncontrolled.seen.CompareAndSwap(nil, &text)
		return true
	}
	low, high := s.low, s.low+s.size
	switch {
	case sp < low && low-sp < nearby:
		low = sp
	case sp > high && sp-high < nearby:
		high = sp
	default:
		low, high = sp, sp
	}
	s.low, s.size = low, high-low
	return false
}

// GoroutineID parses the number of the calling goroutine from its stack trace.
// It takes microseconds.
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

// checkUncontrolled fails the execution if a goroutine exists that should not.
func (e *engine) checkUncontrolled() {
	if s := e.uncontrolled.seen.Swap(nil); s != nil {
		e.failure = &Failure{Kind: KindUncontrolled, Message: "a goroutine that the checker did not start used checked code during an execution:\n" + *s}
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
	e.failure = &Failure{Kind: KindUncontrolled, Message: fmt.Sprintf("%d goroutine(s) were started behind the checker's back:\n%s", n-e.uncontrolled.count, newestGoroutine())}
}

// newestGoroutine gives the stack of the goroutine with the highest number,
// which is the one most recently started.
func newestGoroutine() string {
	buf := make([]byte, 1<<20)
	all := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
	best, top := "", uint64(0)
	for _, g := range all {
		f := strings.Fields(g)
		if len(f) > 1 && !strings.Contains(g, "model/explore.(*engine).newThreadCoro") && !strings.Contains(g, "model/explore.(*engine).newCarrier") {
			if n, err := strconv.ParseUint(f[1], 10, 64); err == nil && n > top {
				top, best = n, g
			}
		}
	}
	return best
}
