package model

import (
	"math"
	"os"
	"reflect"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/hook"
)

type node struct {
	next *node
	n    int
}

// Variables of a package, as the rewriter would tell of them.
var (
	ring    = newRing(3)
	inRing  = ring.next
	limit   = 2
	drivers = map[string]*node{"built in": {n: 1}}
	parent  = &node{next: &node{n: 1}}
	child   = parent.next
	late    []int
	queue   = make(chan int, 2)
	handler = &node{n: 1} // by a call that is not repeated
	server  atomic.Pointer[node]
	sealed  = &node{n: 1}
	step    = stepOf(1)
	base    = &node{n: 1}
	baseOf  = returns(base)
	derived = []int{handler.n}
)

func returns(n *node) func() *node { return func() *node { return n } }

func init() { server.Store(handler) }

func newRing(n int) *node {
	first := &node{n: 1}
	last := first
	for i := 2; i <= n; i++ {
		last.next = &node{n: i}
		last = last.next
	}
	last.next = first
	return first
}

// The files of a package come in no order of their steps.
var _ = hook.State("example.com/p",
	hook.Step(3, "p.go:4:1", func() { drivers = map[string]*node{"built in": {n: 1}} }),
	hook.Step(1, "p.go:2:1", func() { inRing = ring.next }),
	hook.Variable("ring", "p.go:1:1", &ring), hook.Variable("inRing", "p.go:2:1", &inRing),
	hook.Variable("drivers", "p.go:4:1", &drivers))

var _ = hook.State("example.com/p",
	hook.Step(0, "p.go:1:1", func() { ring = newRing(3) }),
	hook.Step(2, "p.go:3:1", func() { limit = 2 }),
	hook.Step(4, "p.go:6:1", func() { parent = &node{next: &node{n: 1}} }),
	hook.Step(5, "p.go:7:1", func() { child = parent.next }),
	hook.Variable("parent", "p.go:6:1", &parent), hook.Variable("child", "p.go:7:1", &child),
	hook.Step(6, "p.go:8:1", func() { queue = make(chan int, 2) }),
	hook.Step(7, "p.go:9:1", func() { server.Store(handler) }),
	hook.Step(9, "p.go:13:1", func() { derived = []int{handler.n} }),
	hook.Variable("derived", "p.go:13:1", &derived),
	hook.Step(10, "p.go:14:1", func() { base = &node{n: 1} }, "base"),
	hook.Step(11, "p.go:15:1", func() { baseOf = returns(base) }, "baseOf"),
	hook.Variable("base", "p.go:14:1", &base), hook.Variable("baseOf", "p.go:15:1", &baseOf),
	hook.Step(8, "p.go:12:1", func() { step = stepOf(1) }),
	hook.Variable("queue", "p.go:8:1", &queue), hook.Variable("step", "p.go:12:1", &step),
	hook.KeptVariable("handler", "p.go:9:1", &handler, "its initialisation calls x"),
	hook.Variable("server", "p.go:10:1", &server),
	hook.Watched("sealed", "p.go:11:1", &sealed), hook.Watched("parent", "p.go:6:1", &parent),
	hook.Variable("limit", "p.go:3:1", &limit), hook.Variable("late", "p.go:5:1", &late))

func TestVariablesAreMadeAnewAndGivenBack(t *testing.T) {
	old := ring
	s := openPackageState("TestState")
	require.Empty(t, s.refused)
	s.renew()
	require.NotSame(t, old, ring)
	require.Same(t, ring.next, inRing)
	ring.n, limit, late = 7, 7, []int{7}
	drivers["another"] = nil
	s.renew()
	require.Equal(t, []any{1, 2, []int(nil), 1}, []any{ring.n, limit, late, len(drivers)})
	require.Empty(t, s.assumptions())
	require.Same(t, old, ring)
	require.Same(t, old.next, inRing)
}

var _ = hook.LeftOut("TestFew TestFewer", "example.com/p.limit example.com/p#2 example.com/p.late")

func TestACheckDoesWithoutVariablesOfOthers(t *testing.T) {
	defer func() { limit, late = 2, nil }()
	for _, check := range []string{"TestFew", "TestFewer/sub#01", "TestFew#2"} {
		limit = 2
		s := openPackageState(check)
		require.Empty(t, s.refused)
		limit, late, ring.n = 7, []int{7}, 7
		s.renew()
		require.Equal(t, []any{7, []int{7}, 1}, []any{limit, late, ring.n}, check)
		s.close()
		require.Equal(t, []any{7, []int{7}, 7}, []any{limit, late, ring.n}, check)
		ring.n, late = 1, nil
	}
	for _, check := range []string{"TestFewest", "TestF", ""} {
		limit = 2
		s := openPackageState(check)
		limit = 7
		s.renew()
		require.Equal(t, 2, limit, check)
		s.close()
	}
}

// Packages are initialised here when this file is.
func init() { hook.Initialised() }

func TestWhatATestChangedIsKeptWithWhatSharesItsMemory(t *testing.T) {
	old := parent
	parent.n = 5
	limit = 3
	defer func() { parent.n, limit = 0, 2 }()
	s := openPackageState("TestState")
	s.renew()
	require.Same(t, old, parent)
	require.Same(t, old.next, child, "it is as ever, and part of what was changed")
	require.Equal(t, 3, limit)
	limit = 9
	s.renew()
	require.Equal(t, 3, limit)
	require.Empty(t, s.assumptions(), "what is put back needs no assumption")
}

func TestWhatATestChangedIsToldByItsMemory(t *testing.T) {
	old := child
	defer func() { parent = &node{next: old}; child = old }()
	parent = &node{next: old}
	s := openPackageState("TestState")
	s.renew()
	require.Same(t, old, child, "another pointer leads to it")
	require.Same(t, old, parent.next)
	s.close()

	before := step
	defer func() { step = before }()
	step = stepOf(2)
	s = openPackageState("TestState")
	s.renew()
	require.Equal(t, 2, step())
	s.renew()
	require.Equal(t, []string{"executions may depend on what those before them did to " +
		"example.com/p.step (not made anew: changed before the check)"}, s.assumptions())
}

func stepOf(n int) func() int { return func() int { return n } }

func TestWhatMayBelongToAClosureIsKeptWithIt(t *testing.T) {
	before, old := step, ring
	defer func() { step = before }()
	step = stepOf(2)
	s := openPackageState("TestState")
	s.renew()
	require.Same(t, old, ring, "step may have it")
	ring.n = 7
	s.renew()
	require.Same(t, old, ring)
	require.Equal(t, 1, ring.n)
	s.close()
}

func TestWhatIsLargeIsPutBackOnceItChanges(t *testing.T) {
	defer func() { drivers = map[string]*node{"built in": {n: 1}} }()
	for n := range largeValues {
		drivers[strconv.Itoa(n)] = &node{n: n}
	}
	s := openPackageState("TestState")
	s.renew()
	drivers["7"].n = 8
	s.renew()
	require.Equal(t, 7, drivers["7"].n)
	s.renew()
	require.Empty(t, s.changed)
	drivers["8"].n = 9
	require.Empty(t, s.assumptions())
	require.Equal(t, 8, drivers["8"].n)

	s = openPackageState("TestState")
	s.renew()
	s.renew()
	s.renew()
	drivers["7"].n = 8
	s.renew()
	require.Equal(t, 7, drivers["7"].n, "found behind the execution that did it")
	require.Empty(t, s.assumptions())

	s = openPackageState("TestState")
	s.renew()
	s.renew()
	s.renew()
	s.looking = time.Hour
	drivers["7"].n = 8
	s.renew()
	require.Equal(t, 7, drivers["7"].n, "the first looks may take long")
	require.Empty(t, s.assumptions())

	s = openPackageState("TestState")
	s.renew()
	s.renew()
	s.looking, s.looks = time.Hour, freeLooks
	s.renew()
	drivers["7"].n = 8
	s.renew()
	require.Equal(t, 8, drivers["7"].n, "to look behind each takes too long")
	list := s.assumptions()
	require.Contains(t, list, "executions may depend on what those before them did to "+
		"example.com/p.drivers (not made anew: changed before the check)")
	require.Contains(t, list, "executions may depend on what those before them did to "+
		"example.com/p.drivers (not made anew: what executions do to it is not looked at behind each)")
	require.Equal(t, 7, drivers["7"].n)
}

func TestInitialisersOfKeptVariablesDoNotRun(t *testing.T) {
	before, old := step, base
	defer func() { step = before }()
	step = stepOf(2)
	s := openPackageState("TestState")
	s.renew()
	require.Same(t, old, base)
	require.Same(t, old, baseOf(), "it is made anew of what is kept")
	s.close()
}

func TestKeptVariablesArePutBackWithWhatTheyReferTo(t *testing.T) {
	drivers["of the test"] = &node{n: 2}
	defer func() { drivers = map[string]*node{"built in": {n: 1}} }()
	s := openPackageState("TestState")
	s.renew()
	drivers["of an execution"] = nil
	drivers["of the test"].n = 3
	s.renew()
	require.Equal(t, map[string]*node{"built in": {n: 1}, "of the test": {n: 2}}, drivers)
	delete(drivers, "built in")
	require.Empty(t, s.assumptions())
	require.Equal(t, map[string]*node{"built in": {n: 1}, "of the test": {n: 2}}, drivers)
}

func TestWhatExecutionsLeaveInKeptVariablesIsNamed(t *testing.T) {
	queue <- 1
	defer func() { <-queue; <-queue }()
	s := openPackageState("TestState")
	s.renew()
	queue <- 2
	require.Equal(t, []string{"executions may depend on what those before them did to " +
		"example.com/p.queue (not made anew: changed before the check)"}, s.assumptions())
}

func TestAnotherStateOfClosuresIsNamed(t *testing.T) {
	s := openPackageState("TestState")
	for _, v := range s.kept {
		if v.name == "example.com/p.handler" {
			v.why, v.mem.hides = hook.CalledBefore, true
		}
	}
	s.renew()
	s.close()
	s.look()
	require.Empty(t, s.changed, "the only execution begins with what TestMain left")
	s.renew()
	require.Equal(t, []string{"executions may depend on what those before them did to " +
		"example.com/p.handler (not made anew: TestMain may have called a closure in it)"},
		s.assumptions())
}

func TestInitialisersSeeVariablesThatAreKept(t *testing.T) {
	s := openPackageState("TestState")
	s.renew()
	require.Same(t, handler, server.Load())
	require.Equal(t, []int{1}, derived)
	require.Empty(t, s.assumptions())
	for _, v := range s.kept {
		require.NotEqual(t, "example.com/p.derived", v.name, "its initialiser finds what it reads")
	}
}

func TestWhatIsTakenToBeUnchangingIsWatched(t *testing.T) {
	defer func() { sealed.n = 1 }()
	s := openPackageState("TestState")
	s.renew()
	sealed.n = 2
	s.renew()
	require.Equal(t, 1, sealed.n)
	require.Empty(t, s.assumptions(), "the first execution began with it, and so do all others")

	s = openPackageState("TestState")
	s.renew()
	sealed.n = 2
	s.close()
	require.Equal(t, 1, sealed.n, "the process has its own")

	s = openPackageState("TestState")
	s.renew()
	s.renew()
	sealed.n = 3
	require.Equal(t, []string{"executions may depend on what those before them did to " +
		"example.com/p.sealed (not made anew: taken to be unchanging)"}, s.assumptions())
	require.Equal(t, 1, sealed.n)
}

func TestTheEnvironmentIsPutBack(t *testing.T) {
	t.Setenv("SUREWAKE_TEST_STATE", "a=b")
	s := openPackageState("TestState")
	s.renew()
	require.NoError(t, os.Unsetenv("SUREWAKE_TEST_STATE"))
	require.NoError(t, os.Setenv("SUREWAKE_TEST_OTHER", ""))
	s.renew()
	require.Equal(t, "a=b", os.Getenv("SUREWAKE_TEST_STATE"))
	_, is := os.LookupEnv("SUREWAKE_TEST_OTHER")
	require.False(t, is)
	s.close()
}

func TestShapesTellChangesFromAddresses(t *testing.T) {
	same := func(a, b any) bool {
		return shapeOf(reflect.ValueOf(&a).Elem()) == shapeOf(reflect.ValueOf(&b).Elem())
	}
	require.True(t, same(newRing(3), newRing(3)))
	require.False(t, same(newRing(3), newRing(4)))
	require.False(t, same(newRing(2), &node{n: 1, next: newRing(2).next}), "another cycle")
	require.True(t, same(map[int]*node{1: {n: 1}, 2: {n: 2}}, map[int]*node{2: {n: 2}, 1: {n: 1}}))
	require.False(t, same(map[int]*node{1: {n: 1}, 2: {n: 2}}, map[int]*node{1: {n: 2}, 2: {n: 1}}))
	require.False(t, same([]string{"a"}, []string{"b"}))
	require.False(t, same(newRing, openPackageState))
	require.False(t, same(int32(1), int64(1)))
	require.False(t, same(1.5, 1.25))
	require.True(t, same(math.NaN(), math.NaN()), "what is made twice is the same")
	require.True(t, same(complex64(complex(0, math.NaN())), complex64(complex(0, math.NaN()))))
	require.False(t, same(1i, 1+0i))
}
