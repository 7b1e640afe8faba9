package refine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/surewake/surewake/idle"
	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/proofs/refine"
)

// A lone is one goroutine of a scheduler among any number of others.
type lone struct {
	*world
	solo   *refine.Solo
	crowd  *refine.Crowd
	ids    []int // of the workers that have names
	total  int   // of all workers
	run    func()
	do     func()
	unpark func(id int) // for Close
	closer string       // the variable that says that the outsider has closed
	// slept is the field sleeper of a Parker that has slept, so that a waker may find it asleep.
	slept [2]unsafe.Pointer
	me    int // the worker among those that have names, -1 for none
}

// newLone returns one for a Coordinator of so many workers, of which those with these numbers may
// sleep. who is the goroutine's name, and me its number among these, or -1.
func newLone(total int, ids []int, me int) *lone {
	l := &lone{total: total, ids: ids, me: me, closer: fmt.Sprint("closer_a", len(ids))}
	name := fmt.Sprint("worker ", me)
	if me < 0 {
		name = "outsider"
	}
	own := loop
	var actors []string
	for w, id := range ids {
		actors = append(actors, fmt.Sprint("worker ", w))
		own.Words = append(own.Words, id/64)
	}
	m := refine.NewMachine(refine.Idle(len(ids), append(actors, "outsider", "others"), own))
	refine.ShareIdle(m, ids)
	m.Share("returned", "returned", "either(closed == 2, 1, 0)")
	l.solo = refine.NewSolo(m, name)
	l.crowd = refine.NewCrowd(l.solo, me, ids, "others")
	l.crowd.Searchers, l.crowd.Tasks = []int{0, 1, 2}, []int{0, 1, 2}
	return l
}

// begin begins an execution at a place, see Crowd.Begin, in a world of its own.
func (l *lone) begin(x *model.Exec, place string, closed int) {
	l.world = &world{x: x, c: idle.New(l.total)}
	for range l.ids {
		p := park.New(park.Futex)
		*(*[2]unsafe.Pointer)(refine.Field(p, "sleeper")) = l.slept
		l.parkers = append(l.parkers, p)
	}
	returned, queue := unsafe.Pointer(&l.returned), unsafe.Pointer(&l.queue)
	l.crowd.Begin(x.Choose, l.c, l.parkers, place, closed, queue,
		func() int { return waiting(int64(refine.Read64(queue))) },
		[]refine.Object{{Name: "returned", Address: returned}},
		func() int { return int(refine.Read32(returned)) })
	s := l.solo
	s.Keep(unsafe.Pointer(l.c), unsafe.Sizeof(*l.c))
	for _, id := range l.ids {
		s.Keep(unsafe.Pointer(l.c.Worker(id)), unsafe.Sizeof(idle.Worker{}))
	}
	s.Refer(unsafe.Pointer(l.c.Worker(0)), uintptr(l.total)*unsafe.Sizeof(idle.Worker{}))
	s.Keep(refine.Field(l.c, "words", 0), uintptr((l.total+63)/64)*8)
	for _, p := range l.parkers {
		s.Keep(unsafe.Pointer(p), unsafe.Sizeof(*p))
	}
	s.Keep(unsafe.Pointer(&l.parkers[0]), uintptr(len(l.parkers))*unsafe.Sizeof(l.parkers[0]))
	s.Keep(unsafe.Pointer(l.world), unsafe.Sizeof(*l.world))
	s.Refer(unsafe.Pointer(x), unsafe.Sizeof(*x))
	s.Refer(unsafe.Pointer(l), unsafe.Sizeof(*l))
	s.Refer(unsafe.Pointer(s), unsafe.Sizeof(*s))
	s.Refer(unsafe.Pointer(&l.ids[0]), uintptr(len(l.ids))*unsafe.Sizeof(0))
	s.Refer(unsafe.Pointer(l.crowd), unsafe.Sizeof(*l.crowd))
	for _, f := range []func(){l.run, l.do} {
		s.Refer(refine.FuncOf(f), 1)
	}
	s.Refer(refine.FuncOf(l.unpark), 1)
}

// body is an execution: do, from one of these places.
func (l *lone) body(places []string, do func()) func(*model.Exec) {
	l.do, l.run = do, func() { l.solo.Run(do) }
	l.unpark = func(id int) { l.give(id, true) }
	p := park.New(park.Futex)
	p.ParkTimeout(1)
	l.slept = *(*[2]unsafe.Pointer)(refine.Field(p, "sleeper"))
	return func(x *model.Exec) {
		if !refine.Explored() {
			return
		}
		place := places[x.Choose(len(places))]
		l.begin(x, place, x.Choose(2))
		if l.me >= 0 && place != "R" {
			*(*byte)(refine.Field(l.c.Worker(l.ids[l.me]), "state")) = 1
		}
		x.Go(l.name(), l.run)
		x.Join()
	}
}

func (l *lone) name() string {
	if l.me < 0 {
		return "outsider"
	}
	return fmt.Sprint("worker ", l.me)
}

func (l *lone) check(t *testing.T, name string, places []string, do func()) *refine.Solo {
	t.Run(name, func(t *testing.T) {
		if !park.Futex.Available() || unsafe.Sizeof(uintptr(0)) < 8 {
			t.Skip("there is no futex here, or the words are too short to tell addresses")
		}
		alone(t, l.solo, l.body(places, do))
	})
	return l.solo
}

// alone checks a body with one goroutine.
func alone(t *testing.T, s *refine.Solo, body func(*model.Exec)) {
	model.Check(t, body, model.MaxSteps(2000), model.Timeouts(0), model.Before(s.Before),
		model.Observe(s.Step))
}

// worker is the goroutine's.
func (l *lone) worker() *idle.Worker { return l.c.Worker(l.ids[l.me]) }

// give is unpark for the number of a worker in the Coordinator.
func (l *lone) give(id int, ok bool) {
	if !ok {
		return
	}
	for w, named := range l.ids {
		if named == id {
			l.parkers[w].Unpark()
			return
		}
	}
	l.x.Assert(false, "worker %d is not asleep", id)
}

// is holds what a method has said against the place in which the table has the goroutine: it has
// no notification and no claim in hand, and the condition holds.
func (l *lone) is(ok bool, what string) {
	l.say(ok, what)
	refine.Wipe()
}

//go:noinline
func (l *lone) say(ok bool, what string) {
	l.x.Assert(ok, "%s: the table is in %v", what, l.solo)
	l.x.Assert(l.crowd.Owes() == 0, "a notification or a token is owed: the table is in %v", l.solo)
}

// at reports whether the worker is in a place.
func (l *lone) at(v string) bool {
	n := l.get(v)
	refine.Wipe()
	return n == 1
}

//go:noinline
func (l *lone) get(v string) int { return l.solo.Get(fmt.Sprintf("%s_w%d", v, l.me)) }

// parked reports whether the worker is in a place with one of these stages.
func (l *lone) parked(place, stages string) bool {
	ok := l.holds(place, stages)
	refine.Wipe()
	return ok
}

//go:noinline
func (l *lone) holds(place, stages string) bool {
	var all []string
	for _, stage := range stages {
		s := string(stage)
		v := fmt.Sprintf("%s_%s_w%d", place, s, l.me)
		if s == "b" || s == "t" {
			all = append(all, v)
			continue
		}
		for a := range len(l.ids) + 2 {
			all = append(all, fmt.Sprintf("%s_a%d", v, a))
		}
	}
	return l.solo.Holds(strings.Join(all, " + ") + " == 1")
}

// anything is one call, or one sleep, of all that the rules of package idle let a worker do. It
// begins in any state in which such a call may end, and ends in one of these: so what is seen of
// one holds of any number, one after the other.
func (l *lone) anything() {
	w := l.worker()
	own := (*byte)(refine.Field(w, "state"))
	switch {
	case l.at("R"):
		l.running(w)
	case l.at("S"):
		l.searching(w)
	default:
		l.give(w.Found())
		l.is(l.at("R"), "Found")
	}
	l.is(l.at("R") && *own == 0 || (l.at("S") || l.at("F")) && *own == 1, "the end")
	word := refine.Read32(refine.Field(l.parkers[l.me], "word"))
	l.x.Assert(word == 0, "a token, or a sleep, is left")
}

func (l *lone) running(w *idle.Worker) {
	switch l.x.Choose(6) {
	case 0:
		if w.Search() {
			l.is(l.at("S"), "Search is true")
		} else {
			l.is(l.at("R"), "Search is false")
		}
	case 1:
		l.take()
		l.is(l.at("R"), "a task is taken")
	case 2:
		l.put()
		l.give(l.c.Notify())
		l.is(l.at("R"), "Notify")
	case 3:
		other := l.ids[l.x.Choose(len(l.ids))]
		l.give(other, l.c.Claim(other))
		l.is(l.at("R"), "Claim")
	case 4:
		l.give(w.Found()) // does nothing
		l.rest(w, false)
	case 5:
		l.rest(w, true)
	}
}

func (l *lone) searching(w *idle.Worker) {
	l.x.Assert(w.Search(), "a searcher is none")
	switch l.x.Choose(5) {
	case 0:
		if _, ok := l.take(); ok {
			l.is(l.at("F"), "a task is taken")
		} else {
			l.is(l.at("S"), "no task is taken")
		}
	case 1:
		l.give(w.Found())
		l.is(l.at("R"), "Found")
	case 2:
		l.put()
		l.give(l.c.Notify())
		l.is(l.at("S"), "Notify")
	case 3:
		l.rest(w, false)
	case 4:
		l.rest(w, true)
	}
}

// rest is a sleep, as the documentation of idle has it.
func (l *lone) rest(w *idle.Worker, timeout bool) {
	parker := l.parkers[l.me]
	next := w.Publish()
	switch next {
	case idle.Recheck:
		l.is(l.parked("B", "bcit"), "Publish says Recheck")
		if l.queued() {
			l.give(l.c.Notify())
		}
		l.is(l.parked("P", "bcit"), "after the recheck")
		token := true
		if timeout {
			token = parker.ParkTimeout(10 * time.Millisecond)
		} else {
			parker.Park()
		}
		if token {
			l.is(l.at("S"), "a token is taken")
		}
		next = w.Woke(token)
	case idle.Closed:
		l.is(l.at("R"), "Publish says Closed")
		return
	}
	if next == idle.AwaitToken {
		l.is(l.parked("P", "cit"), "AwaitToken")
		parker.Park()
		next = w.Woke(true)
	}
	switch next {
	case idle.Searching:
		l.is(l.at("S"), "Woke says Searching")
	case idle.Running:
		l.is(l.at("R"), "Woke says Running")
	default:
		l.x.Assert(false, "Woke says %v", next)
	}
}

// outsider is what a notifier does that is no worker.
func (l *lone) outsider() {
	switch l.x.Choose(2) {
	case 0:
		l.put()
		l.give(l.c.Notify())
	case 1:
		id := l.ids[l.x.Choose(len(l.ids))]
		l.give(id, l.c.Claim(id))
	}
	l.is(true, "")
}

// first reports whether the goroutine is the first that closes.
func (l *lone) first() bool {
	n := l.solo.Get(l.closer)
	refine.Wipe()
	return n == 1
}

// close closes, for the first time or once more.
func (l *lone) close() {
	l.c.Close(l.unpark)
	if l.first() {
		l.returned.Store(true)
		l.is(true, "Close has returned")
	} else {
		l.is(true, "")
	}
}

// Every access of one goroutine that uses idle and park, among any number of others, is a
// transition of the table or changes nothing: a worker, a notifier, one that closes; with one word
// of the bitmap, and with several.
func TestOneAmongAnyNumber(t *testing.T) {
	any, outside := []string{"R", "S", "F"}, []string{""}
	var all []*refine.Solo
	for _, w := range []struct {
		total            int
		ids, idsForClose []int
	}{
		{3, []int{0, 1, 2}, []int{0, 1, 2}},
		{130, []int{3, 63, 64, 129}, []int{3, 64, 129}},
	} {
		l := newLone(w.total, w.ids, 1)
		all = append(all, l.check(t, fmt.Sprintf("worker of %d", w.total), any, l.anything))
		l = newLone(w.total, w.ids, -1)
		all = append(all, l.check(t, fmt.Sprintf("notifier of %d", w.total), outside, l.outsider))
		l = newLone(w.total, w.idsForClose, -1)
		all = append(all, l.check(t, fmt.Sprintf("closer of %d", w.total), outside, l.close))
	}
	everyRuleOf(t, 18_000, all, refine.PlaceApart)
}

// everyRuleOf fails a check if a rule was the meaning of no access in as many executions. If there
// were fewer, somebody has set a budget. Of rules whose names alike makes the same, one is enough.
func everyRuleOf(
	t *testing.T, executions int64, all []*refine.Solo, alike func(rule string) string,
) {
	t.Run("every rule", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			if !refine.Explored() {
				return
			}
			var times int64
			fired := map[string]bool{}
			for _, s := range all {
				rules := map[string]bool{}
				times += s.Fired(rules)
				for rule, is := range rules {
					fired[alike(rule)] = fired[alike(rule)] || is
				}
			}
			var unused []string
			for rule, is := range fired {
				if !is {
					unused = append(unused, rule)
				}
			}
			slices.Sort(unused)
			x.Assert(unused == nil || times < executions, "in %d executions, no access was %s",
				times, strings.Join(unused, ", "))
		})
	})
}
