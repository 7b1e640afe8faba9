// Package localtypes has programs in which a type that is declared inside a function, or that has
// no name, has the methods of a lock, or of another type of the library, that it embeds, and
// becomes an interface without a conversion that is written there.
package localtypes

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// order says in which order two goroutines take a lock.
func order(x *model.Exec, l sync.Locker) {
	s := ""
	for _, name := range []string{"a", "b"} {
		x.Go(name, func() {
			l.Lock()
			s += name
			l.Unlock()
		})
	}
	x.Join()
	x.Assert(s == "ab", "the other order")
}

func lockAll[L sync.Locker](all ...L) {
	for _, l := range all {
		l.Lock()
	}
}

func unlockAll[L sync.Locker](all ...L) {
	for _, l := range all {
		l.Unlock()
	}
}

// verdict: FAILED deadlock|blocked
func TestTwoAccounts(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type account struct {
			sync.Mutex
			n int
		}
		a, b := &account{}, &account{}
		ab, ba := []*account{a, b}, []*account{b, a}
		x.Go("ab", func() { lockAll(ab...); a.n++; b.n--; unlockAll(ab...) })
		x.Go("ba", func() { lockAll(ba...); b.n++; a.n--; unlockAll(ba...) })
		x.Join()
	})
}

// verdict: proved, 2 traces
func TestTwoAccountsInOneOrder(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type account struct {
			sync.Mutex
			n int
		}
		a, b := &account{}, &account{}
		both := []*account{a, b}
		for range 2 {
			x.Go("move", func() { lockAll(both...); a.n++; b.n--; unlockAll(both...) })
		}
		x.Join()
		x.Assert(a.n == 2 && b.n == -2, "%d %d", a.n, b.n)
	})
}

// verdict: FAILED the other order
func TestOneOfTwoResults(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type lock struct{ sync.Mutex }
		f := func() (*lock, error) { return &lock{}, nil }
		var l sync.Locker
		l, _ = f()
		order(x, l)
	})
}

// verdict: FAILED the other order
func TestReturnedResults(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type lock struct{ sync.Mutex }
		f := func() (*lock, error) { return &lock{}, nil }
		g := func() (sync.Locker, error) { return f() }
		l, _ := g()
		order(x, l)
	})
}

// verdict: FAILED the other order
func TestArguments(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type lock struct{ sync.Mutex }
		f := func() (*model.Exec, *lock) { return x, &lock{} }
		order(f())
	})
}

// verdict: FAILED the other order
func TestRange(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type lock struct{ sync.RWMutex }
		var l sync.Locker
		for _, l = range []*lock{{}} {
		}
		order(x, l)
	})
}

// verdict: FAILED the other order
func TestReceived(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type lock struct{ *sync.Mutex }
		c := make(chan lock, 1)
		c <- lock{new(sync.Mutex)}
		var l sync.Locker
		l, _ = <-c
		order(x, l)
	})
}

// verdict: FAILED the other order
func TestSelected(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type lock struct{ sync.Mutex }
		c := make(chan *lock, 1)
		c <- &lock{}
		var l sync.Locker
		select {
		case l, _ = <-c:
		}
		order(x, l)
	})
}

// verdict: FAILED the other order
func TestSelectedAlone(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type lock struct{ sync.Mutex }
		c := make(chan *lock, 1)
		c <- &lock{}
		var l sync.Locker
		select {
		case l = (<-c):
		}
		order(x, l)
	})
}

// verdict: undecided its method Clear comes from an embedded field
func TestSelectedMap(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type table struct{ sync.Map }
		c := make(chan *table, 1)
		c <- &table{}
		var m interface{ Clear() }
		select {
		case m = <-c:
		}
		m.Clear()
	})
}

// verdict: FAILED the other order
func TestAssigned(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type lock struct{ sync.RWMutex }
		l := &lock{}
		fmt.Fprint(io.Discard, l)
		order(x, l)
	})
}

// verdict: undecided RLocker through an interface is not modelled
func TestRLocker(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type lock struct{ sync.RWMutex }
		var l interface{ RLocker() sync.Locker } = &lock{}
		l.RLocker().Lock()
	})
}

func first[T any](all []T) sync.Locker { return any(all[0]).(sync.Locker) }

// verdict: FAILED the other order
func TestTypeArgument(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type inner struct {
			_ int
			sync.Mutex
		}
		type lock struct {
			_ int
			inner
		}
		order(x, first([]*lock{{}}))
	})
}

// verdict: FAILED the other order
func TestNested(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type inner struct {
			a int
			sync.Mutex
		}
		type deeper struct {
			b int
			*inner
		}
		type lock struct {
			c int
			deeper
			sync.WaitGroup
		}
		f := func() (*lock, error) { return &lock{deeper: deeper{inner: &inner{}}}, nil }
		var l sync.Locker
		l, _ = f()
		order(x, l)
	})
}

// verdict: FAILED the other order
func TestLockerWithin(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type inner struct{ sync.Mutex }
		type lock struct {
			n int
			sync.Locker
		}
		f := func() (*inner, error) { return &inner{}, nil }
		var within sync.Locker
		within, _ = f()
		for _, l := range []lock{{Locker: within}} {
			g := func() (lock, error) { return l, nil }
			var outer sync.Locker
			outer, _ = g()
			order(x, outer)
		}
	})
}

// verdict: FAILED the other order
func TestWithoutAName(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		f := func() (*struct{ sync.Mutex }, error) { return &struct{ sync.Mutex }{}, nil }
		var l sync.Locker
		l, _ = f()
		order(x, l)
	})
}

// verdict: proved, 2 traces
func TestCond(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type lock struct{ sync.Mutex }
		f := func() (*lock, error) { return &lock{}, nil }
		var l sync.Locker
		l, _ = f()
		c := sync.NewCond(l)
		ready := false
		x.Go("set", func() {
			l.Lock()
			ready = true
			l.Unlock()
			c.Signal()
		})
		l.Lock()
		for !ready {
			c.Wait()
		}
		l.Unlock()
		x.Join()
	})
}

// counted is a lock with a method of its own.
type counted struct {
	sync.Mutex
	n int
}

func (c *counted) Lock() {
	c.Mutex.Lock()
	c.n++
}

// byValue is one whose method is not of a pointer.
type byValue struct {
	*sync.Mutex
	n *int
}

func (c byValue) Lock() {
	c.Mutex.Lock()
	*c.n++
}

// verdict: proved, 2 traces
func TestMethodOfItsOwn(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type lock struct {
			_ int
			counted
		}
		f := func() (*lock, error) { return &lock{}, nil }
		var l sync.Locker
		l, _ = f()
		for range 2 {
			x.Go("lock", func() {
				l.Lock()
				l.Unlock()
			})
		}
		x.Join()
		x.Assert(l.(*lock).n == 2, "%d", l.(*lock).n)
	})
}

// verdict: proved, 2 traces
func TestMethodOfItsOwnByValue(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n := 0
		var l sync.Locker = &byValue{new(sync.Mutex), &n}
		for range 2 {
			x.Go("lock", func() {
				l.Lock()
				l.Unlock()
			})
		}
		x.Join()
		x.Assert(n == 2, "%d", n)
	})
}

// verdict: FAILED data race
func TestReaders(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type lock struct{ sync.RWMutex }
		f := func() (*lock, error) { return &lock{}, nil }
		var l interface {
			RLock()
			RUnlock()
		}
		l, _ = f()
		n := 0
		for range 2 {
			x.Go("add", func() {
				l.RLock()
				n++
				l.RUnlock()
			})
		}
		x.Join()
	})
}

// verdict: FAILED both or none
func TestTryLock(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type lock struct{ sync.RWMutex }
		f := func() (*lock, error) { return &lock{}, nil }
		var l interface {
			TryLock() bool
			TryRLock() bool
		}
		l, _ = f()
		var got atomic.Int32
		x.Go("write", func() {
			if l.TryLock() {
				got.Add(1)
			}
		})
		x.Go("read", func() {
			if l.TryRLock() {
				got.Add(2)
			}
		})
		x.Join()
		x.Assert(got.Load() != 1, "both or none")
	})
}

// verdict: FAILED the other order
func TestOnce(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type once struct{ sync.Once }
		f := func() (*once, error) { return &once{}, nil }
		var o interface{ Do(f func()) }
		o, _ = f()
		s := ""
		x.Go("a", func() { o.Do(func() { s = "a" }) })
		x.Go("b", func() { o.Do(func() { s = "b" }) })
		x.Join()
		x.Assert(s == "a", "the other order")
	})
}

// verdict: FAILED an update is lost
func TestWaitGroup(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type group struct{ sync.WaitGroup }
		f := func() (*group, error) { return &group{}, nil }
		var g interface {
			Add(n int)
			Done()
			Go(f func())
			Wait()
		}
		g, _ = f()
		var n atomic.Int32
		add := func() { n.Store(n.Load() + 1) }
		g.Add(1)
		go func() {
			add()
			g.Done()
		}()
		g.Go(add)
		g.Wait()
		x.Assert(n.Load() == 2, "an update is lost")
	})
}

// verdict: FAILED blocked|deadlock
func TestSignal(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type cond struct{ *sync.Cond }
		f := func() (cond, error) { return cond{sync.NewCond(&sync.Mutex{})}, nil }
		var c interface {
			Signal()
			Broadcast()
			Wait()
		}
		c, _ = f()
		l := c.(cond).L
		x.Go("signal", func() { c.Signal() })
		x.Go("wait", func() {
			l.Lock()
			c.Wait()
			l.Unlock()
		})
		x.Join()
	})
}

// verdict: FAILED an update is lost
func TestAtomic(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type word struct {
			_ int64
			atomic.Int64
		}
		f := func() (*word, error) { return &word{}, nil }
		var n interface {
			Load() int64
			Store(n int64)
		}
		n, _ = f()
		for range 2 {
			x.Go("add", func() { n.Store(n.Load() + 1) })
		}
		x.Join()
		x.Assert(n.Load() == 2, "an update is lost")
	})
}

// verdict: undecided Load is called through an interface
func TestAtomicAmongOthers(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type word struct {
			atomic.Int64
			error
		}
		f := func() (*word, error) { return &word{}, nil }
		var n interface {
			error
			Load() int64
		}
		n, _ = f()
		x.Assert(n.Load() == 0, "not zero")
	})
}

// verdict: FAILED an update is lost
func TestMap(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type table struct{ sync.Map }
		f := func() (*table, error) { return &table{}, nil }
		var m interface {
			Load(key any) (any, bool)
			Store(key, value any)
		}
		m, _ = f()
		m.Store("n", 0)
		for range 2 {
			x.Go("add", func() {
				n, _ := m.Load("n")
				m.Store("n", n.(int)+1)
			})
		}
		x.Join()
		n, _ := m.Load("n")
		x.Assert(n == 2, "an update is lost")
	})
}

// verdict: proved, 2 traces
func TestTheOutermost(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type inner struct{ sync.Mutex }
		type lock struct {
			sync.Mutex
			inner
		}
		v := &lock{}
		var in atomic.Int32
		f := func() (*lock, error) { return v, nil }
		var l sync.Locker
		l, _ = f()
		x.Go("direct", func() {
			v.Lock()
			x.Assert(in.Add(1) == 1, "both")
			in.Add(-1)
			v.Unlock()
		})
		l.Lock()
		x.Assert(in.Add(1) == 1, "both")
		in.Add(-1)
		l.Unlock()
		x.Join()
	})
}

// verdict: FAILED data race
func TestEmbeddedPointerIsReplaced(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type lock struct{ *sync.Mutex }
		v := &lock{new(sync.Mutex)}
		f := func() (*lock, error) { return v, nil }
		var l sync.Locker
		l, _ = f()
		x.Go("replace", func() { v.Mutex = new(sync.Mutex) })
		l.Lock()
		x.Join()
	})
}

// verdict: FAILED data race
func TestEmbeddedLockerIsReplaced(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type lock struct{ sync.Locker }
		v := &lock{new(sync.Mutex)}
		f := func() (*lock, error) { return v, nil }
		var l sync.Locker
		l, _ = f()
		x.Go("replace", func() { v.Locker = new(sync.Mutex) })
		l.Lock()
		x.Join()
	})
}

// verdict: FAILED nil pointer
func TestNothingEmbedded(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type lock struct {
			n int
			sync.Locker
		}
		f := func() (*lock, error) { return &lock{}, nil }
		var l sync.Locker
		l, _ = f()
		l.Lock()
	})
}
