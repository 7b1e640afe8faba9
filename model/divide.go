package model

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"github.com/surewake/surewake/model/wire"
)

// One exploration by several processes. This one begins alone. When it has run for aloneFor, it
// starts helpers: processes of the same binary that wait for orders at the same check. Whoever has
// nothing to do gets a subtree that another one gives away (explore.Part.Split), so that all are
// busy until the end. A helper tells every confirmEvery what it found in its subtree and what is
// left of that. When it dies, what is left is done by another one, and nothing is counted twice.

const (
	aloneFor     = time.Second
	confirmEvery = 250 * time.Millisecond
	answerEvery  = 20 * time.Millisecond // how soon a part of the tree is given away
	mostLosses   = 8                     // of helpers in one place, which then stays empty
)

// A helpOrder goes to a helper, as a line of JSON.
type helpOrder struct {
	Round   int              // the answers have the same
	Subtree *explore.Subtree // to be explored; nil: what follows is about the present one
	Passes  bool             // time passes while goroutines can run
	Split   bool             // give away a part
	Stop    bool             // forget it
}

// A helpReport is the answer of a helper.
type helpReport struct {
	Round  int
	Result explore.Result    // since the beginning of the subtree
	Rest   explore.Subtree   // what is left, unless Done
	Given  []explore.Subtree // what is no longer a part of that, since the last report
	Answer bool              // to Split
	Done   bool
}

// explore returns what is found in the executions of the body.
func (c *check) explore(cfg *explore.Config) explore.Result {
	res, ok := c.takeEnded()
	if !ok {
		res = c.search(cfg)
	}
	c.ended = append(c.ended, res)
	return res
}

// search explores the executions, with the helpers that the command allows.
func (c *check) search(cfg *explore.Config) explore.Result {
	switch {
	case c.set.Found != "":
		return c.merge()
	case c.set.Shards > 0:
		return c.share(cfg)
	case !c.mayDivide(cfg) || c.set.Jobs < 2 && (c.saved == nil || !c.saved.Given):
		return c.alone(cfg)
	}
	if s := c.takeSearch(); s != nil {
		if res := c.divide(cfg, s); !isAstray(&res) {
			return res
		}
	}
	return c.divide(cfg, &savedCheck{})
}

// divide explores the executions with helpers, from where an earlier process was.
func (c *check) divide(cfg *explore.Config, s *savedCheck) explore.Result {
	d := &division{
		c: c, cfg: *cfg, most: cfg.Duration, from: s.State,
		begun: time.Now().Add(-time.Duration(s.Seconds * float64(time.Second))),
		start: make(chan struct{}), wake: make(chan struct{}, 1),
		total: s.Total, queue: s.Queue, given: s.Given,
	}
	d.cfg.Duration = 0
	for range c.set.Jobs - 1 {
		h := &helper{}
		d.helpers = append(d.helpers, h)
		d.all.Go(func() { d.keep(h) })
	}
	defer d.all.Wait()
	defer d.close()
	res := d.run()
	c.divided = c.divided || d.given
	return res
}

// mayDivide reports whether several processes may explore the check. What one process knows of all
// executions keeps it in one: an observer, marks of what was covered, a test as it stands.
func (c *check) mayDivide(cfg *explore.Config) bool {
	dpor := cfg.Strategy == "" || cfg.Strategy == explore.DPOR
	return dpor && cfg.Preemptions < 0 && cfg.Executions == 0 &&
		!cfg.Certify && cfg.Observe == nil && c.whole == nil && !c.set.Quick && hook.Marks() == nil
}

// division is an exploration by several processes.
type division struct {
	c       *check
	cfg     explore.Config
	from    *explore.State // where this process goes on, nil: it begins
	begun   time.Time
	most    time.Duration  // that it may take; 0: any
	all     sync.WaitGroup // of the goroutines that keep helpers, which exist from the beginning
	start   chan struct{}  // closed when they may start them
	started sync.Once
	wake    chan struct{} // something has changed

	mu      sync.Mutex
	round   int               // how often the exploration was started again
	total   explore.Result    // of all that has ended
	own     explore.Result    // so far, of what this process explores
	queue   []explore.Subtree // that nobody explores
	helpers []*helper
	again   *explore.Subtree // the exploration is to start again as this one
	found   *explore.Failure
	given   bool // a part was given away
	late    bool // the budget is used up
	closed  bool
}

// helper is a process that helps, or the place of one.
type helper struct {
	in    io.WriteCloser
	cmd   *exec.Cmd
	ready bool // it lives
	busy  bool // with a subtree of this round or an earlier one
	asked bool // to split
	last  helpReport
}

func (d *division) run() explore.Result {
	var next *explore.Subtree
	from, more := d.from, true
	if from == nil && d.given {
		next = d.take()
		more = next != nil
	}
	for more {
		cfg := d.cfg
		cfg.Subtree, cfg.From, cfg.Every, cfg.Between = next, from, answerEvery, d.between
		from = nil
		cfg.Progress = func(explore.Result, float64) { d.progress() }
		body := d.c.execution(&cfg)
		res := explore.Run(cfg, body)
		if d.ended(&res); d.again == nil {
			next = d.take()
		}
		d.mu.Lock()
		if d.again != nil && d.found == nil && !d.late {
			next = d.startAgain()
		} else {
			more = next != nil
		}
		d.mu.Unlock()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, h := range d.helpers {
		if h.busy && h.last.Round == d.round {
			d.total.Add(&h.last.Result)
		}
	}
	r := d.total
	r.Seconds = time.Since(d.begun).Seconds()
	if d.found != nil {
		r.Failure = d.found
	}
	if d.late && !r.CutShort {
		r.CutShort = true
		r.Bounded = joined("; ", r.Bounded, fmt.Sprintf("budget of %v", d.most))
	}
	return r
}

// ended adds what this process found in a subtree.
func (d *division) ended(res *explore.Result) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.own = explore.Result{}
	if res.Failure != nil {
		d.noteFailure(res.Failure)
	}
	if d.again == nil {
		d.again = res.Again
	}
	d.total.Add(res)
}

// noteFailure keeps the failure with the fewest preemptions.
func (d *division) noteFailure(f *explore.Failure) {
	if d.found == nil || f.Preemptions < d.found.Preemptions {
		d.found = f
	}
}

// startAgain forgets all that was found, and returns what is to be explored instead.
func (d *division) startAgain() *explore.Subtree {
	next := d.again
	d.again, d.queue, d.total = nil, nil, explore.Result{}
	d.round++
	for _, h := range d.helpers {
		if h.busy {
			h.order(&helpOrder{Stop: true})
		}
	}
	return next
}

// between is called between executions of this process: it gives away what others can do.
func (d *division) between(p explore.Part) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.own = p.Result()
	if d.isLate(); d.over() || d.again != nil || d.own.Failure != nil && d.given {
		return false
	}
	d.save(&p)
	if d.own.Failure != nil {
		return true // it looks for a failure with fewer preemptions, as it would alone
	}
	if time.Since(d.begun) > aloneFor {
		d.started.Do(func() { close(d.start) })
	}
	if d.idle() > 0 && len(d.queue) == 0 {
		d.queue = p.Split()
	}
	d.handOut()
	return true
}

// isLate notes that the budget is used up.
func (d *division) isLate() {
	if d.most > 0 && time.Since(d.begun) > d.most {
		d.late = true
	}
}

// over reports whether no more is to be explored.
func (d *division) over() bool { return d.found != nil || d.late }

// idle returns how many helpers have nothing to do.
func (d *division) idle() (n int) {
	for _, h := range d.helpers {
		if h.ready && !h.busy {
			n++
		}
	}
	return n
}

// handOut gives subtrees of the queue to helpers.
func (d *division) handOut() {
	for _, h := range d.helpers {
		if h.ready && !h.busy && len(d.queue) > 0 {
			next := d.queue[0]
			d.queue = d.queue[1:]
			h.busy, h.asked, h.last = true, false, helpReport{Round: d.round, Rest: next}
			d.given = true
			h.order(&helpOrder{Round: d.round, Subtree: &next, Passes: d.cfg.TimePasses})
		}
	}
}

// order sends an order. An error is noticed where the reports of the helper end.
func (h *helper) order(o *helpOrder) { _ = json.NewEncoder(h.in).Encode(o) }

// take waits for a subtree that this process can explore. It returns nil if there is none any more.
func (d *division) take() *explore.Subtree {
	for {
		d.mu.Lock()
		d.isLate()
		busy := 0
		for _, h := range d.helpers {
			if h.busy {
				busy++
			}
		}
		switch {
		case d.over() || d.again != nil || len(d.queue) == 0 && busy == 0:
			d.mu.Unlock()
			return nil
		case len(d.queue) > 0:
			next := d.queue[0]
			d.queue = d.queue[1:]
			d.mu.Unlock()
			return &next
		}
		for _, h := range d.helpers {
			if h.busy && !h.asked {
				h.asked = true
				h.order(&helpOrder{Split: true})
			}
		}
		d.save(nil)
		d.mu.Unlock()
		select {
		case <-d.wake:
		case <-time.After(confirmEvery):
			d.progress()
		}
	}
}

// save tells the command from time to time what is left.
func (d *division) save(p *explore.Part) {
	if !d.c.isToSave() {
		return
	}
	s := d.saved()
	if p != nil {
		s.State = p.State()
	}
	d.c.save(s)
}

// saved returns what was found and what is left, but for what this process explores: of helpers
// what they have not confirmed.
func (d *division) saved() *savedCheck {
	s := &savedCheck{
		Seconds: time.Since(d.begun).Seconds(), Given: d.given,
		Total: d.total, Queue: slices.Clone(d.queue),
	}
	for _, h := range d.helpers {
		if h.busy && h.last.Round == d.round {
			s.Total.Add(&h.last.Result)
			s.Queue = append(s.Queue, h.last.Rest)
		}
	}
	return s
}

// progress tells the command how far all have got.
func (d *division) progress() {
	d.mu.Lock()
	sum := d.total
	sum.Add(&d.own)
	for _, h := range d.helpers {
		if h.busy {
			sum.Add(&h.last.Result)
		}
	}
	d.mu.Unlock()
	sum.Seconds = time.Since(d.begun).Seconds()
	d.c.progress(&explore.Config{Duration: d.most}, &sum, 0)
}

// keep starts the helper h, and another one when it dies.
func (d *division) keep(h *helper) {
	<-d.start
	for range mostLosses {
		if d.open(h) {
			d.listen(h)
		}
		d.mu.Lock()
		closed := d.closed
		d.mu.Unlock()
		if closed {
			return
		}
	}
}

// open starts a helper. It reports whether it runs.
func (d *division) open(h *helper) bool {
	set := *d.c.set
	set.Mode, set.Check, set.Jobs, set.Progress = wire.Help, d.c.name, 1, false
	set.Save, set.Resume = 0, ""
	text, err := set.Encode()
	if err != nil {
		return false
	}
	self, err := os.Executable()
	if err != nil {
		return false
	}
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Env = append(os.Environ(), wire.SettingsVariable+"="+text)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	h.cmd, h.in = cmd, in
	return true
}

// listen reads the reports of the helper until it ends.
func (d *division) listen(h *helper) {
	out, err := h.cmd.StdoutPipe()
	if err == nil {
		err = h.cmd.Start()
	}
	if err != nil {
		return
	}
	d.mu.Lock()
	h.ready = !d.closed
	if d.closed {
		_ = h.cmd.Process.Kill()
	}
	d.mu.Unlock()
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		d.heard(h, line)
	}
	_ = h.cmd.Wait()
	d.lost(h)
}

// heard reads a line that a helper printed.
func (d *division) heard(h *helper, line []byte) {
	before, m, ok := wire.Parse(line)
	switch {
	case !ok:
		_, _ = os.Stdout.Write(before)
		return
	case m.Result != nil: // its watchdog gave up
		send(m)
		os.Exit(1)
	case m.Part == nil:
		return
	}
	var r helpReport
	if json.Unmarshal(m.Part.Report, &r) != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if r.Round == d.round && h.busy {
		d.report(h, &r)
	}
	if r.Done {
		h.busy = false
	}
	h.asked = h.asked && !r.Answer
	d.handOut()
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// report takes over what a helper found in a subtree of this round.
func (d *division) report(h *helper, r *helpReport) {
	if r.Result.Failure != nil {
		d.noteFailure(r.Result.Failure)
	}
	if r.Result.Again != nil {
		d.again = r.Result.Again
		return
	}
	d.queue = append(d.queue, r.Given...)
	if h.last = *r; r.Done {
		d.total.Add(&r.Result)
	}
}

// lost is called when a helper is dead: what it has not reported is to be done by others.
func (d *division) lost(h *helper) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if h.busy && h.last.Round == d.round && !d.closed {
		d.total.Add(&h.last.Result)
		d.queue = append(d.queue, h.last.Rest)
	}
	h.ready, h.busy, h.asked = false, false, false
	d.handOut()
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// close ends the helpers.
func (d *division) close() {
	d.mu.Lock()
	d.closed = true
	for _, h := range d.helpers {
		if h.ready {
			_ = h.cmd.Process.Kill()
		}
	}
	d.mu.Unlock()
	d.started.Do(func() { close(d.start) })
}

// help explores subtrees for the process that has started this one, until that closes the input.
func (c *check) help(cfg explore.Config) {
	orders := make(chan helpOrder)
	var split, stop atomic.Bool
	go func() {
		in := json.NewDecoder(os.Stdin)
		for {
			var o helpOrder
			if in.Decode(&o) != nil {
				os.Exit(0)
			}
			split.Store(split.Load() || o.Split)
			stop.Store(stop.Load() || o.Stop)
			if o.Subtree != nil {
				orders <- o
			}
		}
	}()
	for o := range orders {
		cfg := cfg
		if o.Passes {
			c.letTimePass(&cfg)
		}
		split.Store(false)
		stop.Store(false)
		confirmed := time.Now()
		cfg.Subtree, cfg.Duration, cfg.Every, cfg.Progress = o.Subtree, 0, answerEvery, nil
		cfg.Between = func(p explore.Part) bool {
			r := helpReport{Round: o.Round, Answer: split.Swap(false)}
			if r.Answer {
				r.Given = p.Split()
			}
			if r.Answer || time.Since(confirmed) > confirmEvery {
				confirmed = time.Now()
				r.Result, r.Rest = p.Result(), p.Rest()
				sendReport(&r)
			}
			return !stop.Load()
		}
		body := c.execution(&cfg)
		res := explore.Run(cfg, body)
		sendReport(&helpReport{Round: o.Round, Result: res, Done: true})
	}
}

func sendReport(r *helpReport) {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	send(wire.Message{Part: &wire.Part{Report: text}})
}
