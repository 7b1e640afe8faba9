package runtime_test

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/surewake/surewake/runtime"
)

// A graph is a plan for tasks that spawn, join, cancel and detach each other. Node 0 is submitted,
// every other node is spawned by its parent, an earlier node, before that one does anything else.
// Who joins whom follows a random rank: so a child may join its parent while that waits for another
// child, and no node waits for itself in the end.
type graph struct {
	nodes []node
	close bool // ended by Close, at some time, rather than by Shutdown
}

type node struct {
	parent, rank int
	deeds        []deed
	end          end
	detached     bool // by the parent: nobody else has anything to do with it

	handle atomic.Pointer[runtime.Handle[int]]
	runs   atomic.Int32
	lock   sync.Mutex
	result *result // what the first joiner got; under lock
}

type deed struct {
	verb   verb
	target int // a node, of joins and cancels
}

type result struct {
	value int
	err   error
}

type verb int

const (
	joins verb = iota
	joinsShielded
	cancels
	yields
	sleeps
)

type end int

const (
	withValue end = iota
	withError
	withPanic
	withGoexit
)

func (n *node) String() string {
	return fmt.Sprintf("{parent %d rank %d deeds %v end %d detached %v}", n.parent, n.rank, n.deeds,
		n.end, n.detached)
}

func graphs() *rapid.Generator[*graph] { return rapid.Custom(anyGraph) }

func anyGraph(t *rapid.T) *graph {
	count := rapid.IntRange(1, 14).Draw(t, "nodes")
	ranks := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
		for i := range count {
			if !yield(i) {
				return
			}
		}
	})).Draw(t, "ranks")
	g := &graph{nodes: make([]node, count), close: rapid.Bool().Draw(t, "close")}
	touched := make([]bool, count)
	for i := range g.nodes {
		n := &g.nodes[i]
		n.rank = ranks[i]
		n.end = rapid.SampledFrom([]end{withValue, withValue, withValue, withError, withPanic,
			withGoexit}).
			Draw(t, "end")
		if i > 0 {
			n.parent = rapid.IntRange(0, i-1).Draw(t, "parent")
			touched[n.parent] = true
		}
	}
	for i := range g.nodes {
		n := &g.nodes[i]
		for range rapid.IntRange(0, 4).Draw(t, "deeds") {
			d := deed{
				rapid.SampledFrom([]verb{joins, joins, joins, joinsShielded, cancels, yields,
					sleeps}).
					Draw(t, "verb"),
				0,
			}
			switch d.verb {
			case joins, joinsShielded, cancels:
				d.target = rapid.IntRange(0, count-1).Draw(t, "target")
				if d.verb != cancels && g.nodes[d.target].rank >= n.rank {
					continue
				}
				touched[d.target] = true
			}
			n.deeds = append(n.deeds, d)
		}
	}
	for i := range g.nodes {
		g.nodes[i].detached = i > 0 && !touched[i] && rapid.Bool().Draw(t, "detached")
	}
	return g
}

// play is the task of node i.
func (g *graph) play(cx runtime.Cx, i int, fail func(format string, values ...any)) (int, error) {
	n := &g.nodes[i]
	if runs := n.runs.Add(1); runs != 1 {
		fail("node %d is run %d times", i, runs)
	}
	for c := range g.nodes {
		if child := &g.nodes[c]; c > 0 && child.parent == i {
			h := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) { return g.play(cx, c, fail) })
			if child.detached {
				h.Detach()
			} else {
				child.handle.Store(h)
			}
		}
	}
	for _, d := range n.deeds {
		switch d.verb {
		case yields:
			cx.Yield()
		case sleeps:
			if err := cx.Sleep(time.Microsecond); err != nil && !g.mayEnd(i, err) {
				fail("Sleep in node %d: %v", i, err)
			}
		case cancels:
			if h := g.find(cx, d.target); h != nil {
				h.Cancel()
			}
		case joins:
			if h := g.find(cx, d.target); h != nil {
				value, err := h.Join(cx)
				_, _, ended := h.TryJoin()
				if !ended && d.target > 0 && g.nodes[d.target].parent == i {
					fail("node %d: the join of a child, %d, has returned before its end", i, d.target)
				}
				reason := cx.Err() // of a Close that came first and a cancellation, the latter
				if reason != nil && (err == reason || err == runtime.ErrClosed) &&
					g.mayEnd(i, err) {
					continue // perhaps it has not waited to the end
				}
				g.check(d.target, value, err, fail)
			}
		case joinsShielded:
			if h := g.find(cx, d.target); h != nil {
				cx.Shield(func() {
					value, err := h.Join(cx)
					g.check(d.target, value, err, fail)
				})
			}
		}
	}
	switch n.end {
	case withError:
		return i, errBoom
	case withPanic:
		panic(i)
	case withGoexit:
		goruntime.Goexit()
	}
	return i, nil
}

// find returns the handle of node i when there is one, or nil when there will not be one.
func (g *graph) find(cx runtime.Cx, i int) *runtime.Handle[int] {
	for {
		if h := g.nodes[i].handle.Load(); h != nil {
			return h
		}
		if !g.comes(i) {
			return g.nodes[i].handle.Load()
		}
		cx.Yield()
	}
}

// comes reports whether node i may still be spawned.
func (g *graph) comes(i int) bool {
	for i != 0 {
		i = g.nodes[i].parent
		if h := g.nodes[i].handle.Load(); h != nil {
			_, _, ended := h.TryJoin()
			return !ended
		}
	}
	return true
}

// check holds the result of node i against its plan, and against what others got.
func (g *graph) check(i, value int, err error, fail func(format string, values ...any)) {
	n := &g.nodes[i]
	n.lock.Lock()
	defer n.lock.Unlock()
	if n.result != nil {
		if *n.result != (result{value, err}) {
			fail("node %d ends with %v, %v and with %v, %v", i, n.result.value, n.result.err, value,
				err)
		}
		return
	}
	n.result = &result{value, err}
	var p *runtime.PanicError
	switch {
	case err == nil && n.end == withValue && value == i && n.runs.Load() == 1:
	case err == errBoom && n.end == withError && value == i && n.runs.Load() == 1:
	case errors.As(err, &p) && n.end == withPanic && p.Value == i && n.runs.Load() == 1:
	case err == runtime.ErrGoexit && g.mayExit(i) && n.runs.Load() == 1:
	case err != nil && n.runs.Load() == 0 && g.mayEnd(i, err):
	default:
		fail("node %d, %v, run %d times, ends with %v, %v", i, n, n.runs.Load(), value, err)
	}
}

// mayExit reports whether node i calls Goexit, or joins a child that may.
func (g *graph) mayExit(i int) bool {
	if g.nodes[i].end == withGoexit {
		return true
	}
	return slices.ContainsFunc(g.nodes[i].deeds, func(d deed) bool {
		return (d.verb == joins || d.verb == joinsShielded) && d.target > 0 &&
			g.nodes[d.target].parent == i && g.mayExit(d.target)
	})
}

// mayEnd reports whether node i may be told to end with err.
func (g *graph) mayEnd(i int, err error) bool {
	if err == runtime.ErrClosed {
		return g.close
	}
	for n := range g.nodes {
		if slices.Contains(g.nodes[n].deeds, deed{cancels, i}) {
			return err == runtime.ErrCancelled
		}
	}
	parent := g.nodes[i].parent // which passes it on while it joins its child
	return i > 0 && slices.Contains(g.nodes[parent].deeds, deed{joins, i}) && g.mayEnd(parent, err)
}

// Every handle ends once and everybody gets the same result from it, which is the one that the plan
// says; whatever waits is woken, and nothing is left.
func TestEveryTaskOfAGraphEndsOnce(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rapid.Check(t, func(r *rapid.T) {
			g := graphs().Draw(r, "graph")
			depth := rapid.SampledFrom([]int{0, 1, 2, 256}).Draw(r, "inline depth")
			rt := start(t, workers, runtime.InlineDepth(depth), runtime.Ring(2),
				runtime.TaskBudget(3))
			fail := func(format string, values ...any) {
				t.Errorf(format+"\n%v", append(values, g.String())...)
			}
			h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				for g.nodes[0].handle.Load() == nil {
					cx.Yield()
				}
				return g.play(cx, 0, fail)
			})
			g.nodes[0].handle.Store(h)
			if g.close {
				if len(g.nodes)%2 == 0 {
					time.Sleep(20 * time.Microsecond)
				}
				_ = rt.Close()
			} else {
				go func() { _ = rt.Shutdown(context.Background()) }()
			}
			ends(r, rt)
			for i := range g.nodes {
				n := &g.nodes[i]
				if h := n.handle.Load(); h != nil {
					value, err, ended := h.TryJoin()
					if !ended {
						fail("node %d has not ended", i)
					}
					g.check(i, value, err, fail)
				} else if n.detached && g.nodes[n.parent].runs.Load() == 1 &&
					n.runs.Load() != 1 && !g.close {
					fail("node %d is detached, and has not been run", i)
				}
			}
			if t.Failed() {
				r.Fatal("see above")
			}
		})
	})
}

func (g *graph) String() string {
	s := fmt.Sprintf("close %v\n", g.close)
	for i := range g.nodes {
		s += fmt.Sprintf("%d: %v\n", i, &g.nodes[i])
	}
	return s
}
