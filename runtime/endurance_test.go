package runtime_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/runtime"
)

var (
	enduranceFor = flag.Duration(
		"endurance",
		0,
		"how long TestNothingIsLostInRandomWork runs, at the GOMAXPROCS there is; "+
			"0: some seconds, at 1, 2 and 8. Another test takes ten million timeouts, "+
			"not thousands, if it is given",
	)
	enduranceSeed = flag.Uint64(
		"endurance.seed",
		0,
		"the seed of every round of TestNothingIsLostInRandomWork, to repeat a failed one; "+
			"0: a new one for each round",
	)
	enduranceWorkers = flag.Int(
		"endurance.workers",
		0,
		"how many workers each runtime of TestNothingIsLostInRandomWork has; 0: some number",
	)
)

// A round starts one or two runtimes, lets goroutines and tasks do random things to them and to
// each other, ends them in some way, and looks at the ledger: every task has ended exactly once,
// with the result that it was to have; no goroutine is left, and no memory.
func TestNothingIsLostInRandomWork(t *testing.T) {
	debug.SetTraceback("all")
	runtime.Default() // its workers stay, as many as GOMAXPROCS says now
	if *enduranceFor > 0 {
		endure(t, *enduranceFor)
		return
	}
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	for _, n := range []int{1, 2, 8} {
		goruntime.GOMAXPROCS(n)
		endure(t, time.Second)
	}
}

func endure(t *testing.T, length time.Duration) {
	seed := *enduranceSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("GOMAXPROCS %d, first seed %d", goruntime.GOMAXPROCS(0), seed)
	var heap heapWatch
	var total tally
	rounds := 0
	for end := time.Now().Add(length); time.Now().Before(end); rounds++ {
		w := newWorld(seed)
		w.run(t)
		total.add(&w.tally)
		if heap.look(rounds); t.Failed() {
			t.Fatalf("round %d failed; again: -endurance.seed=%d", rounds, seed)
		}
		if *enduranceSeed == 0 {
			seed++
		}
	}
	heap.check(t)
	t.Logf("GOMAXPROCS %d: %d rounds, %v, heap %d to %d KB", goruntime.GOMAXPROCS(0), rounds,
		&total, heap.first>>10, heap.last>>10)
}

// A heapWatch compares what is reachable after a warm-up with what is at the end.
type heapWatch struct{ first, last uint64 }

const (
	heapWarmUp = 50      // rounds
	heapSlack  = 4 << 20 // bytes
)

func (h *heapWatch) look(round int) {
	if round == heapWarmUp {
		h.first = reachable()
	}
}

func (h *heapWatch) check(t *testing.T) {
	if h.first == 0 {
		return
	}
	h.last = reachable()
	if h.last > h.first+heapSlack {
		t.Errorf("%d bytes were reachable after %d rounds, %d at the end", h.first, heapWarmUp,
			h.last)
	}
}

func reachable() uint64 {
	for range 3 { // what sync.Pool holds goes with the second
		goruntime.GC()
	}
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A world is one round.
type world struct {
	seed   uint64
	rng    *rand.Rand // the main goroutine's
	houses []*house
	tally  tally
	bells  bells

	budget atomic.Int64 // how many tasks may still be started
	ending atomic.Bool  // nobody waits for a cancel any more
	exits  atomic.Int32 // calls of Goexit
	last   atomic.Int64 // the number of the newest task

	lock     sync.Mutex
	failures []string
	records  []*record // all tasks
}

// A house is one runtime of a round.
type house struct {
	rt          *runtime.Runtime
	description string
	workers     int
	watch       time.Duration
	limit       int         // of tasks from outside; 0: none
	log         *panicLog   // of panics, or nil
	drained     atomic.Bool // Shutdown has been called, or is about to be
	closed      atomic.Bool // Close has been called, or is about to be

	lock   sync.Mutex
	shared []*record // what anybody may join, cancel, and look at
	tools  tools
}

// A tally is what happened, so that a run shows that it did what it was to do. Any goroutine adds.
type tally struct{ tasks, joins, suspended, cancelled, closed, panics, exits atomic.Int64 }

func (a *tally) add(b *tally) {
	a.tasks.Add(b.tasks.Load())
	a.joins.Add(b.joins.Load())
	a.suspended.Add(b.suspended.Load())
	a.cancelled.Add(b.cancelled.Load())
	a.closed.Add(b.closed.Load())
	a.panics.Add(b.panics.Load())
	a.exits.Add(b.exits.Load())
}

func (a *tally) String() string {
	return fmt.Sprintf(
		"%d tasks (%d ended cancelled, %d closed, %d by a panic, %d by Goexit), "+
			"%d joins, %d sleeps",
		a.tasks.Load(),
		a.cancelled.Load(),
		a.closed.Load(),
		a.panics.Load(),
		a.exits.Load(),
		a.joins.Load(),
		a.suspended.Load(),
	)
}

func newWorld(seed uint64) *world {
	w := &world{seed: seed, rng: rand.New(rand.NewPCG(seed, 0))}
	w.budget.Store(int64(50 + w.rng.IntN(2000)))
	houses := 1
	if w.rng.IntN(4) == 0 {
		houses = 2
	}
	workers := []int{1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 8, 70}
	if *enduranceWorkers > 0 {
		workers = []int{*enduranceWorkers}
	}
	for range houses {
		w.houses = append(w.houses, w.newHouse(workers...))
	}
	return w
}

func (w *world) newHouse(workerNumbers ...int) *house {
	rng := w.rng
	pick := func(of ...int) int { return of[rng.IntN(len(of))] }
	workers, ring, batch := pick(workerNumbers...), pick(2, 4, 256), pick(1, 2, 32, 256)
	target := []runtime.BatchTarget{runtime.LocalRing, runtime.PrivateBuffer}[rng.IntN(2)]
	parker := []park.Kind{park.Futex, park.Portable}[rng.IntN(2)]
	if !parker.Available() {
		parker = park.Portable
	}
	lifo, tick, budget, depth, spares := pick(0, 1, 3), pick(1, 3, 128), pick(1, 3, 128), pick(0, 1,
		3, 256), pick(
		1,
		2,
		8,
	)
	watch := []time.Duration{0, 50 * time.Microsecond, time.Millisecond,
		10 * time.Millisecond}[rng.IntN(4)]
	h := &house{
		workers: workers,
		watch:   watch,
		description: fmt.Sprintf(
			"workers %d, ring %d, batch %d, target %d, parker %v, LIFO %d, tick %d, "+
				"budget %d, depth %d, "+
				"spares %d, watch %v",
			workers,
			ring,
			batch,
			target,
			parker,
			lifo,
			tick,
			budget,
			depth,
			spares,
			watch,
		),
	}
	options := []runtime.Option{
		runtime.Workers(workers),
		runtime.Ring(ring),
		runtime.InjectorBatch(batch, target),
		runtime.Parker(parker),
		runtime.LIFOCap(lifo),
		runtime.TickBudget(tick),
		runtime.TaskBudget(budget),
		runtime.InlineDepth(depth),
		runtime.SpareCoroutines(spares),
		runtime.RescueInterval(watch),
		runtime.Seed(rng.Uint64()),
		runtime.BlockingThreads(pick(1, 2, 100)),
		runtime.BlockingKeepAlive(time.Duration(pick(0, 100_000, 1_000_000_000))),
	}
	if rng.IntN(4) == 0 {
		options = append(options, runtime.Debug())
		h.description += ", debug"
	}
	if rng.IntN(6) == 0 {
		options = append(options, runtime.OnPanic(func(*runtime.PanicError) {
			w.exits.Add(1)
			goruntime.Goexit()
		}))
		h.description += ", Goexit in OnPanic"
	}
	if rng.IntN(3) == 0 {
		options = append(options, runtime.Poller(runtime.Netpoll))
		h.description += ", netpoll"
	}
	if rng.IntN(4) == 0 {
		n := pick(1, 2, 20)
		options = append(options, runtime.Searches(n))
		h.description += fmt.Sprintf(", %d searches", n)
	}
	if rng.IntN(4) == 0 {
		h.log = new(panicLog)
		options = append(options, runtime.LogPanics(slog.New(h.log)))
		h.description += ", panics logged"
	}
	if rng.IntN(4) == 0 {
		h.limit = pick(1, 2, 20)
		options = append(options, runtime.MaxTasks(h.limit))
		h.description += fmt.Sprintf(", most %d", h.limit)
	}
	if rng.IntN(3) == 0 {
		least := pick(1, 8)
		options = append(options, runtime.IdleBatch(pick(1, 100, 32768)),
			runtime.InjectorInterval(time.Duration(pick(1, 1_000_000)), least, least+pick(0, 300)))
		h.description += ", other looks"
	}
	shown, description := observed(rng)
	h.description += description
	rt, err := runtime.New(append(options, shown...)...)
	if err != nil {
		panic(err)
	}
	h.rt = rt
	return h
}

func (w *world) fail(format string, values ...any) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if len(w.failures) < 20 {
		w.failures = append(w.failures, fmt.Sprintf(format, values...))
	}
}

const patience = 60 // seconds that a round may take; it is some 50 ms

// watched gives up if the round takes too long, until done is called. It counts seconds one by one:
// a machine that stands still for a minute loses one of them.
func (w *world) watched() (done func()) {
	var watcher sync.WaitGroup
	over := make(chan struct{})
	watcher.Go(func() {
		second := time.NewTicker(time.Second)
		defer second.Stop()
		for range patience {
			select {
			case <-second.C:
			case <-over:
				return
			}
		}
		w.stuck()
	})
	return func() { close(over); watcher.Wait() }
}

func (w *world) run(t *testing.T) {
	defer w.watched()()
	before := goroutines()

	if w.rng.IntN(3) == 0 {
		w.calm()
	}
	var outside, cancellers sync.WaitGroup
	for _, h := range w.houses {
		rng := rand.New(rand.NewPCG(w.seed, w.rng.Uint64()))
		cancellers.Go(func() { w.cancelUntilDone(h, rng) })
		h.tools.open(w, h, w.rng.IntN(4))
	}
	for i := range 1 + w.rng.IntN(6) {
		rng := rand.New(rand.NewPCG(w.seed, uint64(1+i)))
		outside.Go(func() { (&outsider{w, rng}).run() })
	}
	if w.rng.IntN(4) == 0 {
		outside.Wait()
	} else {
		time.Sleep(time.Duration(w.rng.IntN(20_000)) * time.Microsecond)
	}
	var ends sync.WaitGroup
	for _, h := range w.houses {
		rng := rand.New(rand.NewPCG(w.seed, w.rng.Uint64()))
		ends.Go(func() { w.end(h, rng) })
	}
	w.ending.Store(true)
	ends.Wait()
	outside.Wait()
	cancellers.Wait()
	for _, h := range w.houses {
		h.tools.close(w)
		w.checkEnded(h)
	}
	for _, r := range w.records {
		w.checkRecord(r)
	}
	w.tally.tasks.Store(int64(len(w.records)))
	deadline := time.Now().Add(10 * time.Second)
	for ; goroutines() > before; goruntime.Gosched() {
		if time.Now().After(deadline) {
			w.fail("%d goroutines before, %d after", before, goroutines())
			pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
			break
		}
	}
	for _, f := range w.failures {
		t.Error(f)
	}
	if len(w.failures) > 0 {
		t.Log(w)
	}
}

// goroutines returns how many there are without those that the default runtime keeps.
func goroutines() int { return goruntime.NumGoroutine() - runtime.Default().Stats().Stacks }

func (w *world) String() string {
	s := fmt.Sprintf("seed %d", w.seed)
	for _, h := range w.houses {
		s += "; " + h.description
	}
	return s
}

// stuck says which tasks have not ended, and panics: the traces of all goroutines, suspended tasks
// among them, follow.
func (w *world) stuck() {
	w.lock.Lock()
	defer w.lock.Unlock()
	for _, f := range w.failures {
		fmt.Fprintln(os.Stderr, f)
	}
	for _, h := range w.houses {
		fmt.Fprintln(os.Stderr, runtime.Dump(h.rt))
	}
	for _, r := range w.records {
		if r.detached {
			continue
		}
		if _, _, ended := r.handle.TryJoin(); !ended {
			fmt.Fprintf(os.Stderr, "task %d of %d: begun %d times, cancelled %v; %s\n", r.id,
				len(w.records), r.runs, r.cancelled.Load(), runtime.DumpTask(r.handle))
		}
	}
	panic(fmt.Sprintf("a round takes more than %d seconds: %v", patience, w))
}

var errImpatient = errors.New("the one who waits has lost patience")

// end ends a runtime in one of the ways that there are.
func (w *world) end(h *house, rng *rand.Rand) {
	limit := time.Duration(rng.IntN(9000)) * time.Microsecond
	shutdown := func() {
		h.drained.Store(true)
		ctx := context.Background()
		if limit < 3*time.Millisecond {
			short, stop := context.WithTimeoutCause(ctx, limit, errImpatient)
			defer stop()
			ctx = short
		}
		if err := h.rt.Shutdown(ctx); err != nil && !errors.Is(err, runtime.ErrClosed) &&
			!errors.Is(err, errImpatient) {
			w.fail("Shutdown returned %v", err)
		}
	}
	cancel := func() {
		h.closed.Store(true)
		if err := h.rt.Close(); err != nil && !errors.Is(err, runtime.ErrClosed) {
			w.fail("Close returned %v", err)
		}
	}
	inside := func(close bool) {
		r := w.newRecord(h, 0, true)
		r.private = true // nobody cancels it
		r.handle = runtime.Submit(h.rt, func(cx runtime.Cx) (int, error) {
			r.begin()
			if close {
				h.closed.Store(true)
				cx.Close()
			} else {
				h.drained.Store(true)
				cx.Shutdown()
			}
			return r.returns()
		})
		w.publish(r)
	}
	pause := func() { time.Sleep(time.Duration(rng.IntN(1000)) * time.Microsecond) }
	switch rng.IntN(7) {
	case 0:
		shutdown()
	case 1:
		cancel()
	case 2:
		inside(false)
	case 3:
		inside(true)
	case 4:
		shutdown()
		pause()
		cancel()
	case 5:
		inside(false)
		pause()
		inside(true) // refused, most likely
	case 6:
		var all sync.WaitGroup
		for _, f := range []func(){
			shutdown, cancel, func() { inside(true) }, func() { inside(false) },
		} {
			wait := time.Duration(rng.IntN(1000)) * time.Microsecond
			all.Go(func() { time.Sleep(wait); f() })
		}
		all.Wait()
	}
}

// cancelUntilDone ends the tasks that wait for a cancel: one in eight of them each time it looks,
// at the end all.
func (w *world) cancelUntilDone(h *house, rng *rand.Rand) {
	for {
		select {
		case <-h.rt.Done():
			return
		case <-time.After(2 * time.Millisecond):
		}
		w.bells.ring(runtime.Cx{})
		if rng.IntN(8) == 0 {
			h.look(w)
		}
		h.lock.Lock()
		for _, r := range h.shared {
			if r.waitsForCancel.Load() && (w.ending.Load() || rng.IntN(8) == 0) {
				r.cancel()
			}
		}
		h.lock.Unlock()
	}
}

func (w *world) checkEnded(h *house) {
	if err := h.rt.Close(); !h.closed.Load() && err != nil {
		w.fail("Close after Shutdown returned %v", err)
	}
	if err := h.rt.Close(); !errors.Is(err, runtime.ErrClosed) {
		w.fail("a second Close returned %v", err)
	}
	if err := h.rt.Shutdown(context.Background()); !errors.Is(err, runtime.ErrClosed) {
		w.fail("Shutdown after Close returned %v", err)
	}
	if s := h.rt.Stats(); s.Spawned != s.Completed || s.Injected+s.Ready != 0 || s.Queued != 0 ||
		s.Places != h.limit || s.Submitting != 0 {
		w.fail("statistics at the end: %+v", s)
	}
	if s := h.rt.BlockingStats(); s.Threads != 0 || s.Queued != 0 || s.Spawned != s.Completed {
		w.fail("statistics of blocking tasks at the end: %+v", s)
	}
	if h.log != nil {
		if n, want := h.log.lines.Load(), h.rt.Stats().Panicked; n != want {
			w.fail("%d tasks have panicked, %d were logged", want, n)
		}
	}
	late := runtime.Submit(h.rt,
		func(runtime.Cx) (int, error) { w.fail("a task ran after the end"); return 0, nil })
	if _, err, ended := late.TryJoin(); !ended || !errors.Is(err, runtime.ErrClosed) {
		w.fail("a task submitted after the end: ended %v, %v", ended, err)
	}
}

// checkRecord looks at a task when everything is over.
func (w *world) checkRecord(r *record) {
	if r.detached { // nobody is told its result
		if r.runs > 1 || r.runs == 0 && !r.mayNotRun() ||
			r.outcome == running && w.exits.Load() == 0 && !r.future {
			w.fail("detached task %d: ran %d times, outcome %d", r.id, r.runs, r.outcome)
		}
		return
	}
	value, err, ended := r.handle.TryJoin()
	if !ended {
		w.fail("task %d has not ended", r.id)
		return
	}
	w.checkResult(r, value, err)
	select {
	case <-r.handle.Done():
	default:
		w.fail("task %d has ended, and Done is open", r.id)
	}
	r.handle.Cancel()
	switch {
	case errors.Is(err, runtime.ErrCancelled):
		w.tally.cancelled.Add(1)
	case errors.Is(err, runtime.ErrClosed):
		w.tally.closed.Add(1)
	case errors.Is(err, runtime.ErrGoexit):
		w.tally.exits.Add(1)
	case r.outcome == panicked:
		w.tally.panics.Add(1)
	}
}
