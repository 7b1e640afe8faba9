package refine

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unsafe"

	"github.com/surewake/surewake/injector"
	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/proofs/spec"
)

// The goroutine calls a method of an injector. The table is the part of that of the injector which
// is about its queue: who pushes from outside, wakes a task, hands over what does not fit a ring,
// takes, or closes. What a worker does with its ring, and how it sleeps, is left out. See
// injectorSystem for what there is more.
//
// # What others do
//
// All that others change of the queue, they change while they have the mutex. So they do it before
// each Lock of the goroutine's and end with an Unlock. They do nothing while the goroutine has the
// mutex. What they lead to before a Lock is any state that keeps this:
//
//   - the length without the lock is that of the queue (injector/J2), and not negative;
//   - what is shut stays shut;
//   - what Submit has accepted, and what Accepted says of it, only grow, the second up to the
//     first.
//
// NewInjectorCrowd fires each rule of others, with the lock in each place, and panics if it breaks
// one of these, or if it changes what is shared while the goroutine has the lock.
//
// At a load without the lock somebody else may have it, who has stored the length already. No rule
// of the goroutine's asks for the lock at a load, so the lock may as well be free then.
//
// # Which queues
//
// The table has numbers only, of which the code compares the length with 0, with the size of the
// ring, with a share and with the room. A ring is tried with no slot, 64 and 128, at lengths around
// 0, an eighth, half and all of that, and with 2^15 and 2^16 slots at lengths around those at which
// it shrinks. It begins at slots from which it wraps after one value, after two, or not at all, and
// so that the count of what has left comes over the end of the numbers of a word. A load without
// the lock sees 0, 1 or 64.
//
// # What is in the queue
//
// The table does not say which values there are. At each Unlock of the goroutine's the ring is
// looked at, which nobody else touches then: its size must be a power of two, and it must have what
// was there at the Lock, in that order, without as many of the oldest as the table says that were
// taken, or with as many at the end as it says that were pushed; all other slots must be zero. This
// is what the goroutine finds there in turn at its next Lock.

// An InjectorCrowd is everybody but one goroutine at an injector: any number of outsiders, workers
// and closers.
type InjectorCrowd struct {
	*Solo
	// Mine are the values that the goroutine pushes.
	Mine []int

	q                             *injector.Queue[int]
	length, lock, closed          unsafe.Pointer
	accepted, public, slots, head unsafe.Pointer
	held                          bool          // the goroutine has the lock
	acts                          int           // how often others have acted in this execution
	before                        int           // the length when they did so last
	rings                         map[int][]int // by size
	wide                          bool          // the rings that shrink are tried, too
}

// More variables than the table has. Of a call that pushes nothing idle is 1; keep is 1 for an
// Update that does not close; room is what a worker has for what it takes. sub is how many values
// Submit has accepted, and public what Accepted says of it.
var moreOfInjector = []string{"idle", "keep", "room", "sub", "public"}

// ofTheQueue are the rules of the table that are about the queue, by what the functions are that do
// them.
var ofTheQueue = map[string][]string{
	"push, fill": {"push_lock", "push_refused", "push_store", "push_unlock", "wake_lock",
		"wake_store", "wake_unlock", "overflow_lock", "overflow_store", "overflow_unlock"},
	"TakeFunc": {"look", "take_lock", "take", "take_one", "take_none", "take_unlock",
		"take_one_unlock", "look_searching", "take_lock_searching", "take_searching",
		"take_one_searching", "take_none_searching", "take_unlock_searching",
		"take_one_unlock_searching"},
	"Update": {"close_lock", "close_unlock"},
}

var (
	accessOfQueue = regexp.MustCompile(`length\.(?:Load|Store)|\b(?:Lock|Unlock)\b`)
	takeUnlocks   = regexp.MustCompile(`^take.*_(?:unlock|none)(?:_searching)?$`)
)

// injectorSystem is the part of the table of the injector that is about its queue, with rules more:
//
//   - Somebody is refused in two steps, as the code locks the mutex and unlocks it.
//   - hold, let_go: who pushes nothing locks and unlocks it.
//   - stay_open: an Update does not close.
//   - take_no_room: a worker that has no room takes nothing.
//   - tell: a worker stores what Accepted says, and before it unlocks that is right.
func injectorSystem() *spec.System {
	table := spec.Injector()
	s := &spec.System{Name: table.Name, Params: table.Params,
		Vars: append(slices.Clone(table.Vars), moreOfInjector...)}
	for _, functions := range slices.Sorted(maps.Keys(ofTheQueue)) {
		for _, name := range ofTheQueue[functions] {
			r := *table.Rule(name)
			access := accessOfQueue.FindString(r.Code)
			switch {
			case access == "":
				panic("refine: rule " + name + " is about no access to a queue: " + r.Code)
			case access == "length.Load" && spec.Mentions(r.When, "lock"):
				panic("refine: rule " + name + " asks at a load for the lock")
			case name == "push_refused":
				s.Rules = append(s.Rules,
					spec.Rule{Name: "push_shut", Code: functions + ": Lock", When: r.When,
						Do: "lock = 14"})
				r.When, r.Do, access = "lock == 14", r.Do+"; lock = 0", "Unlock"
			case name == "push_store":
				r.Do += "; sub += n"
			case takeUnlocks.MatchString(name):
				r.When = spec.And(r.When, "public == sub")
			}
			r.Code = functions + ": " + access
			s.Rules = append(s.Rules, r)
		}
	}
	s.Rules = append(s.Rules,
		spec.Rule{Name: "hold", Code: "push, fill: Lock", When: "idle > 0 && lock == 0",
			Do: "idle--; lock = 15"},
		spec.Rule{Name: "let_go", Code: "push, fill: Unlock", When: "lock == 15", Do: "lock = 0"},
		spec.Rule{Name: "stay_open", Code: "Update: Unlock", When: "lock == 11", Do: "lock = 0"},
		spec.Rule{Name: "take_no_room", Code: "TakeFunc: Unlock",
			When: "lock == 3 && public == sub", Do: "lock = 0; R++"},
		spec.Rule{Name: "take_no_room_searching", Code: "TakeFunc: Unlock",
			When: "lock == 6 && public == sub", Do: "lock = 0; S++"},
		spec.Rule{Name: "tell", Code: "TakeFunc: public.Store", When: "lock == 3 || lock == 6",
			Do: "public = sub"})
	return s
}

// sharedOfInjector are the variables that are not somebody's own.
var sharedOfInjector = []string{"q", "len", "shut", "closed", "sub", "public"}

// injectorBinding says who does which rule: the first actor is the goroutine. Who has the lock is
// one of both.
func injectorBinding() Binding {
	b := Binding{System: injectorSystem(), Actors: []string{"me", "others"}, Package: "injector",
		Params: injectorMost, Copies: map[string][]string{}}
	for _, v := range b.System.Vars {
		if !slices.Contains(sharedOfInjector, v) {
			b.Copies[v] = []string{v + "_a0", v + "_a1"}
		}
	}
	b.Instances = func(r *spec.Rule, a int) []Instance {
		i := Instance{Bind: map[string]string{}}
		for v, all := range b.Copies {
			i.Bind[v] = all[a]
		}
		when := []string{"1 == 1"}
		if spec.Mentions(r.When, "lock") {
			when = append(when, b.Copies["lock"][1-a]+" == 0")
		}
		switch {
		case a == 1:
		case r.Name == "close_unlock":
			when = append(when, "keep_a0 == 0 || shut == 1")
		case r.Name == "stay_open":
			when = append(when, "keep_a0 == 1")
		case strings.HasPrefix(r.Name, "take_no_room"):
			when = append(when, "room_a0 == 0")
		}
		i.When = spec.And(when...)
		return []Instance{i}
	}
	return b
}

// injectorMost is the largest number of values that the goroutine pushes or takes at once.
const injectorMost = 66

// NewInjectorCrowd returns one around a goroutine named "me". wide says that the rings that shrink
// are tried, too. It panics if a rule of others does not keep what the goroutine relies on.
func NewInjectorCrowd(wide bool) *InjectorCrowd {
	m := NewMachine(injectorBinding())
	m.Share("length", "length", "len")
	m.Share("lock", "locked", "either(lock > 0, 1, 0)")
	m.Share("lock", "shut", "shut")
	m.Share("lock", "accepted", "either(lock == 0, sub, 0)")
	m.Share("public", "public", "public")
	c := &InjectorCrowd{Solo: NewSolo(m, "me"), rings: map[int][]int{0: nil}, wide: wide}
	c.Others, c.Free, c.Whole = c.act, func([]int) {}, true
	c.othersKeep()
	return c
}

// othersKeep panics if a rule of others breaks what the goroutine relies on, or can never be done.
func (c *InjectorCrowd) othersKeep() {
	for i := range c.moves {
		v, done := &c.moves[i], false
		for _, before := range c.anything() {
			if v.actor == c.actor {
				done = true
				break
			}
			c.fire(v, before, func(after []int) {
				done = true
				if broken := c.broken(before, after); broken != "" {
					panic("refine: rule " + v.rule.Name + " of others " + broken)
				}
			})
		}
		if !done {
			panic("refine: rule " + v.rule.Name + " of others can never be done")
		}
	}
}

// anything returns states in which others have everything that a rule may ask for, and the lock is
// anywhere, with the goroutine too.
func (c *InjectorCrowd) anything() (states [][]int) {
	for n := range 16 * 2 * 3 * 2 * 2 {
		s := make([]int, len(c.names))
		for i, name := range c.names {
			if strings.HasSuffix(name, "_a1") {
				s[i] = 2
			}
		}
		s[c.place("v_a1")] = 4
		set := func(v string, n int) { s[c.place(v)] = n }
		set("lock_a1", n%16)
		set("lock_a0", n/16%2*3)
		set("q", n/32%3)
		set("len", n/32%3)
		set("shut", n/96%2)
		set("sub", 1)
		set("public", n/192)
		if n/16%2 == 1 && n%16 != 0 {
			continue // one of both has it
		}
		states = append(states, s)
	}
	return states
}

// broken says what is wrong with what others have done.
func (c *InjectorCrowd) broken(before, after []int) string {
	was := func(v string) int { return before[c.place(v)] }
	is := func(v string) int { return after[c.place(v)] }
	changed := slices.ContainsFunc(append([]string{"lock_a0"}, sharedOfInjector...),
		func(v string) bool { return was(v) != is(v) })
	switch {
	case was("lock_a0") > 0 && (changed || was("lock_a1") != is("lock_a1")):
		return "changes the queue while the goroutine has the lock"
	case was("lock_a0") != is("lock_a0"):
		return "changes whether the goroutine has the lock"
	case is("len") != is("q") || is("q") < 0:
		return "makes the length another one than that of the queue"
	case is("shut") < was("shut") || is("shut") > 1:
		return "opens the queue"
	case is("sub") < was("sub") || is("public") < was("public") || is("public") > is("sub"):
		return "takes back what was accepted"
	}
	return ""
}

// Begin begins an execution, a call of the goroutine's, at a queue in which there was nothing yet.
// Others may have come before the call, so that it finds another one, or a closed one. has are
// variables of the goroutine that are not 0.
func (c *InjectorCrowd) Begin(choose func(n int) int, q *injector.Queue[int], has map[string]int) {
	c.q, c.held, c.acts, c.before, c.Mine = q, false, 0, 0, nil
	for name, p := range map[string]*unsafe.Pointer{"length": &c.length, "lock": &c.lock,
		"closed": &c.closed, "accepted": &c.accepted, "public": &c.public, "slots": &c.slots,
		"head": &c.head} {
		*p = Field(q, name)
	}
	state := map[string]int{}
	for name, n := range has {
		state[name+"_a0"] = n
	}
	c.Machine.Begin(state, []Object{{"length", c.length}, {"lock", c.lock}, {"public", c.public}},
		func() int { return int(Read64(c.length)) },
		func() int { return flag(c.held) },
		func() int { return flag(*(*bool)(c.closed)) },
		func() int {
			if c.held {
				return 0
			}
			return int(Read64(c.accepted))
		},
		func() int { return int(Read64(c.public)) })
	c.Start(choose)
	if queue := c.choose([]fifo{{}, {64, 0, 0}, {64, 62, 3}}); queue.size > 0 {
		c.become(queue, c.Choose(2), false)
	}
}

// A fifo is a queue of values from slot head on, in a ring of so many slots.
type fifo struct{ size, head, queued int }

// fifos are the queues that others may leave.
var fifos = func() (narrow, wide []fifo) {
	narrow = []fifo{{}}
	for _, ring := range []struct {
		size          int
		heads, queued []int
	}{
		{64, []int{0, 1, 62, 63, math.MaxInt - 1, math.MinInt + 63},
			[]int{0, 1, 2, 3, 7, 8, 32, 62, 63, 64}},
		{128, []int{0, 127}, []int{0, 1, 2, 15, 16, 62, 63, 64, 126, 127, 128}},
	} {
		for _, head := range ring.heads {
			for _, n := range ring.queued {
				narrow = append(narrow, fifo{ring.size, head, n})
			}
		}
	}
	for _, n := range []int{2, 8191, 8192, 8193, 8192 + injectorMost} {
		wide = append(wide, fifo{1 << 16, 1<<16 - 2, n})
	}
	return narrow, append(wide, fifo{1 << 15, 0, 1}, fifo{1 << 15, 1<<15 - 1, 1 << 15})
}

var narrow, wide = fifos()

// act is what others do before an access. Who sees one word is shown some values of that one.
func (c *InjectorCrowd) act(object string, op explore.Op) {
	switch {
	case c.held:
	case op != explore.OpLock:
		queue := c.choose([]fifo{{64, 0, 0}, {64, 0, 1}, {64, 0, 64}})
		c.become(queue, c.Get("shut"), object == "public" && c.Choose(2) == 1)
	default:
		queues := narrow
		if c.wide {
			queues = append(slices.Clip(narrow), wide...)
		}
		if c.Get("q") > 0 {
			queues = queues[1:] // a ring that is there stays
		}
		c.become(c.choose(queues), max(c.Get("shut"), c.Choose(2)), c.Choose(2) == 1)
	}
}

func (c *InjectorCrowd) choose(queues []fifo) fifo { return queues[c.Choose(len(queues))] }

// become makes the table and the memory what others have left. untold says that something was
// accepted of which nobody has told yet.
func (c *InjectorCrowd) become(queue fifo, shut int, untold bool) {
	c.acts++
	accepted := c.Get("sub") + 3
	for v, n := range map[string]int{"q": queue.queued, "len": queue.queued, "shut": shut,
		"sub": accepted, "public": accepted - 2*flag(untold)} {
		c.Set(v, n)
	}
	c.write(queue)
}

// write makes the memory what the table says.
func (c *InjectorCrowd) write(queue fifo) {
	ring, ok := c.rings[queue.size]
	if !ok {
		ring = make([]int, queue.size)
		c.rings[queue.size] = ring
	}
	clear(ring)
	c.before = queue.queued
	for i := range queue.queued {
		ring[(queue.head+i)&(queue.size-1)] = c.Oldest(i)
	}
	*(*[]int)(c.slots), *(*int)(c.head) = ring, queue.head
	*(*int64)(c.length), *(*bool)(c.closed) = int64(queue.queued), c.Get("shut") == 1
	*(*uint64)(c.accepted), *(*uint64)(c.public) = uint64(c.Get("sub")), uint64(c.Get("public"))
}

// Queued returns how many values there were when others had acted last, and Oldest which of them
// was how many behind the oldest.
func (c *InjectorCrowd) Queued() int { return c.before }

// Oldest is said at Queued.
func (c *InjectorCrowd) Oldest(i int) int { return c.acts<<20 + i + 1 }

// Held reports whether the goroutine has the lock.
func (c *InjectorCrowd) Held() bool { return c.held }

// Step is for model.Observe.
func (c *InjectorCrowd) Step(step *model.Step) error {
	mine := step.Name == c.me && step.Address == c.lock && c.lock != nil
	if mine {
		c.held = step.Op == explore.OpLock
	}
	if err := c.Solo.Step(step); err != nil || !mine || c.held {
		return err
	}
	return c.content()
}

// content says what is wrong with the ring behind an Unlock of the goroutine's.
func (c *InjectorCrowd) content() error {
	slots, head, queued := *(*[]int)(c.slots), *(*int)(c.head), c.Get("q")
	size := len(slots)
	if size&(size-1) != 0 || queued > size {
		return fmt.Errorf("%d values are in a ring of %d slots", queued, size)
	}
	taken := max(c.before-queued, 0)
	for i := range size {
		want := 0
		switch {
		case i >= queued:
		case i+taken < c.before:
			want = c.Oldest(i + taken)
		case i-c.before < len(c.Mine):
			want = c.Mine[i-c.before]
		}
		if got := slots[(head+i)&(size-1)]; got != want {
			return fmt.Errorf("behind the oldest of %d values the one at %d is %d, not %d: there "+
				"were %d, and the table is in %v", queued, i, got, want, c.before, c.Solo)
		}
	}
	return nil
}
