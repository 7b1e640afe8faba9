package pictures

import (
	"fmt"
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

const (
	laneWidth, laneHeight = 292, 66
	laneStep, laneTop     = 92, 62
	leftLane, rightLane   = 16, 572
	wakeWidth             = rightLane + laneWidth + 16
)

// Wake draws the wake protocol of package idle: the steps of a submitter and of a worker that
// parks, with the accesses that its table names, and which write each read must not miss.
func Wake() string {
	table := spec.Idle()
	d := &drawing{title: "The wake protocol of package idle", width: wakeWidth,
		height: laneTop + 4*laneStep + 74}
	d.lane(leftLane, "submitter", submitter, table)
	d.lane(rightLane, "worker that parks", parker, table)
	left, right := leftLane+laneWidth, rightLane
	mid := func(step int) int { return laneTop + (step-1)*laneStep + laneHeight/2 }
	// A store and the load that must see it; the arrow goes from the store to the load.
	pair := func(class string, x1, from, x2, to int) {
		inward := 70
		if x1 > x2 {
			inward = -70
		}
		d.arrow(class, fmt.Sprintf("M%d,%d C%d,%d %d,%d %d,%d", x1, from, x1+inward, from,
			x2-inward, to, x2, to))
	}
	pair("a", left, mid(1)-9, right-2, mid(3)-9)
	pair("a", right, mid(1), left+2, mid(3))
	pair("b", left, mid(1)+9, right-2, mid(3)+9)
	pair("b", right, mid(2), left+2, mid(2))
	pair("c", left, mid(4), right-2, mid(4))
	d.text(left+104, mid(4)-8, "c", "the token")
	y := laneTop + 4*laneStep + 12
	d.text(leftLane, y, "a", "Blue: the push and the bit. The submitter sees the bit (3), or "+
		"the recheck sees the task (3).")
	d.text(leftLane, y+20, "b", "Orange: the push and the count. The submitter sees no searcher "+
		"(2), or the recheck sees the task (3).")
	d.text(leftLane, y+40, "", "An arrow leads from a write to the read on the other side. "+
		"Sequential consistency forbids that both "+
		"reads of a colour miss: idle/I1, memory/M1.")
	return d.String()
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
