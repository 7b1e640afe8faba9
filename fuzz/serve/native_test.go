package serve_test

import (
	"bytes"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surewake/surewake/fuzz/prog"
	"github.com/surewake/surewake/fuzz/serve"
)

// leaks bounds the goroutines that wait for ever in one process.
const leaks = 150

// watch is longer than all that a program with timers waits for.
const watch = time.Second

// together is how many runs of a program are begun at once, at most half of them: that they
// have ended, or wait for ever, is found out once for all of them.
const together = 30

// native runs the program on real goroutines, half of the times on one
// processor, where each Gosched is a switch.
func native(t *testing.T, r serve.Request) serve.Answer {
	needs := r.Program.Needs()
	if needs.Clocks {
		return bubbles(t, r, needs)
	}
	a := serve.Answer{Complete: map[string]int{}, Stuck: map[string]int{}}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	races := raceErrors()
	before := settle(-1)
	for i := 0; i < r.Runs && a.Races == 0 && !a.Spent; { // reports of races are slow
		if i >= r.Runs/2 && !needs.OneProcessor {
			runtime.GOMAXPROCS(2)
		}
		var worlds []*prog.World
		for range min(together, (r.Runs+1)/2, r.Runs-i) {
			w := prog.NewWorld()
			w.Noise = r.Seed + uint64(i)<<20 | 1
			w.Run(r.Program, needs)
			worlds = append(worlds, w)
			i++
		}
		now := settle(before)
		if !race && slices.ContainsFunc(worlds, func(w *prog.World) bool { return !w.Ended() }) {
			now = settle(-1) // their number may have been wrong: look at what they do
		}
		if n := raceErrors(); n > races {
			a.Races, races = a.Races+1, n
		}
		if race { // to read what happened would be one itself
			before = now
		} else {
			before = judge(&a, worlds, before, now)
		}
		a.Spent = before > leaks
	}
	return a
}

// bubbles runs the program where time passes only when no goroutine can go on.
// Locks have no place there: a goroutine that waits for one keeps time still.
func bubbles(t *testing.T, r serve.Request, needs prog.Needs) serve.Answer {
	a := serve.Answer{Complete: map[string]int{}, Stuck: map[string]int{}}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for i := range r.Runs {
		if i == r.Runs/2 {
			runtime.GOMAXPROCS(2)
		}
		var w *prog.World
		if bubble(t, func() {
			w = prog.NewWorld()
			w.Noise = r.Seed + uint64(i)<<20 | 1
			w.Run(r.Program, needs)
			time.Sleep(watch) // time stops when this function returns
		}) {
			a.Stuck[w.Outcome()]++
		} else {
			a.Complete[w.Outcome()]++
		}
		if runtime.NumGoroutine() > leaks {
			a.Spent = true
			break
		}
	}
	return a
}

// bubble runs f and all that it starts, and reports whether some of that waits for ever.
func bubble(t *testing.T, f func()) (stuck bool) {
	defer func() { stuck = recover() != nil }()
	synctest.Test(t, func(*testing.T) { f() })
	return false
}

// judge adds the outcomes of the worlds to the answer. It gives how many goroutines are
// left when those that waited for ever are let go.
func judge(a *serve.Answer, worlds []*prog.World, before, now int) int {
	var stuck []*prog.World
	for _, w := range worlds {
		if now == before || w.Ended() {
			a.Complete[w.Outcome()]++
		} else {
			a.Stuck[w.Outcome()]++
			stuck = append(stuck, w)
		}
	}
	return free(stuck, before, now)
}

// settle waits until no goroutine of a program can go on, and gives how many
// goroutines there are. Without a program there were so many before.
func settle(before int) int {
	same := 0
	for n := 1; ; n++ {
		runtime.Gosched()
		if runtime.NumGoroutine() != before {
			same = 0
		} else if same++; same == 3 { // the number may be wrong while a goroutine begins
			return before
		}
		if n%64 == 0 {
			if now, ok := quiet(); ok {
				return now
			}
		}
		if n%1024 == 0 {
			time.Sleep(20 * time.Microsecond)
		}
	}
}

// free lets the goroutines of stuck programs go as far as that can be done, and
// gives how many goroutines are left.
func free(stuck []*prog.World, before, now int) int {
	for len(stuck) > 0 && now > before {
		for _, w := range stuck {
			w.Free()
		}
		left := settle(before)
		if left == now {
			break // they wait for what nobody can bring, such as a nil channel
		}
		now = left
	}
	return now
}

// waiting are the states in which a goroutine stays until another one acts. Not
// among them is that of one which waits for the world to go on, to collect garbage.
var waiting = []string{
	"chan receive", "chan send", "chan receive (nil chan)", "chan send (nil chan)",
	"select", "select (no cases)",
	"sync.Mutex.Lock", "sync.RWMutex.RLock", "sync.RWMutex.Lock",
	"sync.Cond.Wait", "sync.WaitGroup.Wait",
	"coroutine",
}

// inBubble marks goroutines that bubbles have left: each of them waits for ever.
var inBubble = []byte("synctest bubble")

var dump = make([]byte, 1<<20)

// quiet counts the goroutines, and reports whether each except the caller waits for
// another. The world stands still while the states are read, so this is for ever.
func quiet() (n int, ok bool) {
	ok = true
	for text := dump[:runtime.Stack(dump, true)]; len(text) > 0; n++ {
		head, _, _ := bytes.Cut(text, []byte("\n"))
		_, state, _ := bytes.Cut(head, []byte("["))
		state, _, _ = bytes.Cut(state, []byte("]"))
		state, _, _ = bytes.Cut(state, []byte(","))
		ok = ok && (n == 0 || settled[string(state)] || bytes.Contains(head, inBubble))
		_, text, _ = bytes.Cut(text, []byte("\n\n"))
	}
	return n, ok
}

var settled = func() map[string]bool {
	m := map[string]bool{}
	for _, s := range waiting {
		m[s] = true
	}
	return m
}()
