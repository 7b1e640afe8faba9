package pictures

import (
	"fmt"
	"slices"
	"strings"

	"github.com/surewake/surewake/proofs/spec"
)

// A step is a numbered line of a lane. The rules of idle's table say which access of the code it
// is.
type step struct {
	does  string
	rules []string
}

var (
	submitter = []step{
		{"push the task", []string{"push"}},
		{"does anybody search?", []string{"notify_go"}},
		{"else find a sleeper's bit, clear it", []string{"claim_none", "claim_P"}},
		{"count it, give it its token", []string{"count_P", "token_P"}},
	}
	parker = []step{
		{"set the own bit", []string{"publish_searching"}},
		{"if it searched: one searcher less", []string{"uncount_b"}},
		{"recheck the queues", []string{"recheck_none_b"}},
		{"sleep until the token comes", []string{"woke"}},
	}
)

// A meeting is a write in one lane and the read in the other that must not miss it, each by a rule
// of its step; or a token that is handed over.
type meeting struct {
	class       string // of colours
	write, read string
	shift       int // of the arrow, so that two from one step lie side by side
}

var meetings = []meeting{
	{"a", "push", "recheck_none_b", -9},
	{"a", "publish_searching", "claim_none", 0},
	{"b", "push", "recheck_none_b", 9},
	{"b", "uncount_b", "notify_go", 0},
	{"c", "token_P", "woke", 0},
}

// stepOf returns the number of the step that has a rule, from 1, and whether it is the parker's.
func stepOf(rule string) (number int, parks bool) {
	for i, s := range submitter {
		if slices.Contains(s.rules, rule) {
			return i + 1, false
		}
	}
	for i, s := range parker {
		if slices.Contains(s.rules, rule) {
			return i + 1, true
		}
	}
	return 0, false
}

// missing returns an error if the table lacks a rule of a step, or the lanes one of a meeting.
func missing(table *spec.System) error {
	for _, s := range slices.Concat(submitter, parker) {
		for _, rule := range s.rules {
			named := func(r spec.Rule) bool { return r.Name == rule }
			if !slices.ContainsFunc(table.Rules, named) {
				return fmt.Errorf("the step %q of the wake picture is the rule %s, which table %s "+
					"does not have", s.does, rule, table.Name)
			}
		}
	}
	for _, m := range meetings {
		for _, rule := range []string{m.write, m.read} {
			if n, _ := stepOf(rule); n == 0 {
				return fmt.Errorf("an arrow of the wake picture has an end at the rule %s, which "+
					"no step has", rule)
			}
		}
	}
	return nil
}

const (
	laneWidth, laneHeight = 292, 66
	laneStep, laneTop     = 92, 62
	leftLane, rightLane   = 16, 572
	wakeWidth             = rightLane + laneWidth + 16
)

// Wake draws the wake protocol of package idle: the steps of a submitter and of a worker that
// parks, with the accesses that its table names, and which write each read must not miss. The error
// is about a rule that is not there.
func Wake() (string, error) { return wake(spec.Idle()) }

func wake(table *spec.System) (string, error) {
	if err := missing(table); err != nil {
		return "", err
	}
	d := &drawing{title: "The wake protocol of package idle", width: wakeWidth,
		height: laneTop + 4*laneStep + 74}
	d.lane(leftLane, "submitter", submitter, table)
	d.lane(rightLane, "worker that parks", parker, table)
	left, right := leftLane+laneWidth, rightLane
	mid := func(step int) int { return laneTop + (step-1)*laneStep + laneHeight/2 }
	for _, m := range meetings {
		from, parks := stepOf(m.write)
		to, _ := stepOf(m.read)
		x1, x2, inward := left, right-2, 70
		if parks {
			x1, x2, inward = right, left+2, -70
		}
		y1, y2 := mid(from)+m.shift, mid(to)+m.shift
		d.arrow(m.class, fmt.Sprintf("M%d,%d C%d,%d %d,%d %d,%d", x1, y1, x1+inward, y1,
			x2-inward, y2, x2, y2))
	}
	number := func(rule string) int { n, _ := stepOf(rule); return n }
	d.text(left+104, mid(number("token_P"))-8, "c", "the token")
	y := laneTop + 4*laneStep + 12
	d.text(leftLane, y, "a", fmt.Sprintf("Blue: the push and the bit. The submitter sees the bit "+
		"(%d), or the recheck sees the task (%d).", number("claim_none"), number("recheck_none_b")))
	d.text(leftLane, y+20, "b", fmt.Sprintf("Orange: the push and the count. The submitter sees no "+
		"searcher (%d), or the recheck sees the task (%d).", number("notify_go"),
		number("recheck_none_b")))
	d.text(leftLane, y+40, "", "An arrow leads from a write to the read on the other side. "+
		"Sequential consistency forbids that both "+
		"reads of a colour miss: idle/I1, memory/M1.")
	return d.String(), nil
}

func (d *drawing) lane(x int, name string, steps []step, table *spec.System) {
	d.text(x, laneTop-26, "name", name)
	for i, s := range steps {
		y := laneTop + i*laneStep
		d.box(x, y, laneWidth, laneHeight)
		d.text(x+10, y+22, "name", fmt.Sprintf("%d  %s", i+1, s.does))
		for j, rule := range s.rules {
			// What follows a comma there is for readers of the table.
			access, _, _ := strings.Cut(table.Rule(rule).Code, ", ")
			d.text(x+30, y+40+15*j, "code", access)
		}
		if i+1 < len(steps) {
			d.arrow("line", fmt.Sprintf("M%d,%d V%d", x+laneWidth/2, y+laneHeight, y+laneStep-1))
		}
	}
}
