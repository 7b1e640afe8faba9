package refine

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/surewake/surewake/idle"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/proofs/spec"
)

// A Crowd is everybody but one goroutine in the table of idle: any number of workers, notifiers,
// submitters and claimers, and Closes. Before each access of the goroutine it chooses what they
// have done:
//
//   - to the goroutine's own worker, if it is one: what the rules of others do, fired one after the
//     other from its state;
//   - to what is shared: any value that spec.IdleRely lets them give it. Of numbers a few stand
//     for all, see Searchers and Tasks; and of the other workers those that have names.
type Crowd struct {
	*Solo
	// Worker is the goroutine's number among the workers that have names, -1 if it is none.
	Worker int
	// IDs are the numbers in the Coordinator of the workers that have names.
	IDs []int
	// Searchers are the values of searching, beyond what the goroutine itself answers for; Tasks
	// are those of the queue.
	Searchers, Tasks []int

	env    int // the actor who stands for all others
	own    func(state []int) int
	rely   func(before, after []int) bool
	toMine []bool // by number of the move: one of env that changes where the goroutine's worker is

	// Places in a state.
	endless                         []int // of what is there without limit
	m0, m1                          int   // of env's notification
	searchers, closedAt, tasks      int
	claims, of, bits, tokens, stays [][]int // by worker

	searching, closed, queue unsafe.Pointer
	words                    []unsafe.Pointer // by worker
	parkers                  []unsafe.Pointer
}

// NewCrowd returns the Crowd around a Solo, whose Machine has a binding by Idle. env is an actor
// that is no worker and does not run: it stands for all others.
func NewCrowd(s *Solo, worker int, ids []int, env string) *Crowd {
	c := &Crowd{Solo: s, Worker: worker, IDs: ids, env: s.actors[env]}
	for w := range ids {
		var of, bits, tokens, claims []int
		for i, v := range s.names {
			if hasWorker(v, fmt.Sprintf("_w%d", w)) {
				of = append(of, i)
			}
		}
		for _, p := range parking {
			bits = append(bits, s.place(copyOf(p+"_b", w, 0)))
			tokens = append(tokens, s.place(copyOf(p+"_t", w, 0)))
			for _, k := range []string{"_c", "_i"} {
				claims = append(claims, s.place(copyOf(p+k, w, s.actor)))
			}
		}
		stays := []int{s.place(copyOf("R", w, 0)), s.place(copyOf("P_b", w, 0)),
			s.place(copyOf("C_b", w, 0))}
		c.of, c.bits, c.tokens = append(c.of, of), append(c.bits, bits), append(c.tokens, tokens)
		c.claims, c.stays = append(c.claims, claims), append(c.stays, stays)
	}
	c.endless = []int{s.place("left"), s.place("other"), s.place("hands")}
	c.m0, c.m1 = s.place(copyOf("m0", 0, c.env)), s.place(copyOf("m1", 0, c.env))
	c.searchers, c.closedAt, c.tasks = s.place("searching"), s.place("closed"), s.place("q")
	c.own = s.vars.Compile(c.counted())
	c.rely = c.relied()
	c.leavesAlone()
	c.alike()
	for i := range s.moves {
		v := &s.moves[i]
		c.toMine = append(c.toMine, v.actor == c.env && kindOf(v.rule.Name) != "close" &&
			s.changes(v, func(name string) bool { worker, _ := c.mine(name); return worker }))
	}
	s.Others, s.Free = c.act, c.free
	return c
}

// mine reports whether a copy belongs to the goroutine as a worker, and whether it is one of its
// notifications and claims.
func (c *Crowd) mine(v string) (worker, claim bool) {
	claim = strings.HasSuffix(v, fmt.Sprintf("_a%d", c.actor))
	return c.Worker >= 0 && hasWorker(v, fmt.Sprintf("_w%d", c.Worker)), claim
}

// counted is the part of the sum in spec.SearchingExact that the goroutine answers for.
func (c *Crowd) counted() string {
	_, sum, _ := strings.Cut(spec.SearchingExact, "== ")
	terms := []string{"0"}
	for _, v := range identifier.FindAllString(sum, -1) {
		for _, copied := range c.binding.Copies[v] {
			worker, claim := c.mine(copied)
			if worker || claim {
				terms = append(terms, copied)
			}
		}
	}
	return strings.Join(terms, " + ")
}

// relied compiles spec.IdleRely for each worker that has a name.
func (c *Crowd) relied() func(before, after []int) bool {
	n := len(c.names)
	vars := spec.Vars{}
	for v, i := range c.vars {
		vars[v], vars["was_"+v] = i, n+i
	}
	var all []func([]int) int
	for w := range c.IDs {
		bind := map[string]string{}
		for _, v := range c.binding.System.Vars {
			if belongingOf(v) == byWorker {
				bind[v], bind["was_"+v] = copyOf(v, w, 0), "was_"+copyOf(v, w, 0)
			}
		}
		for _, r := range spec.IdleRely() {
			all = append(all, vars.Compile(c.binding.in(r.Keeps, bind)))
		}
	}
	return func(before, after []int) bool {
		both := append(slices.Clone(after[:n]), before[:n]...)
		return !slices.ContainsFunc(all, func(f func([]int) int) bool { return f(both) == 0 })
	}
}

// leavesAlone panics if a move by others changes of what is the goroutine's anything but where its
// worker is, or takes a worker that it has claimed, which may go on, out of the claim.
func (c *Crowd) leavesAlone() {
	for i := range c.moves {
		v := &c.moves[i]
		if v.actor == c.actor {
			continue
		}
		stages := map[string]int{}
		for _, p := range v.places {
			worker, claim := c.mine(c.names[p])
			kind := kindOf(v.rule.Name)
			toOthers := slices.Contains([]string{"claim", "count", "token", "close"}, kind)
			switch {
			case claim && strings.Contains(c.names[p], "_w"):
				stages[c.names[p][1:]]++ // but for the place
			case claim || worker && !toOthers:
				panic(fmt.Sprintf("refine: %s by others changes %s", v.rule.Name, c.names[p]))
			}
		}
		for stage, n := range stages {
			if n != 2 {
				panic(fmt.Sprintf("refine: %s by others changes a claim%s", v.rule.Name, stage))
			}
		}
	}
}

// alike panics if the rules about a worker in A, B or C that others do differ from those about one
// in P in anything but the place: that is why others need be in one of them only.
func (c *Crowd) alike() {
	for _, r := range c.binding.System.Rules {
		name := PlaceApart(r.Name)
		if name == r.Name {
			continue
		}
		p := c.binding.System.Rule(name + "_P")
		for _, at := range parking {
			if r.Name == name+"_"+at && (inP(r.When, at) != p.When || inP(r.Do, at) != p.Do) {
				panic(fmt.Sprintf("refine: %s is not as %s is", r.Name, p.Name))
			}
		}
	}
}

// inP is the text of a rule about a worker in a place as if it were in P.
func inP(text, at string) string { return strings.ReplaceAll(text, at+"_", "P_") }

// PlaceApart returns the name of a rule without the place of the worker to which others do it: for
// all places these rules are alike.
func PlaceApart(rule string) string {
	kind := kindOf(rule)
	for _, p := range parking {
		name, ok := strings.CutSuffix(rule, "_"+p)
		if ok && slices.Contains([]string{"claim", "count", "token", "close"}, kind) {
			return name
		}
	}
	return rule
}

// Begin begins an execution, in which the goroutine is at a place ("R", "S" or "F", "" for none),
// the other workers run, and nothing is shared yet. It tells the Machine and the Solo.
func (c *Crowd) Begin(choose func(n int) int, co *idle.Coordinator, parkers []*park.Parker,
	place string, closed int, queue unsafe.Pointer, queued func() int, more []Object,
	read ...func() int) {
	c.searching, c.closed, c.queue = Field(co, "searching"), Field(co, "closed"), queue
	c.words, c.parkers = c.words[:0], c.parkers[:0]
	state := map[string]int{"closed": closed}
	objects := []Object{{"searching", c.searching}, {"closed", c.closed}, {"queue", queue}}
	shared := []func() int{
		func() int { return int(int32(Read32(c.searching))) },
		func() int { return int(Read32(c.closed)) },
		queued,
	}
	for w, id := range c.IDs {
		word, parker := Field(co, "words", id/64), Field(parkers[w], "word")
		c.words, c.parkers = append(c.words, word), append(c.parkers, parker)
		objects = append(objects, Object{fmt.Sprint("word", id/64), word},
			Object{fmt.Sprint("parker ", w), parker})
		shared = append(shared, func() int { return int(Read64(word) >> (id % 64) & 1) },
			func() int { return isToken(Read32(parker)) })
		if w != c.Worker {
			state[fmt.Sprint("R_w", w)] = 1
		} else {
			state[fmt.Sprintf("%s_w%d", place, w)] = 1
			if place != "R" {
				*(*int32)(c.searching)++
				state["searching"] = 1
			}
		}
	}
	if closed > 0 {
		*(*uint32)(c.closed) = 1
	}
	c.Machine.Begin(state, append(objects, more...), append(shared, read...)...)
	c.Solo.Start(choose)
	c.Shares(c.searching, 4)
	c.Shares(c.closed, 4)
	c.Shares(queue, 8)
	for w := range c.IDs {
		c.Shares(c.words[w], 8)
		if w != c.Worker {
			c.Shares(c.parkers[w], 4)
		}
	}
}

// ShareIdle ties the variables of idle's table to the memory that Crowd.Begin reads.
func ShareIdle(m *Machine, ids []int) {
	m.Share("searching", "searching", "searching")
	m.Share("closed", "closed", "either(closed > 0, 1, 0)")
	m.Share("queue", "queued", "q")
	for w, id := range ids {
		of := func(stage string) string {
			var names []string
			for _, p := range parking {
				names = append(names, copyOf(p+stage, w, 0))
			}
			return strings.Join(names, " + ")
		}
		m.Share(fmt.Sprint("word", id/64), fmt.Sprint("bit ", w), of("_b"))
		m.Share(fmt.Sprint("parker ", w), fmt.Sprint("token ", w), of("_t"))
	}
}

// plenty makes of a state what is there without limit: pushes and claims to come, hands, and a
// notifier among the others that reads the words.
func (c *Crowd) plenty(state []int) {
	for _, p := range c.endless {
		state[p] = 99
	}
	state[c.m0], state[c.m1] = 0, 1
}

// act does what others may have done before an access.
func (c *Crowd) act(object string, op explore.Op) {
	c.plenty(c.now)
	before := slices.Clone(c.now)
	if c.Worker >= 0 {
		all := c.Options(c.toMine, c.plenty)
		if len(all) > 1 {
			c.Take(all[c.Choose(len(all))])
		}
	}
	switch {
	case object == "searching":
		c.now[c.searchers] = c.own(c.whole(c.now)) + c.Searchers[c.Choose(len(c.Searchers))]
	case object == "closed":
		if c.now[c.closedAt] == 0 {
			c.now[c.closedAt] = c.Choose(2)
		}
		if op == explore.OpStore { // who sleeps from here on was asleep before
			c.others(before)
		}
	case object == "queue":
		c.now[c.tasks] = c.Tasks[c.Choose(len(c.Tasks))]
	case strings.HasPrefix(object, "word") || object == "returned":
		c.others(before)
	}
	c.now[c.searchers] = max(c.now[c.searchers], c.own(c.whole(c.now)))
	if !c.rely(before, c.now) {
		panic(fmt.Sprintf("refine: others went from %s to %v", c.describe(before), c))
	}
	c.write(object)
}

// others puts each of the other workers that the goroutine has not claimed anywhere that the rely
// allows: awake, or with its bit, which is in P if that is possible and else in C.
func (c *Crowd) others(before []int) {
	for w := range c.IDs {
		if w == c.Worker || c.claimed(c.now, w) {
			continue
		}
		var all [][]int
		for _, place := range c.stays[w] {
			next := slices.Clone(c.now)
			c.leave(next, w)
			next[place] = 1
			if len(all) < 2 && c.rely(before, next) {
				all = append(all, next)
			}
		}
		c.now = all[c.Choose(len(all))]
	}
}

func (c *Crowd) leave(state []int, w int) {
	for _, p := range c.of[w] {
		state[p] = 0
	}
}

// claimed reports whether the goroutine owes a worker its token.
func (c *Crowd) claimed(state []int, w int) bool {
	return slices.ContainsFunc(c.claims[w], func(i int) bool { return state[i] > 0 })
}

// Owes returns how many notifications and claims the goroutine has in hand.
func (c *Crowd) Owes() int {
	n := c.Get(copyOf("m0", 0, c.actor)) + c.Get(copyOf("m1", 0, c.actor))
	for w := range c.IDs {
		n += c.sum(c.claims[w])
	}
	return n
}

// free is for Solo.Free. Before closed is set it does not matter who of the others sleeps.
func (c *Crowd) free(state []int) {
	state[c.searchers], state[c.tasks] = 0, 0
	for w := range c.IDs {
		if w == c.Worker || c.claimed(state, w) {
			continue
		}
		p := c.stays[w][1]
		slept := state[p]
		c.leave(state, w)
		if state[c.closedAt] > 0 {
			state[p] = slept
		}
	}
}

// write makes the memory what the table says.
func (c *Crowd) write(object string) {
	*(*int32)(c.searching) = int32(c.now[c.searchers])
	*(*uint32)(c.closed) = uint32(min(c.now[c.closedAt], 1))
	*(*int64)(c.queue) = int64(c.now[c.tasks]) << 32
	for w, id := range c.IDs {
		word, parker := (*uint64)(c.words[w]), (*uint32)(c.parkers[w])
		*word = *word&^(1<<(id%64)) | uint64(c.sum(c.bits[w]))<<(id%64)
		switch {
		case c.sum(c.tokens[w]) > 0:
			*parker = 1
		case w != c.Worker && object == fmt.Sprint("parker ", w):
			*parker = uint32(2 * c.Choose(2)) // awake or asleep, which is for the table of park
		case *parker == 1:
			*parker = 0
		}
	}
}

func (c *Crowd) sum(places []int) (n int) {
	for _, p := range places {
		n += c.now[p]
	}
	return n
}
