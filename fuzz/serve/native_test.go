package serve_test

import (
	"bytes"
	"runtime"
	"strings"
	"time"

	"github.com/surewake/surewake/fuzz/prog"
	"github.com/surewake/surewake/fuzz/serve"
)

// leaks bounds the goroutines that wait for ever in one process.
const leaks = 150

// native runs the program on real goroutines, half of the times on one
// processor, where each Gosched is a switch.
func native(r serve.Request) serve.Answer {
	a := serve.Answer{Complete: map[string]int{}, Stuck: map[string]int{}}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	races := raceErrors()
	for i := range r.Runs {
		if i == r.Runs/2 {
			runtime.GOMAXPROCS(2)
		}
		before := runtime.NumGoroutine()
		w := prog.NewWorld()
		w.Noise = r.Seed + uint64(i)<<20 | 1
		w.Run(r.Program)
		stuck := settle(before)
		if n := raceErrors(); n > races {
			a.Races, races = a.Races+1, n
		}
		switch {
		case race: // reading what happened would be one itself
		case stuck:
			a.Stuck[w.Outcome()]++
			free(w, before)
		default:
			a.Complete[w.Outcome()]++
		}
		if runtime.NumGoroutine() > leaks {
			a.Spent = true
			break
		}
	}
	return a
}

// settle waits until no goroutine of a program can go on, and reports whether
// some wait for ever. Before it there were so many goroutines.
func settle(before int) (stuck bool) {
	for n := 1; ; n++ {
		runtime.Gosched()
		if runtime.NumGoroutine() == before {
			return false
		}
		if n%64 == 0 && quiet() {
			return runtime.NumGoroutine() != before
		}
		if n%1024 == 0 {
			time.Sleep(20 * time.Microsecond)
		}
	}
}

// free lets the goroutines of a stuck program go as far as that can be done.
func free(w *prog.World, before int) {
	for left := runtime.NumGoroutine(); left > before; {
		w.Free()
		settle(before)
		n := runtime.NumGoroutine()
		if n == left {
			return // they wait for what nobody can bring, such as a nil channel
		}
		left = n
	}
}

// waiting are the states in which a goroutine stays until another one acts.
var waiting = []string{
	"chan receive", "chan send", "chan receive (nil chan)", "chan send (nil chan)", "select", "select (no cases)",
	"sync.Mutex.Lock", "sync.RWMutex.RLock", "sync.RWMutex.Lock", "sync.Cond.Wait", "sync.WaitGroup.Wait",
	"semacquire", "coroutine",
}

var dump = make([]byte, 1<<20)

// quiet reports whether every goroutine except the caller's waits for another.
// The world stands still while the states are read, so this is for ever.
func quiet() bool {
	text := dump[:runtime.Stack(dump, true)]
	own := true
	for len(text) > 0 {
		head, _, _ := bytes.Cut(text, []byte("\n"))
		_, state, _ := strings.Cut(string(head), "[")
		state, _, _ = strings.Cut(state, "]")
		state, _, _ = strings.Cut(state, ",")
		if !own && !settled[state] {
			return false
		}
		own = false
		_, text, _ = bytes.Cut(text, []byte("\n\n"))
	}
	return true
}

var settled = func() map[string]bool {
	m := map[string]bool{}
	for _, s := range waiting {
		m[s] = true
	}
	return m
}()
