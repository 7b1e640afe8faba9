package refine_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/surewake/surewake/idle"
	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/proofs/refine"
	"github.com/surewake/surewake/proofs/spec"
)

// A setting is one configuration of a scheduler: the real idle and the real park, with the loop of idle's documentation, around a queue
// that is one atomic word.
type setting struct {
	workers, submitters, tasks int // tasks of each submitter
	asleep                     int // workers that are asleep at the beginning, the last ones
	timeouts                   int // sleeps that end early, by a timeout or a signal
	search                     bool
	leaves                     bool // a searcher that finds nothing leaves once, as from a join, before it goes to sleep
	claims                     bool // somebody claims worker 0
}

func (s setting) String() string {
	text := fmt.Sprintf("%dx%dx%d asleep %d timeouts %d", s.workers, s.submitters, s.tasks, s.asleep, s.timeouts)
	for _, o := range []struct {
		on   bool
		name string
	}{{s.search, " search"}, {s.leaves, " leaves"}, {s.claims, " claims"}} {
		if o.on {
			text += o.name
		}
	}
	return text
}

// A world is a setting in an execution.
type world struct {
	setting
	x       *model.Exec
	c       *idle.Coordinator
	parkers []*park.Parker
	queue   atomic.Int64 // tasks pushed, in the upper half, and taken
	// returned is set when Close has returned.
	returned atomic.Bool
}

const pushed = 1 << 32

func (w *world) put() { w.queue.Add(pushed) }

func (w *world) queued() bool { return waiting(w.queue.Load()) > 0 }

func waiting(q int64) int { return int(q>>32 - q&(pushed-1)) }

// take returns which task it took, counted from 0.
func (w *world) take() (task int, ok bool) {
	for q := w.queue.Load(); waiting(q) > 0; q = w.queue.Load() {
		if w.queue.CompareAndSwap(q, q+1) {
			return int(q & (pushed - 1)), true
		}
	}
	return 0, false
}

func (w *world) submit() {
	w.put()
	w.unpark(w.c.Notify())
}

func (w *world) unpark(worker int, ok bool) {
	if ok {
		w.parkers[worker].Unpark()
	}
}

// run does a task. The last one ends everything.
func (w *world) run(task int) {
	if task == w.submitters*w.tasks-1 {
		w.close()
	}
}

func (w *world) close() {
	w.c.Close(func(worker int) { w.unpark(worker, true) })
	w.returned.Store(true)
}

// work is the loop of idle's documentation.
func (w *world) work(me int) {
	worker := w.c.Worker(me)
	if me >= w.workers-w.asleep && !w.sleep(me, idle.Recheck, false) {
		return
	}
	for leaves := w.leaves; ; {
		task, ok := w.take()
		if !ok && w.search && worker.Search() {
			task, ok = w.take()
		}
		if ok {
			w.unpark(worker.Found())
			w.run(task)
			continue
		}
		if leaves {
			w.unpark(worker.Found())
			leaves = false
		}
		if !w.sleep(me, worker.Publish(), true) {
			return
		}
	}
}

// sleep is what the loop does after Publish; it is false if the worker must end.
func (w *world) sleep(me int, next idle.Outcome, looks bool) bool {
	worker, sleep := w.c.Worker(me), w.parkers[me]
	if next == idle.Recheck {
		if looks && w.queued() {
			w.unpark(w.c.Notify())
		}
		if w.timeouts > 0 {
			next = worker.Woke(sleep.ParkTimeout(10 * time.Millisecond))
		} else {
			next = idle.AwaitToken
		}
	}
	if next == idle.AwaitToken {
		sleep.Park()
		next = worker.Woke(true)
	}
	return next != idle.Closed || w.queued()
}

// callers is what the table leaves to callers, and where it is done here.
var callers = map[string]string{
	"push": "refine_test.put: queue.Add", "take": "refine_test.take: queue.CompareAndSwap",
	"take_searching": "refine_test.take: queue.CompareAndSwap", "close_done": "refine_test.close: returned.Store",
	"woke": "park.take, park.leave",
}

func init() {
	for _, p := range parking {
		callers["token_"+p] = "park.Unpark: Swap"
	}
	for _, s := range stages {
		callers["recheck_none_"+s] = "refine_test.queued: queue.Load"
		callers["recheck_work_"+s] = "refine_test.queued: queue.Load"
	}
}

var (
	parking = []string{"A", "C", "B", "P"}
	stages  = []string{"b", "c", "i", "t"}
)

// idleCast gives the table of idle names: a worker's place is its own; a notifier is the goroutine that runs it, and a claim is of a
// worker and by a goroutine. Workers are the first of the actors.
func idleCast(workers int, actors []string) refine.Cast {
	table := spec.Idle()
	for _, r := range slices.Clone(table.Rules) { // there is no other queue here
		if strings.Contains(r.Name, "elsewhere") {
			table = table.Without(r.Name)
		}
	}
	// What a goroutine remembers: that it has called Close, for which alone it claims then; that Publish has seen closed.
	table.Vars = append(slices.Clone(table.Vars), "closer", "shut")
	table = table.With(spec.Rule{Name: "shut", Code: "Publish: closed.Load", When: "closed > 0 && shut == 0", Do: "shut = 1"})
	for _, r := range slices.Clone(table.Rules) {
		switch kind, _, _ := strings.Cut(r.Name, "_"); {
		case r.Name == "close":
			r.Do += "; closer = 1"
		case kind == "close":
			r.When, r.Do = spec.And(r.When, "closer == 1"), r.Do+"; closer = 1"
		case kind == "closed":
			r.When, r.Do = spec.And(r.When, "shut == 1"), r.Do+"; shut = 0"
		}
		table = table.With(r)
	}
	c := refine.Cast{System: table, Actors: actors, Package: "idle", Code: callers, Copies: map[string][]string{}}
	own := func(v string, w int) string { return fmt.Sprintf("%s_w%d", v, w) }
	by := func(v string, a int) string { return fmt.Sprintf("%s_a%d", v, a) }
	byActor := func(v string) bool { return v == "m0" || v == "m1" || v == "closer" || v == "shut" }
	claims := func(v string) bool { return strings.HasSuffix(v, "_c") || strings.HasSuffix(v, "_i") }
	workerVar := func(v string) bool { return v == "R" || v == "S" || v == "F" || strings.Contains(v, "_") }
	busy := make([]string, len(actors)) // what an actor does before anything else
	for a := range actors {
		busy[a] = by("m0", a) + " + " + by("m1", a)
	}
	for _, v := range table.Vars {
		switch {
		case byActor(v):
			for a := range actors {
				c.Copies[v] = append(c.Copies[v], by(v, a))
			}
		case claims(v):
			for w := range workers {
				for a := range actors {
					c.Copies[v] = append(c.Copies[v], by(own(v, w), a))
					busy[a] += " + " + by(own(v, w), a)
				}
			}
		case workerVar(v):
			for w := range workers {
				c.Copies[v] = append(c.Copies[v], own(v, w))
			}
		}
	}
	c.Stays = []refine.Stay{{Code: "park.Park, park.ParkTimeout", When: func(a int) string {
		if a >= workers {
			return ""
		}
		var places []string
		for _, s := range stages {
			for _, v := range c.Copies["P_"+s] {
				if v == own("P_"+s, a) || strings.HasPrefix(v, own("P_"+s, a)+"_") {
					places = append(places, v)
				}
			}
		}
		return strings.Join(places, " + ") + " == 1"
	}}}
	c.Instances = func(r *spec.Rule, a int) []refine.Instance {
		kind, _, _ := strings.Cut(r.Name, "_")
		others := slices.Contains([]string{"push", "notify", "claim", "count", "token", "close"}, kind) // done to workers, or to nobody
		if !others && a >= workers {
			return nil
		}
		free := !slices.Contains([]string{"notify", "claim", "count", "token"}, kind) || strings.HasPrefix(r.Name, "claim_one")
		var all []refine.Instance
		add := func(w, claimer int) {
			i := refine.Instance{Bind: map[string]string{}}
			effect := r.Effect()
			for _, v := range table.Vars {
				// Of the places that a condition names, a worker means its own; a claimer may mean all workers'.
				if _, assigned := effect[v]; !assigned && (others || !spec.Mentions(r.When, v)) {
					continue
				}
				switch {
				case byActor(v):
					i.Bind[v] = by(v, a)
				case claims(v):
					i.Bind[v] = by(own(v, w), claimer)
				case workerVar(v):
					i.Bind[v] = own(v, w)
				}
			}
			if free {
				i.When = busy[a] + " == 0"
			}
			if !slices.ContainsFunc(all, func(j refine.Instance) bool { return fmt.Sprint(i) == fmt.Sprint(j) }) {
				all = append(all, i)
			}
		}
		if others {
			for w := range workers {
				add(w, a)
			}
		} else {
			for claimer := range actors {
				add(a, claimer)
			}
		}
		return all
	}
	return c
}

// scheduler is what follows the executions of a setting: the table of idle, and for each worker that of park.
type scheduler struct {
	setting
	idle    *refine.Machine
	parkers []*refine.Machine
}

func newScheduler(s setting) *scheduler {
	var actors []string
	for i := range s.workers {
		actors = append(actors, fmt.Sprint("worker ", i))
	}
	for i := range s.submitters {
		actors = append(actors, fmt.Sprint("submitter ", i))
	}
	if s.claims {
		actors = append(actors, "claimer")
	}
	m := &scheduler{setting: s, idle: refine.NewMachine(idleCast(s.workers, actors))}
	m.share()
	for w := range s.workers {
		m.parkers = append(m.parkers, refine.NewMachine(parkCast(w, actors)))
		m.parkers[w].Share("word", "word", "word")
	}
	return m
}

func (m *scheduler) share() {
	m.idle.Share("searching", "searching", "searching")
	m.idle.Share("closed", "closed", "either(closed > 0, 1, 0)")
	m.idle.Share("returned", "returned", "either(closed == 2, 1, 0)")
	m.idle.Share("queue", "queued", "q")
	for w := range m.workers {
		of := func(stage string) string {
			var names []string
			for _, p := range parking {
				names = append(names, fmt.Sprintf("%s_%s_w%d", p, stage, w))
			}
			return strings.Join(names, " + ")
		}
		m.idle.Share("word", fmt.Sprint("bit ", w), of("b"))
		m.idle.Share(fmt.Sprint("parker ", w), fmt.Sprint("token ", w), of("t"))
	}
}

func (m *scheduler) begin(w *world) {
	searching, closed := refine.Field(w.c, "searching"), refine.Field(w.c, "closed")
	words, queue, returned := refine.Field(w.c, "words", 0), unsafe.Pointer(&w.queue), unsafe.Pointer(&w.returned)
	state := map[string]int{"left": m.submitters * m.tasks, "other": flag(m.claims), "hands": len(m.parkers) + m.submitters}
	objects := []refine.Object{{"searching", searching}, {"closed", closed}, {"word", words}, {"queue", queue}, {"returned", returned}}
	read := []func() int{
		func() int { return int(int32(refine.Read32(searching))) },
		func() int { return int(refine.Read32(closed)) },
		func() int { return int(refine.Read32(returned)) },
		func() int { return waiting(int64(refine.Read64(queue))) },
	}
	for i, p := range w.parkers {
		place := "R"
		if i >= m.workers-m.asleep {
			place = "P_b"
		}
		state[fmt.Sprintf("%s_w%d", place, i)] = 1
		word := refine.Field(p, "word")
		objects = append(objects, refine.Object{Name: fmt.Sprint("parker ", i), Address: word})
		read = append(read,
			func() int { return int(refine.Read64(words) >> i & 1) },
			func() int { return flag(refine.Read32(word) == token) })
		m.parkers[i].Begin(map[string]int{"left": 99}, []refine.Object{{"word", word}}, func() int { return int(refine.Read32(word)) })
	}
	m.idle.Begin(state, objects, read...)
}

const token = 1 // of park's word

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (m *scheduler) step(s *model.Step) error {
	err := m.idle.Step(s)
	for _, p := range m.parkers {
		if e := p.Step(s); err == nil {
			err = e
		}
	}
	return err
}

func (m *scheduler) world(x *model.Exec) *world {
	w := &world{setting: m.setting, x: x, c: idle.New(m.workers)}
	for range m.workers {
		w.parkers = append(w.parkers, park.New(park.Futex))
	}
	for i := m.workers - m.asleep; i < m.workers; i++ {
		w.c.Worker(i).Publish()
	}
	return w
}

func (m *scheduler) body(x *model.Exec) {
	w := m.world(x)
	m.begin(w)
	for i := range m.workers {
		x.Go(fmt.Sprint("worker ", i), func() { w.work(i) })
	}
	for i := range m.submitters {
		x.Go(fmt.Sprint("submitter ", i), func() {
			for range m.tasks {
				w.submit()
			}
		})
	}
	if m.claims {
		x.Go("claimer", func() { w.unpark(0, w.c.Claim(0)) })
	}
	x.Join()
	x.Assert(!w.queued(), "a task is left")
	x.Assert(m.idle.May(fmt.Sprint("R == ", m.workers)), "somebody has not notified, or still sleeps")
	for _, p := range m.parkers {
		x.Assert(p.May("owed == 0"), "somebody has not woken whom it saw asleep")
	}
}

// The accesses of idle and park are transitions of their tables.
func TestSchedulerIsTheTable(t *testing.T) {
	for _, s := range []setting{
		{workers: 1, submitters: 1, tasks: 1},
		{workers: 1, submitters: 1, tasks: 1, timeouts: 1},
		{workers: 1, submitters: 2, tasks: 1, asleep: 1},
		{workers: 1, submitters: 2, tasks: 1, asleep: 1, search: true},
		{workers: 1, submitters: 1, tasks: 1, asleep: 1, leaves: true, claims: true},
		{workers: 2, submitters: 1, tasks: 1, asleep: 2},
	} {
		s.check(t)
	}
}

// The same for larger ones, within bounds. Here every transition of idle's table is an access.
func TestWiderSchedulersAreTheTable(t *testing.T) {
	var all []*refine.Machine
	for _, s := range []setting{
		{workers: 1, submitters: 1, tasks: 2, timeouts: 1, search: true},
		{workers: 1, submitters: 2, tasks: 1, search: true},
		{workers: 2, submitters: 1, tasks: 2, asleep: 2, search: true, leaves: true, claims: true},
		{workers: 2, submitters: 2, tasks: 1, asleep: 2, timeouts: 1},
		{workers: 2, submitters: 2, tasks: 1, search: true, leaves: true},
	} {
		all = append(all, s.check(t, model.Preemptions(3), model.Executions(10_000)))
	}
	everyRule(t, 46_000, all)
}

func (s setting) check(t *testing.T, opts ...model.Option) *refine.Machine {
	m := newScheduler(s)
	t.Run(s.String(), func(t *testing.T) {
		if !park.Futex.Available() {
			t.Skip("there is no futex here")
		}
		model.Check(t, m.body, append(opts, model.MaxSteps(2000), model.Timeouts(s.timeouts), model.NoRescue(), model.Observe(m.step))...)
	})
	return m.idle
}
