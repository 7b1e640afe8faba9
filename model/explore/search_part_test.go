//go:build !race

package explore_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"pgregory.net/rapid"
)

// tally is what a search counts, and how often each trace ended complete, and deadlocked.
type tally struct {
	complete, dead map[string]int
	res            explore.Result
}

func (a *tally) add(b tally) {
	for k, n := range b.complete {
		a.complete[k] += n
	}
	for k, n := range b.dead {
		a.dead[k] += n
	}
	a.res.Add(&b.res)
}

// A search searches a subtree of one program.
type search struct {
	t    require.TestingT
	p    program
	run  func(*world)
	key  func(*world) string
	cfg  explore.Config
	rand *rand.Rand
}

func (s *search) of(cfg explore.Config) tally {
	complete, dead, res := exploredBy(s.t, s.p, s.run, cfg, s.key)
	return tally{complete, dead, res}
}

// frontier returns subtrees that the whole consists of, after n of them were divided.
func (s *search) frontier(whole explore.Subtree, n int) ([]explore.Subtree, *explore.Subtree) {
	var units []explore.Subtree
	open := []explore.Subtree{whole}
	for ; n > 0 && len(open) > 0; n-- {
		next := open[0]
		open = open[1:]
		below, res := explore.Expand(s.cfg, next, func() { s.run(newWorld()) })
		if res.Again != nil {
			return nil, res.Again
		}
		if len(below) == 0 {
			units = append(units, next)
		}
		open = append(open, below...)
	}
	return append(units, open...), nil
}

// units searches the subtrees of a frontier, in any order.
func (s *search) units(n int) tally {
	whole := explore.Subtree{}
again:
	units, other := s.frontier(whole, n)
	if other != nil {
		whole = *other
		goto again
	}
	all := tally{complete: map[string]int{}, dead: map[string]int{}}
	s.rand.Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
	for _, u := range units {
		cfg := s.cfg
		cfg.Subtree = &u
		got := s.of(cfg)
		if got.res.Again != nil {
			whole = *got.res.Again
			goto again
		}
		all.add(got)
	}
	return all
}

// A piece is a subtree to be searched, from its beginning or from a state.
type piece struct {
	sub  *explore.Subtree
	from *explore.State
}

// divided searches subtrees that are split and interrupted again and again.
func (s *search) divided() tally {
	whole := explore.Subtree{}
again:
	all := tally{complete: map[string]int{}, dead: map[string]int{}}
	queue := []piece{{sub: &whole}}
	add := func(sub explore.Subtree) { queue = append(queue, piece{sub: &sub}) }
	for len(queue) > 0 {
		k := s.rand.IntN(len(queue))
		next := queue[k]
		queue = append(queue[:k], queue[k+1:]...)
		cfg := s.cfg
		cfg.Subtree, cfg.From = next.sub, next.from
		goesOn := false
		cfg.Between = func(p explore.Part) bool {
			if s.rand.IntN(4) == 0 {
				for _, sub := range p.Split() {
					add(sub)
				}
			}
			switch s.rand.IntN(16) {
			case 0, 1:
				add(p.Rest())
				return false
			case 2, 3:
				goesOn = true
				queue = append(queue, piece{from: copied(s.t, p.State())})
				return false
			}
			return true
		}
		got := s.of(cfg)
		if got.res.Again != nil {
			whole = *got.res.Again
			goto again
		}
		if goesOn {
			got.res = explore.Result{} // the state has it
		}
		all.add(got)
	}
	return all
}

// sameInParts holds searches in parts against that of the whole tree: they must see the same
// traces, and with exact each of them as often.
func sameInParts(
	exact bool, t tester, p program, run func(*world), cfg explore.Config,
	key func(*world) string, seed uint64,
) {
	cfg.Preemptions = -1
	s := &search{t, p, run, key, cfg, rand.New(rand.NewPCG(seed, 0))}
	most := cfg
	most.Executions, most.Subtree = 1_000, &explore.Subtree{}
	whole := s.of(most)
	for whole.res.Again != nil {
		most.Subtree = whole.res.Again
		whole = s.of(most)
	}
	if whole.res.Failures > 0 || whole.res.Bounded != "" && len(whole.res.Cuts) == 0 {
		return // too large, or fails
	}
	count := func(traces map[string]int) any {
		if exact {
			return traces
		}
		return keys(traces)
	}
	same := func(got tally, how string) {
		require.Equal(t, count(whole.complete), count(got.complete), "%s: complete:\n%v", how, p)
		require.Equal(t, count(whole.dead), count(got.dead), "%s: deadlocked:\n%v", how, p)
		require.Equal(t, whole.res.Bounded, got.res.Bounded, "%s\n%v", how, p)
		if exact {
			require.Equal(t, whole.res.Complete, got.res.Complete, "%s\n%v", how, p)
			require.Equal(t, whole.res.Deadlocked, got.res.Deadlocked, "%s\n%v", how, p)
		}
	}
	for _, n := range []int{1, 20} {
		same(s.units(n), fmt.Sprintf("%d nodes divided", n))
	}
	for range 2 {
		same(s.divided(), "split and interrupted")
	}
}

func TestPartsHaveEveryTraceOnce(t *testing.T) {
	for name, ops := range kinds {
		t.Run(name, func(t *testing.T) {
			gen := genProgram(ops, 4, 3)
			rapid.Check(t, func(t *rapid.T) {
				p := gen.Draw(t, "program")
				if name == "requests" {
					p = sendsBySelect(p)
				}
				early := 0
				switch name {
				case "timers":
					early = rapid.IntRange(0, 2).Draw(t, "early")
				case "timers apart":
					early = rapid.IntRange(0, 6).Draw(t, "early")
				}
				cfg := explore.Config{EarlyTimeouts: early}
				// A select that waits may be explored more often than its traces, and how often
				// depends on the order of the search.
				exact := name != "selects"
				seed := rapid.Uint64().Draw(t, "seed")
				sameInParts(exact, t, p, p.run, cfg, (*world).outcome, seed)
			})
		})
	}
}

// Of these programs, orders are lost if sequences are dropped where something sleeps that they do
// not wake, or if a search that was interrupted forgets what races asked for. How a tree is divided
// decides whether it comes to that.
func TestPartsOfKeptProgramsHaveEveryTraceOnce(t *testing.T) {
	for name, p := range map[string]program{
		"two loads beside a store": {
			{{Op: "load"}},
			{{Op: "load", Var: 1}, {Op: "load"}},
			{{Op: "store"}},
		},
		"four loads beside a store": {
			{{Op: "load", Cond: true}},
			{{Op: "load"}, {Op: "load"}},
			{{Op: "load"}},
			{{Op: "load"}, {Op: "store"}},
		},
		"a load that comes later, beside a once": {
			{{Op: "load"}},
			{{Op: "once"}, {Op: "load"}},
			{{Op: "load", Cond: true}},
			{{Op: "store"}},
		},
		"a once beside another one": {
			{{Op: "load"}},
			{{Op: "store"}, {Op: "load", Cond: true}},
			{{Op: "once"}, {Op: "load", Var: 1}},
			{{Op: "once", Var: 1}},
		},
		"a store beside two more": {
			{{Op: "load", Cond: true}},
			{{Op: "load"}},
			{{Op: "store"}},
			{{Op: "store"}, {Op: "store"}},
		},
		"a swap beside a store": {
			{{Op: "cas"}, {Op: "load", Cond: true}},
			{{Op: "load", Cond: true}},
			{{Op: "store"}},
			{{Op: "load"}, {Op: "load"}},
		},
		"an addition of zero beside a wait": {
			{{Op: "wgadd"}},
			{{Op: "wgwait"}},
			{{Op: "wgadd", Val: 1}, {Op: "wgdone"}},
		},
		"pairs of loads beside a store": {
			{{Op: "load", Cond: true}, {Op: "load"}},
			{{Op: "load"}, {Op: "load", Var: 2}},
			{{Op: "load"}, {Op: "load", Var: 2}},
			{{Op: "load", Cond: true}, {Op: "store"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				sameInParts(true, t, p, p.run, explore.Config{}, (*world).outcome, seed)
			}
		})
	}
}
