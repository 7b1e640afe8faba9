package report

import (
	"slices"
	"strings"
	"unicode"

	"github.com/surewake/surewake/model/wire"
)

// named returns t with objects called what the source calls them, x.head in
// x.head.Load(), with their number where several would share a name. An object
// that does not have the form "#2" has a name already.
func named(t *wire.Trace, source func(string, int) string) *wire.Trace {
	if source == nil {
		return t
	}
	name := func(s *wire.Step) string {
		if !strings.HasPrefix(s.Object, "#") {
			return ""
		}
		return operand(s.Op, source(s.File, s.Line))
	}
	objects := map[string]map[string]bool{} // by name
	for i := range t.Steps {
		s := &t.Steps[i]
		if n := name(s); n != "" {
			if objects[n] == nil {
				objects[n] = map[string]bool{}
			}
			objects[n][s.Object] = true
		}
	}
	out := *t
	out.Steps = slices.Clone(t.Steps)
	for i := range out.Steps {
		s := &out.Steps[i]
		switch n := name(s); {
		case n == "":
		case len(objects[n]) > 1:
			s.Object = n + s.Object
		default:
			s.Object = n
		}
	}
	return &out
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
	start := strings.LastIndexFunc(line[:end], outsideName)
	return strings.TrimLeft(line[start+1:end], ".]")
}

// outsideName reports whether r is no part of a name as lanes show it: x.heads[i].
func outsideName(r rune) bool {
	return !strings.ContainsRune("._[]", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// only returns the names before and after a sign that occurs exactly once in a line.
func only(line, sign string) (before, after string, ok bool) {
	before, after, ok = strings.Cut(line, sign)
	if !ok || strings.Contains(after, sign) {
		return "", "", false
	}
	before = strings.TrimRight(before, " ")
	before = before[strings.LastIndexFunc(before, outsideName)+1:]
	after = strings.TrimLeft(after, " ")
	if i := strings.IndexFunc(after, outsideName); i >= 0 {
		after = after[:i]
	}
	return strings.TrimLeft(before, ".]"), after, true
}
