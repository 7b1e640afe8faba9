// Package page has a check for each kind of picture that a page shows. The tests of ci/page say
// what is seen of them.
package page

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

type box struct {
	full  atomic.Bool
	value int
}

func (b *box) put(v int) {
	b.full.Store(true)
	b.value = v
}

func (b *box) get() int {
	if !b.full.Load() {
		return 0
	}
	return b.value
}

func TestRace(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var b box
		x.Go("writer", func() { b.put(7) })
		x.Go("reader", func() { b.get() })
		x.Join()
	})
}

// A race of goroutines that make no step.
func TestRaceWithoutSteps(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n := 0
		x.Go("one", func() { n++ })
		x.Go("other", func() { n++ })
		x.Join()
	})
}

type pair struct{ left, right sync.Mutex }

func (p *pair) leftFirst() {
	p.left.Lock()
	p.right.Lock()
	p.right.Unlock()
	p.left.Unlock()
}

func (p *pair) rightFirst() {
	p.right.Lock()
	p.left.Lock()
	p.left.Unlock()
	p.right.Unlock()
}

func TestDeadlock(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var p pair
		x.Go("first", p.leftFirst)
		x.Go("second", p.rightFirst)
		x.Join()
	})
}

// What a program says must not become a part of the page.
func TestPanic(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		jobs := make(chan string, 1)
		x.Go(`producer </script><b id="injected">"quoted" & 'so' é世界`, func() {
			jobs <- "</script><script>document.title = 'injected'</script>"
			close(jobs)
		})
		x.Go("canceller", func() { close(jobs) })
		x.Join()
	})
}

func TestPasses(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int64
		x.Go("one", func() { n.Add(1) })
		x.Go("other", func() { n.Add(1) })
		x.Join()
		x.Assert(n.Load() == 2, "lost")
	}, model.Assume("nobody reads it meanwhile"))
}

// Its goroutines have nothing to do with one another, but are in one picture.
func TestApart(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				var mu sync.Mutex
				var p atomic.Pointer[int]
				mu.Lock()
				p.Store(new(int))
				p.Load()
				mu.Unlock()
				go func() { mu.Lock() }()
			})
		}
		both.Wait()
	})
}

func TestCrowd(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int64
		for _, name := range []string{"ant", "bee", "cat", "dog", "elk"} {
			x.Go(name, func() {
				v := n.Load()
				n.Store(v + 1)
			})
		}
		x.Join()
		x.Assert(n.Load() == 5, "lost: %d of 5", n.Load())
	}, model.Preemptions(1))
}

type server struct {
	jobs, answers chan int
	stop          chan struct{}
	failures      chan error
}

// serve forgets a job that comes together with the end.
func (s *server) serve() {
	select {
	case <-s.stop:
	case j := <-s.jobs:
		s.answers <- j
	}
}

func (s *server) ask() {
	select {
	case s.jobs <- 1:
	default:
	}
	close(s.stop)
	select {
	case <-s.answers:
	case <-s.failures:
	}
}

func TestSelect(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		s := &server{make(chan int, 1), make(chan int, 1), make(chan struct{}), nil}
		x.Go("client", s.ask)
		x.Go("server", s.serve)
		x.Join()
	})
}

func TestSkipped(t *testing.T) {
	t.Skip("not here")
	model.Check(t, func(*model.Exec) {})
}
