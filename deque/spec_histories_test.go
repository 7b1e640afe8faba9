package history_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/history"
)

// Shorthand for hand-written histories: A is deque 0, owned by thread 0, and so on.
type entry = history.Operation[history.DequeOp, history.DequeResult]

const (
	a = iota
	b
	c
)

func at(call, ret, thread int, op history.DequeOp, r history.DequeResult) entry {
	return entry{Thread: thread, Call: call, Return: ret, Op: op, Result: r}
}

func push(call, ret, d, v int, batch ...int) entry {
	return at(call, ret, d, history.DequeOp{Kind: history.DequePushes, Deque: d, Value: v},
		history.DequeResult{Batch: history.IntsOf(batch)})
}

func pop(call, ret, d, v int) entry {
	return at(call, ret, d, history.DequeOp{Kind: history.DequePops, Deque: d},
		history.DequeResult{Outcome: history.DequeTaken, Value: v})
}

func popEmpty(call, ret, d int) entry {
	return at(call, ret, d, history.DequeOp{Kind: history.DequePops, Deque: d},
		history.DequeResult{Outcome: history.DequeEmpty})
}

func steal(call, ret, from, into, v int) entry {
	return at(call, ret, into, history.DequeOp{Kind: history.DequeSteals, Deque: from, Into: into},
		history.DequeResult{Outcome: history.DequeTaken, Value: v})
}

func noSteal(call, ret, from, into int, outcome history.DequeOutcome) entry {
	return at(call, ret, into, history.DequeOp{Kind: history.DequeSteals, Deque: from, Into: into},
		history.DequeResult{Outcome: outcome})
}

func length(call, ret, d, n int) entry {
	return at(call, ret, d, history.DequeOp{Kind: history.DequeOwnerLens, Deque: d}, history.DequeResult{Value: n})
}

func foreignLength(call, ret, thread, d, n int) entry {
	return at(call, ret, thread, history.DequeOp{Kind: history.DequeLens, Deque: d}, history.DequeResult{Value: n})
}

// pushes returns pushes of 1 to n to A at instants 1 to 2n.
func pushes(n int) []entry {
	var list []entry
	for i := range n {
		list = append(list, push(2*i+1, 2*i+2, a, i+1))
	}
	return list
}

func with(list []entry, more ...entry) []entry { return append(list, more...) }

func TestDequeHistoriesThatAreRight(t *testing.T) {
	for name, h := range map[string][]entry{
		"nothing":                          {},
		"first in, first out":              with(pushes(3), pop(11, 12, a, 1), pop(13, 14, a, 2), pop(15, 16, a, 3), popEmpty(17, 18, a)),
		"steal of half, rounded up":        with(pushes(3), steal(11, 12, a, b, 1), pop(13, 14, b, 2), popEmpty(15, 16, b), pop(17, 18, a, 3)),
		"steal of the last":                with(pushes(1), steal(11, 12, a, b, 1), popEmpty(13, 14, b), popEmpty(15, 16, a)),
		"steal while the owner pops":       with(pushes(2), steal(11, 14, a, b, 2), pop(12, 13, a, 1)),
		"steal saw fewer than there were":  with(pushes(2), push(11, 14, a, 3), steal(12, 13, a, b, 1), pop(15, 16, a, 2)),
		"steal saw all there were":         with(pushes(2), push(11, 14, a, 3), steal(12, 13, a, b, 1), pop(15, 16, a, 3)),
		"overflow of half":                 with(pushes(4), push(11, 12, a, 5, 1, 2, 5), pop(13, 14, a, 3)),
		"overflow while a steal is open":   with(pushes(4), steal(11, 14, a, b, 1), push(12, 13, a, 5, 5), pop(15, 16, a, 3)),
		"overflow of half before a steal":  with(pushes(4), steal(11, 14, a, b, 3), push(12, 13, a, 5, 1, 2, 5)),
		"push into what a steal freed":     with(pushes(4), steal(11, 14, a, b, 1), push(12, 13, a, 5), pop(15, 16, a, 3)),
		"popped slots are held by a steal": with(pushes(4), steal(11, 20, a, b, 1), pop(12, 13, a, 3), push(14, 15, a, 5, 5), pop(16, 17, a, 4), popEmpty(18, 19, a)),
		"in flight, in neither deque":      with(pushes(4), steal(11, 20, a, b, 1), noSteal(12, 13, b, c, history.DequeEmpty), pop(14, 15, a, 3), pop(21, 22, b, 2)),
		"contended by a steal":             with(pushes(2), steal(11, 14, a, b, 1), noSteal(12, 13, a, c, history.DequeContended)),
		"contended by a pop":               with(pushes(2), pop(11, 14, a, 1), noSteal(12, 13, a, c, history.DequeContended)),
		"contended by an overflow":         with(pushes(4), push(11, 14, a, 5, 1, 2, 5), noSteal(12, 13, a, c, history.DequeContended)),
		"empty before a push":              {push(1, 4, a, 1), noSteal(2, 3, a, b, history.DequeEmpty), pop(5, 6, a, 1)},
		"room for one":                     with(pushes(4), push(11, 12, b, 6), push(13, 14, b, 7), push(15, 16, b, 8), steal(21, 22, a, b, 1), pop(23, 24, a, 3)),
		"no room but for the result":       with(pushes(4), push(11, 12, b, 6), push(13, 14, b, 7), push(15, 16, b, 8), push(17, 18, b, 9), steal(21, 22, a, b, 1), pop(23, 24, a, 2)),
		"chained steals":                   with(pushes(4), steal(11, 20, a, b, 1), steal(12, 19, b, c, 2), popEmpty(21, 22, b), pop(23, 24, a, 3)),
		"owner's length":                   with(pushes(2), length(11, 12, a, 2), pop(13, 14, a, 1), length(15, 16, a, 1)),
		"another's length is a bound":      with(pushes(1), push(11, 14, a, 2), foreignLength(12, 13, b, a, 2), foreignLength(15, 16, b, a, 3)),
	} {
		t.Run(name, func(t *testing.T) {
			v := history.Check(history.Deques(4), h...)
			require.Nil(t, v, "%v", v)
		})
	}
}

func TestDequeHistoriesThatAreWrong(t *testing.T) {
	const noOrder = "no order of the operations is allowed"
	for name, test := range map[string]struct {
		h      []entry
		reason string
	}{
		"lost":                               {with(pushes(2), pop(11, 12, a, 1), popEmpty(13, 14, a)), "2 was lost"},
		"lost by a steal":                    {with(pushes(3), steal(11, 12, a, b, 1), pop(13, 14, a, 3), popEmpty(15, 16, a), popEmpty(17, 18, b)), "2 was lost"},
		"taken twice":                        {with(pushes(1), pop(11, 14, a, 1), steal(12, 13, a, b, 1)), "1 came out twice: A.Pop() and A.StealInto(B)"},
		"taken twice through a steal":        {with(pushes(3), steal(11, 14, a, b, 1), pop(12, 13, a, 2), pop(15, 16, b, 2)), "2 came out twice"},
		"overflowed and still there":         {with(pushes(4), push(11, 12, a, 5, 1, 2, 5), pop(13, 14, a, 2)), "2 came out twice"},
		"never pushed":                       {with(pushes(1), pop(11, 12, a, 0)), "0 came out, which was never pushed"},
		"taken before it was pushed":         {[]entry{pop(1, 2, a, 1), push(3, 4, a, 1)}, noOrder},
		"last in, first out":                 {with(pushes(2), pop(11, 12, a, 2), pop(13, 14, a, 1)), "order: 1 was pushed before 2"},
		"thief out of order":                 {with(pushes(4), steal(11, 12, a, b, 3), steal(13, 14, a, b, 1)), "order: 1 was pushed before 3"},
		"moved out of order":                 {with(pushes(4), push(11, 12, b, 6), steal(13, 14, a, b, 1), pop(15, 16, b, 2)), noOrder},
		"steal of all":                       {with(pushes(2), steal(11, 12, a, b, 1), popEmpty(13, 14, a)), noOrder},
		"steal of too few":                   {with(pushes(4), steal(11, 12, a, b, 1), pop(13, 14, a, 2)), noOrder},
		"steal of too many":                  {with(pushes(4), steal(11, 12, a, b, 1), pop(13, 14, a, 4)), noOrder},
		"steal of more than fits":            {with(pushes(4), push(11, 12, b, 6), push(13, 14, b, 7), push(15, 16, b, 8), push(17, 18, b, 9), steal(21, 22, a, b, 1), pop(23, 24, a, 3)), noOrder},
		"visible before the claim":           {with(pushes(4), pop(11, 12, b, 2), steal(13, 14, a, b, 1)), noOrder},
		"pop empty, never empty":             {with(pushes(2), popEmpty(11, 12, a), pop(13, 14, a, 1)), "A.Pop() is Empty, but 1 was in it all the while"},
		"steal empty, never empty":           {with(pushes(2), pop(11, 14, a, 1), noSteal(12, 13, a, b, history.DequeEmpty), pop(15, 16, a, 2)), "A.StealInto(B) is Empty, but 2 was in it all the while"},
		"empty from before the call":         {[]entry{push(1, 2, a, 1), noSteal(3, 4, a, b, history.DequeEmpty), pop(5, 6, a, 1)}, "is Empty, but 1"},
		"contended alone":                    {with(pushes(2), noSteal(11, 12, a, b, history.DequeContended)), "Contended, but no steal, pop or overflow"},
		"contended after a pop":              {with(pushes(2), pop(11, 12, a, 1), noSteal(13, 14, a, b, history.DequeContended)), "Contended, but"},
		"contended by a pop of another":      {with(pushes(2), push(11, 12, b, 9), pop(13, 16, b, 9), noSteal(14, 15, a, c, history.DequeContended)), "Contended, but"},
		"contended by a push":                {with(pushes(2), push(11, 14, a, 3), noSteal(12, 13, a, b, history.DequeContended)), "Contended, but"},
		"contended by a pop that found none": {[]entry{popEmpty(1, 4, a), noSteal(2, 3, a, b, history.DequeContended)}, "Contended, but"},
		"two contended by each other":        {with(pushes(2), noSteal(11, 14, a, b, history.DequeContended), noSteal(12, 13, a, c, history.DequeContended)), "Contended, but"},
		"contended after a steal":            {with(pushes(1), steal(11, 14, a, b, 1), noSteal(15, 16, a, c, history.DequeContended)), "Contended, but"},
		"contended, always empty":            {with(pushes(1), steal(11, 20, a, b, 1), popEmpty(12, 13, a), noSteal(14, 15, a, c, history.DequeContended)), noOrder},
		"overflow though there is room":      {with(pushes(3), push(11, 12, a, 4, 1, 2, 4)), noOrder},
		"alone though no steal is open":      {with(pushes(4), push(11, 12, a, 5, 5)), noOrder},
		"alone though a steal freed room":    {with(pushes(4), steal(11, 12, a, b, 1), push(13, 14, a, 5, 5)), noOrder},
		"no overflow though full":            {with(pushes(4), push(11, 12, a, 5)), noOrder},
		"batch without the new value":        {with(pushes(4), push(11, 12, a, 5, 1, 2)), noOrder},
		"batch out of order":                 {with(pushes(4), push(11, 12, a, 5, 2, 1, 5)), noOrder},
		"batch of the younger half":          {with(pushes(4), push(11, 12, a, 5, 3, 4, 5)), noOrder},
		"batch too short":                    {with(pushes(4), push(11, 12, a, 5, 1, 5)), noOrder},
		"stale length":                       {with(pushes(2), pop(11, 12, a, 1), length(13, 14, a, 2)), noOrder},
		"another's length too small":         {with(pushes(3), foreignLength(11, 12, b, a, 2)), noOrder},
		"another's length 0, never empty":    {with(pushes(1), foreignLength(11, 12, b, a, 0)), noOrder},
		"another's length beyond capacity":   {with(pushes(1), foreignLength(11, 12, b, a, 5)), noOrder},
		"two owners":                         {[]entry{at(1, 3, 0, push(0, 0, a, 1).Op, history.DequeResult{}), at(2, 4, 1, push(0, 0, a, 2).Op, history.DequeResult{})}, "breaks the rules"},
		"steal from itself":                  {with(pushes(1), steal(11, 12, a, a, 1)), "breaks the rules"},
	} {
		t.Run(name, func(t *testing.T) {
			v := history.Check(history.Deques(4), test.h...)
			require.NotNil(t, v)
			require.Contains(t, v.Reason, test.reason)
			require.NotEmpty(t, v.Table)
		})
	}
}

func TestDequesOfDifferentCapacities(t *testing.T) {
	full := []entry{push(1, 2, a, 1), push(3, 4, a, 2), push(5, 6, a, 3, 1, 3)}
	require.Nil(t, history.Check(history.Deques(2, 4), full...))
	require.NotNil(t, history.Check(history.Deques(4, 2), full...))
}
