package trace

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/surewake/surewake/proofs/spec"
	"github.com/surewake/surewake/proofs/trace/atomic"
)

// A Verdict is what was seen in a trace.
type Verdict struct {
	Events, Accesses      int // so far, and how many of them were accesses to objects of a table
	Coordinators, Parkers int
	Workers               int // the most that a Coordinator had
	Highest               int // the highest number of a worker that was claimed; -1: none
	// Rules are how often each rule of the tables was the meaning of an access: "idle/claim".
	Rules map[string]int
}

// Tables are what a trace is held against.
type Tables struct {
	Idle *spec.Agents
	Park *spec.System
}

// Shipped are those that the proofs are about.
func Shipped() Tables { return Tables{spec.IdleAgents(), spec.Park()} }

// A judge holds a trace against the tables.
type judge struct {
	Verdict
	idle *idleTable
	park *parkTable

	objects map[uint64]object    // by address: fields of Coordinators, and their Workers
	parkers map[uint64]*parker   // by address
	threads map[uint64]*thread   // by goroutine
	notices map[uint64]*notifier // by goroutine
}

// An object is a part of a Coordinator: "searching", "closed", word n, or worker n.
type object struct {
	of   *coordinator
	name string
	n    int
}

// A thread is a goroutine: the calls that it is in, the innermost last.
type thread struct {
	calls []call
	// publishes are the workers that it has published, and for which it sleeps, or looks before
	// another goroutine wakes for them.
	publishes []*worker
}

type call struct {
	function string
	address  uint64
}

// in returns the innermost call whose function has a name that begins so.
func (t *thread) in(prefix string) *call {
	for i := len(t.calls) - 1; i >= 0; i-- {
		if strings.HasPrefix(t.calls[i].function, prefix) {
			return &t.calls[i]
		}
	}
	return nil
}

// owned returns those of t.publishes that no other goroutine has woken.
func (t *thread) owned(e *event) []*worker {
	t.publishes = slices.DeleteFunc(t.publishes, func(w *worker) bool {
		return w.owner != e.Goroutine
	})
	return t.publishes
}

// worker is the one whose method a call is.
func (j *judge) worker(e *event) *worker {
	o := j.objects[e.Address]
	return o.of.workers[o.n]
}

// Judge holds a trace against tables. The error is a refusal, and says which access or call the
// table does not have, or that the file is no trace.
func Judge(in io.Reader, tables Tables) (Verdict, error) {
	j := &judge{Verdict: Verdict{Highest: -1, Rules: map[string]int{}},
		objects: map[uint64]object{}, parkers: map[uint64]*parker{},
		threads: map[uint64]*thread{}, notices: map[uint64]*notifier{}}
	var err error
	if j.idle, err = newIdleTable(tables.Idle); err != nil {
		return j.Verdict, err
	}
	if j.park, err = newParkTable(tables.Park); err != nil {
		return j.Verdict, err
	}
	for r := newReader(in); ; {
		e, err := r.next()
		if err == nil {
			err = j.event(e)
		}
		switch {
		case err == io.EOF:
			return j.Verdict, nil
		case err != nil:
			return j.Verdict, err
		}
	}
}

func (j *judge) event(e *event) error {
	if e.Kind == atomic.Made {
		return j.make(e.text)
	}
	j.Events++
	t := j.threads[e.Goroutine]
	if t == nil {
		t = &thread{}
		j.threads[e.Goroutine] = t
	}
	switch e.Kind {
	case atomic.Access:
		return j.access(e, t)
	case atomic.Entered:
		t.calls = append(t.calls, call{e.stack.text, e.Address})
		return j.entered(e, t)
	case atomic.Left:
		last := len(t.calls) - 1
		if last < 0 || t.calls[last].function != e.stack.text {
			return fmt.Errorf("trace: event %d: %s ends and has not begun", e.n, e.stack.text)
		}
		err := j.left(e, t)
		t.calls = t.calls[:last]
		return err
	}
	return j.said(e, t)
}

// make makes a Coordinator of what a record says of it.
func (j *judge) make(text string) error {
	lines := strings.Split(text, "\n")
	var kind string
	var workers int
	if _, err := fmt.Sscan(lines[0], &kind, &workers); err != nil || kind != "Coordinator" {
		return fmt.Errorf("trace: %q is no object", lines[0])
	}
	c := newCoordinator(j.idle, workers)
	j.Coordinators++
	j.Workers = max(j.Workers, workers)
	for _, line := range lines[1:] {
		var name string
		var address, size uint64
		if _, err := fmt.Sscan(line, &name, &address, &size); err != nil {
			return fmt.Errorf("trace: %q is no part of an object: %w", line, err)
		}
		count := map[string]int{"word": c.words(), "worker": workers}[name]
		for n := range max(count, 1) {
			j.objects[address+uint64(n)*size] = object{c, name, n}
		}
	}
	return nil
}

func (j *judge) access(e *event, t *thread) error {
	if o, ok := j.objects[e.Address]; ok {
		j.Accesses++
		return j.idleAccess(e, t, o)
	}
	p := j.parkers[e.Address]
	if p == nil {
		return nil // nobody has called anything on it; it is no Parker's
	}
	j.Accesses++
	if p.worker != nil {
		if err := j.tokenAccess(e, t, p); err != nil {
			return err
		}
	}
	return j.parkAccess(e, p)
}

func (j *judge) entered(e *event, t *thread) error {
	function := e.stack.text
	of, _, _ := strings.Cut(function, ".")
	switch known := j.objects[e.Address].of != nil; {
	case (of == "Worker" || of == "Coordinator") && !known:
		return fmt.Errorf("trace: event %d: %s is of nobody who was made", e.n, function)
	case of == "Parker" && j.parkers[e.Address] == nil:
		j.Parkers++
		j.parkers[e.Address] = newParker()
	}
	if err := j.owes(e, t); err != nil {
		return err
	}
	switch function {
	case "Worker.Publish":
		w := j.worker(e)
		w.owner = e.Goroutine
		t.publishes = append(t.owned(e), w)
	case "Worker.Woke":
		j.worker(e).owner = e.Goroutine
	case "Parker.Park", "Parker.ParkTimeout":
		return j.parks(e, t)
	case "Parker.Unpark":
		return j.unparks(e)
	case "futexWake", "channel.wake", "futexWait", "channel.sleep":
		return j.kernel(e, t, true)
	}
	return nil
}

func (j *judge) left(e *event, t *thread) error {
	switch function := e.stack.text; function {
	case "Coordinator.Notify", "Coordinator.Claim", "Worker.Found", "Worker.Release":
		return j.notified(e)
	case "Coordinator.Close":
		return j.closed(e)
	case "Worker.Publish":
		return j.returns(e, t)
	case "Worker.Woke":
		if w := j.worker(e); !slices.Contains(w.at, "P") {
			t.publishes = slices.DeleteFunc(t.publishes, func(p *worker) bool { return p == w })
		}
	case "Parker.Park", "Parker.ParkTimeout":
		return j.hasParked(e)
	case "Parker.Unpark":
		return j.hasUnparked(e)
	case "futexWake", "channel.wake", "futexWait", "channel.sleep":
		return j.kernel(e, t, false)
	}
	return nil
}
