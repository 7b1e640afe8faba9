package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/surewake/surewake/model/wire"
)

// Lanes draws a trace, one column per thread and one row per step, in the order in which the steps
// were made. With many threads, or little room, steps are listed below one another instead. Every
// line ends with a line break.
func Lanes(t *wire.Trace, o Options) string {
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	o.Width = max(o.Width, minWidth)
	d := drawing{named(t, o.Source)}
	lanes := d.lanes()
	if o.Full {
		o.Width = d.widest(lanes, o)
	}
	var b strings.Builder
	if len(t.Steps) > 0 {
		number := max(4, len(itoa(len(t.Steps))))
		room := (o.Width-number-4)/max(1, len(lanes)) - 3
		if len(lanes) <= maxLanes && room >= minLane {
			d.columns(&b, o, lanes, number, room)
		} else {
			d.list(&b, o, lanes, number)
		}
	}
	d.ending(&b)
	return b.String()
}

// drawing is a trace that is being drawn.
type drawing struct{ *wire.Trace }

// lane is what is shown of one thread.
type lane struct {
	thread int
	name   string
	steps  []*wire.Step
	width  int // of its column
	number int // widest line number
	column int // where values start, see measure

	head   string // shown last: function and file
	source string // shown last: number and text of a source line
}

// lanes returns the threads that make a step, by number.
func (t *drawing) lanes() []*lane {
	var lanes []*lane
	for i := range t.Steps {
		s := &t.Steps[i]
		at := 0
		for at < len(lanes) && lanes[at].thread < s.Thread {
			at++
		}
		if at == len(lanes) || lanes[at].thread != s.Thread {
			l := &lane{thread: s.Thread, name: nameOf(t.Trace, s.Thread, s.Name)}
			lanes = append(lanes[:at], append([]*lane{l}, lanes[at:]...)...)
		}
		l := lanes[at]
		l.steps = append(l.steps, s)
		if s.File != "" {
			l.number = max(l.number, width(itoa(s.Line)))
		}
	}
	return lanes
}

// measure sets the lane's width and with it the column of the values: after the widest operation
// that has room for its value on the same line.
func (l *lane) measure(w int) {
	l.width, l.column = w, 0
	for _, s := range l.steps {
		if value := arrows(clean(s.Value)); value != "" {
			if n := l.indent() + width(what(s.Op, s.Object)) + 2; n+width(value) <= w {
				l.column = max(l.column, n)
			}
		}
	}
}

// indent is the column at which operations start, after the line numbers.
func (l *lane) indent() int {
	if l.number == 0 {
		return 0
	}
	return l.number + 2
}

// cell returns the lines that show a step in its lane: function and file where they are new, then
// either
//
//	21  Load head  7
//
// or, where the text of the source line is known,
//
//	21  head := r.head.Load()
//	    Load head  7
//
// with the first line left out while the thread stays on that source line. The step's number
// belongs beside lines[first].
func (l *lane) cell(s *wire.Step, o Options) (lines []string, first int) {
	add := func(line string) { lines = append(lines, middle(line, l.width)) }
	indent := strings.Repeat(" ", l.indent())

	head := strings.TrimSpace(clean(wire.ShortFunc(s.Func)) + "  " + base(s.File))
	if head != l.head {
		l.head, l.source = head, ""
		if head != "" {
			add(head)
		}
	}
	first = len(lines)
	op, value := what(s.Op, s.Object), arrows(clean(s.Value))
	number := indent
	if s.File != "" {
		number = pad(left(itoa(s.Line), l.number), l.indent())
	}
	text := ""
	if o.Source != nil && s.File != "" {
		text = code(o.Source(s.File, s.Line))
	}
	switch {
	case text == "":
		l.source = ""
		op = number + op
	case number+text == l.source:
		op = indent + op
	default:
		l.source = number + text
		lines = append(lines, end(l.source, l.width))
		op = indent + op
	}
	// The values of a lane are aligned where there is room, and below their operation elsewhere.
	switch {
	case value == "":
		add(op)
	case width(op)+2 <= l.column && l.column+width(value) <= l.width:
		add(pad(op, l.column) + value)
	case width(op)+2+width(value) <= l.width:
		add(op + "  " + value)
	default:
		add(op)
		for _, part := range wrap(value, l.width-l.indent()-2) {
			add(indent + "  " + part)
		}
	}
	if s.Note != "" {
		for _, part := range wrap("("+clean(s.Note)+")", l.width-l.indent()) {
			add(indent + part)
		}
	}
	return lines, first
}

func (t *drawing) columns(b *strings.Builder, o Options, lanes []*lane, number, room int) {
	// Each lane gets what its widest line needs, as long as there is room; what one leaves the
	// others may have.
	need := make([]int, len(lanes))
	for i, l := range lanes {
		need[i] = l.need(o)
	}
	for i, w := range share(need, room) {
		lanes[i].measure(w)
	}

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
		if t.preempted(k) {
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

// need returns the width of the lane's widest line, if a line may be o.Width wide.
func (l *lane) need(o Options) int {
	probe := *l
	probe.measure(o.Width)
	need := max(minLane, width(l.name))
	for _, s := range l.steps {
		lines, _ := probe.cell(s, o)
		for _, line := range lines {
			need = max(need, width(line))
		}
	}
	return need
}

// widest returns a width of lines that is enough for all lanes side by side, or below one another.
func (t *drawing) widest(lanes []*lane, o Options) int {
	o.Width = endless
	need := 0
	for _, l := range lanes {
		need = max(need, l.need(o))
	}
	if len(lanes) <= maxLanes {
		return max(minWidth, (need+3)*len(lanes)+4+max(4, len(itoa(len(t.Steps)))))
	}
	return max(minWidth, need+longest(lanes, o)+2*len(lanes)+6+len(itoa(len(t.Steps)))+4)
}

// longest returns the width of the longest name that is shown beside steps.
func longest(lanes []*lane, o Options) int {
	n := 0
	for _, l := range lanes {
		n = max(n, width(l.name))
	}
	if o.Full {
		return n
	}
	return min(20, n)
}

// preempted reports whether step k took over from a thread that could have gone on.
func (t *drawing) preempted(k int) bool {
	return k > 0 && t.Steps[k].Preempt && t.Steps[k].Thread != t.Steps[k-1].Thread
}

// share returns the widths of lanes that need so much, and have room columns each if divided
// evenly.
func share(need []int, room int) []int {
	widths := make([]int, len(need))
	total, open := room*len(need), len(need)
	for again := true; again; {
		again = false
		for i, n := range need {
			if widths[i] == 0 && n <= total/open {
				widths[i] = n
				total -= n
				open--
				again = open > 0
			}
		}
	}
	for i := range widths {
		if widths[i] == 0 {
			widths[i] = total / open
		}
	}
	return widths
}

// list prints the steps below one another, each with the name of its thread, indented by its
// number.
func (t *drawing) list(b *strings.Builder, o Options, lanes []*lane, number int) {
	names := longest(lanes, o)
	// The thread's number moves its steps to the right, as far as that leaves room for them.
	all := o.Width - number - names - 6
	indent := func(i int) int { return max(0, min(2*i, all-2*minLane)) }
	for i, l := range lanes {
		l.measure(all - indent(i))
	}
	fmt.Fprintf(b, " %s │ %s\n", left("step", number), "thread")
	rule := func(cross string) {
		fmt.Fprintf(b, "%s%s%s\n", strings.Repeat("─", number+2), cross,
			strings.Repeat("─", max(1, o.Width-number-3)))
	}
	rule("┼")
	for k := range t.Steps {
		s := &t.Steps[k]
		if t.preempted(k) {
			before := &t.Steps[k-1]
			fmt.Fprintf(b, " %s │ %s\n", left("", number),
				dashes(" "+nameOf(t.Trace, before.Thread, before.Name)+" preempted ", 40))
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
					strings.Repeat(" ", indent(i)), line)
				b.WriteString(strings.TrimRight(line, " ") + "\n")
			}
		}
	}
	rule("┴")
}

// ending prints who is blocked, what failed, and with what it would not have.
func (t *drawing) ending(b *strings.Builder) {
	names, ops := 0, 0
	for _, w := range t.Blocked {
		names = max(names, width(nameOf(t.Trace, w.Thread, w.Name)))
		ops = max(ops, width(what(w.Op, w.Object)))
	}
	for _, w := range t.Blocked {
		line := fmt.Sprintf(" blocked: %s  %s  %s", pad(nameOf(t.Trace, w.Thread, w.Name), names),
			pad(what(w.Op, w.Object), ops), place(w.File, w.Line))
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
	if r := reversal(t.Trace); r != "" {
		b.WriteString(" passes: " + r + "\n")
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
