package t

import (
	"fmt"
	"sync/atomic"
	at "sync/atomic"
	"testing"
	"unsafe"
)

type counters struct {
	a   atomic.Int64
	b   [3]atomic.Uint32
	m   map[string]*atomic.Bool
	p   atomic.Pointer[node]
	v   atomic.Value
	up  atomic.Uintptr
	raw int64
	ptr unsafe.Pointer
	sub struct{ n atomic.Int32 }
	*inner
}

type inner struct{ deep atomic.Uint64 }

type node struct {
	next atomic.Pointer[node]
	val  int
}

type nodePtr *node

type chain struct{ c counters }

func (c *chain) a() *chain    { return c }
func (c *chain) b() *counters { return &c.c }

var global = struct{ n atomic.Int64 }{}

var atInit = global.n.Add(2)

func TestMethods(t *testing.T) {
	c := &counters{m: map[string]*atomic.Bool{"x": new(atomic.Bool)}, inner: &inner{}}
	c.a.Store(40)
	eq(t, c.a.Add(2), int64(42))
	eq(t, (c).a.Load(), int64(42))
	eq(t, (*c).a.Swap(1), int64(42))
	eq(t, c.a.CompareAndSwap(1, c.a.Load()+6), true)
	eq(t, c.a.And(5), int64(7))
	eq(t, c.a.Or(2), int64(5))
	for i := range c.b {
		c.b[i].Store(uint32(i))
	}
	eq(t, c.b[2].Load(), uint32(2))
	bs := c.b[:]
	eq(t, bs[1].Add(^uint32(0)), uint32(0))
	c.m["x"].Store(true)
	eq(t, c.m["x"].Load(), true)
	eq(t, c.deep.Add(1), uint64(1))
	eq(t, c.inner.deep.Load(), uint64(1))
	c.sub.n.Store(-1)
	eq(t, c.sub.n.Load(), int32(-1))
	c.up.Store(3)
	eq(t, c.up.Swap(4), uintptr(3))
	c.v.Store("s")
	eq(t, c.v.Load().(string), "s")
	eq(t, c.v.CompareAndSwap("s", "u"), true)
	eq(t, c.v.Swap("w"), any("u"))
	ch := &chain{}
	ch.a().b().a.Store(9)
	eq(t, ch.a().b().a.Load(), int64(9))
	eq(t, ch.
		a().
		b().
		a.
		Add(
			1,
		), int64(10))
	p := &ch.c.a
	pp := &p
	(*pp).Store(11)
	eq(t, (*pp).Load( /* nothing */ ), int64(11))
	eq(t, new(atomic.Int32).Add(5), int32(5))
	eq(t, (&atomic.Int32{}).Add(5), int32(5))
	eq(t, global.n.Load(), int64(2))
	eq(t, atInit, int64(2))
	if v := c.a.Load(); v == 7 && c.a.CompareAndSwap(v, 8) {
		eq(t, c.a.Load(), int64(8))
	}
	switch v := c.a.Add(1); {
	case v > 0:
	}
	eq(t, fmt.Sprint(c.a.Load(), c.a.Load()), "9 9")
}

func TestPointers(t *testing.T) {
	var head atomic.Pointer[node]
	n := &node{val: 1}
	head.Store(n)
	eq(t, head.Load().val, 1)
	m := nodePtr(&node{val: 2})
	head.Store(m)
	eq(t, head.CompareAndSwap(m, nil), true)
	eq(t, head.Load() == nil, true)
	eq(t, head.Swap(n) == nil, true)
	head.Load().next.Store(&node{val: 3})
	eq(t, head.Load().next.Load().val, 3)
}

func TestFunctions(t *testing.T) {
	var c counters
	atomic.AddInt64(&c.raw, 5)
	eq(t, at.LoadInt64(&c.raw), int64(5))
	add := atomic.AddInt64
	eq(t, add(&c.raw, 1), int64(6))
	fs := []func(*int64) int64{at.LoadInt64}
	eq(t, fs[0](&c.raw), int64(6))
	eq(t, (atomic.SwapInt64)(&c.raw, 2), int64(6))
	eq(t, atomic.
		CompareAndSwapInt64(&c.raw,
			2, 3), true)
	atomic.StorePointer(&c.ptr, unsafe.Pointer(&c))
	eq(t, (*counters)(atomic.LoadPointer(&c.ptr)), &c)
	defer atomic.StoreInt64(&c.raw, 1)
	var u uint32 = 6
	eq(t, atomic.AndUint32(&u, 3), uint32(6))
	eq(t, atomic.OrUint32(&u, 8), uint32(2))
}

type getter func() int64

func TestMethodValues(t *testing.T) {
	var c counters
	load := c.a.Load
	store := c.a.Store
	c.a.Store(1)
	eq(t, load(), int64(1))
	store(2)
	eq(t, getter(load)(), int64(2))
	var g getter = c.a.Load
	eq(t, g(), int64(2))
	eq(t, (c.a.Swap)(3), int64(2))
	cas := c.
		a.CompareAndSwap
	eq(t, cas(3, 4), true)
	eq(t, (*atomic.Int64).Load(&c.a), int64(4))
	ex := (*at.Int64).Add
	eq(t, ex(&c.a, 1), int64(5))
	pl := c.p.Load
	ps := c.p.Store
	n := &node{val: 7}
	ps(n)
	eq(t, pl().val, 7)
	eq(t, (*atomic.Pointer[node]).Load(&c.p), n)
	pe := (*atomic.Pointer[map[string]int]).Load
	eq(t, pe(new(atomic.Pointer[map[string]int])) == nil, true)
	func(f func() bool) { eq(t, f(), false) }(new(atomic.Bool).Load)
	sw := c.v.Swap
	eq(t, sw(1), nil)
}

// generic stack over atomic.Pointer
type stack[T any] struct {
	top atomic.Pointer[elem[T]]
	n   atomic.Int64
}

type elem[T any] struct {
	next *elem[T]
	val  T
}

func (s *stack[T]) push(v T) {
	e := &elem[T]{val: v}
	for {
		e.next = s.top.Load()
		if s.top.CompareAndSwap(e.next, e) {
			s.n.Add(1)
			return
		}
	}
}

func (s *stack[T]) pop() (v T, ok bool) {
	for {
		e := s.top.Load()
		if e == nil {
			return v, false
		}
		if s.top.CompareAndSwap(e, e.next) {
			return e.val, true
		}
	}
}

func (s *stack[T]) loader() func() *elem[T] { return s.top.Load }

func loadOf[T any](p *atomic.Pointer[T]) *T { return (*atomic.Pointer[T]).Load(p) }

func TestGeneric(t *testing.T) {
	var s stack[string]
	s.push("a")
	s.push("b")
	eq(t, s.loader()().val, "b")
	eq(t, loadOf(&s.top).val, "b")
	v, ok := s.pop()
	eq(t, v, "b")
	eq(t, ok, true)
	eq(t, s.n.Load(), int64(2))
}

// last line without a newline
