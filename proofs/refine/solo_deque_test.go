package refine_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/surewake/surewake/deque"
	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/proofs/refine"
)

// A loneRing is one goroutine at its own ring, and at one that it steals from.
type loneRing struct {
	*refine.RingCrowd
	x        *model.Exec
	capacity [2]int // of its own ring, and of the other
	own      *deque.Deque[int]
	other    *deque.Deque[int]
	do, run  func()
	overflow func(batch []int)
	again    bool // overflow pushes
	handed   int  // how often overflow was called
	values   [16]int
	begun    map[uint32]bool // the positions at which calls have begun
	ways     map[string]bool // how calls have ended, of all checks
}

// Every access of one goroutine that calls a method of deque is a transition of the table or
// changes nothing, among any number of others; and the method returns what the table says.
func TestOneAtARingAmongAnyNumber(t *testing.T) {
	var all []*refine.Solo
	ways := map[string]bool{}
	audited := map[[2]int]bool{}
	enough := int64(1) // executions; if a check has not been through all positions, none are
	for _, who := range []struct {
		name  string
		do    func(*loneRing)
		sizes [][2]int
	}{
		{"push", (*loneRing).push, owners},
		{"push, and push in overflow", (*loneRing).pushAgain, owners[:2]},
		{"push batch", (*loneRing).pushBatch, owners},
		{"pop", (*loneRing).pop, owners},
		{"len of one's own", (*loneRing).ownLen, owners},
		{"len of another's", (*loneRing).otherLen, thieves},
		{"steal", (*loneRing).steal, thieves},
	} {
		for _, size := range who.sizes {
			l := &loneRing{RingCrowd: refine.NewRingCrowd(size[0], size[1]), capacity: size,
				begun: map[uint32]bool{}, ways: ways}
			if !audited[size] {
				l.Audit()
				audited[size] = true
			}
			l.do = func() { who.do(l) }
			l.run = func() { l.Run(l.do) }
			l.overflow = l.handOver
			t.Run(fmt.Sprintf("%s, %d and %d", who.name, size[0], size[1]), l.check)
			all = append(all, l.Solo)
			if len(l.begun) < len(l.Bases()) {
				enough = math.MaxInt64
			}
		}
	}
	everyRuleOf(t, enough, all, func(rule string) string { return rule })
	everyWay(t, enough, all, ways)
}

// The capacities of the goroutine's own ring, and of the other one.
var (
	owners  = [][2]int{{2, 2}, {4, 2}, {8, 2}}
	thieves = [][2]int{{2, 2}, {2, 4}, {4, 2}}
)

// allWays are how calls end. After a swap that has failed there is no second overflow by half: a
// steal is open then, or has left room.
var allWays = []string{"pushed", "pushed, at a second try", "half is handed over",
	"one is handed over", "one is handed over, at a second try",
	"a batch fits", "part of a batch fits", "nothing of a batch fits", "an empty batch",
	"popped", "popped, at a second try", "nothing to pop", "nothing to pop, at a second try",
	"stolen", "stolen, at a second try", "many are stolen", "many are stolen, at a second try",
	"nothing to steal", "a steal is open", overtaken + ", at a second try",
	"overtaken before the tail", "overtaken by far", "len", "len of another's"}

// everyWay fails a check if calls have not ended in each way in as many executions.
func everyWay(t *testing.T, executions int64, all []*refine.Solo, ways map[string]bool) {
	t.Run("every way", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			var times int64
			for _, s := range all {
				times += s.Fired(map[string]bool{})
			}
			var missing []string
			for _, way := range allWays {
				if !ways[way] {
					missing = append(missing, way)
				}
			}
			x.Assert(missing == nil || times < executions || !refine.Explored(),
				"in %d executions, no call ended so: %s", times, strings.Join(missing, "; "))
		})
	})
}

func (l *loneRing) check(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("the words are too short to tell addresses")
	}
	bases := l.Bases()
	alone(t, l.Solo, func(x *model.Exec) {
		if refine.Explored() {
			l.body(x, bases[x.Choose(len(bases))])
		}
	})
}

func (l *loneRing) body(x *model.Exec, base uint32) {
	l.x, l.handed, l.again, l.begun[base] = x, 0, false, true
	l.own, l.other = deque.New[int](l.capacity[0]), deque.New[int](l.capacity[1])
	l.Begin(x.Choose, l.own, l.other, base)
	l.Refer(unsafe.Pointer(x), unsafe.Sizeof(*x))
	l.Refer(unsafe.Pointer(l), unsafe.Sizeof(*l))
	l.Refer(unsafe.Pointer(l.Solo), unsafe.Sizeof(*l.Solo))
	l.Refer(unsafe.Pointer(l.RingCrowd), unsafe.Sizeof(*l.RingCrowd))
	l.Refer(refine.FuncOf(l.run), 1)
	l.Refer(refine.FuncOf(l.do), 1)
	l.Refer(refine.FuncOf(l.overflow), 1)
	x.Go("me", l.run)
	x.Join()
}

// is holds what was returned against the table.
func (l *loneRing) is(ok bool, what string) {
	l.x.Assert(ok, "%s: the last access was %q, and the table is in %v", what, l.Last(),
		l.RingCrowd)
}

// ended is what holds at the end of each call, which has brought n values to the goroutine's ring,
// the first of them at position first.
func (l *loneRing) ended(way string, first, n int) {
	l.is(!l.Failed() || way == overtaken, way+", after a compare-and-swap that failed")
	l.is(l.Get("to_tail") == first+n, fmt.Sprintf("%s: %d values are there", way, n))
	l.is(int(l.own.Tail()) == l.Value(true, first+n), way+": Tail")
	l.is(l.Get("from_claim_a0") == 0, way+": a steal is open")
	l.saw(way)
	l.End()
	refine.Wipe()
}

func (l *loneRing) saw(way string) {
	l.ways[way] = true
	if l.Lost {
		l.ways[way+", at a second try"] = true
	}
}

// slot returns the value at a position of a ring.
func slot(d *deque.Deque[int], position int) int {
	return *(*int)(refine.Field(d, "slots", position&(d.Cap()-1)))
}

func (l *loneRing) push() {
	first := l.Get("to_tail")
	v := l.Value(true, first)
	refine.Wipe()
	before := l.handed
	l.own.Push(v, l.overflow)
	if l.handed > before {
		return // overflow has seen how it ended
	}
	l.is(l.Last() == "to_publish" && slot(l.own, v) == v, "a push")
	l.ended("pushed", first, 1)
}

func (l *loneRing) pushAgain() {
	l.again = true
	l.push()
}

// handOver is for overflow. What it pushes itself it hands over or not.
func (l *loneRing) handOver(batch []int) {
	l.handedOver(batch)
	refine.Wipe()
	if l.again && l.handed < 3 {
		l.push()
	}
}

//go:noinline
func (l *loneRing) handedOver(batch []int) {
	l.handed++
	half := l.capacity[0] / 2
	tail := l.Get("to_tail")
	want := []int{l.Value(true, tail)}
	way := "one is handed over"
	if l.Last() == "to_overflow" {
		way = "half is handed over"
		for i := range half {
			want = slices.Insert(want, i, l.Value(true, l.Get("to_real")-half+i))
		}
	} else {
		l.is(l.Last() == "" && l.Holds("to_tail - to_steal == to_cap && to_steal != to_real"), way)
	}
	l.is(slices.Equal(batch, want), fmt.Sprintf("%s: %d for %d", way, batch, want))
	l.ended(way, tail, 0)
}

func (l *loneRing) pushBatch() {
	first, n := l.Get("to_tail"), l.x.Choose(l.capacity[0]+2)
	for i := range n {
		l.values[i] = l.Value(true, first+i)
	}
	refine.Wipe()
	pushed := l.own.PushBatch(l.values[:n])
	way := "a batch fits"
	switch {
	case n == 0:
		way = "an empty batch"
		l.is(pushed == 0 && l.Last() != "to_publish", way)
	case pushed == 0:
		way = "nothing of a batch fits"
		l.is(l.Last() == "" && l.Holds("to_tail - to_steal == to_cap"), way)
	case pushed < n:
		way = "part of a batch fits"
		l.is(l.Last() == "to_publish" && l.Get("to_own") == 0, way)
	default:
		l.is(l.Last() == "to_publish", way)
	}
	for _, v := range l.values[:pushed] {
		l.is(slot(l.own, v) == v, "a value of a batch")
	}
	l.ended(way, first, pushed)
}

func (l *loneRing) pop() {
	first := l.Get("to_tail")
	refine.Wipe()
	v, ok := l.own.Pop()
	if ok {
		l.is(l.Last() == "to_pop" && v == l.Value(true, l.Get("to_real")-1), "a pop")
		l.ended("popped", first, 0)
		return
	}
	l.is(l.Last() == "" && l.Holds("to_real == to_tail"), "nothing to pop")
	l.ended("nothing to pop", first, 0)
}

func (l *loneRing) ownLen() {
	first := l.Get("to_tail")
	n := l.own.Len()
	l.is(l.Last() == "", "Len")
	l.is(first-n <= l.Get("to_real") && n <= first, fmt.Sprintf("Len is %d", n))
	l.ended("len", first, 0)
}

func (l *loneRing) otherLen() {
	n := l.other.Stealer().Len()
	l.is(l.Last() == "" && n <= l.capacity[1] && n >= l.Get("from_tail")-l.Get("from_real"),
		fmt.Sprintf("Len is %d", n))
	l.is(n > 0 || l.Holds("from_real == from_tail"), "Len is 0")
	l.ended("len of another's", l.capacity[0], 0)
}

func (l *loneRing) steal() {
	first := l.Get("to_tail")
	refine.Wipe()
	v, result := l.other.Stealer().StealInto(l.own)
	way := "stolen"
	switch {
	case result == deque.Stolen:
		n := l.Get("to_tail") - first
		l.is(v == l.Value(false, 0), fmt.Sprintf("%d is stolen", v))
		for i := range n {
			l.is(slot(l.own, l.Value(true, first+i)) == l.Value(false, 1+i), "a value is stolen")
		}
		last := "from_release"
		if n > 0 {
			last, way = "to_publish", "many are stolen"
		}
		l.is(l.Last() == last, way)
		l.ended(way, first, n)
		return
	case result == deque.Empty:
		way = "nothing to steal"
		l.is(l.Holds("from_looked == 2 && from_real == from_tail"), way)
	default:
		l.is(l.Holds("from_looked == 2 && from_hr != from_ht"), "Contended")
		way = l.contended()
	}
	l.is(l.Get("to_tail") == first, way)
	l.ended(way, first, 0)
}

// contended returns why a steal has ended so.
func (l *loneRing) contended() string {
	moved := l.Holds("from_steal != from_hs || from_real != from_hr")
	switch {
	case l.Failed():
		l.is(moved, "a claim that failed")
		return overtaken
	case l.Holds("from_hs != from_hr"):
		return "a steal is open"
	case l.Far:
		l.is(moved, "far ahead")
		return "overtaken by far"
	}
	l.is(moved && l.Holds("from_ht - from_hr > from_cap"), "ahead")
	return "overtaken before the tail"
}

const overtaken = "overtaken before the claim"
