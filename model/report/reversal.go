package report

import (
	"fmt"

	"github.com/surewake/surewake/model/wire"
)

// Reversal says what makes the execution one that passes, "" if that is not known. A source that is
// not nil gives the objects the names that the lanes have.
func Reversal(t *wire.Trace, source func(file string, line int) string) string {
	return reversal(named(t, source))
}

// reversal is Reversal of a trace that has its names.
func reversal(t *wire.Trace) string {
	text := turned(t)
	if text != "" && t.Reversal.Races {
		text += ", but then there is a data race"
	}
	return text
}

// turned says what is done in another way.
func turned(t *wire.Trace) string {
	r := t.Reversal
	if r == nil || r.First < 0 || r.First >= len(t.Steps) ||
		r.Second >= len(t.Steps)+len(t.Blocked) {
		return ""
	}
	step := func(k int) string {
		s := &t.Steps[k]
		return fmt.Sprintf("step %d (%s)", k+1, operation(s.Op, s.Object, s.File, s.Line))
	}
	first := step(r.First)
	switch k := r.Second - len(t.Steps); {
	case r.Second == r.First:
		return "with another choice in " + first
	case r.Second < 0:
		return "with " + first + " after all that the other goroutines can do"
	case k >= 0:
		b := &t.Blocked[k]
		return fmt.Sprintf("with what %s waits for (%s) before %s", nameOf(t, b.Thread, b.Name),
			operation(b.Op, b.Object, b.File, b.Line), first)
	}
	return "with " + step(r.Second) + " before " + first
}

// operation names an operation and its line.
func operation(op, object, file string, line int) string {
	text := what(op, object)
	if file != "" {
		text += " at " + base(file) + ":" + itoa(line)
	}
	return text
}
