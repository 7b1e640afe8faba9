package refine_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/surewake/surewake/injector"
	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/proofs/refine"
)

// A loneQueue is one goroutine at an injector.
type loneQueue struct {
	*refine.InjectorCrowd
	x    *model.Exec
	q    *injector.Queue[int]
	last bool // it has come to the last call
}

// A queueCall is one call, by somebody of whom these variables of the table are not 0.
type queueCall struct {
	has map[string]int
	do  func(l *loneQueue)
}

// Every access of one goroutine that calls a method of an injector, among any number of others, is
// a transition of the table or changes nothing; and what is returned, and what is left in the
// queue, is what the table says.
func TestOneAtAnInjectorAmongAnyNumber(t *testing.T) {
	var all []*refine.Solo
	enough := int64(1) // executions; if a check has not been through all calls, none are
	for _, who := range []struct {
		name  string
		wide  bool
		calls []queueCall
	}{
		{"outsider", false, outsiders()}, {"pusher", false, pushers()},
		{"worker", true, takers("R")}, {"searcher", true, takers("S")},
		{"closer", false, closers()}, {"onlooker", false, onlookers()},
	} {
		l := &loneQueue{InjectorCrowd: refine.NewInjectorCrowd(who.wide)}
		t.Run(who.name, func(t *testing.T) { l.check(t, who.calls) })
		all = append(all, l.Solo)
		if !l.last {
			enough = math.MaxInt64
		}
	}
	everyRuleOf(t, enough, all, func(rule string) string { return rule })
}

func (l *loneQueue) check(t *testing.T, calls []queueCall) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("a length has 64 bits")
	}
	model.Check(t, func(x *model.Exec) {
		if !refine.Explored() {
			return
		}
		n := x.Choose(len(calls))
		call := calls[n]
		l.last = l.last || n == len(calls)-1
		l.x, l.q = x, new(injector.Queue[int])
		l.Begin(x.Choose, l.q, call.has)
		x.Go("me", func() { call.do(l) })
		x.Join()
		l.is(!l.Held() && l.Holds("lock == 0"), "the lock is kept")
	}, model.MaxSteps(2000), model.Timeouts(0), model.Before(l.Before), model.Observe(l.Step))
}

// is holds what was returned against the table.
func (l *loneQueue) is(ok bool, what string) {
	l.x.Assert(ok, "%s: the last access was %q, and the table is in %v", what, l.Last(),
		l.InjectorCrowd)
}

// batches are how many values are pushed at once.
var batches = []int{0, 1, 2, 66}

func outsiders() (calls []queueCall) {
	for _, n := range batches {
		has := map[string]int{"left": 1}
		if n == 0 {
			has = map[string]int{"idle": 1}
		}
		for _, in := range []func(*loneQueue, int) bool{(*loneQueue).submit,
			(*loneQueue).submitFunc} {
			calls = append(calls, queueCall{has, func(l *loneQueue) {
				ok := in(l, n)
				switch {
				case n == 0:
					l.is(l.Last() == "let_go" && ok == l.Holds("shut == 0"), "Submit of nothing")
				case ok:
					l.is(l.Last() == "push_unlock" && l.Get("accepted_a0") == n, "Submit")
				default:
					l.is(l.Last() == "push_refused", "a Submit that is refused")
				}
			}})
		}
	}
	return calls
}

func (l *loneQueue) submit(n int) bool {
	l.Mine = l.some(n)
	values := slices.Clone(l.Mine)
	ok := l.q.Submit(values)
	l.is(slices.Equal(values, l.Mine), "what is submitted is changed")
	return ok
}

// some are values that are pushed.
func (l *loneQueue) some(n int) (values []int) {
	for i := range n {
		values = append(values, -1-i)
	}
	return values
}

func (l *loneQueue) submitFunc(n int) bool {
	times, fill := l.filling(n)
	ok := l.q.SubmitFunc(n, fill)
	l.is(*times <= 2 && (*times > 0) == (ok && n > 0), fmt.Sprintf("filled %d times", *times))
	return ok
}

func (l *loneQueue) filling(n int) (times *int, fill func(dst []int, from int)) {
	l.Mine, times = l.some(n), new(int)
	next := 0
	return times, func(dst []int, from int) {
		*times++
		l.is(l.Held(), "values are written without the lock")
		l.is(len(dst) > 0 && from == next && from+len(dst) <= n,
			fmt.Sprintf("%d values are written from %d on, after %d", len(dst), from, next))
		next = from + copy(dst, l.Mine[from:])
	}
}

func pushers() (calls []queueCall) {
	for _, n := range batches {
		for _, in := range []func(*loneQueue, int){(*loneQueue).push, (*loneQueue).pushFunc} {
			has, last := map[string]int{"V": 1, "v": n}, "overflow_unlock"
			if n == 0 {
				has, last = map[string]int{"idle": 1}, "let_go"
			}
			calls = append(calls, queueCall{has, func(l *loneQueue) {
				in(l, n)
				l.is(l.Last() == last && l.Get("v_a0") == 0, "Push")
			}})
		}
	}
	for _, in := range []func(*loneQueue, int){(*loneQueue).push, (*loneQueue).pushFunc} {
		calls = append(calls,
			queueCall{map[string]int{"wakes": 1, "done": 1}, func(l *loneQueue) {
				in(l, 1)
				l.is(l.Last() == "wake_unlock" && l.Get("done_a0") == 0, "Push of a woken task")
			}})
	}
	return calls
}

func (l *loneQueue) push(n int) {
	l.Mine = l.some(n)
	values := slices.Clone(l.Mine)
	l.q.Push(values)
	l.is(slices.Equal(values, l.Mine), "what is pushed is changed")
}

func (l *loneQueue) pushFunc(n int) {
	times, fill := l.filling(n)
	l.q.PushFunc(n, fill)
	l.is(*times <= 2 && (*times > 0) == (n > 0), fmt.Sprintf("filled %d times", *times))
}

// takers take, with so much room, as one of so many workers.
func takers(place string) (calls []queueCall) {
	for _, c := range [][2]int{{0, 1}, {1, 1}, {2, 1}, {66, 1}, {1, 2}, {66, 2}, {5, 3}, {66, 3}} {
		for _, counted := range []bool{false, true} {
			room, workers := c[0], c[1]
			calls = append(calls, queueCall{map[string]int{place: 1, "room": room},
				func(l *loneQueue) { l.take(room, workers, counted) }})
		}
	}
	return calls
}

func (l *loneQueue) take(room, workers int, counted bool) {
	dst := make([]int, room+1)
	told, n := -1, 0
	if counted {
		n = l.q.TakeFunc(dst[:room], workers, func(n int) {
			l.is(told < 0 && l.Held() && l.Holds("q == len"), "leaving")
			l.is(l.Get("q") == l.Queued(), "values have left before they are counted")
			told = n
		})
	} else {
		n = l.q.Take(dst[:room], workers)
	}
	left := slices.Clone(dst[n:])
	l.is(slices.Max(left) == 0 && slices.Min(left) == 0, "more is in the room")
	if l.Last() == "" {
		l.is(n == 0 && told == -1 && l.Holds("len == 0"), "Take of an empty queue")
		return
	}
	queued := l.Queued()
	l.is(n == min(queued/workers+1, queued, room), fmt.Sprintf("%d of %d are taken", n, queued))
	l.is(n == l.Get("h_a0")+l.Get("done_a0") && n == queued-l.Get("q"), "Take")
	l.is(!counted && told == -1 || counted && told == n, fmt.Sprintf("%d leave", told))
	for i, v := range dst[:n] {
		l.is(v == l.Oldest(i), fmt.Sprintf("value %d is %d", i, v))
	}
}

func closers() (calls []queueCall) {
	closing := map[string]int{"closing": 1}
	calls = append(calls, queueCall{closing, func(l *loneQueue) {
		l.q.Close()
		l.is(l.Last() == "close_unlock" && l.Holds("shut == 1"), "Close")
	}})
	for keep := range 2 {
		has := map[string]int{"closing": 1, "keep": keep}
		calls = append(calls, queueCall{has, func(l *loneQueue) {
			was, times := false, 0
			l.q.Update(func(closed bool) bool {
				was, times = closed, times+1
				l.is(l.Held() && closed == l.Holds("shut == 1"), "Update")
				l.is(l.q.Len() == l.Get("q"), "Len in Update")
				l.is(int(l.q.Accepted()) == l.Get("public"), "Accepted in Update")
				return keep == 0
			})
			l.is(times == 1 && (keep == 0 || was) == l.Holds("shut == 1"), "Update")
		}})
	}
	return calls
}

func onlookers() []queueCall {
	return []queueCall{
		{nil, func(l *loneQueue) { l.is(l.q.Len() == l.Get("q") && l.Last() == "", "Len") }},
		{nil, func(l *loneQueue) {
			l.is(int(l.q.Accepted()) == l.Get("public") && l.Last() == "", "Accepted")
		}},
	}
}
