package explore

import "strconv"

func init() {
	ops[OpJoin] = operation{
		name:    "Join",
		enabled: func(e *engine, t *thread) bool { return !t.children.meets(e.alive) },
		past:    joinPast,
		apply:   func(e *engine, t *thread, _ int32) { e.checkDominance(t) },
	}
	ops[OpChoose] = operation{
		name:    "Choose",
		choices: func(_ *engine, t *thread) int32 { return t.choices },
		loop:    loopEffect,
		detail:  func(_ *thread, ev *event) string { return strconv.Itoa(int(ev.choice)) },
	}
}

// joinPast: a Join comes after everything that the threads it waits for did.
func joinPast(e *engine, t *thread, d int32) {
	c := e.lowEntries(d)
	for i := t.children.first(); i >= 0; i = t.children.next(i + 1) {
		if p := e.threads[i].prev; p >= 0 {
			join(c, e.lowEntries(p))
			if e.pages != nil {
				e.joinPages(d, p)
			}
		}
	}
}

// Join waits until every thread that the caller started with joined has ended.
func Join() {
	if e := eng; e != nil {
		t := e.cur
		Enter(nil, OpJoin)
		for i := t.children.first(); i >= 0 && (Race || e.rec != nil); i = t.children.next(i + 1) {
			e.threads[i].joinEdge()
			if e.rec != nil {
				e.rec.order.note(entry{kind: entryJoins, thread: t.id, other: i})
			}
		}
	}
}

// MapOrders reports whether a loop over a map that begins now chooses the order of its entries.
func MapOrders() bool {
	e := eng
	return e != nil && e.cfg.MapOrders && !e.initialising
}

// Choose returns each of 0 to n-1 in some explored execution. It must be called in an execution.
func Choose(n int) int {
	e := eng
	t := e.cur
	t.choices = int32(n)
	Enter(nil, OpChoose)
	return int(t.chosen)
}
