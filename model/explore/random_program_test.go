//go:build !race

// The engine is compiled without instrumentation when the race detector watches
// a check, which a plain go test -race does not do. Races are tested through
// the command.

package explore_test

import (
	"flag"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"pgregory.net/rapid"
)

func init() {
	// A failing program is printed; files beside the source would be noise.
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		panic(err)
	}
}

// A program is a few threads of a few instructions each. The explorer's search
// is held against one that reduces nothing: both must see the same traces, and
// the reduced one each of them once.
type program [][]instr

type instr struct {
	// load store cas add lock unlock trylock rlock runlock wlock wunlock choose signal await
	Op   string
	Word string // of word: see overlay
	Var  int
	Val  int32
	Cond bool // only if the last value read was odd
}

// has reports whether a thread of p has one of ops.
func (p program) has(ops ...string) bool {
	return slices.ContainsFunc(p, func(thread []instr) bool {
		return slices.ContainsFunc(thread, func(in instr) bool {
			return slices.Contains(ops, in.Op)
		})
	})
}

func (p program) String() string {
	var b strings.Builder
	for i, th := range p {
		fmt.Fprintf(&b, "T%d:", i)
		for _, in := range th {
			c := ""
			if in.Cond {
				c = "?"
			}
			fmt.Fprintf(&b, " %s%s%s%d(%d)", c, in.Op, in.Word, in.Var, in.Val)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// access is one event in the history of an object.
type access struct {
	who   string // thread and number of the instruction
	class byte   // r reads, a adds, w writes
	res   int64
}

// world is what one execution works on. log holds the accesses of each object
// in order.
type world struct {
	vars   [6]atomic.Int32
	words  [2]atomic.Uint32
	word   uint64 // see overlay
	mus    [2]sync.Mutex
	rw     sync.RWMutex
	wg     sync.WaitGroup
	cond   *sync.Cond
	once   sync.Once
	ch     [3]testChan // with room for none, one and two
	timers [2]*time.Timer
	// without room, see onSignal
	signals [2]chan struct{}
	log     map[string][]access
	posted  map[string]bool // by name of a thread: it has posted on an unbuffered channel
	seen    []string
	// runs a thread's body, which calls pause between instructions; nil: just so
	in func(body func(pause func()))
	// thread 0 is the body of the check
	bodyIsFirst bool
}

func newWorld() *world {
	w := &world{log: map[string][]access{}, posted: map[string]bool{}}
	w.cond = sync.NewCond(&w.mus[0])
	for i := range w.ch {
		w.ch[i].c = make(chan int32, i)
	}
	for i := range w.signals {
		w.signals[i] = make(chan struct{})
	}
	return w
}

func (w *world) saw(who string, v int32) { w.seen = append(w.seen, fmt.Sprint(who, "=", v)) }

// outcome is what the threads could tell afterwards.
func (w *world) outcome() string {
	s := slices.Sorted(slices.Values(w.seen))
	return fmt.Sprint(strings.Join(s, " "), " | ",
		w.vars[0].Load(), w.vars[1].Load(), w.vars[2].Load())
}

// trace gives the canonical text of the execution: per object the accesses,
// where neighbours that commute are sorted.
func (w *world) trace() string {
	var objs []string
	for o := range w.log {
		objs = append(objs, o)
	}
	sort.Strings(objs)
	var b strings.Builder
	for _, o := range objs {
		as := w.log[o]
		b.WriteString(o + ":")
		for i := 0; i < len(as); {
			j := i + 1
			for j < len(as) && as[i].class != 'w' && as[j].class == as[i].class {
				j++
			}
			var run []string
			for _, a := range as[i:j] {
				run = append(run, fmt.Sprintf("%s%c=%d", a.who, a.class, a.res))
			}
			sort.Strings(run)
			b.WriteString("[" + strings.Join(run, " ") + "]")
			i = j
		}
		b.WriteString(";")
	}
	return b.String()
}

// idlers is how many goroutines that do nothing begin before those of a program. With 62 of them a
// program has goroutines from 63 on, so that its sets of threads take two words.
var idlers = 0

func (p program) run(w *world) {
	w.prepare()
	p.start(w, 0, len(p))
	explore.Join()
}

// prepare begins the idlers and the timers.
func (w *world) prepare() {
	for range idlers {
		explore.Go("", func() {}, true)
	}
	for i := range w.timers {
		w.timers[i] = hook.NewTimer(time.Duration(i + 1))
	}
}

// start begins the threads from the number from on, below the number to.
func (p program) start(w *world, from, to int) {
	for i, th := range p[from:to] {
		i += from
		body := func(pause func()) {
			var last int32
			held := map[string]int{}
			for k, in := range th {
				pause()
				if in.Cond && last&1 == 0 {
					continue
				}
				who := fmt.Sprintf("%d.%d", i, k)
				note := func(obj string, class byte, res int64) {
					w.log[obj] = append(w.log[obj], access{who, class, res})
				}
				v, m := &w.vars[in.Var], &w.mus[in.Var%2]
				vn, mn := fmt.Sprint("v", in.Var), fmt.Sprint("m", in.Var%2)
				switch in.Op {
				case "load":
					last = hook.Int32Load(v)
					w.saw(who, last)
					note(vn, 'r', int64(last))
				case "store":
					hook.Int32Store(v, in.Val)
					note(vn, 'w', int64(in.Val))
				case "add":
					last = hook.Int32Add(v, 1)
					note(vn, 'w', int64(last))
				case "cas":
					if hook.Int32CompareAndSwap(v, in.Val, in.Val+1) {
						note(vn, 'w', 1)
						last = 1
					} else {
						note(vn, 'r', 0)
						last = 0
					}
				case "lock":
					if held[mn] == 0 {
						hook.MutexLock(m)
						note(mn, 'w', 1)
						held[mn]++
					}
				case "unlock":
					if held[mn] > 0 {
						hook.MutexUnlock(m)
						note(mn, 'w', 0)
						held[mn]--
					}
				case "trylock":
					if hook.MutexTryLock(m) {
						note(mn, 'w', 2)
						held[mn]++
						last = 1
					} else {
						note(mn, 'r', 3)
						last = 0
					}
				case "rlock":
					if held["rw"] == 0 {
						hook.RWMutexRLock(&w.rw)
						note("rw", 'r', 1)
						held["rw"] = 1
					}
				case "wlock":
					if held["rw"] == 0 {
						// The announcement is an event of its own, which the body cannot see.
						hook.RWMutexLock(&w.rw)
						note("rw", 'w', 2)
						held["rw"] = 2
					}
				case "tryrlock":
					if held["rw"] == 0 {
						if last = 0; hook.RWMutexTryRLock(&w.rw) {
							last, held["rw"] = 1, 1
						}
						note("rw", 'r', 6+int64(last))
					}
				case "trywlock":
					if held["rw"] == 0 {
						if last = 0; hook.RWMutexTryLock(&w.rw) {
							last, held["rw"] = 1, 2
						}
						note("rw", 'w', 8+int64(last))
					}
				case "rwunlock":
					switch held["rw"] {
					case 1:
						hook.RWMutexRUnlock(&w.rw)
						note("rw", 'r', 4)
					case 2:
						hook.RWMutexUnlock(&w.rw)
						note("rw", 'w', 5)
					}
					held["rw"] = 0
				case "wgadd":
					hook.WaitGroupAdd(&w.wg, int(in.Val))
				case "wgdone":
					hook.WaitGroupAdd(&w.wg, -1)
				case "wgwait":
					hook.WaitGroupWait(&w.wg)
				case "condwait":
					if held["m0"] == 1 {
						hook.CondWait(w.cond)
						last = 1
					}
				case "signal":
					hook.CondSignal(w.cond)
				case "broadcast":
					hook.CondBroadcast(w.cond)
				case "once":
					hook.OnceDo(&w.once, func() {
						last = hook.Int32Load(v)
						w.saw("once", last)
						if in.Cond {
							hook.Int32Store(v, in.Val)
						}
					})
				case "await":
					n := explore.SpinStart()
					for last = hook.Int32Load(v); last == 0; last = hook.Int32Load(v) {
						explore.Spin(n)
					}
					w.saw(who, last)
				case "watch": // may have effects for all that the engine knows
					n := explore.SpinStart()
					for last = 0; last == 0; last = hook.Int32Load(v) {
						explore.Turn(n)
					}
					w.saw(who, last)
				case "claim":
					n := explore.SpinStart()
					for explore.Turn(n); hook.Int32Add(v, 1) != 1; explore.Turn(n) {
						hook.Int32Add(v, -1)
					}
				case "join":
					explore.Join()
				case "go":
					p.start(w, int(in.Val), int(in.Val)+1)
				case "choose":
					last = int32(explore.Choose(2))
					note("c"+who, 'w', int64(last))
				case "must not":
					if last&1 == 1 {
						panic("it must not")
					}
				case "word":
					last = w.overlay(in, who)
				default:
					last = w.communicate(in, who)
				}
			}
			if slices.ContainsFunc(th, func(in instr) bool { return in.Op == "go" }) {
				explore.Join()
			}
		}
		if w.bodyIsFirst && i == 0 {
			body(func() {})
			continue
		}
		explore.Go(fmt.Sprint("T", i), func() {
			if w.in != nil {
				w.in(body)
			} else {
				body(func() {})
			}
		}, true)
	}
}

// explored gives how often each trace ended complete, and deadlocked.
func explored(
	t require.TestingT, p program, cfg explore.Config, key func(*world) string,
) (complete, dead map[string]int, res explore.Result) {
	return exploredBy(t, p, p.run, cfg, key)
}

// exploredBy is explored for a program that run runs.
func exploredBy(
	t require.TestingT, p program, run func(*world), cfg explore.Config, key func(*world) string,
) (complete, dead map[string]int, res explore.Result) {
	complete, dead = map[string]int{}, map[string]int{}
	var w *world
	cfg.End = func() *explore.Failure { complete[key(w)]++; return nil }
	cfg.Deadlock = func() { dead[key(w)]++ }
	cfg.Linearize = true
	if cfg.Observe == nil {
		cfg.Observe = func(s *explore.Step) error { return w.observe(s) }
	}
	res = explore.Run(cfg, func() {
		w = newWorld()
		run(w)
	})
	if f := res.Failure; f != nil {
		require.NotEqual(t, explore.KindInternal, f.Kind, "%s\n%v", f.Message, p)
	}
	return
}

func keys(m map[string]int) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func genProgram(ops []string, threads, length int) *rapid.Generator[program] {
	return rapid.Custom(func(t *rapid.T) program {
		n := rapid.IntRange(2, threads).Draw(t, "threads")
		p := make(program, n)
		for i := range p {
			k := rapid.IntRange(1, length).Draw(t, "length")
			if n >= 4 {
				k = min(k, 2)
			}
			for range k {
				p[i] = append(p[i], instr{
					Op:   rapid.SampledFrom(ops).Draw(t, "op"),
					Var:  rapid.IntRange(0, 2).Draw(t, "var"),
					Val:  rapid.Int32Range(0, 2).Draw(t, "val"),
					Cond: rapid.IntRange(0, 3).Draw(t, "cond") == 0,
				})
			}
		}
		return p
	})
}

// A search that came back to the end of a wait took it for one that nothing had ended.
func TestWhatEndsAWaitComesBeforeIt(t *testing.T) {
	p := program{
		{{Op: "store", Var: 2}, {Op: "store", Var: 2}},
		{{Op: "load"}},
		{{Op: "await", Var: 2}},
	}
	explored(t, p, explore.Config{Preemptions: -1}, (*world).outcome)
}

// Programs that told a broken search from a right one.
var telling = []program{
	{
		{{Op: "store"}, {Op: "load", Var: 2}},
		{{Op: "load"}, {Op: "store", Var: 2}},
		{{Op: "load"}},
	},
	{
		{{Op: "lock"}, {Op: "lock", Var: 1}},
		{{Op: "trylock", Var: 1}},
		{{Op: "lock"}, {Op: "unlock"}, {Op: "trylock"}},
	},
}

func TestReductionKeepsEveryTraceOfTellingPrograms(t *testing.T) {
	for _, p := range telling {
		sameTraces(t, p, true)
	}
}

// The reader that the writer waits for may leave before an attempt to read that failed
// meanwhile, which then succeeds after the writer.
func TestAttemptToReadComesAfterTheWriterThatWaited(t *testing.T) {
	sameTraces(t, program{
		{{Op: "tryrlock"}},
		{{Op: "trywlock"}, {Op: "wlock"}, {Op: "rwunlock"}},
		{{Op: "tryrlock"}, {Op: "rwunlock"}},
	}, false)
}

type tester interface {
	require.TestingT
	Skip(...any)
}

func sameTraces(t tester, p program, exact bool) { sameTracesBy(t, p, p.run, exact) }

// sameTracesBy is sameTraces for a program that run runs.
func sameTracesBy(t tester, p program, run func(*world), exact bool) {
	every := explore.Config{Preemptions: -1, Unreduced: true, Executions: 50_000}
	all, allDead, full := exploredBy(t, p, run, every, (*world).chanTrace)
	if full.Bounded != "" {
		t.Skip("too large")
	}
	reduced := explore.Config{Preemptions: -1}
	got, gotDead, res := exploredBy(t, p, run, reduced, (*world).chanTrace)
	require.Equal(t, keys(all), keys(got), "complete traces of\n%v", p)
	require.Equal(t, keys(allDead), keys(gotDead), "deadlocked traces of\n%v", p)
	if exact {
		require.EqualValues(t, len(all), res.Complete, "each trace once:\n%v", p)
		require.EqualValues(t, len(allDead), res.Deadlocked, "each deadlock once:\n%v", p)
	}
	sameWithin(t, p, run, explore.Config{}, (*world).chanTrace)
}

func TestReductionKeepsEveryTrace(t *testing.T) {
	for _, c := range []struct {
		name  string
		ops   []string
		exact bool
	}{
		{"atomics", []string{"load", "store", "cas", "add"}, true},
		{"mutexes", []string{"load", "store", "lock", "lock", "unlock", "trylock"}, true},
		{"rwmutex", []string{"load", "store", "rlock", "wlock", "rwunlock", "rwunlock"}, false},
		{"rwmutex attempts", []string{
			"rlock", "wlock", "tryrlock", "tryrlock", "trywlock", "rwunlock", "rwunlock",
		}, false},
		{"choices", []string{"load", "store", "cas", "choose"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			gen := genProgram(c.ops, 4, 4)
			rapid.Check(t, func(t *rapid.T) { sameTraces(t, gen.Draw(t, "program"), c.exact) })
		})
	}
}

// Operations whose order the body cannot note down are held to what it sees:
// the values read, and whether it ends.
func TestReductionKeepsEveryOutcome(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  []string
	}{
		{"waitgroups", []string{"load", "store", "wgadd", "wgadd", "wgdone", "wgdone", "wgwait"}},
		{"waitgroups below zero", []string{"load", "store", "wgchange", "wgchange", "wgwait"}},
		{"conditions", []string{
			"load", "store", "lock", "condwait", "signal", "unlock", "broadcast",
		}},
		{"once", []string{"load", "store", "once", "once", "lock", "unlock"}},
		{"spinning", []string{"load", "store", "await", "cas", "lock", "unlock"}},
		{"polling", []string{
			"send", "recv", "close", "keep polling", "keep offering", "load", "store",
		}},
		{"insisting", []string{
			"insist", "insist", "send", "recv", "recv", "close", "load", "store",
		}},
		{"watching", []string{"load", "store", "watch", "cas", "lock", "unlock"}},
		{"claiming", []string{"load", "store", "claim", "watch"}},
		{"everything", []string{
			"load", "store", "await", "cas", "lock", "lock", "unlock", "once", "condwait", "signal",
			"rlock", "wlock", "rwunlock", "wgadd", "wgdone", "wgwait", "choose", "trylock",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			gen := genProgram(c.ops, 4, 4)
			rapid.Check(t, func(t *rapid.T) { sameOutcomesOrFailure(t, gen.Draw(t, "program")) })
		})
	}
}

// sameOutcomesOrFailure is sameOutcomes for programs that may panic: then both searches must find
// that.
func sameOutcomesOrFailure(t tester, p program) {
	every := explore.Config{Preemptions: -1, Unreduced: true, Executions: 100_000}
	reduced := explore.Config{Preemptions: -1}
	all, allDead, full := explored(t, p, every, (*world).outcome)
	if full.Failure != nil && full.Failures > 0 {
		_, _, res := explored(t, p, reduced, (*world).outcome)
		require.NotZero(t, res.Failures, "a failing execution was missed: %v\n%v", full.Failure, p)
		sameWithin(t, p, p.run, explore.Config{}, (*world).outcome)
		return
	}
	if strings.HasPrefix(full.Bounded, "budget") {
		t.Skip("too large")
	}
	got, gotDead, res := explored(t, p, reduced, (*world).outcome)
	require.Equal(t, keys(all), keys(got), "outcomes of\n%v", p)
	require.Equal(t, keys(allDead), keys(gotDead), "outcomes of deadlocks of\n%v", p)
	require.LessOrEqual(t, res.Complete, full.Complete)
	sameWithin(t, p, p.run, explore.Config{}, (*world).outcome)
}
