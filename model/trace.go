package model

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

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

// lanes draws a recorded execution. Calls and returns of a history are
// scheduling points, but are not drawn.
func lanes(events []explore.Record, f *explore.Failure, message string) string {
	tr := report.Trace{Message: message}
	name := func(id int, name string) {
		for len(tr.Threads) <= id {
			tr.Threads = append(tr.Threads, "")
		}
		tr.Threads[id] = name
	}
	source := report.SourceLines()
	preempted := map[int]bool{} // by a step of this thread that is not drawn
	for _, e := range events {
		if e.Op == explore.OpCall.String() || e.Op == explore.OpReturn.String() {
			preempted[e.Thread] = preempted[e.Thread] || e.Preemptive
			continue
		}
		name(e.Thread, e.Name)
		s := report.Step{Thread: e.Thread, Name: e.Name, Op: e.Op, Object: object(e, source), Value: e.Value, Note: e.Note,
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
		if strings.Contains(fn, "surewake/model/explore.") || strings.Contains(fn, "surewake/model.") ||
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

// object names what an operation works on as the source does: x.head in
// x.head.Load(), if the line has one such call, else by its number.
func object(e explore.Record, source func(string, int) string) string {
	if e.Object < 0 {
		return ""
	}
	if len(e.Stack) > 0 {
		line := source(e.Stack[0].File, e.Stack[0].Line)
		if i := strings.Index(line, "."+e.Op+"("); i > 0 && i == strings.LastIndex(line, "."+e.Op+"(") {
			j := i
			for j > 0 && (line[j-1] == '.' || line[j-1] == '_' || line[j-1] == '[' || line[j-1] == ']' ||
				'0' <= line[j-1] && line[j-1] <= '9' || 'a' <= line[j-1] && line[j-1] <= 'z' || 'A' <= line[j-1] && line[j-1] <= 'Z') {
				j--
			}
			if name := strings.TrimLeft(line[j:i], ".]"); name != "" {
				return name
			}
		}
	}
	return "#" + strconv.Itoa(e.Object)
}
