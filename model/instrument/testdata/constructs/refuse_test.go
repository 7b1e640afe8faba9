package t

import (
	"crypto/rand"
	"fmt"
	"io"
	"iter"
	stdlog "log"
	"log/slog"
	randv2 "math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"
	"unicode"
)

type cache struct {
	sync.Map
	pool sync.Pool
}

func TestNotModelled(t *testing.T) {
	var c cache
	c.Store(1, 2)
	v, _ := c.Load(1)
	eq(t, v, any(2))
	c.Range(func(k, v any) bool { return true })
	f := c.Map.Delete
	f(1)
	c.pool.Put(&v)
	c.pool.Get()
	g := (*sync.Map).Store
	g(&c.Map, 3, 4)
	var loader interface{ Load(any) (any, bool) } = &c
	v, _ = loader.Load(3)
	eq(t, v, any(4))

	next, done := iter.Pull(func(yield func(int) bool) { yield(7) })
	n, _ := next()
	eq(t, n, 7)
	done()
	next2, done2 := iter.Pull2[int, int](func(yield func(int, int) bool) {})
	next2()
	done2()

	exit := []func(int){os.Exit}
	_ = exit
	_ = stdlog.Fatal
	_ = stdlog.Default().Fatalf
	r, w := io.Pipe()
	go w.Close()
	io.ReadAll(r)

	t.Run("sub", func(t *testing.T) {})
	run := t.Run
	run("sub", func(t *testing.T) {})
	fmt.Fprint(io.Discard, testing.Benchmark)
	rv := reflect.ValueOf(&c)
	rv.MethodByName("Clear")
	find := reflect.Type.Method
	find(reflect.TypeOf(t), 0)
}

func BenchmarkRun(b *testing.B) {
	b.Run("x", func(b *testing.B) {
		for b.Loop() {
		}
	})
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
		}
	})
}

type box[V any] interface {
	Load() V
	Store(V)
}

func put[V any, B box[V]](b B, v V) V {
	b.Store(v)
	return b.Load()
}

type ints interface{ Add(int64) int64 }

type holdsBox struct {
	box[int64]
	n int
}

func TestAtomicsBehindInterfaces(t *testing.T) {
	var n counters
	eq(t, put(&n.a, 4), int64(4))
	var i ints = &n.a
	eq(t, i.Add(1), int64(5))
	add := i.
		Add
	eq(t, add(1), int64(6))
	eq(t, ints.Add(i, 1), int64(7))
	h := holdsBox{box: &n.a}
	eq(t, h.Load(), int64(7))
	var b box[int64] = h
	eq(t, b.Load(), int64(7))
}

func TestLocalTypes(t *testing.T) {
	type local struct{ sync.Mutex }
	type viaNamed struct{ embedder }
	l := &local{}
	var locker sync.Locker = l
	locker.Lock()
	l.Unlock()
	l.Lock()
	locker = &viaNamed{}
	locker.Lock()
	m := map[string]sync.Locker{"a": l}
	m["b"] = &struct {
		sync.RWMutex
		n int
	}{}
	m["b"].Lock()
	ls := append([]sync.Locker{l, 2: l}, l)
	func(ls ...sync.Locker) {}(l, l)
	l.Unlock()
	with(l, func() {})
	s := struct{ l sync.Locker }{l: l}
	_ = func() (int, sync.Locker) { return 1, l }
	_ = sync.Locker(l)
	_, _, _ = ls, s, sync.NewCond(l)
	var asAny any = l
	_, isLocker := asAny.(sync.Locker)
	eq(t, isLocker, true)
	fmt.Fprint(io.Discard, l, &viaNamed{}, struct{ sync.Map }{}, &struct{ sync.Map }{})
	var rl interface{ RLocker() sync.Locker } = &sync.RWMutex{}
	rl.RLocker().Lock()
	f := (*local).TryLock
	eq(t, f(l), true)
}

type level struct{ slog.LevelVar }

var keptInAVariable = os.Setenv

func TestSharedStateOfTheLibrary(t *testing.T) {
	os.Setenv("SUREWAKE_CONSTRUCTS", "1")
	unset := os.
		Unsetenv
	unset("SUREWAKE_CONSTRUCTS")
	defer os.Remove("nowhere")
	stdout := os.Stdout
	os.Stdout, os.Stdin = nil, os.Stdin
	os.Stdout = stdout
	os.Args[0] += ""
	os.Args[:1][0] += ""
	(*[1]string)(os.Args)[0] += ""
	_ = append(os.Args[:0], os.Args[0])
	delete(unicode.Categories, "none")
	local := &time.Local
	eq(t, *local, time.Local)
	profiled := make(chan int, 1)
	profiled <- runtime.MemProfileRate
	select {
	case runtime.MemProfileRate = <-profiled:
		runtime.MemProfileRate++
		runtime.MemProfileRate--
	}
	keptInAVariable("SUREWAKE_CONSTRUCTS", "2")
	eq(t, os.Getenv("SUREWAKE_CONSTRUCTS"), "2")
	defer unset("SUREWAKE_CONSTRUCTS")
	if f, err := os.Open("refuse_test.go"); err == nil {
		defer f.Close()
		read := f.Read
		n, _ := read(make([]byte, 3))
		eq(t, n, 3)
		testing := (*os.File).Seek
		testing(f, 0, 0)
		_ = t.Run
	}
	io.ReadFull(rand.Reader, make([]byte, 1))
	randv2.N(3)
	randv2.N[int](3)
	var lv level
	lv.Set(slog.LevelWarn)
	get := lv.Level
	eq(t, get(), slog.LevelWarn)
	eq(t, (*slog.LevelVar).Level(&lv.LevelVar), slog.LevelWarn)
	opts := slog.HandlerOptions{Level: &lv.LevelVar}
	h := slog.NewTextHandler(io.Discard, &opts)
	eq(t, h.Enabled(t.Context(), slog.LevelInfo), false)
	var l interface{ Level() slog.Level } = &lv
	eq(t, l.Level(), slog.LevelWarn)
	log := stdlog.New(io.Discard, "", 0)
	log.SetOutput(os.Stderr)
	eq(t, log.Writer(), io.Writer(os.Stderr))
	old := stdlog.Writer()
	stdlog.SetOutput(io.Discard)
	stdlog.SetOutput(old)
	length := reflect.ValueOf("abc").Len
	rv := reflect.ValueOf([]int{1})
	p := &rv
	eq(t, length()+p.Len()+reflect.Value.Len(rv), 5)
}

type owner interface {
	Delete(key any)
	Close() error
}

func TestDeleteBehindInterfaces(t *testing.T) {
	var c struct{ sync.Map }
	c.Store(1, 2)
	var some interface{ Delete(key any) } = &c.Map
	some.Delete(1)
	_, ok := c.Load(1)
	eq(t, ok, false)
	if owner, ok := any(some).(owner); ok {
		owner.Delete(1)
	}
}
