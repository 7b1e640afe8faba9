package trace

import (
	"slices"
)

// A coordinator is a state of the table: of one Coordinator with its workers.
type coordinator struct {
	table   *idleTable
	workers []*worker
	numbers map[string]int // those that all share
	close   place
	closer  uint64 // the goroutine that has closed
	through map[int]bool
}

type worker struct {
	c        *coordinator
	id       int
	at       []string // where it may be
	bit, tok int
	owner    uint64            // the goroutine that has published it, or woken for it, last
	parker   uint64            // its address, if it is known
	moved    map[string]*event // when its place was left last, by place
}

// A place of a notifier, or of Close: n is the word or the worker that it carries.
type place struct {
	name string
	n    int
}

// A notifier is one in the places where it may be; ended is the place of one that is over.
type notifier struct {
	at []place
	of *coordinator
}

var ended = place{}

// only keeps the places for which ok is true, and reports whether there are any.
func (m *notifier) only(ok func(place) bool) bool {
	kept := slices.DeleteFunc(slices.Clone(m.at), func(p place) bool { return !ok(p) })
	if len(kept) == 0 {
		return false
	}
	m.at = kept
	return true
}

// only keeps the places for which ok is true, and reports whether there are any.
func (w *worker) only(e *event, ok func(string) bool) bool {
	kept := slices.DeleteFunc(slices.Clone(w.at), func(p string) bool { return !ok(p) })
	if len(kept) == 0 {
		return false
	}
	w.moves(e, kept)
	return true
}

// moves leads a worker to places.
func (w *worker) moves(e *event, to []string) {
	for _, p := range w.at {
		if !slices.Contains(to, p) {
			w.moved[p] = e
		}
	}
	w.at = to
}

func newCoordinator(t *idleTable, workers int) *coordinator {
	c := &coordinator{table: t, numbers: map[string]int{}, close: place{name: "Open"},
		through: map[int]bool{}}
	for id := range workers {
		c.workers = append(c.workers,
			&worker{c: c, id: id, at: []string{"R"}, moved: map[string]*event{}})
	}
	return c
}

func (c *coordinator) words() int { return (len(c.workers) + 63) / 64 }

// word is what the table has for a word of the bitmap.
func (c *coordinator) word(k int) (word uint64) {
	for i := k * 64; i < min(len(c.workers), k*64+64); i++ {
		word |= uint64(c.workers[i].bit) << (i % 64)
	}
	return word
}

// shared is what the table has for an object.
func (c *coordinator) shared(o object) uint64 {
	switch o.name {
	case "searching":
		return uint64(int64(c.numbers["searching"]))
	case "closed":
		if c.close.name == "Open" {
			return 0
		}
		return 1
	case "token":
		return uint64(int64(c.workers[o.n].tok))
	}
	return c.word(o.n)
}
