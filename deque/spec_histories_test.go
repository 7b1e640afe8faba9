package deque_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/history"
)

// Shorthand for hand-written histories: A is deque 0, owned by thread 0, and so on.
const (
	ringA = iota
	ringB
	ringC
)

func callAt(call, ret, thread int, op specOp, r specResult) specOperation {
	return specOperation{Thread: thread, Call: call, Return: ret, Op: op, Result: r}
}

func pushAt(call, ret, d, v int, batch ...int) specOperation {
	return callAt(call, ret, d, specOp{Kind: specPush, Deque: d, Value: v},
		specResult{Batch: intsOf(batch)})
}

func popAt(call, ret, d, v int) specOperation {
	return callAt(call, ret, d, specOp{Kind: specPop, Deque: d},
		specResult{Outcome: specTaken, Value: v})
}

func popEmptyAt(call, ret, d int) specOperation {
	return callAt(call, ret, d, specOp{Kind: specPop, Deque: d},
		specResult{Outcome: specEmpty})
}

func stealAt(call, ret, from, into, v int) specOperation {
	return callAt(call, ret, into, specOp{Kind: specSteal, Deque: from, Into: into},
		specResult{Outcome: specTaken, Value: v})
}

func noStealAt(call, ret, from, into int, outcome specOutcome) specOperation {
	return callAt(call, ret, into, specOp{Kind: specSteal, Deque: from, Into: into},
		specResult{Outcome: outcome})
}

func lenAt(call, ret, d, n int) specOperation {
	return callAt(call, ret, d, specOp{Kind: specOwnerLen, Deque: d}, specResult{Value: n})
}

func foreignLenAt(call, ret, thread, d, n int) specOperation {
	return callAt(call, ret, thread, specOp{Kind: specLen, Deque: d}, specResult{Value: n})
}

// pushes returns pushes of 1 to n to A at instants 1 to 2n.
func pushesFrom1(n int) []specOperation {
	var list []specOperation
	for i := range n {
		list = append(list, pushAt(2*i+1, 2*i+2, ringA, i+1))
	}
	return list
}

func then(list []specOperation, more ...specOperation) []specOperation {
	return append(list, more...)
}

func TestDequeHistoriesThatAreRight(t *testing.T) {
	for name, h := range map[string][]specOperation{
		"nothing": {},
		"first in, first out": then(pushesFrom1(3), popAt(11, 12, ringA, 1),
			popAt(13, 14, ringA, 2), popAt(15, 16, ringA, 3), popEmptyAt(17, 18, ringA)),
		"steal of half, rounded up": then(pushesFrom1(3), stealAt(11, 12, ringA, ringB, 1),
			popAt(13, 14, ringB, 2), popEmptyAt(15, 16, ringB), popAt(17, 18, ringA, 3)),
		"steal of the last": then(pushesFrom1(1), stealAt(11, 12, ringA, ringB, 1),
			popEmptyAt(13, 14, ringB), popEmptyAt(15, 16, ringA)),
		"steal while the owner pops": then(pushesFrom1(2), stealAt(11, 14, ringA, ringB, 2),
			popAt(12, 13, ringA, 1)),
		"steal saw fewer than there were": then(pushesFrom1(2), pushAt(11, 14, ringA, 3),
			stealAt(12, 13, ringA, ringB, 1), popAt(15, 16, ringA, 2)),
		"steal saw all there were": then(pushesFrom1(2), pushAt(11, 14, ringA, 3),
			stealAt(12, 13, ringA, ringB, 1), popAt(15, 16, ringA, 3)),
		"overflow of half": then(pushesFrom1(4), pushAt(11, 12, ringA, 5, 1, 2, 5),
			popAt(13, 14, ringA, 3)),
		"overflow while a steal is open": then(pushesFrom1(4), stealAt(11, 14, ringA, ringB, 1),
			pushAt(12, 13, ringA, 5, 5), popAt(15, 16, ringA, 3)),
		"overflow of half before a steal": then(pushesFrom1(4), stealAt(11, 14, ringA, ringB, 3),
			pushAt(12, 13, ringA, 5, 1, 2, 5)),
		"push into what a steal freed": then(pushesFrom1(4), stealAt(11, 14, ringA, ringB, 1),
			pushAt(12, 13, ringA, 5), popAt(15, 16, ringA, 3)),
		"popped slots are held by a steal": then(pushesFrom1(4), stealAt(11, 20, ringA, ringB, 1),
			popAt(12, 13, ringA, 3), pushAt(14, 15, ringA, 5, 5), popAt(16, 17, ringA, 4),
			popEmptyAt(18, 19, ringA)),
		"in flight, in neither deque": then(pushesFrom1(4), stealAt(11, 20, ringA, ringB, 1),
			noStealAt(12, 13, ringB, ringC, specEmpty), popAt(14, 15, ringA, 3),
			popAt(21, 22, ringB, 2)),
		"contended by a steal": then(pushesFrom1(2), stealAt(11, 14, ringA, ringB, 1),
			noStealAt(12, 13, ringA, ringC, specContended)),
		"contended by a pop": then(pushesFrom1(2), popAt(11, 14, ringA, 1),
			noStealAt(12, 13, ringA, ringC, specContended)),
		"contended by an overflow": then(pushesFrom1(4), pushAt(11, 14, ringA, 5, 1, 2, 5),
			noStealAt(12, 13, ringA, ringC, specContended)),
		"empty before a push": {pushAt(1, 4, ringA, 1), noStealAt(2, 3, ringA, ringB, specEmpty),
			popAt(5, 6, ringA, 1)},
		"room for one": then(pushesFrom1(4), pushAt(11, 12, ringB, 6), pushAt(13, 14, ringB, 7),
			pushAt(15, 16, ringB, 8), stealAt(21, 22, ringA, ringB, 1), popAt(23, 24, ringA, 3)),
		"no room but for the result": then(pushesFrom1(4), pushAt(11, 12, ringB, 6),
			pushAt(13, 14, ringB, 7), pushAt(15, 16, ringB, 8), pushAt(17, 18, ringB, 9),
			stealAt(21, 22, ringA, ringB, 1), popAt(23, 24, ringA, 2)),
		"chained steals": then(pushesFrom1(4), stealAt(11, 20, ringA, ringB, 1),
			stealAt(12, 19, ringB, ringC, 2), popEmptyAt(21, 22, ringB), popAt(23, 24, ringA, 3)),
		"owner's length": then(pushesFrom1(2), lenAt(11, 12, ringA, 2), popAt(13, 14, ringA, 1),
			lenAt(15, 16, ringA, 1)),
		"another's length is a bound": then(pushesFrom1(1), pushAt(11, 14, ringA, 2),
			foreignLenAt(12, 13, ringB, ringA, 2), foreignLenAt(15, 16, ringB, ringA, 3)),
	} {
		t.Run(name, func(t *testing.T) {
			v := history.Check(specification(4), h...)
			require.Nil(t, v, "%v", v)
		})
	}
}

func TestDequeHistoriesThatAreWrong(t *testing.T) {
	const noOrder = "no order of the operations is allowed"
	for name, test := range map[string]struct {
		h      []specOperation
		reason string
	}{
		"lost": {then(pushesFrom1(2), popAt(11, 12, ringA, 1), popEmptyAt(13, 14, ringA)),
			"2 was lost"},
		"lost by a steal": {then(pushesFrom1(3), stealAt(11, 12, ringA, ringB, 1),
			popAt(13, 14, ringA, 3), popEmptyAt(15, 16, ringA), popEmptyAt(17, 18, ringB)),
			"2 was lost"},
		"taken twice": {then(pushesFrom1(1), popAt(11, 14, ringA, 1),
			stealAt(12, 13, ringA, ringB, 1)), "1 came out twice: A.Pop() and A.StealInto(B)"},
		"taken twice through a steal": {then(pushesFrom1(3), stealAt(11, 14, ringA, ringB, 1),
			popAt(12, 13, ringA, 2), popAt(15, 16, ringB, 2)), "2 came out twice"},
		"overflowed and still there": {then(pushesFrom1(4), pushAt(11, 12, ringA, 5, 1, 2, 5),
			popAt(13, 14, ringA, 2)), "2 came out twice"},
		"never pushed": {then(pushesFrom1(1), popAt(11, 12, ringA, 0)),
			"0 came out, which was never pushed"},
		"taken before it was pushed": {[]specOperation{popAt(1, 2, ringA, 1),
			pushAt(3, 4, ringA, 1)}, noOrder},
		"last in, first out": {then(pushesFrom1(2), popAt(11, 12, ringA, 2),
			popAt(13, 14, ringA, 1)), "order: 1 was pushed before 2"},
		"thief out of order": {then(pushesFrom1(4), stealAt(11, 12, ringA, ringB, 3),
			stealAt(13, 14, ringA, ringB, 1)), "order: 1 was pushed before 3"},
		"moved out of order": {then(pushesFrom1(4), pushAt(11, 12, ringB, 6),
			stealAt(13, 14, ringA, ringB, 1), popAt(15, 16, ringB, 2)), noOrder},
		"steal of all": {then(pushesFrom1(2), stealAt(11, 12, ringA, ringB, 1),
			popEmptyAt(13, 14, ringA)), noOrder},
		"steal of too few": {then(pushesFrom1(4), stealAt(11, 12, ringA, ringB, 1),
			popAt(13, 14, ringA, 2)), noOrder},
		"steal of too many": {then(pushesFrom1(4), stealAt(11, 12, ringA, ringB, 1),
			popAt(13, 14, ringA, 4)), noOrder},
		"steal of more than fits": {then(pushesFrom1(4), pushAt(11, 12, ringB, 6),
			pushAt(13, 14, ringB, 7), pushAt(15, 16, ringB, 8), pushAt(17, 18, ringB, 9),
			stealAt(21, 22, ringA, ringB, 1), popAt(23, 24, ringA, 3)), noOrder},
		"visible before the claim": {then(pushesFrom1(4), popAt(11, 12, ringB, 2),
			stealAt(13, 14, ringA, ringB, 1)), noOrder},
		"pop empty, never empty": {then(pushesFrom1(2), popEmptyAt(11, 12, ringA),
			popAt(13, 14, ringA, 1)), "A.Pop() is Empty, but 1 was in it all the while"},
		"steal empty, never empty": {then(pushesFrom1(2), popAt(11, 14, ringA, 1),
			noStealAt(12, 13, ringA, ringB, specEmpty), popAt(15, 16, ringA, 2)),
			"A.StealInto(B) is Empty, but 2 was in it all the while"},
		"empty from before the call": {[]specOperation{pushAt(1, 2, ringA, 1),
			noStealAt(3, 4, ringA, ringB, specEmpty), popAt(5, 6, ringA, 1)}, "is Empty, but 1"},
		"contended alone": {then(pushesFrom1(2), noStealAt(11, 12, ringA, ringB, specContended)),
			"Contended, but no steal, pop or overflow"},
		"contended after a pop": {then(pushesFrom1(2), popAt(11, 12, ringA, 1),
			noStealAt(13, 14, ringA, ringB, specContended)), "Contended, but"},
		"contended by a pop of another": {then(pushesFrom1(2), pushAt(11, 12, ringB, 9),
			popAt(13, 16, ringB, 9), noStealAt(14, 15, ringA, ringC, specContended)),
			"Contended, but"},
		"contended by a push": {then(pushesFrom1(2), pushAt(11, 14, ringA, 3),
			noStealAt(12, 13, ringA, ringB, specContended)), "Contended, but"},
		"contended by a pop that found none": {[]specOperation{popEmptyAt(1, 4, ringA),
			noStealAt(2, 3, ringA, ringB, specContended)}, "Contended, but"},
		"two contended by each other": {then(pushesFrom1(2),
			noStealAt(11, 14, ringA, ringB, specContended),
			noStealAt(12, 13, ringA, ringC, specContended)), "Contended, but"},
		"contended after a steal": {then(pushesFrom1(1), stealAt(11, 14, ringA, ringB, 1),
			noStealAt(15, 16, ringA, ringC, specContended)), "Contended, but"},
		"contended, always empty": {then(pushesFrom1(1), stealAt(11, 20, ringA, ringB, 1),
			popEmptyAt(12, 13, ringA), noStealAt(14, 15, ringA, ringC, specContended)), noOrder},
		"overflow though there is room": {then(pushesFrom1(3), pushAt(11, 12, ringA, 4, 1, 2, 4)),
			noOrder},
		"alone though no steal is open": {then(pushesFrom1(4), pushAt(11, 12, ringA, 5, 5)),
			noOrder},
		"alone though a steal freed room": {then(pushesFrom1(4), stealAt(11, 12, ringA, ringB, 1),
			pushAt(13, 14, ringA, 5, 5)), noOrder},
		"no overflow though full": {then(pushesFrom1(4), pushAt(11, 12, ringA, 5)), noOrder},
		"batch without the new value": {then(pushesFrom1(4), pushAt(11, 12, ringA, 5, 1, 2)),
			noOrder},
		"batch out of order": {then(pushesFrom1(4), pushAt(11, 12, ringA, 5, 2, 1, 5)), noOrder},
		"batch of the younger half": {then(pushesFrom1(4), pushAt(11, 12, ringA, 5, 3, 4, 5)),
			noOrder},
		"batch too short": {then(pushesFrom1(4), pushAt(11, 12, ringA, 5, 1, 5)), noOrder},
		"stale length": {then(pushesFrom1(2), popAt(11, 12, ringA, 1), lenAt(13, 14, ringA, 2)),
			noOrder},
		"another's length too small": {then(pushesFrom1(3), foreignLenAt(11, 12, ringB, ringA, 2)),
			noOrder},
		"another's length 0, never empty": {then(pushesFrom1(1),
			foreignLenAt(11, 12, ringB, ringA, 0)), noOrder},
		"another's length beyond capacity": {then(pushesFrom1(1),
			foreignLenAt(11, 12, ringB, ringA, 5)), noOrder},
		"two owners": {[]specOperation{callAt(1, 3, 0, pushAt(0, 0, ringA, 1).Op, specResult{}),
			callAt(2, 4, 1, pushAt(0, 0, ringA, 2).Op, specResult{})}, "breaks the rules"},
		"steal from itself": {then(pushesFrom1(1), stealAt(11, 12, ringA, ringA, 1)),
			"breaks the rules"},
	} {
		t.Run(name, func(t *testing.T) {
			v := history.Check(specification(4), test.h...)
			require.NotNil(t, v)
			require.Contains(t, v.Reason, test.reason)
			require.NotEmpty(t, v.Table)
		})
	}
}

func TestDequesOfDifferentCapacities(t *testing.T) {
	full := []specOperation{
		pushAt(1, 2, ringA, 1), pushAt(3, 4, ringA, 2), pushAt(5, 6, ringA, 3, 1, 3),
	}
	require.Nil(t, history.Check(specification(2, 4), full...))
	require.NotNil(t, history.Check(specification(4, 2), full...))
}

// BenchmarkSpecOfKnownHistory is a check of a deque with one thief: three pushes, two pops, a
// steal, and draining.
func BenchmarkSpecOfKnownHistory(b *testing.B) {
	judge := history.NewJudge(specification(4))
	thread := 0
	h := judge.Recorder(history.Options{Thread: func() int { return thread }})
	list := then(pushesFrom1(3), stealAt(11, 14, ringA, ringB, 1), popAt(12, 13, ringA, 3),
		popEmptyAt(15, 16, ringA), popAt(17, 18, ringB, 2), popEmptyAt(19, 20, ringB))
	b.ReportAllocs()
	for range b.N {
		h.Reset()
		for i, e := range list {
			thread = e.Thread
			if i == 3 { // the pop lies within the steal
				id := history.Call(h, e.Op)
				thread = 0
				history.Return(h, history.Call(h, list[4].Op), list[4].Result)
				thread = 1
				history.Return(h, id, e.Result)
			} else if i != 4 {
				history.Return(h, history.Call(h, e.Op), e.Result)
			}
		}
		if v := judge.Judge(h); v != nil {
			b.Fatal(v)
		}
	}
}

func Example_specification() {
	// A thief and the owner both get the only value.
	v := history.Check(specification(4),
		pushAt(1, 2, ringA, 7),
		stealAt(3, 6, ringA, ringB, 7),
		popAt(4, 5, ringA, 7),
	)
	fmt.Println(v)
	// Output:
	// history of deques is wrong: 7 came out twice: A.Pop() and A.StealInto(B)
	// no order of the operations is allowed. The longest one that is:
	//    1. T0: A.Push(7)                      state A=[7]
	//    2. T1: A.StealInto(B) -> 7: claim     state A=[]+1 held
	//    3. T1: A.StealInto(B) -> 7: release   state A=[]
	//    4. T1: A.StealInto(B) -> 7: publish   state A=[] B=[]
	// and then T0: A.Pop() -> 7 does not fit
	//
	// thread  operation       result  call  return
	// T0      A.Push(7)                  1       2   ├─┤
	// T0      A.Pop()         7          3       5       ├───┤
	// T1      A.StealInto(B)  7          4       6         ├───┤
}
