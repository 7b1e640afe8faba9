package t

import (
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
)

type account struct {
	mu  sync.Mutex
	rw  sync.RWMutex
	wg  sync.WaitGroup
	one sync.Once
	n   int
	pmu *sync.Mutex
}

type embedder struct {
	sync.Mutex
	sync.WaitGroup
	n int
}

type byPointer struct {
	*sync.RWMutex
	n int
}

type outer struct {
	embedder
	name string
}

type outerPtr struct{ *outer }

type generic[K comparable, V any] struct {
	sync.RWMutex
	m map[K]V
}

type renamed embedder

type holdsLocker struct {
	sync.Locker
	n int
}

// shadowed has its own Lock: the embedded one must not be touched by x.Lock.
type shadowed struct {
	sync.Mutex
	locked int
}

func (s *shadowed) Lock() { s.Mutex.Lock(); s.locked++ }

// ambiguous has no Lock at all.
type ambiguous struct {
	sync.Mutex
	*sync.RWMutex
}

type sameName struct {
	sync.Mutex
	Unlock int
}

var anon struct {
	sync.Mutex
	hits int
}

func TestMutex(t *testing.T) {
	a := &account{pmu: new(sync.Mutex)}
	a.mu.Lock()
	eq(t, a.mu.TryLock(), false)
	a.mu.Unlock()
	if a.mu.TryLock() {
		a.mu.Unlock()
	}
	a.pmu.Lock()
	(*a.pmu).Unlock()
	(*a).pmu.Lock()
	a.pmu.Unlock()
	func() {
		a.rw.RLock()
		defer a.rw.RUnlock()
		eq(t, a.rw.TryRLock(), true)
		a.rw.RUnlock()
		eq(t, a.rw.TryLock(), false)
	}()
	a.rw.Lock()
	a.rw.Unlock()
	l := a.rw.RLocker()
	l.Lock()
	l.Unlock()
	anon.Lock()
	anon.hits++
	anon.Unlock()
	arr := [2]sync.Mutex{}
	arr[1].Lock()
	defer arr[1].Unlock()
	ms := map[string]*sync.Mutex{"a": {}}
	ms["a"].Lock()
	ms["a"].Unlock()
	fs := []func(){a.mu.Lock, a.mu.Unlock}
	for _, f := range fs {
		f()
	}
	for _, f := range []func(*sync.Mutex){(*sync.Mutex).Lock, (*sync.Mutex).Unlock} {
		f(&a.mu)
	}
}

func TestEmbedded(t *testing.T) {
	var e embedder
	e.Lock()
	eq(t, e.TryLock(), false)
	e.Unlock()
	e.Add(1)
	e.Done()
	e.Wait()
	o := &outer{}
	o.Lock()
	o.embedder.Unlock()
	op := outerPtr{o}
	op.Lock()
	op.outer.embedder.Mutex.Unlock()
	b := byPointer{RWMutex: new(sync.RWMutex)}
	b.RLock()
	b.RUnlock()
	g := &generic[string, int]{}
	g.Lock()
	g.Unlock()
	r := &renamed{}
	r.Lock()
	r.Unlock()
	s := &shadowed{}
	s.Lock()
	eq(t, s.locked, 1)
	s.Unlock()
	am := ambiguous{RWMutex: new(sync.RWMutex)}
	am.Mutex.Lock()
	am.Mutex.Unlock()
	am.RLock()
	am.RUnlock()
	h := holdsLocker{Locker: b}
	h.Lock()
	h.Unlock()
	sn := &sameName{}
	sn.Lock()
	sn.Mutex.Unlock()
	type local struct {
		sync.Mutex
		n int
	}
	var lo local
	lo.Lock()
	lo.Unlock()
	f := (*embedder).Lock
	f(&e)
	e.Unlock()
	lf := lo.Lock
	lf()
	defer lo.Unlock()
}

func TestInterfaces(t *testing.T) {
	var mu sync.Mutex
	lockers := []sync.Locker{&mu, &embedder{}, &outer{}, outerPtr{&outer{}}, byPointer{RWMutex: new(sync.RWMutex)},
		&generic[int, string]{}, &renamed{}, &shadowed{}, holdsLocker{Locker: &mu}, &holdsLocker{Locker: &mu}, (&sync.RWMutex{}).RLocker()}
	for _, l := range lockers {
		l.Lock()
		l.Unlock()
		f, g := l.Lock, l.Unlock
		f()
		g()
		sync.Locker.Lock(l)
		(sync.Locker).Unlock(l)
		func() {
			l.Lock()
			defer l.Unlock()
		}()
		with(l, func() {})
	}
	var try interface{ TryLock() bool } = &embedder{}
	eq(t, try.TryLock(), true)
	eq(t, try.TryLock(), false)
	var once interface{ Do(func()) } = new(sync.Once)
	n := 0
	once.Do(func() { n++ })
	once.Do(func() { n++ })
	interface{ Do(func()) }.Do(once, func() { n++ })
	eq(t, n, 1)
	var wg interface {
		Add(int)
		Done()
		Wait()
	} = new(sync.WaitGroup)
	wg.Add(1)
	wg.Done()
	wg.Wait()
}

func with[L sync.Locker](l L, f func()) {
	l.Lock()
	defer l.Unlock()
	f()
}

func withPtr[T any, P interface {
	*T
	sync.Locker
}](v *T, f func()) {
	P(v).Lock()
	defer P(v).Unlock()
	f()
}

func TestTypeParams(t *testing.T) {
	var e embedder
	with(&e, func() { eq(t, e.TryLock(), false) })
	withPtr(&e, func() { eq(t, e.TryLock(), false) })
	withPtr(&e.Mutex, func() { eq(t, e.Mutex.TryLock(), false) })
}

// onlyPointers is never used as a value: the race detector must not see its
// methods copy it.
type onlyPointers struct {
	sync.Locker
	n int
}

func (o *onlyPointers) locker() sync.Locker { return o }

func TestPointerReceivers(t *testing.T) {
	o := &onlyPointers{Locker: new(sync.Mutex)}
	l := o.locker()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				l.Lock()
				o.n++
				l.Unlock()
			}
		})
	}
	wg.Wait()
	eq(t, o.n, 400)
}

func TestRest(t *testing.T) {
	a := &account{}
	for range 3 {
		a.wg.Add(1)
		go func() {
			defer a.wg.Done()
			a.one.Do(func() { a.n = 5 })
		}()
	}
	a.wg.Go(func() {})
	a.wg.Wait()
	eq(t, a.n, 5)

	c := sync.NewCond(&a.mu)
	ready := false
	go func() {
		c.L.Lock()
		defer c.L.Unlock()
		ready = true
		c.Signal()
		c.Broadcast()
	}()
	c.L.Lock()
	for !ready {
		c.Wait()
	}
	c.L.Unlock()
	wait := a.wg.Wait
	wait()
	defer func(f func(int)) { f(0) }(a.wg.Add)
}

func TestLines(t *testing.T) {
	var mu sync.Mutex
	mu.Lock()
	_, file, line, _ := runtime.Caller(0)
	eq(t, strings.HasSuffix(file, "/sync_test.go"), true)
	eq(t, strings.Contains(file, "rewritten"), false)
	eq(t, line, 289)
	mu.
		Unlock()
	eq(t, here(), 295)
	func() {
		defer func() {
			v := recover()
			eq(t, v != nil, true)
		}()
		go func(
			a int,
			b string,
		) {
		}(
			1,
			"x",
		)
		eq(t, here(), 309)
		panic(1)
	}()
}

func here() int { _, _, line, _ := runtime.Caller(1); return line }

type behindAny struct{ *sync.Mutex }

func TestInterfaceOfAnAny(t *testing.T) {
	var a any = behindAny{new(sync.Mutex)}
	a.(sync.Locker).Lock()
}

type (
	ofTuple  struct{ *sync.Mutex }
	ofLoop   struct{ *sync.Mutex }
	ofEntry  struct{ *sync.Mutex }
	withinIt struct{ *sync.Mutex }
	holdsIt  struct{ It []withinIt }
)

func makeOfTuple() (ofTuple, error) { return ofTuple{new(sync.Mutex)}, nil }

func anyOfTuple() (any, error) { return makeOfTuple() }

func TestWaysToAnAny(t *testing.T) {
	a, _ := anyOfTuple()
	a.(sync.Locker).Lock()
	for _, a = range []ofLoop{{new(sync.Mutex)}} {
		a.(sync.Locker).Lock()
	}
	var ok bool
	a, ok = map[int]ofEntry{1: {new(sync.Mutex)}}[1]
	eq(t, ok, true)
	a.(sync.Locker).Lock()
	a = holdsIt{[]withinIt{{new(sync.Mutex)}}}
	reflect.ValueOf(a).Field(0).Index(0).Interface().(sync.Locker).Lock()
}

// A defer statement evaluates the method of an interface, not the call at the end.
func TestDeferOfNoMethod(t *testing.T) {
	passed := false
	defer func() {
		eq(t, recover() != nil, true)
		eq(t, passed, false)
	}()
	var l sync.Locker
	defer l.Unlock()
	passed = true
}
