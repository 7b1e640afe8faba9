package explore

import (
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/surewake/surewake/model/wire"
)

// Every package is also initialised once by Go, when the process starts. What
// executions see is made anew in each (Initialise), so the goroutines which
// that first initialisation begins are withheld: they would run beside the
// executions, on the same variables. If it waits for one of them, or a test does
// before its check, all that are withheld begin; a check that finds one of them
// alive is refused. Where no command looks for checks, nothing is withheld.

// withheld has the goroutines of the first initialisation.
var withheld struct {
	sync.Mutex
	fns     []func()
	watched bool // somebody looks whether they are waited for
	checks  bool // a check has begun: nobody looks any more
	over    bool // so it has begun them
	alive   int  // of those that began
	probing bool // a package is initialised once more, outside an execution
}

// Begin starts fn as a goroutine outside of an execution, unless packages are
// being initialised: then it may be withheld.
func Begin(fn func()) {
	w := &withheld
	w.Lock()
	defer w.Unlock()
	if !w.probing && (os.Getenv(wire.SettingsVariable) == "" || !initialisesPackages()) {
		go fn()
		return
	}
	if w.over {
		startWithheld(fn)
		return
	}
	w.fns = append(w.fns, fn)
	if !w.watched {
		w.watched = true
		time.AfterFunc(waitsAfter, watchInitialisation)
	}
}

// Withhold reports whether a timer with a function, which is being started
// outside of an execution, belongs to the initialisation of a package.
func Withhold() bool {
	withheld.Lock()
	defer withheld.Unlock()
	return withheld.probing || os.Getenv(wire.SettingsVariable) != "" && initialisesPackages()
}

// Probe runs f, the initialisation of packages once more outside of an execution, and reports how
// many goroutines it began that were withheld.
func Probe(f func()) (begun int) {
	w := &withheld
	w.Lock()
	w.probing = true
	before := len(w.fns)
	w.Unlock()
	defer func() {
		w.Lock()
		begun = len(w.fns) - before
		w.fns = w.fns[:before]
		w.probing = false
		w.Unlock()
	}()
	f()
	return
}

// Probing reports whether Probe is at it.
func Probing() bool {
	withheld.Lock()
	defer withheld.Unlock()
	return withheld.probing
}

// Withheld is how many goroutines of the first initialisation were withheld,
// and how many run because that waited for one of them.
func Withheld() (held, running int) {
	w := &withheld
	w.Lock()
	defer w.Unlock()
	w.checks = true
	return len(w.fns), w.alive
}

func startWithheld(fn func()) {
	withheld.alive++
	go func() {
		defer func() {
			withheld.Lock()
			withheld.alive--
			withheld.Unlock()
		}()
		fn()
	}()
}

// waitsAfter is how long the first initialisation may stand still before the
// goroutines that it began are let go.
const waitsAfter = 50 * time.Millisecond

// watchInitialisation lets them go when the main goroutine waits in the
// initialisation of a package, or a test does outside of a check.
func watchInitialisation() {
	buf := make([]byte, 1<<20)
	waits := false
	for g := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		// The runtime's frames are not shown.
		initialises := strings.HasPrefix(g, "goroutine 1 ") && !strings.Contains(g, "\nmain.main(")
		tests := strings.Contains(g, "\ntesting.tRunner(") &&
			!strings.Contains(g, "\ntesting.(*T).Run(")
		state, _, _ := strings.Cut(g, "\n")
		waits = waits || (initialises || tests) && waiting(state)
	}
	w := &withheld
	w.Lock()
	defer w.Unlock()
	switch {
	case w.checks:
	case !waits:
		time.AfterFunc(waitsAfter, watchInitialisation)
	default:
		w.over = true
		for _, fn := range w.fns {
			startWithheld(fn)
		}
		w.fns = nil
	}
}

// waiting reports whether the first line of a goroutine's stack says that it
// waits for another.
func waiting(state string) bool {
	for _, s := range []string{"[chan ", "[select", "[sync.", "[semacquire"} {
		if strings.Contains(state, s) {
			return true
		}
	}
	return false
}

// initialisesPackages reports whether the caller runs in the initialisation of
// a package by the Go runtime.
func initialisesPackages() bool {
	for skip, pcs := 1, make([]uintptr, 64); ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs)
		frames := runtime.CallersFrames(pcs[:n])
		for more := n > 0; more; {
			var f runtime.Frame
			if f, more = frames.Next(); f.Function == "runtime.doInit1" {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}
