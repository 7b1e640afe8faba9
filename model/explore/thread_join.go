package explore

import (
	"fmt"
	"math/bits"
)

func init() {
	ops[OpJoin] = operation{
		name:    "Join",
		enabled: func(e *engine, t *thread) bool { return t.children&e.alive == 0 },
		past:    joinPast,
		apply:   func(e *engine, t *thread, _ int32) { e.checkDominance(t) },
	}
	ops[OpChoose] = operation{
		name:    "Choose",
		choices: func(_ *engine, t *thread) int32 { return t.choices },
		loop:    loopEffect,
		detail:  func(_ *thread, ev *event) string { return fmt.Sprint(ev.choice) },
	}
}

// joinPast: a Join comes after everything that the threads it waits for did.
func joinPast(e *engine, t *thread, c []int32) {
	for s := t.children; s != 0; s &= s - 1 {
		if p := e.threads[bits.TrailingZeros64(s)].prev; p >= 0 {
			join(c, e.clockAt(p))
		}
	}
}

// Join waits until every thread that the caller started with joined has ended.
func Join() {
	if e := eng; e != nil {
		t := e.cur
		Enter(nil, OpJoin)
		if Race {
			for i := 0; i < e.n; i++ {
				if t.children>>i&1 == 1 {
					e.threads[i].joinEdge()
				}
			}
		}
	}
}

// Choose returns each of 0 to n-1 in some explored execution. It must be called in an execution.
func Choose(n int) int {
	e := eng
	t := e.cur
	t.choices = int32(n)
	Enter(nil, OpChoose)
	return int(t.chosen)
}
