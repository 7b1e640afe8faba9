package instrument

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func constructs(t testing.TB) *Set {
	t.Helper()
	files, err := filepath.Glob("testdata/constructs/*.go")
	if err != nil || len(files) < 6 {
		t.Fatalf("constructs: %d files, %v", len(files), err)
	}
	var archive strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		archive.WriteString("-- " + filepath.Base(f) + " --\n" + string(text))
	}
	return rewriteModule(t, newModule(t, archive.String()))
}

// The rewritten tests do outside a check what the originals do, on the same
// lines, and no operation in them is left without a hook or a refusal.
func TestConstructsKeepTheirMeaning(t *testing.T) {
	set := constructs(t)
	for _, s := range survivors(t, set, "example.com/t") {
		t.Errorf("left alone: %s", s)
	}
	out := buildAndRun(t, set, "example.com/t", false,
		"-test.v", "-test.bench=Run", "-test.benchtime=1x")
	for _, test := range []string{
		"TestMethods", "TestGo", "TestEmbedded", "TestChannels", "TestChannelsOfSeveralTypes",
		"TestSelect", "TestDeferOfNoMethod", "TestTimers",
		"TestContexts", "TestLines", "TestDot", "TestBubble", "TestOnlyFunctions", "TestPull",
		"TestRuntimeFunctions", "TestReporters", "BenchmarkRun",
	} {
		if !strings.Contains(out, test) {
			t.Errorf("%s did not run", test)
		}
	}
}

// The same under the race detector, which must not find races that the
// originals do not have.
func TestConstructsAreFreeOfRaces(t *testing.T) {
	if testing.Short() {
		t.Skip("builds with the race detector")
	}
	needCgo(t)
	buildAndRun(t, constructs(t), "example.com/t", true)
}

// What a rewrite looks like, one construct a row.
func TestSplices(t *testing.T) {
	files := make(map[string]string)
	set := constructs(t)
	for name, text := range rewrittenFiles(t, set, "example.com/t", false) {
		files[filepath.Base(name)] = text
	}
	for _, row := range []struct{ file, want string }{
		{"atomics_test.go", `package t; import sw_hook "github.com/surewake/surewake/model/hook"` + "\n"},
		{"dot_test.go", `package t; import sw_hook "github.com/surewake/surewake/model/hook" // comment` + "\n"},
		{"atomics_test.go", "sw_hook.Int64Store(&c.a, 40)"},
		{"atomics_test.go", "sw_hook.BoolLoad(c.m[\"x\"])"},
		{"atomics_test.go", "sw_hook.Uint64Add(&c.deep, 1)"},
		{"atomics_test.go", "sw_hook.PointerStore(&sw_hook.PointerLoad(&head).next, &node{val: 3})"},
		{"atomics_test.go", "load := sw_hook.Bind01(sw_hook.Int64Load, &c.a)"},
		{"atomics_test.go", "defer sw_hook.StoreInt64(&c.raw, 1)"},
		{"atomics_test.go", "sw_hook.PointerLoad[node](&c.p)"},
		{"atomics_test.go", "sw_hook.PointerLoad[T](p)"},
		{"atomics_test.go", "var atInit = sw_hook.Int64Add(&global.n, 2)"},
		{"dot_test.go", "f := sw_hook.LoadInt32\n"},
		{"dot_test.go", "\nvar _ Bool\nvar _ Seq[int]\n"},
		{"dot_test.go", "next, stop := sw_hook.Pull(func("},
		{"coro_test.go", "next, stop := sw_hook.Pull(iter.Seq[int](upTo(2)))"},
		{"coro_test.go", "pairs := sw_hook.Pull2[int, string]\n"},
		{"coro_test.go", "first(sw_hook.Pull, slices"},
		{"coro_test.go", "first(sw_hook.Pull[int], iter.Seq"},
		{"coro_test.go", "sw_hook.NumGoroutine() > 0"},
		{"coro_test.go", "sw_hook.GOMAXPROCS(0) > 0"},
		{"coro_test.go", "sw_hook.Stack(make([]byte, 1), true)"},
		{"outside_test.go", ", sw_hook.Process(cmd, \"other processes run"},
		{"outside_test.go", "\tsw_hook.NoFinalizer(runtime.SetFinalizer, "},
		{"outside_test.go", "r.all[sw_hook.Setting(r.all).Key(n)], m[sw_hook.Setting(m).Key(n)] = "},
		{"outside_test.go", "m[sw_hook.Setting(m).Key(k)]++"},
		{"outside_test.go", "\town[\"c\"] = 1"},
		{"outside_test.go", "()[nil] = nil"},
		{"coro_test.go", "\ttrace.WithRegion(context.Background(), "},
		{"coro_test.go", "\tpprof.SetGoroutineLabels(ctx)"},
		{"coro_test.go", `sw_hook.Refused(trace.Start, "coro_test.go:73:8: trace.Start is not modelled")(failing{})`},
		{"coro_test.go", `sw_hook.Refused(pprof.StartCPUProfile, "coro_test.go:75:8: pprof.StartCPUProfile is not modelled")(failing{})`},
		{"only_test.go", "\nvar _ atomic.Bool\nvar _ tm.Duration\nvar _ runtime.Error\nvar _ sync.Mutex\n"},
		{"sync_test.go", "sw_hook.MutexLock(&sw_r.embedder.Mutex)"},
		{"sync_test.go", "if sw_hook.MutexTryLock(&a.mu) {"},
		{"sync_test.go", "func (sw_r *generic[K, V]) TryLock() (bool) { return sw_hook.RWMutexTryLock(&sw_r.RWMutex) }"},
		{"sync_test.go", "func (sw_r byPointer) Lock()"},
		{"sync_test.go", "func (sw_r behindAny) Lock()"},
		{"sync_test.go", "func (sw_r ofTuple) Lock()"},
		{"sync_test.go", "func (sw_r ofLoop) Lock()"},
		{"sync_test.go", "func (sw_r ofEntry) Lock()"},
		{"sync_test.go", "func (sw_r withinIt) Lock()"},
		{"sync_test.go", "func (sw_r *onlyPointers) Lock()"},
		{"sync_test.go", "sw_hook.MutexLock(&op.outer.embedder.Mutex)"},
		{"sync_test.go", "func(sw_v sync.Locker) { sw_hook.DynLock(sw_v) }(l)"},
		{"sync_test.go", "sw_hook.DynLock(P(v))"},
		{"sync_test.go", "f := (*embedder).Lock\n"},
		{"go_test.go", `sw_hook.Go(func() { lg.add("b") })`},
		{"go_test.go", "{ sw_f := r.val; sw_a0 := x; sw_hook.Go(func() { sw_f(sw_a0) }) }"},
		{"go_test.go", "sw_a0, sw_a1 := two();"},
		{"go_test.go", "sw_a1 := uint8(1<<n);"},
		{"go_test.go", "gen(1, sw_a1...)"},
		{"go_test.go", "sw_f := sw_hook.Bind00(sw_hook.MutexLock, &mu);"},
		{"go_test.go", "v = sw_hook.Recover(recover())"},
		{"go_test.go", "defer recover()"},
		{"time_test.go", "defer sw_hook.TickerStop(sw_hook.NewTicker(Hour))"},
		{"time_test.go", "stop := sw_hook.Bind01(sw_hook.TimerStop, timer)"},
		{"time_test.go", "reset := sw_hook.TimerReset\n"},
		{"time_test.go", "eq(sw_hook.TestT(t), sw_hook.TimeAfterFunc(0, func() { sw_hook.Close(ran) }).C, "},
		{"time_test.go", "later := sw_hook.TimeAfterFunc\n"},
		{"time_test.go", "sw_hook.TimerStop(a.Timer)"},
		{"time_test.go", "Stop() (bool) { return sw_hook.TimerStop(sw_r.Timer) }"},
		{"time_test.go", "with := sw_hook.WithTimeout\n"},
		{"time_test.go", "later := sw_hook.ContextAfterFunc\n"},
		{"time_test.go", "sw_hook.Cause(why)"},
		{"time_test.go", "ctxt.WithValue(ctxt.Background(), key{}, 1)"},
		{"chan_test.go", "sw_hook.To(c).Send(1)\n"},
		{"chan_test.go", "sw_hook.To(c).Send(sw_hook.Recv(c) + 1)"},
		{"chan_test.go", "v, ok := sw_hook.Recv2(c)"},
		{"chan_test.go", "var w, said = sw_hook.Recv2(c)"},
		{"chan_test.go", "v, mine = (sw_hook.Recv2As[yes](c))"},
		{"chan_test.go", "sw_hook.Len(c)+cap(c)"},
		{"chan_test.go", "sw_hook.LenOut(send)"},
		{"chan_test.go", "defer sw_hook.Close(d)"},
		{"chan_test.go", "sw_a0 := d; sw_hook.Go(func() { sw_hook.Close(sw_a0) }) }"},
		{"chan_test.go", "for sw_range0 := sw_hook.Range(c); sw_range0.Next(); {"},
		{"chan_test.go", ":= sw_hook.RangeVar(c);"},
		{"chan_test.go", "xs[i] = sw_range"},
		{"chan_test.go", "case sw_hook.SelectSend(&sw_select1, c) <- 3: sw_hook.SelectSent(&sw_select1);\n"},
		{"chan_test.go", "{ sw_select1 := sw_hook.NewSelection(1, true); select {"},
		{"chan_test.go", "<- sw_hook.SelectValue(&sw_select"},
		{"chan_test.go", "sw_hook.Forever(); select {}"},
		{"chan_test.go", ":= sw_hook.NewSelection(2, false); both:\n"},
		{"chan_test.go", "again:\n\t{ sw_select"},
		{"bubble_test.go", "return sw_hook.MadeChan(make(C, n)) }"},
		{"bubble_test.go", "c := sw_hook.MadeChan(make(chan int,\n\t\t\t1))"},
		{"bubble_test.go", "run, wait := sw_hook.SynctestTest, sw_hook.SynctestWait\n"},
		{"bubble_test.go", "\nvar _ = Wait\nvar _ = sc.Wait\n"},
		{"refuse_test.go", "sw_hook.TestT(t).Run("},
		{"refuse_test.go", "var asAny any = l\n"},
		{"refuse_test.go", "fmt.Fprint(io.Discard, l, &viaNamed{}, struct{ sync.Map }{}, sw_hook.Refused(&struct{ sync.Map }{}, \"refuse_test.go:137:63: its method Clear comes from an embedded field, and the type has no name at package level: as an interface it is not modelled\"))"},
		{"refuse_test.go", "sw_hook.DynLock(sw_hook.Refused(rl, \"refuse_test.go:139:5: RLocker through an interface is not modelled\").RLocker())"},
		{"refuse_test.go", `sw_hook.Global(os.Setenv, "the order of changes to the environment does not matter", "os.Setenv refuse_test.go:`},
		{"refuse_test.go", `var keptInAVariable = func(sw_a0 string, sw_a1 string) (error) { return sw_hook.Global(os.Setenv, `},
		{"refuse_test.go", `defer func(sw_a0 string) (error) { return sw_hook.Shared(os.Remove, `},
		{"refuse_test.go", `defer func(sw_r *os.File) func() (error) { return func() (error) { return sw_hook.Shared(sw_r, `},
		{"refuse_test.go", `.Close() } }(f)()`},
		{"refuse_test.go", `testing := func(sw_a0 *os.File, sw_a1 int64, sw_a2 int) (`},
		{"refuse_test.go", "_ = sw_hook.TestT(t).Run"},
		{"testing_test.go", "\tsw_hook.TestAs[interface{ Logf(string, ...any) }](r).Logf(\"a\")"},
		{"testing_test.go", "ofAny[sw_hook.TestT(t)]+byTest[sw_hook.TestT((t))]+byTest[tb]"},
		{"testing_test.go", "delete(ofAny, sw_hook.TestT(t))"},
		{"testing_test.go", "case sw_hook.TestT(t):"},
		{"testing_test.go", "case nil, sw_hook.RealTest(tb):"},
		{"testing_test.go", "case tb = <-sw_hook.SelectRecv(&sw_select0, c):"},
		{"testing_test.go", "case w = <-sw_hook.SelectRecv(&sw_select1, sw_hook.Shared(files, "},
		{"testing_test.go", "w, err := sw_hook.Shared(sw_hook.Shared(os.OpenFile, "},
		{"testing_test.go", "w, ok := sw_hook.Shared(byName, "},
		{"testing_test.go", "w, ok = sw_hook.Recv2(files)"},
		{"testing_test.go", "w, ok = sw_hook.Shared(a, "},
		{"testing_test.go", "w, err = (opened(1))"},
		{"testing_test.go", "func(io.Writer, error) {}(sw_hook.Shared(sw_hook.Shared(os.OpenFile, "},
		{"testing_test.go", "w, n := sw_hook.Shared(sw_hook.Shared(os.Stdin, "},
		{"testing_test.go", "(func(sw_a0 *testing.T, sw_a1 string, sw_a2 ...any)  { " +
			"sw_hook.TestT(sw_a0).Logf(sw_a1, sw_a2...) })(t, "},
		{"outside_test.go", "\t\tsw_hook.Refused(net.DefaultResolver, "},
		{"outside_test.go", "prefer := &sw_hook.Refused(net.DefaultResolver, "},
		{"refuse_test.go", `(*sw_hook.Global(&os.Args, "the order of uses of variables of the standard library`},
		{"refuse_test.go", `"os.Args refuse_test.go:158"))[:1][0] += ""`},
		{"refuse_test.go", `(*[1]string)((*sw_hook.Global(&os.Args, "`},
		{"refuse_test.go", `_ = append((*sw_hook.Global(&os.Args, "`},
		{"refuse_test.go", `delete((*sw_hook.Global(&unicode.Categories, "`},
		{"refuse_test.go", `local := sw_hook.Global(&time.Local, "`},
		{"refuse_test.go", `(*sw_hook.Global(&os.Stdout, "the order of uses of variables of the standard library`},
		{"refuse_test.go", `io.ReadFull(sw_hook.Outside(rand.Reader, "random numbers do not matter", "rand.Reader refuse_test.go:`},
		{"refuse_test.go", `randv2.N(sw_hook.Outside(3, "random numbers do not matter", "rand.N refuse_test.go:`},
		{"refuse_test.go", `randv2.N[int](sw_hook.Outside(3, `},
		{"refuse_test.go", `sw_hook.Shared(&lv.LevelVar, "the order of uses of objects with locks of their own`},
		{"refuse_test.go", `func (sw_r *level) Set(`},
		{"refuse_test.go", `Level: sw_hook.Shared(&lv.LevelVar, `},
		{"refuse_test.go", `sw_hook.NewHandler(slog.NewTextHandler)(io.Discard, &opts)`},
		{"refuse_test.go", `log := sw_hook.LogNew(io.Discard, "", 0)`},
		{"refuse_test.go", `sw_hook.LoggerSetOutput(log, os.Stderr)`},
		{"refuse_test.go", `length := sw_hook.Bind01(sw_hook.ValueLen, reflect.ValueOf("abc"))`},
		{"refuse_test.go", `sw_hook.ValueLen(*p)+sw_hook.ValueLen(rv)`},
		{"refuse_test.go", `sw_hook.MapStore(&c.Map, 1, 2)`},
		{"refuse_test.go", `f := sw_hook.Bind10(sw_hook.MapDelete, &c.Map)`},
		{"refuse_test.go", "sw_hook.Held(some, \"Delete\", \"refuse_test.go:"},
		{"refuse_test.go", "\towner.Delete(1)\n"},
		{"refuse_test.go", `g := sw_hook.MapStore` + "\n"},
		{"refuse_test.go", `sw_hook.ReflectedValue(rv, "refuse_test.go:62:5: `},
		{"refuse_test.go", `find(reflect.TypeOf(t), 0)`},
		{"refuse_test.go", `find := (func(sw_a0 reflect.Type, sw_a1 int) (reflect.Method) ` +
			`{ return sw_hook.ReflectedType(sw_a0, "refuse_test.go:63:`},
		{"t.go", "\nvar _ = sw_hook.Register(\"example.com/t\")\n"},
	} {
		if !strings.Contains(files[row.file], row.want) {
			t.Errorf("%s has no %s", row.file, row.want)
		}
	}
	for _, s := range []string{
		"sw_r *shadowed) Lock", "sw_r ambiguous) Lock", "sw_r *sameName) Unlock",
	} {
		if strings.Contains(files["sync_test.go"], s) {
			t.Errorf("there is an explicit method %s", s)
		}
	}
}

// Names that look like the rewriter's own are left alone, in whatever file of
// the package they stand.
func TestNamesDoNotCollide(t *testing.T) {
	set := rewriteModule(t, newModule(t, `-- a.go --
package t

const sw_hook, sw_f, sw_a0 = 1, 2, 3
-- a_test.go --
package t

import (
	"sync/atomic"
	"testing"
)

func TestSum(t *testing.T) {
	var sw0_spin atomic.Int32
	add := func(n int32) { sw0_spin.Add(n) }
	go add(sw0_spin.Load() + sw_f)
	for sw0_spin.Load() != sw_f {
	}
	if sw_hook+sw_a0 != 4 {
		t.Error("collision")
	}
}
`))
	buildAndRun(t, set, "example.com/t", false)
	text := rewrittenText(t, set, "example.com/t", "a_test.go")
	if !strings.Contains(text, "sw1_hook.Int32Load(&sw0_spin)") {
		t.Error(text)
	}
}
