package driver

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/surewake/surewake/model/wire"
)

// A raceAccess is one of the two accesses of a report.
type raceAccess struct {
	op        string // "plain write"
	goroutine string // as the report numbers it
	starter   int    // which function has started it, see wire.RaceStarters; -1: unknown
	function  string // of the user's code
	file      string
	line      int
}

// accessLine matches what begins a section that describes an access.
var accessLine = regexp.MustCompile(
	`^(?i:(?:previous )?(atomic )?(read|write)) at 0x[0-9a-f]+ by ` +
		`(?:goroutine (\d+)|main goroutine)`)

// readAccess reads the first line of a section of a report.
func readAccess(line string) (a raceAccess, ok bool) {
	m := accessLine.FindStringSubmatch(line)
	if m == nil {
		return a, false
	}
	kind := "plain "
	if m[1] != "" {
		kind = "atomic "
	}
	a.op = kind + strings.ToLower(m[2])
	a.goroutine, a.starter = m[3], -1
	return a, true
}

// ofRecorded returns the reports of the recorded execution, which ran last: as many as its trace
// has steps for.
func ofRecorded(t *wire.Trace, reports []raceReport) []raceReport {
	if t == nil {
		return nil
	}
	n := 0
	for _, s := range t.Steps {
		n = max(n, s.Race)
	}
	if n > len(reports) {
		return nil // some are lost
	}
	last := slices.Clone(reports[len(reports)-n:])
	for i := range last {
		last[i].recorded = i + 1
	}
	return last
}

// placeRace makes the accesses of a report, which the message quotes, steps of the trace if it is
// one of the recorded execution, and takes the steps of other reports out of it. The later access
// has its place already; the earlier one gets one in the lane of its goroutine, if that has one.
// It returns another trace: t is of a result, which may be kept, and written at any time.
func placeRace(t *wire.Trace, report *raceReport) *wire.Trace {
	if t == nil {
		return nil
	}
	placed := *t
	shown := !report.internal && len(report.accesses) == 2
	later := -1
	keep := make([]int, len(t.Steps))
	var steps []wire.Step
	for i, s := range t.Steps {
		keep[i] = -1
		if s.Race != 0 && (s.Race != report.recorded || !shown) {
			continue
		}
		if s.Race != 0 {
			s = report.accesses[0].step(s.Thread, s.Name)
			later = len(steps)
		}
		keep[i] = len(steps)
		steps = append(steps, s)
	}
	placed.Steps = steps
	wire.Renumber(steps, func(k int) int { return keep[k] })
	if later < 0 {
		return &placed
	}
	earlier := &report.accesses[1]
	thread := startedBy(t, earlier.starter, steps[later].Thread)
	if thread < 0 {
		return &placed
	}
	at := whereEarlier(steps, later, thread, earlier)
	wire.Renumber(steps, func(k int) int {
		if k >= at {
			k++
		}
		return k
	})
	placed.Steps = slices.Insert(steps, at, earlier.step(thread, t.Threads[thread]))
	return &placed
}

// startedBy finds the thread, other than one, that this function has started; -1 if there is none,
// or several.
func startedBy(t *wire.Trace, starter, other int) int {
	found := -1
	for i := starter; i >= 0 && i < len(t.Threads); i += wire.RaceStarters {
		switch {
		case i == other:
		case found >= 0:
			return -1
		default:
			found = i
		}
	}
	return found
}

// createdLine matches what begins a section that says where a goroutine was started, starterLine
// the function of the checker that did it.
var (
	createdLine = regexp.MustCompile(`^Goroutine (\d+) \(\w+\) created at:\n`)
	starterLine = regexp.MustCompile(`^  ` + enginePath + `/explore\.start(\d+)\(\)`)
)

// created reads a section that says where a goroutine was started.
func (r *raceReport) created(section string) {
	m := createdLine.FindStringSubmatch(section)
	if m == nil {
		return
	}
	if s := starterLine.FindStringSubmatch(section[len(m[0]):]); s != nil {
		for i := range r.accesses {
			if a := &r.accesses[i]; a.goroutine == m[1] {
				a.starter, _ = strconv.Atoi(s[1])
			}
		}
	}
}

// step returns the access as a step.
func (a *raceAccess) step(thread int, name string) wire.Step {
	return wire.Step{
		Thread: thread, Name: name, Op: a.op, Func: a.function, File: a.file, Line: a.line, Race: 1,
	}
}

// whereEarlier returns the index at which the earlier access belongs. Its thread made it between
// two of its steps, after the last one that happens before the later access; of several such places
// it is the last one that fits the lines.
func whereEarlier(steps []wire.Step, later, thread int, a *raceAccess) int {
	from := lastBefore(steps, later, thread)
	var own []int // steps of the thread before the later access, from that one on
	for i := max(from, 0); i < later; i++ {
		if steps[i].Thread == thread {
			own = append(own, i)
		}
	}
	if len(own) == 0 {
		return later
	}
	inFunc := func(s *wire.Step) bool {
		return wire.ShortFunc(s.Func) == wire.ShortFunc(a.function)
	}
	for k := len(own) - 1; k >= 0; k-- {
		s := &steps[own[k]]
		next := nextOf(steps, own[k]+1, thread)
		after := inFunc(s) && s.Line <= a.line
		before := next != nil && inFunc(next) && a.line <= next.Line
		if after && (before || next == nil || !inFunc(next)) || before && !inFunc(s) {
			return own[k] + 1
		}
	}
	if next := &steps[own[0]]; from < 0 && inFunc(next) && a.line <= next.Line {
		return own[0]
	}
	return own[len(own)-1] + 1
}

// nextOf returns the first step of a thread from index i on, nil if there is none.
func nextOf(steps []wire.Step, i, thread int) *wire.Step {
	for ; i < len(steps); i++ {
		if steps[i].Thread == thread {
			return &steps[i]
		}
	}
	return nil
}

// lastBefore returns the last step of a thread that happens before step i, -1 if none does.
func lastBefore(steps []wire.Step, i, thread int) int {
	past := map[int]bool{i: true}
	last := map[int]bool{steps[i].Thread: true} // threads of which all earlier steps are in it
	for k := i; k >= 0; k-- {
		if !past[k] && !last[steps[k].Thread] {
			continue
		}
		if steps[k].Thread == thread {
			return k
		}
		last[steps[k].Thread] = true
		for _, a := range steps[k].After {
			past[a] = true
		}
	}
	return -1
}
