// Package ordinarybeforehand has ordinary tests that begin with what TestMain has set, however that
// is held.
package ordinarybeforehand

import (
	"bytes"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type config struct{ racy bool }

var (
	current atomic.Pointer[config]
	m       sync.Map
	at      time.Time
	re      *regexp.Regexp
	pool    sync.Pool
	tags    []string
	handle  uintptr
	limit   = withLimit(1)
	names   map[string]int
	srv     = &server{}
	closeIt func()
	mux     = http.NewServeMux()
	app     atomic.Pointer[application]
	out     = &bytes.Buffer{}
	web     = newWeb()
)

type application struct{ mux *http.ServeMux }

type web1 struct {
	mux  *http.ServeMux
	mu   sync.Mutex
	hits int
}

func newWeb() *web1 {
	w := &web1{mux: http.NewServeMux()}
	w.mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) { w.mu.Lock(); w.hits++; w.mu.Unlock() })
	return w
}

func init() { app.Store(&application{mux: mux}) }
func init() { log.SetOutput(out); log.SetFlags(0) }

var level, setLevel = func() (func() int, func(int)) {
	n := 1
	return func() int { return n }, func(v int) { n = v }
}()

// verdict: FAILED lost update
func TestClosureThatTestMainHasCalled(t *testing.T) { racyIf(t, level() == 5) }

// verdict: said level, .* .not made anew: TestMain may have called a closure in it
func TestClosureThatTestMainHasCalledIsNamed(t *testing.T) {
	fine(t)
	if level() != 5 {
		t.Fatal(level())
	}
}

type metrics struct{ n int }

func (m *metrics) handler() func() { return func() { m.n++ } }

var (
	counted  = &metrics{}
	handlers = map[string]func(){}
)

func init() { handlers["a"] = counted.handler() }

// verdict: FAILED lost update
func TestWhatAClosureHolds(t *testing.T) {
	handlers["a"]()
	racyIf(t, counted.n == 1)
}

// verdict: said handlers .not made anew: changed before the check
func TestWhatAClosureHoldsIsPutBack(t *testing.T) {
	fine(t)
	if handlers["a"](); counted.n != 1 {
		t.Fatal(counted.n)
	}
}

type server struct{ closed bool }

func (s *server) close() { s.closed = true }

func withLimit(n int) func() int { return func() int { return n } }

func init() { current.Store(&config{}) }

func TestMain(t *testing.M) {
	current.Store(&config{racy: true})
	m.Store("a", 1)
	at = time.Unix(5, 0)
	re = regexp.MustCompile("a+")
	pool.New = func() any { return new(int) }
	tags = []string{}
	handle = 7
	limit = withLimit(5)
	names = map[string]int{"a": 1}
	closeIt = srv.close
	setLevel(5)
	handlers["b"] = func() {}
	os.Exit(t.Run())
}

func lose() int {
	var n atomic.Int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() { defer wg.Done(); n.Store(n.Load() + 1) }()
	}
	wg.Wait()
	return int(n.Load())
}

func fine(t *testing.T) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 2 {
		wg.Add(1)
		go func() { defer wg.Done(); mu.Lock(); mu.Unlock() }()
	}
	wg.Wait()
}

func racyIf(t *testing.T, ok bool) {
	if ok && lose() != 2 {
		t.Fatal("lost update")
	}
}

// verdict: FAILED lost update
func TestPointer(t *testing.T) { racyIf(t, current.Load().racy) }

// verdict: FAILED lost update
func TestMap(t *testing.T) { _, ok := m.Load("a"); racyIf(t, ok) }

// verdict: FAILED lost update
func TestTime(t *testing.T) { racyIf(t, at.Unix() == 5) }

// verdict: FAILED lost update
func TestExpression(t *testing.T) { racyIf(t, re != nil && re.MatchString("aa")) }

// verdict: FAILED lost update
func TestEmpty(t *testing.T) { racyIf(t, tags != nil) }

// verdict: FAILED lost update
func TestHandle(t *testing.T) { racyIf(t, handle == 7) }

// verdict: FAILED lost update
func TestClosure(t *testing.T) { racyIf(t, limit() == 5) }

// verdict: FAILED lost update
func TestKept(t *testing.T) { racyIf(t, app.Load().mux != nil) }

// verdict: proved, 2 traces
func TestPointerAnew(t *testing.T) {
	fine(t)
	if !current.Load().racy {
		t.Fatal("not racy")
	}
	current.Store(&config{true})
	current.Load().racy = true
}

// verdict: proved, 2 traces
func TestMapAnew(t *testing.T) {
	fine(t)
	if _, ok := m.Load("a"); !ok {
		t.Fatal("gone")
	}
	if _, ok := m.LoadOrStore("b", 1); ok {
		t.Fatal("b")
	}
}

// verdict: proved, 2 traces
func TestTimeAnew(t *testing.T) {
	fine(t)
	if at.Unix() != 5 {
		t.Fatal(at)
	}
	at = time.Unix(6, 0)
}

// verdict: proved, 2 traces
func TestExpressionAnew(t *testing.T) {
	fine(t)
	if !re.MatchString("aa") {
		t.Fatal("re")
	}
	re = nil
}

// verdict: proved, 2 traces
func TestPoolAnew(t *testing.T) {
	fine(t)
	p := pool.Get().(*int)
	*p++
	pool.Put(p)
}

// verdict: proved, 2 traces
func TestClosureAnew(t *testing.T) {
	fine(t)
	if limit() != 5 {
		t.Fatal(limit())
	}
	limit = withLimit(6)
}

// verdict: proved, 2 traces
func TestEntriesAnew(t *testing.T) {
	fine(t)
	names["b"] = 2
	if len(names) != 2 {
		t.Fatal(names)
	}
	delete(names, "a")
}

// verdict: proved, 2 traces
func TestMethodValueShares(t *testing.T) {
	fine(t)
	if srv.closed {
		t.Fatal("closed")
	}
	closeIt()
	if !srv.closed {
		t.Fatal("not closed")
	}
}

// verdict: proved, 2 traces
func TestKeptIsThere(t *testing.T) {
	fine(t)
	app.Load().mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}

// verdict: proved, 2 traces
func TestRegistersAnew(t *testing.T) {
	fine(t)
	mux.HandleFunc("/a", func(http.ResponseWriter, *http.Request) {})
}

// verdict: proved, 2 traces
func TestLogsAnew(t *testing.T) {
	fine(t)
	log.Print("a")
	if n := bytes.Count(out.Bytes(), []byte("\n")); n != 1 {
		t.Fatal(n)
	}
}

// verdict: proved, 2 traces
func TestServer(t *testing.T) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			web.mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		}()
	}
	wg.Wait()
	if web.hits != 2 {
		t.Fatal("hits = ", web.hits)
	}
}

// verdict: proved, 2 traces
func TestEmptyAnew(t *testing.T) {
	fine(t)
	if fmt.Sprintf("%#v", tags) != "[]string{}" {
		t.Fatal(tags)
	}
	tags = append(tags, "a")
}
