package prog

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// A World is what one execution of a program works on.
type World struct {
	// Over reports that the execution is being torn down: deferred code must
	// not note anything any more. It is nil outside of explorations.
	Over func() bool
	// Noise, unless it is 0, has each goroutine lose time before its
	// instructions, differently for each value.
	Noise uint64

	i32     atomic.Int32
	i64     int64 // by functions of sync/atomic
	ptr     atomic.Pointer[int32]
	val     atomic.Value
	plain   [2]struct{ v, _ int32 } // a word each: the race detector keeps four accesses of one
	ints    [4]int32                // what ptr points to; never written
	mu      [2]sync.Mutex
	rw      sync.RWMutex
	locked  [2]int // how often each of mu was locked; guarded by it
	written int    // how often rw was locked for writing; guarded by it

	cond  *sync.Cond
	wg    sync.WaitGroup
	once  [2]sync.Once
	onceV func() int32
	ch    [4]chan int32 // with room for none, one and two; nil
	ctx   []context.Context
	stop  []context.CancelCauseFunc // of ctx; nil where it cannot be cancelled
	roots []*thread

	start  time.Time
	timers [2]*time.Timer
	ticker *time.Ticker

	unfinished int // added to wg before the program began; Free subtracts what was done
}

// thread is one goroutine: what it saw and where it is. Nobody else touches it
// before the end of the execution.
type thread struct {
	w        *World
	log      []byte
	begun    int    // instructions
	op       string // of the last of them
	last     int32
	noise    uint64
	spun     uint64
	end      string // how it ended, "" while it has not
	entered  bool   // its goroutine runs, or has run
	left     bool   // its goroutine has nothing left to do
	held     [2]bool
	readers  int
	writes   bool
	finished int // wgfinish
	next     [2]func() (int32, bool)
	stopCo   [2]func()
	own      context.Context // made by the thread itself
	cancel   context.CancelCauseFunc
	stopFunc func() bool // of its AfterFunc
	ownTimer *time.Timer // of its time.AfterFunc
	children []*thread
}

// frame is what the code of one function or coroutine can refer to.
type frame struct {
	yield func(int32) bool
	gone  bool // yield said that nobody takes more
}

var causes = [3]error{errors.New("e0"), errors.New("e1"), nil}

// NewWorld makes what a program works on.
func NewWorld() *World {
	w := &World{ints: [4]int32{0, 1, 2, 3}}
	w.ptr.Store(&w.ints[0])
	w.val.Store(int32(0))
	w.cond = sync.NewCond(&w.mu[0])
	w.ch = [4]chan int32{make(chan int32), make(chan int32, 1), make(chan int32, 2), nil}
	w.onceV = sync.OnceValue(func() int32 {
		if v := w.i32.Add(1); v%2 == 1 {
			return v
		}
		panic("even")
	})
	return w
}

// Needs is what the World of a program is made with.
type Needs struct {
	Contexts bool
	Clocks   bool
	Finishes []int // of each goroutine that begins: how many wgfinish it has

	// OneProcessor is set if a TryLock of the RWMutex may meet another writer. Package sync holds
	// an inner lock for a moment while it looks for readers, so that both may fail where two
	// processors run them. The checker assumes that this does not happen, and says so.
	OneProcessor bool
}

// Needs looks for what the program uses, once for all of its executions.
func (p Program) Needs() Needs {
	n := Needs{
		Contexts: p.uses("cancel", "err", "cause", "ctxdone", "poll ctxdone",
			"derive", "afterfunc", "without", "timeout"),
		Clocks: p.Timed(),
	}
	tries, writers := 0, 0
	for _, b := range p.Threads {
		n.Finishes = append(n.Finishes, b.count("wgfinish"))
		tries += b.count("trywlock")
		if b.count("trywlock")+b.count("wlock") > 0 {
			writers++
		}
	}
	n.OneProcessor = tries > 0 && writers > 1
	return n
}

// Run begins the program, and returns before its goroutines have ended.
func (w *World) Run(p Program, needs Needs) {
	if needs.Contexts {
		w.contexts()
	}
	if needs.Clocks {
		w.clocks()
	}
	for _, n := range needs.Finishes {
		if n > 0 {
			w.wg.Add(n)
			w.unfinished += n
		}
	}
	w.roots = make([]*thread, 0, len(p.Threads))
	for range p.Threads {
		w.roots = append(w.roots, w.thread(w.Noise))
	}
	for i, b := range p.Threads {
		t := w.roots[i]
		t.noise = mix(w.Noise + uint64(i))
		go t.main(b)
	}
}

func (p Program) uses(ops ...string) bool {
	for _, b := range p.Threads {
		for _, op := range ops {
			if b.count(op) > 0 {
				return true
			}
		}
	}
	return false
}

func (b Block) count(op string) (n int) {
	for _, in := range b {
		if in.Op == op {
			n++
		}
		n += in.Body.count(op)
	}
	return n
}

// contexts makes a root, a child, a grandchild, and one that outlives them.
func (w *World) contexts() {
	add := func(parent context.Context) {
		c, stop := context.WithCancelCause(parent)
		w.ctx, w.stop = append(w.ctx, c), append(w.stop, stop)
	}
	add(context.Background())
	add(w.ctx[0])
	add(w.ctx[1])
	add(context.WithoutCancel(w.ctx[1]))
}

func (w *World) thread(noise uint64) *thread { return &thread{w: w, noise: noise} }

// spawn makes the thread of a goroutine that t starts.
func (t *thread) spawn() *thread {
	c := t.w.thread(0)
	if t.noise != 0 {
		c.noise = mix(t.noise + 1)
	}
	t.children = append(t.children, c)
	return c
}

// main is a goroutine of the program.
func (t *thread) main(b Block) {
	t.entered = true
	defer func() {
		r := recover()
		switch {
		case t.over():
		case r != nil:
			t.end = "panic " + text(r)
		case t.end == "":
			t.end = "exit"
		}
		t.left = true
	}()
	defer func() {
		for _, stop := range t.stopCo {
			if stop != nil && !t.over() {
				stop()
			}
		}
	}()
	t.run(&frame{}, b)
	t.end = "end"
}

func (t *thread) over() bool { return t.w.Over != nil && t.w.Over() }

func text(r any) string {
	switch r := r.(type) {
	case error:
		return r.Error()
	case string:
		return r
	}
	return fmt.Sprint(r)
}

// saw notes a value that the instruction gave, which later ones depend on.
func (t *thread) saw(v int32) {
	t.last = v
	t.log = append(t.log, ' ')
	t.log = strconv.AppendInt(t.log, int64(t.begun), 10)
	t.log = append(t.log, '=')
	t.log = strconv.AppendInt(t.log, int64(v), 10)
}

func (t *thread) sawBool(ok bool) bool {
	if ok {
		t.saw(1)
	} else {
		t.saw(0)
	}
	return ok
}

func (t *thread) said(what string) {
	t.log = append(t.log, ' ')
	t.log = strconv.AppendInt(t.log, int64(t.begun), 10)
	t.log = append(t.log, '=')
	t.log = append(t.log, what...)
}

// Ended reports whether all goroutines of the program have ended.
func (w *World) Ended() bool { return ended(w.roots) }

func ended(ts []*thread) bool {
	for _, t := range ts {
		if t.entered && !t.left || !ended(t.children) {
			return false
		}
	}
	return true
}

// Outcome is all that an execution that can go no further shows: of each
// goroutine what it saw, how many instructions it began and how it ended; and
// what the shared variables hold.
func (w *World) Outcome() string {
	b := make([]byte, 0, 256)
	for _, t := range w.roots {
		b = t.print(b)
	}
	b = append(b, "vars"...)
	number := func(v int64) { b = strconv.AppendInt(append(b, ' '), v, 10) }
	number(int64(w.i32.Load()))
	number(atomic.LoadInt64(&w.i64))
	number(int64(*w.ptr.Load()))
	number(int64(w.val.Load().(int32)))
	b = append(b, " room"...)
	number(int64(len(w.ch[1])))
	number(int64(len(w.ch[2])))
	return string(b)
}

func (t *thread) print(b []byte) []byte {
	b = append(b, '{')
	if t.end != "" {
		b = append(b, t.end...)
	} else {
		b = strconv.AppendInt(append(b, "stuck at "...), int64(t.begun), 10)
		b = append(append(b, " in "...), t.op...)
	}
	b = append(append(append(b, ':'), t.log...), '}')
	for _, c := range t.children {
		b = append(c.print(append(b, '(')), ')')
	}
	return append(b, ' ')
}

func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31 | 1
}

// pause loses time.
func (t *thread) pause() {
	if t.noise == 0 {
		return
	}
	t.noise = mix(t.noise)
	switch r := t.noise >> 8; r % 8 {
	case 0, 1, 2:
		for range 1 + r>>8%3 {
			runtime.Gosched()
		}
	case 3:
		for i := range r >> 8 % 2000 {
			t.spun ^= i
		}
	}
}
