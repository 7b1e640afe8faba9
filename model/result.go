package model

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"github.com/surewake/surewake/model/wire"
)

func (c *check) result(cfg explore.Config, res explore.Result) wire.Result {
	r := wire.Result{
		Check: c.name, Verdict: wire.Proved,
		Complete: res.Complete, Deadlocked: res.Deadlocked, Pruned: res.Pruned,
		Steps: res.Steps, Seconds: res.Seconds, Races: res.Races,
		Bounded: res.Bounded, Cut: res.CutShort, Left: res.Left,
		LookedBack:  explore.TookALook() || c.divided && explore.Race,
		Alone:       c.opts.before != nil,
		Stands:      explore.Race && c.opts.repeated(&res),
		Assumptions: slices.Clone(c.opts.assume),
		Digest:      fmt.Sprintf("%016x", res.Digest),
	}
	if c.divided {
		r.Digest = "" // it depends on how the tree was divided
	}
	r.Searches = c.searches
	if c.whole != nil {
		r.Subtests = hook.MatchedSubtests()
	}
	if n := c.set.Shards; n > 0 {
		r.Bounded = joined("; ", r.Bounded, fmt.Sprintf("shard %d of %d", c.set.Shard, n))
	}
	if c.opts.timeouts > 0 {
		r.Assumptions = append(r.Assumptions,
			fmt.Sprintf("at most %d early timeouts or signals in an execution", c.opts.timeouts))
	}
	r.Assumptions = append(r.Assumptions, c.assumedOfTime(cfg, res)...)
	if res.ForcedTimeouts > 0 {
		n := "executions"
		if res.ForcedTimeouts == 1 {
			n = "execution"
		}
		r.Assumptions = append(r.Assumptions,
			fmt.Sprintf("%d %s went on only by a timeout", res.ForcedTimeouts, n))
	}
	r.Assumptions = append(r.Assumptions, res.Assumed...)
	r.Assumptions = append(r.Assumptions, uses(union(explore.UsedBefore(), res.Uses))...)
	if c.state != nil {
		r.Assumptions = append(r.Assumptions, c.state.assumptions()...)
	}
	if s := c.set.Strategy; r.Bounded == "" && s != "" && s != string(explore.DPOR) {
		r.Bounded = s + " draws schedules"
	}
	if res.Rescued > 0 && !c.opts.ownTime {
		r.Bounded = joined("; ", r.Bounded, "where an execution went on only by the timeout of a "+
			"futex wait, what it would do without was not run (model.NoRescue)")
	}
	if r.Bounded != "" {
		r.Verdict = wire.Bounded
	}
	return r
}

// repeated reports whether a plain run makes the executions of a race run that found nothing, and
// asks nothing else of them.
func (o *options) repeated(res *explore.Result) bool {
	return o.before == nil && o.observe == nil && (!res.CutShort || res.Counted)
}

// uses returns one assumption per kind of use, with its places.
func uses(all []explore.Use) []string {
	const most = 6 // places that are named
	sites := map[string][]string{}
	for _, u := range all {
		sites[u.Assumption] = append(sites[u.Assumption], u.Site)
	}
	var out []string
	for _, assumption := range slices.Sorted(maps.Keys(sites)) {
		s := sites[assumption]
		slices.Sort(s)
		text := strings.Join(s[:min(most, len(s))], ", ")
		if n := len(s) - most; n > 0 {
			text += fmt.Sprintf(" and %d more", n)
		}
		out = append(out, assumption+" ("+text+")")
	}
	return out
}

// decide fills in kind, verdict and place of a check that fails by f. steps is the recorded
// execution, if there is one. What bounded or cut the search that found f says nothing of f.
func (c *check) decide(r *wire.Result, f *explore.Failure, steps []wire.Step) {
	r.Kind = kindOf(f)
	r.Verdict = r.Kind.Verdict()
	r.Bounded, r.Cut, r.Left, r.Later = "", false, 0, f.Later
	r.File, r.Line = c.file, c.line
	switch {
	case len(f.Blocked) > 0 && stuckThread(f.Blocked).File != "":
		b := stuckThread(f.Blocked)
		r.File, r.Line = b.File, b.Line
	case f.At.File != "":
		r.File, r.Line = f.At.File, f.At.Line
	default:
		for _, s := range steps {
			if s.File != "" {
				r.File, r.Line = s.File, s.Line // the last one stays
			}
		}
	}
}

// stuckThread picks from the goroutines that wait for ever one that does not merely
// wait for the others to end.
func stuckThread(blocked []wire.Blocked) wire.Blocked {
	for _, b := range blocked {
		if b.Op != explore.OpJoin.String() {
			return b
		}
	}
	return blocked[0]
}

// shortest is how long the search for a shorter failure may take.
const shortest = 5 * time.Second

// shorten looks for a failure of the same kind with fewer preemptions: every
// schedule with none, with one, ... up to what f has.
func (c *check) shorten(cfg explore.Config, f *explore.Failure) *explore.Failure {
	switch f.Kind {
	case explore.KindNondeterminism, explore.KindUncontrolled, explore.KindExit,
		explore.KindRefused, explore.KindLimit, explore.KindInternal:
		return f
	}
	cfg.Strategy, cfg.FirstOnly, cfg.Shorten = explore.DPOR, true, f
	end := time.Now().Add(shortest)
	most := f.Preemptions
	if c.divided {
		most++ // which of several failures comes first depends on the processes
	}
	for k := 0; k < most; k++ {
		left := time.Until(end)
		if left <= 0 {
			break
		}
		cfg.Preemptions, cfg.Executions, cfg.Duration = k, 0, left
		if g := explore.Run(cfg, c.execution(&cfg)).Failure; g != nil && g.Kind == f.Kind {
			return g
		}
	}
	return f
}

// describe runs the failing schedule once more, recorded, for the picture.
func (c *check) describe(
	r *wire.Result, cfg explore.Config, f *explore.Failure,
) (res explore.Result) {
	r.Schedule = encode(cfg, f)
	var again *explore.Failure
	again, res = c.record(cfg, wire.Deviations(f.Schedule))
	r.Message = said(f)
	switch {
	case again == nil && mustShowAgain(f):
		r.Message += "\n(the failure did not show again when the same schedule was replayed: " +
			"the body depends on something the checker does not control)"
		f.Kind = explore.KindNondeterminism
	case again != nil && f.Kind == again.Kind:
		f.Blocked, f.Message, f.Passing = again.Blocked, again.Message, again.Passing
		if f.At.File == "" {
			f.At = again.At
		}
		r.Message = said(f)
	}
	r.Message = withOutput(r.Message)
	parted := false
	if f.Kind == explore.KindNondeterminism {
		text, at := c.diverge(cfg, wire.Deviations(f.Schedule), res.Trace)
		parted = text != ""
		if r.Message += text; at.File != "" {
			f.At = explore.Frame{Func: at.Func, File: at.File, Line: at.Line}
		}
		for _, a := range r.Assumptions {
			if left, ok := strings.CutPrefix(a, explore.LeavesNothing); ok {
				r.Message += "\n\texecutions before it may have left something in" + left
			}
		}
	}
	c.decide(r, f, res.Trace)
	if again == nil {
		again = f
	}
	if f.At.File != "" && (f.Kind == explore.KindNondeterminism && !parted ||
		f.Kind == explore.KindRefused) {
		at := fmt.Sprintf("%s:%d", filepath.Base(f.At.File), f.At.Line)
		if !strings.Contains(r.Message, at) {
			r.Message += "\n\tat " + at
		}
	}
	if f.Stack != "" {
		r.Message += "\n" + userStack(f.Stack)
	}
	r.Trace = trace(&res, again, r.Message)
	c.files(r)
	return res
}

// withOutput adds to a message what tests said in the last execution.
func withOutput(message string) string {
	out := hook.TestOutput()
	if out == "" || strings.Contains(message, out) {
		return message
	}
	return message + "\n\t" + out
}

// mustShowAgain reports whether a replay that passes takes f back. The race
// detector and the test itself need not say the same thing twice.
func mustShowAgain(f *explore.Failure) bool {
	switch f.Kind {
	case explore.KindRace, explore.KindNondeterminism, explore.KindUncontrolled:
		return false
	}
	return f.Message != testFailed
}

// testFailed is the message of a failure that the body told the test.
const testFailed = "the body made the test fail (t.Error, t.Fail)"

func (c *check) record(cfg explore.Config, d []wire.Deviation) (*explore.Failure, explore.Result) {
	cfg = recording(cfg, d)
	res := explore.Run(cfg, c.execution(&cfg))
	return res.Failure, res
}

// recording returns the configuration in which one schedule of cfg is recorded.
func recording(cfg explore.Config, d []wire.Deviation) explore.Config {
	cfg.Record, cfg.Replay, cfg.FirstOnly, cfg.Progress = true, d, true, nil
	cfg.Strategy, cfg.Preemptions, cfg.Executions, cfg.Duration = explore.DPOR, -1, 0, 0
	return cfg
}

// refuse ends a check of which nothing was explored.
func (c *check) refuse(kind wire.Kind, format string, args ...any) {
	c.t.Helper()
	c.fail(wire.Result{
		Verdict: kind.Verdict(), Kind: kind, File: c.file, Line: c.line,
		Message: fmt.Sprintf(format, args...),
	})
}

// fail sends a result that is neither proved nor bounded.
func (c *check) fail(r wire.Result) {
	c.t.Helper()
	c.sendFailure(&r)
	c.t.Errorf("%s", r.Message)
}

func (c *check) sendFailure(r *wire.Result) {
	r.Check = c.name
	send(wire.Message{Result: r})
	c.decided.Store(true)
}

// progress tells the command how far an exploration has got, of which that part is done, 0 if that
// is not known.
func (c *check) progress(budget *explore.Config, res *explore.Result, part float64) {
	if !c.set.Progress {
		return
	}
	p := wire.Progress{
		Check: c.name, Executions: res.Executions(), Left: -1, Steps: res.Steps,
	}
	if f := res.Failure; f != nil {
		p.Kind, p.Failure = kindOf(f), f.Error()
	}
	if res.Seconds > 0 {
		p.Rate = float64(p.Executions) / res.Seconds
	}
	if budget.Executions > 0 {
		p.Most = float64(budget.Executions - p.Executions)
	}
	if rest := budget.Duration.Seconds() - res.Seconds; budget.Duration > 0 {
		if n := max(1, rest*p.Rate); p.Most == 0 || n < p.Most {
			p.Most = n
		}
	}
	if part > 0 {
		p.Left = float64(p.Executions)/part - float64(p.Executions)
	}
	send(wire.Message{Progress: &p})
}

// encode gives the schedule of a failure as tokens have it.
func encode(cfg explore.Config, f *explore.Failure) string { return encoded(cfg, f.Schedule) }

func encoded(cfg explore.Config, schedule []wire.Decision) string {
	s := wire.EncodeSchedule(wire.Deviations(schedule))
	if cfg.TimePasses {
		s = wire.TimePasses(s)
	}
	if cfg.MapOrders {
		s = wire.MapOrders(s)
	}
	return s
}

// trace prepares a recorded execution for drawing. Calls and returns of a
// history and Joins that return are steps, but say nothing: they are left out.
func trace(res *explore.Result, f *explore.Failure, message string) *wire.Trace {
	steps, tr := res.Trace, &wire.Trace{Message: message}
	name := func(id int, name string) {
		for len(tr.Threads) <= id {
			tr.Threads = append(tr.Threads, "")
		}
		tr.Threads[id] = name
	}
	type thread struct {
		preempted bool  // by a step that is left out
		after     []int // of such steps
		last      int   // 1 + the index of its last step in tr
	}
	threads := map[int]*thread{}
	index := make([]int, len(steps)) // in tr
	for i, s := range steps {
		t := threads[s.Thread]
		if t == nil {
			t = new(thread)
			threads[s.Thread] = t
		}
		if isLeftOut(&s) {
			t.preempted = t.preempted || s.Preempt
			t.after = append(t.after, s.After...)
			index[i] = t.last - 1
			continue
		}
		name(s.Thread, s.Name)
		for k := 0; s.Race != 0 && k < res.Threads; k++ {
			name(k, explore.ThreadName(k)) // it may have no step but the other access
		}
		s.Preempt = s.Preempt || t.preempted
		s.After = append(t.after, s.After...)
		index[i] = len(tr.Steps)
		*t = thread{last: len(tr.Steps) + 1}
		tr.Steps = append(tr.Steps, s)
	}
	wire.Renumber(tr.Steps, func(k int) int { return index[k] })
	if f != nil {
		tr.Blocked = f.Blocked
		for _, b := range f.Blocked {
			name(b.Thread, b.Name)
		}
	}
	return tr
}

// isLeftOut reports whether trace leaves a step out.
func isLeftOut(s *wire.Step) bool {
	switch s.Op {
	case explore.OpCall.String(), explore.OpReturn.String(), explore.OpJoin.String():
		return true
	}
	return false
}

// files writes the page that porcupine draws of a wrong history, if there is one.
func (c *check) files(r *wire.Result) {
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

// notUser has the beginnings of functions that say nothing about checked code.
var notUser = []string{
	modulePath + ".", modulePath + "/explore.", modulePath + "/hook.", modulePath + "/virtual.",
	"panic(", "runtime.", "runtime/", "iter.",
}

const modulePath = "github.com/surewake/surewake/model"

// userStack returns the part of a panic's stack that lies in checked code, at most eight frames.
func userStack(stack string) string {
	lines := strings.Split(stack, "\n")
	var out []string
	for i := 1; i+1 < len(lines); i += 2 {
		fn := lines[i]
		begins := func(prefix string) bool { return strings.HasPrefix(fn, prefix) }
		if slices.ContainsFunc(notUser, begins) || begins("created by iter.") {
			continue
		}
		out = append(out, "\t"+fn, "\t"+lines[i+1])
		if len(out) == 16 {
			break
		}
	}
	return strings.Join(out, "\n")
}

// waits returns one line per goroutine that waits forever: where it waits.
func waits(f *explore.Failure) string {
	var b strings.Builder
	for _, w := range f.Blocked {
		if w.File != "" {
			fmt.Fprintf(&b, "\n\t%s is blocked for ever in %s at %s:%d",
				w.Name, w.Op, filepath.Base(w.File), w.Line)
			if w.Note != "" {
				b.WriteString(", " + w.Note)
			}
		}
	}
	return b.String()
}
