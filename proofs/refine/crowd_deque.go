package refine

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unsafe"

	"github.com/surewake/surewake/deque"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/proofs/spec"
)

// One goroutine has to do with two rings: its own, of which it is the owner, and the one that it
// steals from. At its own ring the others are thieves. At the other ring they are its owner and
// further thieves. The table is that of deque twice, the variables of the one ring with to_ before
// their names, those of the other with from_.
//
// # What others do
//
// Before each access to a ring the rules of others are fired there, in any number: claim_other and
// release, and at the other ring those of its owner. A state has many such successors. Some stand
// for others:
//
//   - An owner between room and publish is left out. No rule of thieves asks for own, and room can
//     still fire later, since thieves only free slots. So it may as well come to the ring after
//     the goroutine's access.
//   - How much others have claimed is 1 or 0: rules ask whether there is a claim.
//   - Of the states in which a load returns the same, one is left out if others lead to it from
//     another one. What can be after it, can be after the other one, too: the load changes nothing
//     for others, and they do the rest before the goroutine's next access. A compare-and-swap that
//     fails is such a load, and the owner's publish is as good as one, since thieves can do after
//     it what they can do before it. Swaps that succeed are tried in all states.
//
// # Which positions
//
// The rules speak of differences of positions (NewRingCrowd looks at each of them), and the code
// has positions modulo 2^32. A ring begins at one of the positions of Bases, from which the counts
// wrap, as unsigned and as signed numbers, at each place that a call can come to.
//
// At its own ring, the tail is the goroutine's, so others cannot go beyond it. The same is true at
// the other ring while its claim is open. Between its loads there and its claim, they can go
// anywhere. All is tried in which they push up to twice the capacity and one more. Beyond that, the
// head is another one, and the tail further than the capacity from it, whatever the capacity is:
// then distances of 2^17, 2^31, and nearly 2^32 are tried, each with all that the ring may look
// like. No position comes to 2^32, as deque/D7 and deque/D11 assume.
//
// # Where a call begins
//
// Its own ring is full: from there thieves lead to all that a ring can be, up to a shift of
// positions, with any part of it claimed. The other one is empty; before the first access to it
// others do what they like, and the positions are shifted back then.

// A RingCrowd is everybody but one goroutine at two rings, of which one is its own.
type RingCrowd struct {
	*Solo
	// Lost says that a compare-and-swap of this call has failed. Far says that others have been
	// further ahead than can be tried one by one.
	Lost, Far bool

	own, other *ring
}

// ring is one of the two.
type ring struct {
	name     string
	capacity int
	// places in a state
	steal, real, tail, free, left, mine, theirs, taken, base, looked int
	seen                                                             []int
	// leads are where others lead to, by what the ring looks like, with steal at 0.
	leads map[looks]*lead

	// Of this execution.
	head, end unsafe.Pointer
	slots     []int
	fresh     bool // there was no access yet
}

// positions are those of a ring, and whether others have an open claim.
type positions struct{ steal, real, tail, claim int }

// looks are positions with steal at 0; mine says that the goroutine has the open claim, and far
// that others are far ahead already.
type looks struct {
	positions
	mine, far bool
}

type lead struct {
	all []positions
	has map[positions]bool
}

func (p positions) shifted(by int) positions {
	return positions{p.steal + by, p.real + by, p.tail + by, p.claim}
}

// Of the rules of the table, which are the owner's, and which the followed thief's.
var (
	ownerRules = map[string]bool{"room": true, "publish": true, "overflow": true, "pop": true,
		"fewer": true}
	lookerRules = map[string]bool{"look_head": true, "look_tail": true, "give_up": true,
		"claim": true}
)

// twoRings is the table of deque, once for each ring.
func twoRings() *spec.System {
	one := spec.Deque()
	two := &spec.System{Name: one.Name, Params: one.Params}
	for _, ring := range []string{"to_", "from_"} {
		for _, v := range one.Vars {
			two.Vars = append(two.Vars, ring+v)
		}
		two.Vars = append(two.Vars, ring+"base") // which no rule asks for
		for _, r := range one.Rules {
			two.Rules = append(two.Rules, spec.Rule{Name: ring + r.Name,
				Code: fieldOfRing.ReplaceAllString(r.Code, ": "+ring+"$1."),
				When: of(ring, r.When), Do: of(ring, r.Do)})
		}
	}
	return two
}

var fieldOfRing = regexp.MustCompile(`: (head|tail)\.`)

// of names in an expression the variables of one ring.
func of(ring, text string) string {
	vars := spec.Deque().Vars
	return identifier.ReplaceAllStringFunc(text, func(v string) string {
		if slices.Contains(vars, v) {
			return ring + v
		}
		return v
	})
}

// ringBinding says who does which rule: the first actor is the goroutine.
func ringBinding(params int) Binding {
	b := Binding{System: twoRings(), Actors: []string{"me", "others"}, Package: "deque",
		Params: params, Copies: map[string][]string{}, Silent: []string{"to_fewer"}}
	// The table knows at room how much will be published. Here room is all that is free, and some
	// of it is forgotten before the goroutine's next step: nobody else asks for own.
	b.System = b.System.With(spec.Rule{Name: "to_fewer", Code: "some room is not used",
		When: "to_own > n && n >= 0", Do: "to_own = n"})
	b.Code = map[string]string{}
	for _, ring := range []string{"to_", "from_"} {
		b.Copies[ring+"claim"] = []string{ring + "claim_a0", ring + "claim_a1"}
		b.Code[ring+"claim_other"] = "claim: " + ring + "head.CompareAndSwap"
		b.Code[ring+"give_up"] = "return: Load" // no access: see End
	}
	b.Instances = func(r *spec.Rule, a int) []Instance {
		ring, name, _ := strings.Cut(r.Name, "_")
		ring += "_"
		mine := ring == "to_" && ownerRules[name] || ring == "from_" && lookerRules[name]
		theirs := ring == "from_" && ownerRules[name] || name == "claim_other" || name == "release"
		switch {
		case name == "release" && ring == "from_": // of who has claimed
		case a == 0 && !mine, a == 1 && !theirs:
			return nil
		}
		i := Instance{Bind: map[string]string{ring + "claim": b.Copies[ring+"claim"][a]}}
		switch {
		case r.Name == "to_room":
			i.When = "n == to_cap - (to_tail - to_steal)"
		case r.Name == "from_claim": // so it is also what others rely on
			i.When = of(ring, spec.Deque().Rule("claim_other").When)
		}
		return []Instance{i}
	}
	return b
}

// NewRingCrowd returns one around a goroutine named "me", whose own ring has one capacity, and the
// ring from which it steals another one. What it takes for granted is asked by [RingCrowd.Audit].
func NewRingCrowd(own, other int) *RingCrowd {
	if unlimited <= words {
		panic("refine: a crowd of rings needs an int of 64 bits")
	}
	m := NewMachine(ringBinding(max(own, other)))
	c := &RingCrowd{Solo: NewSolo(m, "me")}
	c.own, c.other = c.newRing("to_", own), c.newRing("from_", other)
	for _, r := range []*ring{c.own, c.other} {
		for _, v := range []string{"steal", "real", "tail"} {
			object := map[string]string{"tail": "tail"}[v]
			m.Share(r.name+cmp.Or(object, "head"), r.name+v, r.name+v)
		}
	}
	c.Others, c.Vain, c.Free = c.act, true, func([]int) {}
	// The high half of a head may be the lower part of an address. No heap is that low or high.
	c.Number = func(v uintptr) bool { return uint64(v)>>32 < 64 || uint64(v)>>32 >= 1<<15 }
	return c
}

// Audit panics if a rule does not allow what c does with it. It takes half a second; crowds with
// equal capacities have equal rules.
func (c *RingCrowd) Audit() {
	for _, r := range []*ring{c.own, c.other} {
		c.speaksOfDifferences(r)
	}
	c.publishHindersNobody()
	for i := range c.moves {
		v := &c.moves[i]
		thief := strings.HasSuffix(v.rule.Name, "claim_other") ||
			strings.HasSuffix(v.rule.Name, "release")
		for _, ring := range []string{"to_", "from_"} {
			if thief && spec.Mentions(v.text, ring+"own") || spec.Mentions(v.text, ring+"taken") {
				panic("refine: rule " + v.rule.Name + " asks for what it should not: " + v.text)
			}
		}
	}
}

func (c *RingCrowd) newRing(name string, capacity int) *ring {
	at := func(v string) int { return c.place(name + v) }
	return &ring{name: name, capacity: capacity, steal: at("steal"), real: at("real"),
		tail: at("tail"), free: at("own"), left: at("left"), mine: at("claim_a0"),
		theirs: at("claim_a1"), taken: at("taken"), base: at("base"),
		looked: at("looked"), seen: []int{at("hs"), at("hr"), at("ht")}, leads: map[looks]*lead{}}
}

// speaksOfDifferences panics if a rule of a ring, done at positions that are shifted, does not lead
// to what it leads to else, shifted.
func (c *RingCrowd) speaksOfDifferences(r *ring) {
	looked := c.place(r.name + "looked")
	shifted := func(state []int) string {
		s := slices.Clone(state[:len(c.names)])
		places := []int{r.steal, r.real, r.tail}
		if s[looked] > 0 {
			places = append(places, r.seen[:s[looked]+1]...)
		}
		for _, p := range places {
			s[p] += 5
		}
		s[r.taken] = 0
		return string(encode(s))
	}
	for _, state := range c.anything(r, looked) {
		for i := range c.moves {
			var one, other []string
			c.fire(&c.moves[i], state, func(after []int) { one = append(one, shifted(after)) })
			c.fire(&c.moves[i], c.numbers(shifted(state)), func(after []int) {
				after[r.taken] = 0
				other = append(other, string(encode(after[:len(c.names)])))
			})
			if !slices.Equal(one, other) {
				panic("refine: rule " + c.moves[i].rule.Name + " tells positions apart")
			}
		}
	}
}

// publishHindersNobody panics if others at the goroutine's own ring can do something before it
// publishes, and not the same after it.
func (c *RingCrowd) publishHindersNobody() {
	after := func(state []int, is func(v *move) bool) map[string]bool {
		all := map[string]bool{}
		for i := range c.moves {
			if is(&c.moves[i]) {
				c.fire(&c.moves[i], state,
					func(after []int) { all[string(encode(after[:len(c.names)]))] = true })
			}
		}
		return all
	}
	publish := func(v *move) bool { return v.rule.Name == "to_publish" }
	others := func(v *move) bool { return v.actor != c.actor }
	for _, state := range c.anything(c.own, c.own.looked) {
		for published := range after(state, publish) {
			later := after(c.numbers(published), others)
			for moved := range after(state, others) {
				for both := range after(c.numbers(moved), publish) {
					if !later[both] {
						panic("refine: after publish, others cannot do what they could before")
					}
				}
			}
		}
	}
}

// anything returns states of a ring of two, and what somebody may have seen there.
func (c *RingCrowd) anything(r *ring, looked int) (states [][]int) {
	const capacity = 2
	for n := range 3 * 3 * 3 * 2 * 2 * 3 * 2 * 2 * 2 {
		digit := func(base int) int {
			d := n % base
			n /= base
			return d
		}
		s := c.empty(r)
		s[c.place(r.name+"cap")], s[c.place(r.name+"half")], s[r.left] = capacity, 1, 99
		s[r.real], s[r.tail], s[r.free] = digit(3), digit(3), digit(3)
		s[r.mine], s[r.theirs], s[looked] = digit(2), digit(2), digit(3)
		s[r.seen[0]], s[r.seen[1]] = digit(2)-1, digit(2)-1
		s[r.seen[2]] = s[r.seen[1]] + digit(2)
		if s[looked] < 2 {
			s[r.seen[2]] = 0
		}
		if s[looked] < 1 {
			s[r.seen[0]], s[r.seen[1]] = 0, 0
		}
		states = append(states, s)
	}
	return states
}

// empty returns a state in which only a ring's capacity is not 0.
func (c *RingCrowd) empty(r *ring) []int {
	s := make([]int, len(c.names))
	s[c.place(r.name+"cap")], s[c.place(r.name+"half")] = r.capacity, r.capacity/2
	return s
}

// Bases returns where the positions of a ring may begin: in the middle of all, and so that they
// come over an end, of unsigned and of signed numbers, at any place of a call; in rings of more
// than two, at some of the places.
func (c *RingCrowd) Bases() []uint32 {
	bases, largest := []uint32{1 << 20}, uint32(max(c.own.capacity, c.other.capacity))
	apart := uint32(1)
	if largest > 2 {
		apart = largest/2 + 1
	}
	for i := uint32(0); i <= 3*largest; i += apart {
		bases = append(bases, -i-1, 1<<31-i-1)
	}
	return bases
}

// Begin begins an execution, a call of the goroutine's: own is its ring. Both rings are empty and
// have the capacities that NewRingCrowd was given.
func (c *RingCrowd) Begin(choose func(n int) int, own, other *deque.Deque[int], base uint32) {
	state := c.empty(c.own)
	for i, n := range c.empty(c.other) {
		state[i] += n
	}
	named := map[string]int{}
	state[c.own.tail] = c.own.capacity
	var objects []Object
	var read []func() int
	c.Take(state)
	for i, r := range []*ring{c.own, c.other} {
		d := []*deque.Deque[int]{own, other}[i]
		r.head, r.end, r.fresh = Field(d, "head"), Field(d, "tail"), true
		r.slots = unsafe.Slice((*int)(Field(d, "slots", 0)), r.capacity)
		c.now[r.base] = int(base)
	}
	*(*uint32)(Field(own, "next")) = base + uint32(c.own.capacity)
	for _, r := range []*ring{c.own, c.other} {
		c.write(r)
		objects = append(objects, Object{r.name + "head", r.head}, Object{r.name + "tail", r.end})
		read = append(read,
			func() int { return c.lift(r, r.steal, uint32(Read64(r.head)>>32)) },
			func() int { return c.lift(r, r.real, uint32(Read64(r.head))) },
			func() int { return c.lift(r, r.tail, Read32(r.end)) })
	}
	for i, n := range c.now {
		named[c.names[i]] = n
	}
	c.Machine.Begin(named, objects, read...)
	c.Start(choose)
	c.Lost, c.Far = false, false
	c.keepRings(own, other)
}

// keepRings says what of the rings the goroutine keeps for itself.
func (c *RingCrowd) keepRings(own, other *deque.Deque[int]) {
	c.Keep(unsafe.Pointer(own), unsafe.Sizeof(*own))
	c.Shares(c.own.head, 8)
	c.Refer(unsafe.Pointer(other), unsafe.Sizeof(*other))
	for _, r := range []*ring{c.own, c.other} {
		c.Refer(unsafe.Pointer(&r.slots[0]), uintptr(r.capacity)*unsafe.Sizeof(0))
	}
}

// lift returns the position that a word stands for: of those, the one next to where the table has
// it.
func (c *RingCrowd) lift(r *ring, place int, word uint32) int {
	now := c.now[place]
	return now + int(int32(word-uint32(c.now[r.base])-uint32(now)))
}

// write makes the memory what the table says. The value at a position is that position, as a word.
func (c *RingCrowd) write(r *ring) {
	word := func(position int) uint32 { return uint32(c.now[r.base]) + uint32(position) }
	*(*uint64)(r.head) = packed(word(c.now[r.steal]), word(c.now[r.real]))
	*(*uint32)(r.end) = word(c.now[r.tail])
	for p := c.now[r.real]; p < c.now[r.tail]; p++ {
		r.slots[word(p)&uint32(r.capacity-1)] = int(word(p))
	}
}

// Value returns the value at a position of a ring, own or the other one.
func (c *RingCrowd) Value(own bool, position int) int {
	r := c.other
	if own {
		r = c.own
	}
	return int(uint32(c.now[r.base]) + uint32(position))
}

// End ends a call: what it has seen it does not use any more.
func (c *RingCrowd) End() {
	for i := range c.moves {
		if v := &c.moves[i]; v.rule.Name == "from_give_up" && v.actor == c.actor {
			c.fire(v, c.now, func(after []int) {
				c.Take(after[:len(c.names)])
				c.fired[v.rule.Name] = true
			})
		}
	}
	c.now[c.own.free] = 0
}

func (c *RingCrowd) act(object string, op explore.Op) {
	r := c.own
	if strings.HasPrefix(object, c.other.name) {
		r = c.other
	}
	all := c.telling(r, object, op)
	to := all[c.Choose(len(all))]
	c.Far = c.Far || to.real-c.now[r.real] >= far
	c.now[r.steal], c.now[r.real], c.now[r.tail] = to.steal, to.real, to.tail
	c.now[r.theirs], c.now[r.left], r.fresh = to.claim, unlimited, false
	c.write(r)
	c.Lost = c.Lost || op == explore.OpCAS && Read64(r.head) != c.expected
}

// telling returns to where others lead before an access, without those of which another one is as
// good, see above.
func (c *RingCrowd) telling(r *ring, object string, op explore.Op) (all []positions) {
	kept := map[positions][]positions{}
	for _, to := range c.successors(r) {
		shown := to
		switch {
		case op == explore.OpCAS && c.word(r, to) != c.expected:
			shown = positions{claim: -1}
		case op == explore.OpStore && object == "to_tail":
			shown = positions{}
		case op == explore.OpLoad && strings.HasSuffix(object, "tail"):
			shown = positions{tail: to.tail}
		case op == explore.OpLoad:
			shown = positions{steal: to.steal, real: to.real}
		}
		if !slices.ContainsFunc(kept[shown], func(from positions) bool {
			return c.leadFrom(r, from).has[to.shifted(-from.steal)]
		}) {
			kept[shown] = append(kept[shown], to)
			all = append(all, to)
		}
	}
	return all
}

func (c *RingCrowd) word(r *ring, p positions) uint64 {
	base := uint32(c.now[r.base])
	return packed(base+uint32(p.steal), base+uint32(p.real))
}

func packed(steal, real uint32) uint64 { return uint64(steal)<<32 | uint64(real) }

// successors returns to where others lead from now on, earlier ones first.
func (c *RingCrowd) successors(r *ring) (all []positions) {
	now := positions{c.now[r.steal], c.now[r.real], c.now[r.tail], c.now[r.theirs]}
	for _, to := range c.leadFrom(r, now).all {
		to = to.shifted(now.steal)
		switch {
		case r == c.other && r.fresh && to.steal > 0:
		case to.tail >= words: // see deque/D7
		default:
			all = append(all, to)
		}
	}
	return all
}

// far is where others are at least when not all has been tried on the way.
const far = 1 << 17

// farther returns how much further the head is then.
func (r *ring) farther() []int {
	all := []int{far, words / 2}
	for i := range r.capacity + 1 {
		all = append(all, words-1-i)
	}
	return all
}

// words is how many values a position of 32 bits has. An int of 64 bits counts on; NewRingCrowd
// panics where an int has less.
var words = 1 << wordBits

var wordBits = 32 // a variable: the constant would not compile where an int is narrow

// unlimited is how often an owner may push.
var unlimited = words << 8

// leadFrom returns to where others lead from some positions, with steal at 0.
func (c *RingCrowd) leadFrom(r *ring, p positions) *lead {
	from := looks{p.shifted(-p.steal), c.now[r.mine] > 0, p.real >= far}
	if known, ok := r.leads[from]; ok {
		return known
	}
	state := c.empty(r)
	state[r.real], state[r.tail], state[r.theirs] = from.real, from.tail, from.claim
	state[r.mine] = c.now[r.mine]
	state[r.left] = 2*r.capacity + 1
	l := &lead{has: map[positions]bool{}}
	for _, s := range c.closure(r, state) {
		if s[r.free] == 0 {
			l.add(positions{s[r.steal], s[r.real], s[r.tail], s[r.theirs]})
		}
	}
	if r == c.other && !from.mine && !from.far {
		for _, to := range l.all[:len(l.all):len(l.all)] {
			for _, by := range r.farther() {
				l.add(to.shifted(from.real + by - to.real))
			}
		}
	}
	slices.SortFunc(l.all, func(a, b positions) int {
		return cmp.Or(cmp.Compare(a.steal+a.real+a.tail, b.steal+b.real+b.tail),
			cmp.Compare(a.tail, b.tail), cmp.Compare(a.real, b.real))
	})
	r.leads[from] = l
	return l
}

func (l *lead) add(p positions) {
	if !l.has[p] {
		l.has[p] = true
		l.all = append(l.all, p)
	}
}

// closure returns the states to which others lead by their rules at one ring.
func (c *RingCrowd) closure(r *ring, state []int) [][]int {
	all := [][]int{state}
	seen := map[string]bool{string(encode(state)): true}
	for i := 0; i < len(all); i++ {
		for j := range c.moves {
			v := &c.moves[j]
			if v.actor == c.actor || !strings.HasPrefix(v.rule.Name, r.name) {
				continue
			}
			c.fire(v, all[i], func(after []int) {
				after = slices.Clone(after[:len(c.names)])
				after[r.taken], after[r.theirs] = 0, min(after[r.theirs], 1)
				if k := string(encode(after)); !seen[k] {
					seen[k] = true
					all = append(all, after)
				}
			})
		}
	}
	return all
}
