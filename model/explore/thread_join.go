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
		label: func(t *thread) string {
			if t.choosing != nil {
				return t.choosing.Of
			}
			return "Choose"
		},
		detail: func(t *thread, ev *event) string {
			if t.choosing != nil && t.choosing.Show != nil {
				return t.choosing.Show(int(ev.choice))
			}
			return strconv.Itoa(int(ev.choice))
		},
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
func Choose(n int) int { return ChooseFor(n, nil) }

// A Choice says what is chosen where the source does not say so.
type Choice struct {
	Of   string             // such as: next key of a map
	Show func(n int) string // what lanes show of value n; nil: the number
}

// ChooseFor is Choose for a choice of the library or the language.
func ChooseFor(n int, c *Choice) int {
	if eng.cfg.Before != nil {
		return chooseBelow(n)
	}
	return choose(n, c)
}

func choose(n int, c *Choice) int {
	e := eng
	t := e.cur
	t.choices, t.choosing = int32(n), c
	Enter(nil, OpChoose)
	return int(t.chosen)
}
