package history

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Widest history that is drawn with two, with one column an instant; longer ones are not drawn.
const (
	wideInstants   = 24
	narrowInstants = 60
)

// table prints a history: a line an operation, in the order of calls, with a bar from its call to
// its return.
func (t *typed[S, O, R]) table(h *Recorder, done, open []Operation[O, R]) string {
	s := &t.spec
	all := slices.Concat(done, open)
	slices.SortFunc(all, func(a, b Operation[O, R]) int { return a.Call - b.Call })
	last := 0
	for _, o := range all {
		last = max(last, o.Call, o.Return)
	}
	scale := 0
	switch {
	case last <= wideInstants:
		scale = 2
	case last <= narrowInstants:
		scale = 1
	}
	rows := [][]string{{"thread", "operation", "result", "call", "return"}}
	for _, o := range all {
		row := []string{h.ThreadName(o.Thread), s.DescribeOp(o.Op), "never", fmt.Sprint(o.Call), ""}
		if o.Return > 0 {
			row[2], row[4] = s.DescribeResult(o.Op, o.Result), fmt.Sprint(o.Return)
		}
		rows = append(rows, row)
	}
	width := make([]int, 5)
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for i, row := range rows {
		line := fmt.Sprintf("%s  %s  %s  %*s  %*s",
			pad(row[0], width[0]), pad(row[1], width[1]), pad(row[2], width[2]),
			width[3], row[3], width[4], row[4])
		if i > 0 && scale > 0 {
			line += "   " + bar(all[i-1].Call, all[i-1].Return, last, scale)
		}
		b.WriteString(strings.TrimRight(line, " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// bar draws an operation on the axis of instants, of which each is scale columns wide.
func bar(from, to, last, scale int) string {
	end := "┤"
	if to == 0 {
		to, end = last+1, "┈"
	}
	return strings.Repeat(" ", (from-1)*scale) + "├" + strings.Repeat("─", (to-from)*scale-1) + end
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}
