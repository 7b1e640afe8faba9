package report

import (
	"fmt"
	"strconv"
	"strings"
)

// Lanes prints a trace, a column a thread and a row a step, in the order in which the steps were made. With many
// threads, or little room, steps are listed below one another instead. Every line ends with a line break.
func (t Trace) Lanes(o Options) string {
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	lanes := t.lanes()
	var b strings.Builder
	if len(t.Steps) > 0 {
		number := max(4, len(itoa(len(t.Steps))))
		room := (o.Width-number-4)/max(1, len(lanes)) - 3
		if len(lanes) <= maxLanes && room >= minLane {
			t.columns(&b, o, lanes, number, room)
		} else {
			t.list(&b, o, lanes, number)
		}
	}
	t.ending(&b)
	return b.String()
}

// lane is what is shown of one thread.
type lane struct {
	thread int
	name   string
	width  int // of its column
	place  int // widest place
	what   int // widest operation

	fn     string // shown last
	source string // shown last
}

// lanes returns the threads that make a step, by number.
func (t *Trace) lanes() []*lane {
	var lanes []*lane
	for i := range t.Steps {
		s := &t.Steps[i]
		at := 0
		for at < len(lanes) && lanes[at].thread < s.Thread {
			at++
		}
		if at == len(lanes) || lanes[at].thread != s.Thread {
			l := &lane{thread: s.Thread, name: t.name(s.Thread, s.Name)}
			lanes = append(lanes[:at], append([]*lane{l}, lanes[at:]...)...)
		}
		l := lanes[at]
		l.place = max(l.place, width(place(s.File, s.Line)))
		l.what = max(l.what, width(what(s.Op, s.Object)))
	}
	return lanes
}

// cell returns the lines that show a step in its lane: its function where that is new, what it does, the source line.
// The step's number belongs beside lines[first].
func (l *lane) cell(s *Step, o Options) (lines []string, first int) {
	fn := shortFunc(s.Func)
	if fn != "" && fn != l.fn {
		lines = append(lines, middle(fn, l.width))
		l.source = ""
		first = 1
	}
	l.fn = fn
	at, op, value := place(s.File, s.Line), what(s.Op, s.Object), arrows(clean(s.Value))
	line := op
	if l.place > 0 {
		line = pad(at, l.place) + "  " + op
	}
	if value != "" {
		padded := line + strings.Repeat(" ", max(0, l.what-width(op))) + "  " + value
		switch {
		case width(padded) <= l.width:
			line = padded
		case width(line)+2+width(value) <= l.width:
			line += "  " + value
		default:
			lines = append(lines, middle(line, l.width))
			line = l.indent() + middle(value, l.width-width(l.indent()))
		}
	}
	lines = append(lines, middle(line, l.width))
	if o.Source != nil && s.File != "" {
		// Once for the steps of one line.
		if text := clean(o.Source(s.File, s.Line)); text != "" && text != l.source {
			l.source = text
			lines = append(lines, l.indent()+middle("│ "+text, l.width-width(l.indent())))
		}
	}
	if s.Note != "" {
		lines = append(lines, l.indent()+middle("("+clean(s.Note)+")", l.width-width(l.indent())))
	}
	return lines, first
}

// indent is where the operation starts, unless the column is too narrow for that.
func (l *lane) indent() string {
	if l.place == 0 || l.place > l.width/2 {
		return "  "
	}
	return strings.Repeat(" ", l.place+2)
}

func (t *Trace) columns(b *strings.Builder, o Options, lanes []*lane, number, room int) {
	// Each lane gets what its widest line needs, as long as there is room; what one leaves the others may have.
	need := make([]int, len(lanes))
	for i, l := range lanes {
		probe := *l
		probe.width = o.Width
		need[i] = max(minLane, width(l.name))
		for k := range t.Steps {
			if s := &t.Steps[k]; s.Thread == l.thread {
				lines, _ := probe.cell(s, o)
				for _, line := range lines {
					need[i] = max(need[i], width(line))
				}
			}
		}
	}
	share(lanes, need, room)

	row := func(head string, cell func(i int) string) {
		line := " " + head
		for i := range lanes {
			line += " │ " + pad(cell(i), lanes[i].width)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	rule := func(cross string) {
		line := strings.Repeat("─", number+2)
		for _, l := range lanes {
			line += cross + strings.Repeat("─", l.width+2)
		}
		b.WriteString(line + "\n")
	}
	row(left("step", number), func(i int) string { return middle(lanes[i].name, lanes[i].width) })
	rule("┼")
	for k := range t.Steps {
		s := &t.Steps[k]
		if s.Preempt && k > 0 {
			before := t.Steps[k-1].Thread
			row(left("", number), func(i int) string {
				if lanes[i].thread == before {
					return dashes(" preempted ", lanes[i].width)
				}
				return ""
			})
		}
		for i, l := range lanes {
			if l.thread != s.Thread {
				continue
			}
			lines, first := l.cell(s, o)
			for n, line := range lines {
				head := ""
				if n == first {
					head = itoa(k + 1)
				}
				row(left(head, number), func(j int) string {
					if j == i {
						return line
					}
					return ""
				})
			}
		}
	}
	rule("┴")
}

// share sets the widths of lanes, which have room columns each if divided evenly.
func share(lanes []*lane, need []int, room int) {
	total := room * len(lanes)
	open := len(lanes)
	for fits := true; fits && open > 0; {
		fits = false
		for i, l := range lanes {
			if l.width == 0 && need[i] <= total/open {
				l.width = need[i]
				total -= need[i]
				open--
				fits = true
				if open == 0 {
					break
				}
			}
		}
	}
	for _, l := range lanes {
		if l.width == 0 {
			l.width = total / open
		}
	}
}

// list prints the steps below one another, each with the name of its thread, indented by its number.
func (t *Trace) list(b *strings.Builder, o Options, lanes []*lane, number int) {
	names := 0
	for _, l := range lanes {
		names = max(names, min(20, width(l.name)))
	}
	const indent = 2
	for i, l := range lanes {
		l.width = max(minLane, o.Width-number-names-6-indent*min(i, 12))
	}
	fmt.Fprintf(b, " %s │ %s\n", left("step", number), "thread")
	fmt.Fprintf(b, "%s┼%s\n", strings.Repeat("─", number+2), strings.Repeat("─", max(1, o.Width-number-3)))
	for k := range t.Steps {
		s := &t.Steps[k]
		if s.Preempt && k > 0 {
			fmt.Fprintf(b, " %s │ %s\n", left("", number),
				dashes(" "+t.name(t.Steps[k-1].Thread, t.Steps[k-1].Name)+" preempted ", 40))
		}
		for i, l := range lanes {
			if l.thread != s.Thread {
				continue
			}
			lines, first := l.cell(s, o)
			for n, line := range lines {
				head, name := "", ""
				if n == first {
					head = itoa(k + 1)
				}
				if n == 0 {
					name = middle(l.name, names)
				}
				line = fmt.Sprintf(" %s │ %s  %s%s", left(head, number), pad(name, names),
					strings.Repeat(" ", indent*min(i, 12)), line)
				b.WriteString(strings.TrimRight(line, " ") + "\n")
			}
		}
	}
	fmt.Fprintf(b, "%s┴%s\n", strings.Repeat("─", number+2), strings.Repeat("─", max(1, o.Width-number-3)))
}

// ending prints who is blocked and what failed.
func (t *Trace) ending(b *strings.Builder) {
	names, ops := 0, 0
	for _, w := range t.Blocked {
		names = max(names, width(t.name(w.Thread, w.Name)))
		ops = max(ops, width(what(w.Op, w.Object)))
	}
	for _, w := range t.Blocked {
		line := fmt.Sprintf(" blocked: %s  %s  %s", pad(t.name(w.Thread, w.Name), names), pad(what(w.Op, w.Object), ops),
			place(w.File, w.Line))
		if w.Note != "" {
			line += "  (" + clean(w.Note) + ")"
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if t.Message == "" {
		return
	}
	head := " failed: "
	for line := range strings.Lines(t.Message) {
		b.WriteString(strings.TrimRight(head+strings.TrimRight(line, "\n"), " ") + "\n")
		head = "   "
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
