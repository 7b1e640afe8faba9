package report

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/surewake/surewake/model/wire"
)

// named returns t with objects called what the source calls them, x.head in
// x.head.Load(). An object has one name throughout, the first that the source
// has for it, with its number where several objects would share the name. An
// object that does not have the form "#2" has a name already. The two accesses
// of a data race name each other, and a select names the case that it took.
func named(t *wire.Trace, source func(string, int) string) *wire.Trace {
	if source == nil {
		source = func(string, int) string { return "" }
	}
	selects := map[int]chosen{} // by step
	for i := range t.Steps {
		if c, ok := chosenBy(&t.Steps[i], source); ok {
			selects[i] = c
		}
	}
	name := func(s *wire.Step) string {
		if !strings.HasPrefix(s.Object, "#") {
			return ""
		}
		return operand(s.Op, source(s.File, s.Line))
	}
	names := map[string]string{} // of objects: the first that the source has for each
	many := map[string]int{}     // how many objects have this name
	for i := range t.Steps {
		s := &t.Steps[i]
		n := name(s)
		if c, ok := selects[i]; ok {
			n = c.channel()
		}
		if n != "" && names[s.Object] == "" {
			names[s.Object] = n
			many[n]++
		}
	}
	for i := range t.Blocked { // what was never reached by others is named here
		b := &t.Blocked[i]
		n := name(&wire.Step{Op: b.Op, Object: b.Object, File: b.File, Line: b.Line})
		if n != "" && names[b.Object] == "" {
			names[b.Object] = n
			many[n]++
		}
	}
	rename := func(object *string) {
		switch n := names[*object]; {
		case n == "":
		case many[n] > 1:
			*object = n + *object
		default:
			*object = n
		}
	}
	out := *t
	out.Steps, out.Blocked = slices.Clone(t.Steps), slices.Clone(t.Blocked)
	for i := range out.Steps {
		rename(&out.Steps[i].Object)
		noteRace(out.Steps, i)
		if c, ok := selects[i]; ok {
			c.say(&out.Steps[i])
		}
	}
	for i := range out.Blocked {
		rename(&out.Blocked[i].Object)
		waitsForAny(&out.Blocked[i], source)
	}
	return &out
}

// noteRace says of step i, if it is one of the two accesses of a data race, which is the other.
func noteRace(steps []wire.Step, i int) {
	if steps[i].Race == 0 {
		return
	}
	steps[i].Note = "data race"
	for k := range steps {
		if k != i && steps[k].Race == steps[i].Race {
			steps[i].Note += " with step " + itoa(k+1)
		}
	}
}

// operand returns the text before .Load( and the like in a source line, or the
// channel of an operation on one, or "" unless there is exactly one.
func operand(op, line string) string {
	switch op {
	case wire.OpSend:
		if before, _, ok := only(line, "<-"); ok {
			return before
		}
		return ""
	case wire.OpReceive:
		for _, sign := range []string{"<-", "range "} {
			if _, after, ok := only(line, sign); ok {
				return after
			}
		}
		return ""
	case wire.OpClose:
		_, after, _ := only(line, "close(")
		return after
	}
	of, method, found := strings.Cut(op, ".")
	switch {
	case !found:
		method = op
	case of != "" && unicode.IsLower(rune(of[0])):
		return "" // a function of a package, time.AfterFunc
	}
	if method == "Load" && !strings.Contains(line, ".Load(") {
		method = "CompareAndSwap" // of an atomic.Value, which begins with a load
	}
	end := strings.Index(line, "."+method+"(")
	if end < 0 || end != strings.LastIndex(line, "."+method+"(") {
		return ""
	}
	return nameBefore(line[:end])
}

// nameBefore returns the name at the end of a text, as lanes show it: x.heads[i+1]. It returns ""
// if there is none, or only a part of it.
func nameBefore(s string) string {
	start, depth := len(s), 0
	for start > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:start])
		if depth == 0 && (r == '[' || r != ']' && outsideName(r)) {
			break
		}
		depth += brackets(r, ']', '[')
		start -= n
	}
	if depth > 0 || strings.HasPrefix(s[start:], "[") {
		return ""
	}
	return strings.TrimLeft(s[start:], ".")
}

// nameAfter returns the name at the beginning of a text.
func nameAfter(s string) string {
	depth := 0
	for i, r := range s {
		if depth == 0 && (r == ']' || r != '[' && outsideName(r)) {
			return s[:i]
		}
		depth += brackets(r, '[', ']')
	}
	if depth > 0 {
		return ""
	}
	return s
}

// brackets is by how much r changes the number of open brackets.
func brackets(r, opening, closing rune) int {
	switch r {
	case opening:
		return 1
	case closing:
		return -1
	}
	return 0
}

// outsideName reports whether r is no part of a name, without what is in brackets.
func outsideName(r rune) bool {
	return !strings.ContainsRune("._", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// only returns the names before and after a sign that occurs exactly once in a line.
func only(line, sign string) (before, after string, ok bool) {
	before, after, ok = strings.Cut(line, sign)
	if !ok || strings.Contains(after, sign) {
		return "", "", false
	}
	return nameBefore(strings.TrimRight(before, " ")), nameAfter(strings.TrimLeft(after, " ")), true
}
