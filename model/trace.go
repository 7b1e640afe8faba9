package model

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/report"
)

func encode(s []explore.Decision) string {
	var out []report.Decision
	for _, d := range s {
		out = append(out, report.Decision{Thread: d.Thread, Default: d.Default})
		if d.Chooses {
			out = append(out, report.Decision{IsValue: true, Value: d.Value})
		}
	}
	return report.EncodeSchedule(out)
}

// deviations gives the places where s leaves the default policy.
func deviations(s []explore.Decision) []explore.Deviation {
	ds, err := report.DecodeSchedule(encode(s))
	if err != nil {
		panic(err)
	}
	return fromReport(ds)
}

func fromReport(ds []report.Deviation) []explore.Deviation {
	out := make([]explore.Deviation, len(ds))
	for i, d := range ds {
		out[i] = explore.Deviation{At: d.At, IsValue: d.IsValue, Thread: d.Thread, Value: d.Value}
	}
	return out
}

// lanes draws a recorded execution. Calls and returns of a history and Joins
// that return are steps, but say nothing: they are not drawn.
func lanes(events []explore.Record, f *explore.Failure, message string) string {
	tr := report.Trace{Message: message}
	name := func(id int, name string) {
		for len(tr.Threads) <= id {
			tr.Threads = append(tr.Threads, "")
		}
		tr.Threads[id] = name
	}
	source := report.SourceLines()
	label := labels(events, source)
	preempted := map[int]bool{} // by a step of this thread that is not drawn
	for _, e := range events {
		switch e.Op {
		case explore.OpCall.String(), explore.OpReturn.String(), explore.OpJoin.String():
			preempted[e.Thread] = preempted[e.Thread] || e.Preemptive
			continue
		}
		name(e.Thread, e.Name)
		s := report.Step{Thread: e.Thread, Name: e.Name, Op: e.Op, Object: label(e), Value: e.Value, Note: e.Note,
			Preempt: e.Preemptive || preempted[e.Thread]}
		delete(preempted, e.Thread)
		if len(e.Stack) > 0 {
			fr := e.Stack[0]
			s.File, s.Line, s.Func = fr.File, fr.Line, fr.Func
		}
		tr.Steps = append(tr.Steps, s)
	}
	if f != nil {
		for _, b := range f.Blocked {
			rb := report.Blocked{Thread: b.ID, Name: b.Thread, Op: b.Op}
			if len(b.Stack) > 0 {
				rb.File, rb.Line = b.Stack[0].File, b.Stack[0].Line
			}
			name(b.ID, b.Thread)
			tr.Blocked = append(tr.Blocked, rb)
		}
	}
	return tr.Lanes(report.Options{Source: source})
}

// files writes what is better looked at in a browser.
func (c *check) files(r *record) {
	if c.html == "" {
		return
	}
	f, err := os.CreateTemp("", "surewake-"+filepath.Base(c.name)+"-*.html")
	if err != nil {
		return
	}
	defer f.Close()
	if _, err := f.WriteString(c.html); err == nil {
		r.Files = map[string]string{"porcupine": f.Name()}
	}
}

// userStack leaves of a panic's stack the part in the checked code.
func userStack(stack string) string {
	lines := strings.Split(stack, "\n")
	var out []string
	for i := 1; i+1 < len(lines); i += 2 {
		fn := lines[i]
		if strings.Contains(fn, "surewake/model/explore.") || strings.Contains(fn, "surewake/model/hook.") || strings.Contains(fn, "surewake/model/virtual.") || strings.Contains(fn, "surewake/model.") ||
			strings.HasPrefix(fn, "panic(") || strings.HasPrefix(fn, "runtime") || strings.HasPrefix(fn, "iter.") {
			continue
		}
		out = append(out, "\t"+fn, "\t"+lines[i+1])
		if len(out) == 16 {
			break
		}
	}
	return strings.Join(out, "\n")
}

// labels gives the objects of a trace names: what the source calls them, x.head
// in x.head.Load(), with their number where several would share a name.
func labels(events []explore.Record, source func(string, int) string) func(explore.Record) string {
	objects := map[string]map[int]bool{}
	for _, e := range events {
		if n := receiver(e, source); n != "" && e.Object >= 0 {
			if objects[n] == nil {
				objects[n] = map[int]bool{}
			}
			objects[n][e.Object] = true
		}
	}
	return func(e explore.Record) string {
		number := "#" + strconv.Itoa(e.Object)
		switch n := receiver(e, source); {
		case e.Object < 0:
			return ""
		case n == "":
			return number
		case len(objects[n]) > 1:
			return n + number
		default:
			return n
		}
	}
}

// receiver gives the text before .Load( and the like in the source line of a
// step, or the channel there, or "" unless there is exactly one.
func receiver(e explore.Record, source func(string, int) string) string {
	if len(e.Stack) == 0 {
		return ""
	}
	line := source(e.Stack[0].File, e.Stack[0].Line)
	switch e.Op {
	case explore.OpSend.String():
		if before, _, ok := only(line, "<-"); ok {
			return before
		}
		return ""
	case explore.OpRecv.String():
		for _, sign := range []string{"<-", "range "} {
			if _, after, ok := only(line, sign); ok {
				return after
			}
		}
		return ""
	case explore.OpClose.String():
		_, after, _ := only(line, "close(")
		return after
	}
	method := e.Op[strings.LastIndexByte(e.Op, '.')+1:]
	end := strings.Index(line, "."+method+"(")
	if end < 0 || end != strings.LastIndex(line, "."+method+"(") {
		return ""
	}
	start := strings.LastIndexFunc(line[:end], outsideName)
	return strings.TrimLeft(line[start+1:end], ".]")
}

// outsideName reports whether r is no part of a name as lanes show it: x.heads[i].
func outsideName(r rune) bool {
	return r != '.' && r != '_' && r != '[' && r != ']' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// only gives the names before and after a sign that stands exactly once in a line.
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

// waits says where each of the goroutines stands that wait for ever.
func waits(f *explore.Failure) string {
	var b strings.Builder
	for _, w := range f.Blocked {
		if len(w.Stack) > 0 {
			fmt.Fprintf(&b, "\n\t%s is blocked for ever in %s at %s:%d", w.Thread, w.Op, filepath.Base(w.Stack[0].File), w.Stack[0].Line)
		}
	}
	return b.String()
}
