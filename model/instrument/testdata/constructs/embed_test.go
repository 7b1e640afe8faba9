package t

import (
	"sync"
	"sync/atomic"
	"testing"
)

type slot[T any] struct {
	atomic.Pointer[T]
	n atomic.Int32
}

type mutex = sync.Mutex

type aliased struct{ mutex }

type holder[L sync.Locker] struct{ l L }

func (h *holder[L]) do(f func()) {
	h.l.Lock()
	defer h.l.Unlock()
	f()
}

type pair struct {
	a, b struct{ sync.Mutex }
	atomic.Int64
}

type deep struct{ *pair }

type valueLocker struct{ sync.Locker }

// mine has a method set of its own, of the same names.
type mine struct{ n int }

func (m *mine) Lock()          { m.n++ }
func (m *mine) Unlock()        { m.n-- }
func (m *mine) Load() int      { return m.n }
func (m *mine) Add(n int)      { m.n += n }
func (m *mine) Swap(n int) int { m.n, n = n, m.n; return n }
func (m *mine) Do(f func())    { f() }
func (m *mine) Wait()          {}
func (m *mine) TryLock() bool  { return m.n == 0 }
func (m *mine) Go(f func())    { f() }
func (m *mine) RLocker() *mine { return m }
func (m *mine) Get() any       { return m.n }
func (m *mine) Put(v any)      { m.n = v.(int) }

type allOfMine interface {
	sync.Locker
	Load() int
	Add(int)
	Swap(int) int
	Do(func())
	Wait()
	TryLock() bool
	Go(func())
	Get() any
	Put(any)
}

func TestEmbeddedGenerics(t *testing.T) {
	var s slot[int]
	v := 3
	s.Store(&v)
	eq(t, *s.Load(), 3)
	eq(t, s.CompareAndSwap(&v, nil), true)
	var l interface{ Load() *int } = &s
	eq(t, l.Load() == nil, true)
	load := s.Load
	eq(t, load() == nil, true)
	eq(t, (*slot[int]).Load(&s) == nil, true)

	var a aliased
	a.Lock()
	eq(t, a.TryLock(), false)
	a.mutex.Unlock()
	h := holder[*aliased]{&a}
	h.do(func() { eq(t, a.TryLock(), false) })

	d := deep{new(pair)}
	d.a.Lock()
	d.pair.b.Lock()
	d.a.Unlock()
	d.Add(4)
	eq(t, d.Load(), int64(4))
	eq(t, deep.Load(d), int64(4))

	with(valueLocker{&a}, func() { eq(t, a.TryLock(), false) })
	holderOfValue := holder[valueLocker]{valueLocker{&a}}
	holderOfValue.do(func() { eq(t, a.TryLock(), false) })
}

// Types that only look like those of sync keep working.
func TestLookalikes(t *testing.T) {
	m := &mine{}
	var all allOfMine = m
	all.Lock()
	eq(t, m.n, 1)
	all.Unlock()
	all.Add(4)
	eq(t, all.Load(), 4)
	eq(t, all.Swap(0), 4)
	eq(t, all.TryLock(), true)
	all.Do(func() { all.Put(7) })
	all.Go(func() { eq(t, all.Get(), any(7)) })
	all.Wait()
	for _, f := range []func(int){all.Add, m.Add} {
		f(1)
	}
	eq(t, m.RLocker().Load(), 9)
}
