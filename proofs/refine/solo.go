package refine

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/model/explore"
)

// A Solo holds one goroutine of the real code against a table, among any number of others who keep
// the table's rules: rely and guarantee. It is for one goroutine of a body, by the options
// model.Before and model.Observe.
//
// Before each access of the goroutine, which may be a Lock of a mutex, Others changes the state of
// the table, and the memory with it, as others may have done since the access before: the rely.
// After it one of the goroutine's own rules must lead to what the memory has become, or nothing may
// have changed: the guarantee. A rule that fits is taken, so the table is in one state, and not in
// one of a set.
//
// An execution ends, by a panic with a Cut, where it comes to an access in a state in which an
// execution before came to it. The state is that of the table, without what Others chooses anew
// whatever it was, with the goroutine's stack, the memory that it keeps for itself, and the clock:
// so all that follows has been seen. See solo_key.go.
//
// The goroutine must not wait for others: if it comes, and others have done nothing since, to an
// access in the same state for the second time, it goes on for ever. That is refused: a loop that
// tries again may do so only because somebody else has done something.
//
// One goroutine at a time may use a Solo.
type Solo struct {
	*Machine
	// Others is called before each access to an object of the table. Choose is for it.
	Others func(object string, op explore.Op)
	Choose func(n int) int
	// Free takes from a state what Others chooses anew before any access that depends on it.
	Free func(state []int)
	// Vain says that a compare-and-swap that fails is no rule. All that it depends on then is where
	// others lead to from the state in which it fails.
	Vain bool
	// Whole says that no execution is cut: all are short.
	Whole bool

	me    string
	actor int
	now   []int // the state of the table
	memory

	visited    map[[32]byte]bool
	first      bool // this is the first execution of a search
	fired      map[string]bool
	last       string // the rule that the access before was, "" for none
	expected   uint64 // by the compare-and-swap that comes next
	failed     bool   // the access before was a compare-and-swap that failed
	conditions map[string]func([]int) int
	outlooks   map[string]*outlook // by state
	alike      map[string][]int    // by all that others lead to
	trail      []left              // by step of the execution
	path       []place             // of the goroutine's accesses, in their order
	want, was  []int

	// So far. Uncut are accesses at which an execution could not have ended, because the state has
	// an address of something that Keep was not told of.
	Accesses, Cuts, Uncut int64
}

// outlook is what others can do from a state.
type outlook struct {
	all [][]int // to these states
	one []int   // the state for all those from which they can do the same
	// swaps are those of all that make a difference to a compare-and-swap, by what it expects.
	swaps map[uint64][][]int
}

// left is what a step has left: the fields of Solo.
type left struct {
	now    []int
	last   string
	failed bool
}

// place is where the goroutine is before an access, and whether others have done something there.
type place struct {
	step  int
	state [32]byte
	moved bool
}

// Cut is what a Solo panics with where an execution ends early.
type Cut struct{}

// NewSolo returns a Solo for one actor of a Machine whose variables are shared already.
func NewSolo(m *Machine, me string) *Solo {
	actor, ok := m.actors[me]
	if !ok {
		panic("refine: there is no actor " + me)
	}
	return &Solo{Machine: m, me: me, actor: actor, visited: map[[32]byte]bool{},
		fired: map[string]bool{}, conditions: map[string]func([]int) int{},
		outlooks: map[string]*outlook{}, alike: map[string][]int{}}
}

// Explored reports whether the body of a check runs where a Solo is of use: in an exploration, and
// not under the race detector or in a stress test.
func Explored() bool { return explore.InExecution() && !explore.Race }

// Start begins an execution, behind Machine.Begin.
func (s *Solo) Start(choose func(n int) int) {
	s.now = s.numbers(s.states.at(s.numbers(s.sets.at(s.start))[0]))
	s.Choose, s.first, s.last, s.failed = choose, false, "", false
	s.forget()
}

// Run is the goroutine: f, up to its end or to a Cut.
func (s *Solo) Run(f func()) {
	defer func() {
		switch r := recover().(type) {
		case nil, Cut:
		default:
			panic(r)
		}
	}()
	f()
}

// Get returns a variable of the table, after unfolding.
func (s *Solo) Get(name string) int { return s.now[s.place(name)] }

// Set sets one.
func (s *Solo) Set(name string, n int) { s.now[s.place(name)] = n }

func (s *Solo) place(name string) int {
	i, ok := s.vars[name]
	if !ok {
		panic("refine: there is no variable " + name)
	}
	return i
}

// Holds reports whether a condition holds now, in which the sum stands for a variable that has
// copies.
func (s *Solo) Holds(condition string) bool {
	f, ok := s.conditions[condition]
	if !ok {
		f = s.vars.Compile(s.binding.in(condition, nil))
		s.conditions[condition] = f
	}
	return f(s.whole(s.now)) != 0
}

// Take goes on from another state.
func (s *Solo) Take(state []int) { s.now = append(s.now[:0], state...) }

// Options returns the states to which others lead, one rule after the other in any number, from
// now on and this state included: those of the moves that are picked, by number. Before each,
// prepare makes of the state what is there without limit. The picks are the same each time.
func (s *Solo) Options(picked []bool, prepare func(state []int)) [][]int {
	return s.optionsFrom(s.now, picked, prepare)
}

func (s *Solo) optionsFrom(state []int, picked []bool, prepare func(state []int)) [][]int {
	o := s.outlook(state)
	if o.all != nil {
		return o.all
	}
	all := [][]int{slices.Clone(state)}
	seen := map[string]bool{string(encode(state)): true}
	for i := 0; i < len(all); i++ {
		for j := range s.moves {
			v := &s.moves[j]
			if !picked[j] {
				continue
			}
			from := slices.Clone(all[i])
			prepare(from)
			s.fire(v, from, func(after []int) {
				after = slices.Clone(after[:len(s.names)])
				prepare(after)
				if k := string(encode(after)); !seen[k] {
					seen[k] = true
					all = append(all, after)
				}
			})
		}
	}
	o.all = all
	return all
}

func (s *Solo) outlook(state []int) *outlook {
	s.Machine.buffer = appendNumbers(s.Machine.buffer[:0], state)
	o, ok := s.outlooks[string(s.Machine.buffer)]
	if !ok {
		o = &outlook{swaps: map[uint64][][]int{}}
		s.outlooks[string(s.Machine.buffer)] = o
	}
	return o
}

// Alike returns a state from which others lead to the same ones as from this one: the same one for
// all such states. So it does not matter in which of them others begin.
func (s *Solo) Alike(state []int, picked []bool, prepare func(state []int)) []int {
	o := s.outlook(state)
	if o.one != nil {
		return o.one
	}
	var all []string
	for _, to := range s.optionsFrom(state, picked, prepare) {
		all = append(all, string(encode(to)))
	}
	slices.Sort(all)
	to := strings.Join(all, "")
	one, ok := s.alike[to]
	if !ok {
		one = slices.Clone(state)
	}
	o.one, s.alike[to] = one, one
	return one
}

// Before is for model.Before.
func (s *Solo) Before(step *model.Step) {
	if step.Name != s.me {
		return
	}
	if step.First && !s.first {
		s.path = s.path[:0]
		clear(s.visited) // what an earlier search has seen it may have left unfinished
	}
	s.first = step.First
	here := s.comesTo(step)
	if !step.Again && !s.Whole {
		s.lookUp(step)
	}
	s.was = append(s.was[:0], s.now...)
	object, known := s.objects[step.Address]
	s.expected = step.Old
	switch {
	case known:
		s.Others(s.objectNames[object], step.Op)
	case step.Op == explore.OpLock: // of a mutex that nobody knows
	case !s.private(step.Address):
		// Nobody knows what it is for: it may have any value.
		*(*uint32)(step.Address) = [...]uint32{0, 1, 1<<32 - 1}[s.Choose(3)]
		here.moved = true
		return
	}
	here.moved = step.Again && here.state == [32]byte{} || waits(step.Op) ||
		!slices.Equal(s.was, s.now)
}

// comesTo returns the place on the path of an access.
func (s *Solo) comesTo(step *model.Step) *place {
	i, found := slices.BinarySearchFunc(s.path, step.N, func(p place, n int) int {
		return p.step - n
	})
	if !found || !step.Again {
		s.path = append(s.path[:i], place{step: step.N}) // the rest is of an execution before
	}
	return &s.path[i]
}

// waits reports whether others end what an operation is, or the clock or a signal.
func waits(op explore.Op) bool {
	return op == explore.OpLock || op == explore.OpFutexWait || op == explore.OpSleep
}

// lookUp ends the execution where an earlier one was in the same state.
func (s *Solo) lookUp(step *model.Step) {
	switch key, ok := s.key(step); {
	case !ok:
		s.Uncut++
	default:
		if s.comesBack(key) {
			panic(fmt.Sprintf("refine: before %v, %s is where it was before, in %v, and nobody "+
				"else has done anything: it goes on for ever", step.Op, s.me, s))
		}
		if s.visited[key] {
			s.Cuts++
			panic(Cut{})
		}
		s.visited[key] = true
	}
}

// comesBack reports whether the goroutine has come by itself from one access to the same state
// again, the one before the access that comes next.
func (s *Solo) comesBack(key [32]byte) bool {
	hash := sha256.New()
	hash.Write(key[:])
	hash.Write(encode(s.now)) // with what Free takes away
	here := &s.path[len(s.path)-1]
	hash.Sum(here.state[:0])
	for i := len(s.path) - 2; i >= 0 && !s.path[i].moved; i-- {
		if s.path[i].state == here.state {
			return true
		}
	}
	return false
}

// Step is for model.Observe.
func (s *Solo) Step(step *model.Step) error {
	object, ok := s.objects[step.Address]
	if step.Name != s.me || step.Address == nil || !ok {
		return nil
	}
	if step.Again {
		was := &s.trail[step.N]
		s.Take(was.now)
		s.last, s.failed = was.last, was.failed
		return nil
	}
	s.Accesses++
	number := s.access(step, object)
	k := s.known[number]
	s.want = s.want[:0]
	for _, read := range s.read {
		s.want = append(s.want, read())
	}
	want := s.want
	refuse := func() error {
		e := edge{s.set([]int{s.Machine.state(s.now)}), number, s.values.number(encode(want))}
		return s.refusal(e, s.objectNames[object], step)
	}
	for _, n := range k.preconditions {
		if s.preconditions[n].when(s.whole(s.now)) == 0 {
			return refuse()
		}
	}
	s.last, s.failed = "", step.Op == explore.OpCAS && step.Result == 0
	if s.Vain && s.failed {
		k.moves = nil
	}
	if next := s.guarantee(k, want); next != nil {
		s.now = next
	} else if !s.fits(s.now, want) {
		return refuse()
	}
	s.leave(step.N)
	return nil
}

// leave notes what a step has left, for executions that begin with the same steps.
func (s *Solo) leave(step int) {
	for len(s.trail) <= step {
		s.trail = append(s.trail, left{})
	}
	was := &s.trail[step]
	was.now, was.last, was.failed = append(was.now[:0], s.now...), s.last, s.failed
}

// guarantee fires the first rule of the goroutine that an access can be, with one silent rule
// before it or none, and returns the state after it; nil if there is none.
func (s *Solo) guarantee(k known, want []int) (next []int) {
	try := func(from []int, before string) {
		for _, n := range k.moves {
			s.fire(&s.moves[n], from, func(after []int) {
				if after = after[:len(s.names)]; next == nil && s.fits(after, want) {
					next = slices.Clone(after)
					s.last = s.moves[n].rule.Name
					s.fired[before], s.fired[s.last] = true, true
				}
			})
		}
	}
	try(s.now, "")
	for _, n := range k.before {
		s.fire(&s.moves[n], s.now, func(after []int) {
			try(slices.Clone(after[:len(s.names)]), s.moves[n].rule.Name)
		})
	}
	return next
}

// fits reports whether the shared variables have these values in a state.
func (s *Solo) fits(state, want []int) bool {
	whole := s.whole(state)
	for i := range s.shared {
		if s.shared[i].of(whole) != want[i] {
			return false
		}
	}
	return true
}

// Fired sets, for each rule that the goroutine may do, its entry in fired to whether an access was
// it, and returns in how many executions.
func (s *Solo) Fired(fired map[string]bool) (executions int64) {
	for i := range s.moves {
		if v := &s.moves[i]; v.actor == s.actor {
			fired[v.rule.Name] = s.fired[v.rule.Name]
		}
	}
	return s.executions
}

// Last returns the name of the rule that the goroutine's last access to an object of the table was,
// "" if it has changed nothing and was none.
func (s *Solo) Last() string { return s.last }

// Failed reports whether the goroutine's last access to an object of the table was a
// compare-and-swap that failed: with Vain, little is known of the state then.
func (s *Solo) Failed() bool { return s.failed }

func (s *Solo) String() string { return s.describe(s.now) }

// changes reports whether a move changes a variable of which is is true.
func (m *Machine) changes(v *move, is func(variable string) bool) bool {
	return slices.ContainsFunc(v.places, func(p int) bool { return is(m.names[p]) })
}

// hasWorker reports whether the name of a copy is that of a worker's.
func hasWorker(copied, suffix string) bool {
	return strings.HasSuffix(copied, suffix) || strings.Contains(copied, suffix+"_")
}
