package runtime

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/proofs/refine"
)

// Who becomes the driver, what it loads before it sleeps, how it stops being it, and what who sets
// an earlier deadline does, are transitions of the table of the driver: each access to the number
// of the driver, the earliest deadline and the bits.

// A driverSetting is how many workers there are, and when the tasks wake that sleep: a number of
// driverUnits after the beginning.
type driverSetting struct {
	workers int
	wakes   []int
	cancels bool // the submitter cancels the first of them
}

const driverUnit = time.Millisecond

// noDeadline is the number in the table that stands for none.
const noDeadline = 4

func (c driverSetting) actors() (names []string) {
	for i := range c.workers {
		names = append(names, fmt.Sprint("worker ", i))
	}
	return append(names, "submitter")
}

func (c driverSetting) machine() *refine.Machine {
	m := refine.NewMachine(refine.Driver(c.workers, c.actors(), noDeadline))
	refine.ShareDriver(m, c.workers)
	return m
}

// begin begins an execution of m with the runtime of w.
func (c driverSetting) begin(m *refine.Machine, w world) {
	base := w.now()
	driver, next := unsafe.Pointer(&w.driver), unsafe.Pointer(&w.timers.next)
	word := refine.Field(w.idle, "words", 0)
	state := map[string]int{"next": noDeadline}
	reads := []func() int{
		func() int { return int(refine.Read32(driver) &^ notScanning) },
		func() int {
			when := int64(refine.Read64(next))
			switch when {
			case math.MaxInt64:
				return noDeadline
			case atOnce:
				return 0
			}
			return int((time.Duration(when-base) + driverUnit/2) / driverUnit)
		},
	}
	for i := range c.workers {
		state[fmt.Sprint("R_w", i)] = 1
		reads = append(reads, func() int { return int(refine.Read64(word) >> i & 1) })
	}
	m.Begin(state, []refine.Object{{Name: "driver", Address: driver},
		{Name: "next", Address: next}, {Name: "word", Address: word}}, reads...)
}

// run is one execution: the last task that wakes ends the runtime, or the submitter does.
func (c driverSetting) run(x *model.Exec, m *refine.Machine) {
	w := stillWorld(x, c.workers)
	c.begin(m, w)
	names := c.actors()
	for i, v := range w.workers {
		x.Go(names[i], v.run)
	}
	start := time.Now()
	var ran count
	x.Go(names[c.workers], func() {
		var first *Handle[int]
		for i, units := range c.wakes {
			h := Submit(w.Runtime, func(cx Cx) (int, error) {
				err := cx.SleepUntil(start.Add(time.Duration(units) * driverUnit))
				x.Assert(err == nil || c.cancels && i == 0, "%v", err)
				if int(ran.Add(1)) == len(c.wakes) && !c.cancels {
					w.last(cx)
				}
				return 0, nil
			})
			if i == 0 {
				first = h
			}
		}
		if c.cancels {
			first.Cancel()
			w.ok(w.Shutdown(context.Background()))
		}
	})
	x.Join()
	w.over()
	owed := "early"
	for a := range names {
		owed += fmt.Sprintf(" + saw_a%d + late_a%d", a, a)
	}
	x.Assert(m.May(owed+" == 0"), "who has set an earlier deadline has not claimed the driver")
}

func TestTheDriverIsTheTable(t *testing.T) {
	used := map[string]bool{}
	var executions int64
	for _, c := range []struct {
		driverSetting
		preemptions int
	}{
		{driverSetting{1, []int{2, 1}, false}, 1},
		{driverSetting{2, []int{1}, false}, 1},
		{driverSetting{2, []int{2, 1}, false}, 1},
		{driverSetting{2, []int{1, 3, 2}, false}, 0},
		{driverSetting{1, []int{1}, true}, 1},
		{driverSetting{2, []int{1}, true}, 1},
	} {
		m := c.machine()
		name := fmt.Sprintf("workers %d, wakes %v%s/%s", c.workers, c.wakes,
			map[bool]string{true: ", cancels"}[c.cancels],
			[]string{"no preemption", "one preemption"}[c.preemptions])
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) { c.run(x, m) },
				model.Preemptions(c.preemptions), model.Observe(m.Step))
		})
		executions += m.Used(used)
	}
	for rule, is := range used {
		name, _, _ := strings.Cut(rule, "_a") // whoever did it
		used[name] = used[name] || is
	}
	t.Run("every rule", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			for _, rule := range []string{
				"publish", "become_b", "become_c", "follow_b", "follow_c", "load_b", "load_c",
				"leave_b", "leave_c", "timeout", "told", "woke_F", "woke_S", "woke_L", "set",
				"publish_next", "look", "look_none", "ask", "wake_N", "wake_D", "wake_none",
				"wake_late_D", "claim_F", "claim_S", "claim_N", "claim_D",
			} {
				x.Assert(used[rule] || executions == 0, "in %d executions, no access was %s",
					executions, rule)
			}
		})
	})
}
