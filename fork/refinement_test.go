package fork

import (
	"fmt"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/proofs/refine"
	"github.com/surewake/surewake/proofs/spec"
)

// What happens to the word of a stack, and to the state of one of its forks, are transitions of the
// table; and after each operation of the owner the table has as many forks as the stack, split at
// the same place.

// table says who does which rule: the owner all but those of thieves. Rules without an access
// happen before the next one of their actor.
func table(thieves int) refine.Binding {
	b := refine.Binding{
		System: spec.Fork(), Package: "fork", Params: 4, Actors: []string{"owner"},
		Silent: []string{"fork_slow", "room", "push", "join_slow", "join_taken", "drop_taken",
			"drop", "join_claimed", "drop_claimed", "poll", "share"},
	}
	for range thieves {
		b.Actors = append(b.Actors, []string{"thief", "another"}[len(b.Actors)-1])
	}
	thiefs := map[string]bool{"claim": true, "ask": true, "end": true}
	b.Instances = func(r *spec.Rule, a int) []refine.Instance {
		if thiefs[r.Name] == (a == 0) {
			return nil
		}
		return []refine.Instance{{}}
	}
	return b
}

// A follower is a crew whose first worker is followed in the table.
type follower struct {
	*refine.Machine
	x     *model.Exec
	owner *hand
	// step is loaded so that the accesses before it have been observed.
	step atomic.Int32
}

func newFollower(thieves int) *follower {
	f := &follower{Machine: refine.NewMachine(table(thieves))}
	f.Share("word", "tail", "tail")
	f.Share("word", "pub", "pub")
	f.Share("word", "hungry", "hungry")
	return f
}

func same(_ *hand, n int) int { return n }

// begin makes a crew with frames for three forks, and follows the one at a depth.
func (f *follower) begin(x *model.Exec, thieves, at int) *crew {
	c := newCrew(1 + thieves)
	f.x, f.owner = x, c.workers[0]
	s := &f.owner.Stack
	s.grow(4)
	frames := []*Frame[*hand, int, int]{Fork(s, same, 0), Fork(s, same, 0), Fork(s, same, 0)}
	s.Abandon(0)
	s.word.Store(0)
	s.setSplit(0)
	word := unsafe.Pointer(&s.word)
	f.Begin(map[string]int{"most": 2, "at": at},
		[]refine.Object{{Name: "word", Address: word},
			{Name: "state", Address: unsafe.Pointer(&frames[at].claim.state)}},
		func() int { tail, _ := unpack(refine.Read64(word)); return tail },
		func() int { _, pub := unpack(refine.Read64(word)); return pub },
		func() int { return int(refine.Read64(word) >> 63) })
	return c
}

// after is called after each operation of the owner that ends with an access.
func (f *follower) after() {
	f.step.Load()
	top, split := f.owner.top, f.owner.split
	f.x.Assert(f.May(fmt.Sprintf("pc == 0 && top == %d && split == %d", top, split)),
		"the owner has %d forks, split at %d; the table has not", top, split)
}

func (f *follower) fork(n int) *Frame[*hand, int, int] {
	defer f.after()
	return Fork(&f.owner.Stack, same, n)
}

func (f *follower) join(frame *Frame[*hand, int, int], n int) {
	f.x.Assert(frame.Join(f.owner) == n, "not %d", n)
	f.after()
}

func TestTheStackIsTheTable(t *testing.T) {
	var all []*refine.Machine
	for _, c := range []struct {
		name    string
		thieves int // who look twice
		at      int
		owner   func(f *follower)
	}{
		{"one fork", 2, 0, func(f *follower) { f.join(f.fork(1), 1) }},
		{"three forks", 1, 0, three},
		{"three forks, the second one followed", 1, 1, three},
		{"a poll", 1, 0, func(f *follower) {
			a := f.fork(1)
			f.owner.Poll()
			f.after()
			f.join(a, 1)
		}},
		{"all shared", 1, 1, func(f *follower) {
			a, b := f.fork(1), f.fork(2)
			f.owner.Share()
			f.after()
			f.join(b, 2)
			f.join(f.fork(3), 3)
			f.join(a, 1)
		}},
		{"abandoned", 1, 0, func(f *follower) {
			f.fork(1)
			f.fork(2)
			f.fork(3)
			f.owner.Abandon(0)
			f.join(f.fork(4), 4)
		}},
	} {
		f := newFollower(c.thieves)
		t.Run(c.name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				crew := f.begin(x, c.thieves, c.at)
				x.Go("owner", func() { c.owner(f) })
				for i, h := range crew.workers[1:] {
					x.Go([]string{"thief", "another"}[i], func() { h.stealFrom(f.owner, 2) })
				}
				x.Join()
				x.Assert(f.owner.top == 0 && f.owner.split == 0, "forks are left")
			}, model.Observe(f.Step))
		})
		all = append(all, f.Machine)
	}
	t.Run("every rule", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			var executions int64
			used := map[string]bool{}
			for _, m := range all {
				executions += m.Used(used)
			}
			for rule, is := range used {
				x.Assert(is || executions < 2000, "no access was %s", rule)
			}
		})
	})
}

func three(f *follower) {
	a, b := f.fork(1), f.fork(2)
	c := f.fork(3)
	f.join(c, 3)
	f.join(b, 2)
	f.join(a, 1)
}
