package hook

import (
	"bytes"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// Go is the hook of the go statement.
//
//go:norace
//go:noinline
func Go(fn func()) { start("", fn) }

// start starts a goroutine that lanes show under that name, under that of its function if it is "".
//
//go:norace
func start(name string, fn func()) {
	if !explore.Go(name, fn, false) {
		explore.Begin(fn)
	}
}

// Gosched is the hook of runtime.Gosched. It is no scheduling point: the
// checker switches wherever that can matter.
//
//go:norace
//go:noinline
func Gosched() {
	if !explore.Active() {
		runtime.Gosched()
	}
}

// Goexit is the hook of runtime.Goexit.
//
//go:norace
//go:noinline
func Goexit() {
	explore.Goexit()
	runtime.Goexit()
}

// Recover is what recover() becomes: it does not let checked code swallow the
// end of an execution.
//
//go:norace
//go:noinline
func Recover(v any) any { return explore.Recover(v) }

// NumGoroutine is the hook of runtime.NumGoroutine: it counts the goroutines
// and coroutines of the execution. It is no scheduling point, so schedules
// that differ only in what it gives are not told apart, which the verdict says.
//
//go:norace
//go:noinline
func NumGoroutine() int {
	n, started := explore.Goroutines()
	if n == 0 {
		return runtime.NumGoroutine()
	}
	if started > 1 {
		explore.Assume("no schedule matters that differs only in what runtime.NumGoroutine gives")
	}
	explore.Look()
	return n
}

// procs is the key of what stands for GOMAXPROCS in an execution. It has the size of what the
// operations on it are for.
var procs [unsafe.Sizeof(sync.Map{})]byte

// GOMAXPROCS is the hook of runtime.GOMAXPROCS. An execution begins with what held before the
// check, and what it sets is only what later calls give: it changes nothing in the schedules.
//
//go:norace
//go:noinline
func GOMAXPROCS(n int) int {
	before := explore.Procs()
	switch {
	case before == 0:
		return runtime.GOMAXPROCS(n)
	case !explore.InExecution():
		return before
	}
	key := unsafe.Pointer(&procs)
	now := func() int {
		if set, ok := explore.Model(key).(int); ok {
			return set
		}
		return before
	}
	sets := func() bool { return n > 0 && n != now() }
	explore.EnterMap(key, explore.OpMapUpdate, "runtime.GOMAXPROCS", sets)
	old := now()
	if n > 0 {
		explore.SetModel(key, n)
	}
	return old
}

// Overlaid returns p, a pointer to an atomic word that was made of an unsafe.Pointer: another word
// may lie over it.
//
//go:norace
//go:noinline
func Overlaid[P any](p P) P {
	explore.OverlayWords()
	return p
}

// Stack is the hook of runtime.Stack. That of all goroutines shows those of the checker. Who has
// room for no more than shortStack asks for the number of the goroutine, in the first line: to
// print the arguments of all calls takes as long as many steps of an execution, so these are left
// out.
//
//go:norace
//go:noinline
func Stack(buf []byte, all bool) int {
	if all {
		Refused(buf, "runtime.Stack of all goroutines is not modelled")
		return runtime.Stack(buf, all) // outside of executions
	}
	var text []byte
	if id := explore.KnownID(); id != 0 && len(buf) <= shortStack {
		text = strconv.AppendUint(append(text, "goroutine "...), id, 10)
		text = append(text, " [running]:\n"...)
		var pcs [16]uintptr
		calls := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
		for more := true; more && len(text) < len(buf); {
			var f runtime.Frame
			f, more = calls.Next()
			text = append(append(text, f.Function...), "(...)\n\t"...)
			text = strconv.AppendInt(append(append(text, f.File...), ':'), int64(f.Line), 10)
			text = strconv.AppendUint(append(text, " +0x"...), uint64(f.PC-f.Entry), 16)
			text = append(text, '\n')
		}
	} else {
		const room = 512 // for this call, which is left out
		text = make([]byte, len(buf)+room)
		text = text[:runtime.Stack(text, false)]
		first := bytes.IndexByte(text, '\n') + 1
		_, call, _ := bytes.Cut(text[first:], []byte{'\n'})
		if _, rest, found := bytes.Cut(call, []byte{'\n'}); found {
			text = append(text[:first], rest...)
		}
	}
	n := min(len(buf), len(text))
	for i := range n { // copy would show the race detector an access, as Go's own does not
		buf[i] = text[i]
	}
	return n
}

// shortStack is how long a buffer is that is taken to be meant for the first line of a stack.
const shortStack = 128

// PprofLookup is the hook of pprof.Lookup, of which the profile of goroutines is refused like
// [Stack].
//
//go:norace
//go:noinline
func PprofLookup(name string) *pprof.Profile {
	if strings.HasPrefix(name, "goroutine") {
		Refused(name, "the profile of goroutines is not modelled")
	}
	return pprof.Lookup(name)
}
