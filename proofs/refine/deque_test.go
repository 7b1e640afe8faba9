package refine_test

import (
	"fmt"
	"testing"

	"github.com/surewake/surewake/deque"
	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/proofs/refine"
	"github.com/surewake/surewake/proofs/spec"
)

// dequeBinding gives the table of deque names: each goroutine but the owner is a thief who can be
// followed, with what it has looked at, and with its claim.
func dequeBinding(owner int, capacity int, actors []string) refine.Binding {
	table := spec.Deque()
	claim, other := *table.Rule("claim"), table.Rule("claim_other")
	// so it is both: that of the thief who is followed, and of another
	claim.When = spec.And(claim.When, other.When)
	c := refine.Binding{
		System: table.With(claim).Without("claim_other"), Actors: actors, Package: "deque",
		Params: capacity,
		Copies: map[string][]string{}, Silent: []string{"give_up"},
	}
	for _, v := range []string{"looked", "hs", "hr", "ht", "claim"} {
		for a := range actors {
			c.Copies[v] = append(c.Copies[v], fmt.Sprintf("%s_a%d", v, a))
		}
	}
	owners := map[string]bool{"room": true, "publish": true, "overflow": true, "pop": true}
	c.Instances = func(r *spec.Rule, a int) []refine.Instance {
		if owners[r.Name] != (a == owner) {
			return nil
		}
		i := refine.Instance{Bind: map[string]string{}}
		if !owners[r.Name] {
			for v, all := range c.Copies {
				i.Bind[v] = all[a]
			}
			if r.Name != "release" { // which comes before anything else
				i.When = c.Copies["claim"][a] + " == 0"
			}
		}
		return []refine.Instance{i}
	}
	return c
}

// A ring is a deque with what follows it.
type ring struct {
	*refine.Machine
	capacity, queued int // in the beginning
	deque            *deque.Deque[int]
}

// rings are deques, the first of which belongs to the first actor, and so on.
type rings struct {
	actors []string
	all    []*ring
	left   int // pushes to each
}

// newRings makes as many rings as there are capacities and numbers of values in the beginning.
func newRings(actors []string, sizes ...[2]int) *rings {
	r := &rings{actors: actors, left: 99}
	for i, s := range sizes {
		m := refine.NewMachine(dequeBinding(i, s[0], actors))
		for _, v := range []string{"steal", "real", "tail"} {
			m.Share(map[string]string{"steal": "head", "real": "head", "tail": "tail"}[v], v, v)
		}
		r.all = append(r.all, &ring{Machine: m, capacity: s[0], queued: s[1]})
	}
	return r
}

func (r *rings) step(s *model.Step) error {
	for _, ring := range r.all {
		if err := ring.Step(s); err != nil {
			return err
		}
	}
	return nil
}

// begin makes the deques and returns how many values are in them.
func (r *rings) begin() (values int) {
	for _, ring := range r.all {
		d := deque.New[int](ring.capacity)
		ring.deque = d
		for range ring.queued {
			values++
			d.Push(values, nil)
		}
		head, tail := refine.Field(d, "head"), refine.Field(d, "tail")
		ring.Begin(map[string]int{"cap": ring.capacity, "half": ring.capacity / 2,
			"tail": ring.queued, "left": r.left},
			[]refine.Object{{"head", head}, {"tail", tail}},
			func() int { return int(refine.Read64(head) >> 32) },
			func() int { return int(uint32(refine.Read64(head))) },
			func() int { return int(refine.Read32(tail)) })
	}
	return values
}

// run makes the deques and has each actor do its part. The values come out once, at the latest in
// the end.
func (r *rings) run(x *model.Exec, parts ...func(*taker)) {
	value := r.begin()
	takers := make([]*taker, len(parts))
	for i, part := range parts {
		takers[i] = &taker{rings: r, me: i, value: 100 * (i + 1)}
		x.Go(r.actors[i], func() { part(takers[i]) })
	}
	x.Join()
	var times [400]int
	pushes := value
	for _, t := range takers {
		pushes += t.value - 100*(t.me+1)
		for _, v := range t.got {
			times[v]++
		}
	}
	for _, ring := range r.all {
		x.Assert(ring.May("own == 0 && claim == 0"), "a steal or a push has not ended")
		for v, ok := ring.deque.Pop(); ok; v, ok = ring.deque.Pop() {
			times[v]++
		}
	}
	for v, n := range times {
		x.Assert(n <= 1, "%d came out %d times", v, n)
		pushes -= n
	}
	x.Assert(pushes == 0, "%d values are lost", pushes)
}

// A taker is one of those who use the rings.
type taker struct {
	*rings
	me    int
	value int // the last that it has pushed
	got   []int
}

func (t *taker) push() {
	t.value++
	t.all[t.me].deque.Push(t.value, func(batch []int) { t.got = append(t.got, batch...) })
}

func (t *taker) pushBatch(n int) {
	values := make([]int, n)
	for i := range values {
		values[i] = t.value + 1 + i
	}
	t.value += t.all[t.me].deque.PushBatch(values)
}

func (t *taker) pop() {
	if v, ok := t.all[t.me].deque.Pop(); ok {
		t.got = append(t.got, v)
	}
}

func (t *taker) steal(from int) {
	if v, result := t.all[from].deque.StealInto(t.all[t.me].deque); result == deque.Stolen {
		t.got = append(t.got, v)
	}
}

// The accesses of deque to its head and its tail are transitions of the table.
func TestDequeIsTheTable(t *testing.T) {
	var all []*refine.Machine
	for _, c := range []struct {
		name  string
		sizes [][2]int // capacity, and values in the beginning
		parts []func(*taker)
	}{
		{"an owner and two thieves", [][2]int{{4, 3}, {4, 0}, {4, 0}}, []func(*taker){
			func(t *taker) { t.pop(); t.push(); t.push(); t.pop() },
			func(t *taker) { t.steal(0) },
			func(t *taker) { t.steal(0) },
		}},
		{"a full ring of two", [][2]int{{2, 2}, {2, 0}, {2, 0}}, []func(*taker){
			func(t *taker) { t.push(); t.pop() },
			func(t *taker) { t.steal(0) },
			func(t *taker) { t.steal(0) },
		}},
		{"a thief who comes twice", [][2]int{{4, 4}, {4, 1}}, []func(*taker){
			func(t *taker) { t.push(); t.pop(); t.push() },
			func(t *taker) { t.steal(0); t.pop(); t.steal(0) },
		}},
		{"a chain", [][2]int{{4, 4}, {4, 4}, {4, 0}}, []func(*taker){
			func(t *taker) { t.pop() },
			func(t *taker) { t.pop(); t.steal(0) },
			func(t *taker) { t.steal(1) },
		}},
		{"a batch behind an open steal", [][2]int{{4, 3}, {4, 0}, {4, 0}}, []func(*taker){
			func(t *taker) { t.pop(); t.pushBatch(2); t.pop(); t.pushBatch(3) },
			func(t *taker) { t.steal(0) },
			func(t *taker) { t.steal(0) },
		}},
		{"the owner goes round", [][2]int{{2, 0}, {2, 0}}, []func(*taker){
			func(t *taker) {
				t.push()
				t.push()
				t.pop()
				t.push()
				t.push()
				t.pop()
			},
			func(t *taker) { t.steal(0) },
		}},
	} {
		actors := []string{"owner", "thief", "other"}[:len(c.parts)]
		r := newRings(actors, c.sizes...)
		t.Run(c.name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) { r.run(x, c.parts...) }, model.Observe(r.step))
		})
		for _, ring := range r.all {
			all = append(all, ring.Machine)
		}
	}
	everyRule(t, 17_000, all)
}
