package fork_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/fork"
)

func TestResults(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 8} {
		p := newPool(workers)
		w := p.workers[0]
		for range 20 {
			require.Equal(t, 2584, fib(w, 18))
			require.Equal(t, 2584, fibMine(w, 18))
			require.Equal(t, 2584, fibBoth(w, 18))
		}
		p.Close()
		for _, w := range p.workers {
			require.Zero(t, w.Len())
		}
	}
}

// In the steady state, also where functions of one type take turns at a depth, where values are
// wide, and where thieves claim.
func TestNothingIsAllocated(t *testing.T) {
	ws := alone(2)
	w, thief := ws[0], ws[1]
	broad := func(_ *worker, a wide) wide { return a }
	for _, c := range []struct {
		name string
		most float64
		do   func()
	}{
		{"Join", 0, func() { fib(w, 10) }},
		{"Mine", 0, func() { fibMine(w, 10) }},
		{"both functions", 0, func() { fib(w, 10); fibMine(w, 10) }},
		{"wide values", 0, func() { fork.Fork(&w.Stack, broad, wide{}).Join(w) }},
		{"a steal", 0, func() {
			f := fork.Fork(&w.Stack, leaf, 1)
			w.Share()
			take(thief, w, false)
			f.Join(w)
		}},
		{"Both, for each of its 88", 88, func() { fibBoth(w, 10) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.do()
			require.LessOrEqual(t, testing.AllocsPerRun(100, c.do), c.most)
		})
	}
}

func depth(w *worker, n int) int {
	if n == 0 {
		return 0
	}
	f := fork.Fork(&w.Stack, leaf, n)
	d := depth(w, n-1)
	return d + f.Join(w)
}

func leaf(*worker, int) int { return 1 }

func TestDeep(t *testing.T) {
	p := newPool(2)
	defer p.Close()
	require.Equal(t, 200_000, depth(p.workers[0], 200_000))
}

type wide struct {
	text string
	n    [4]int
}

func TestWideValues(t *testing.T) {
	var f func(w *worker, a wide) wide
	f = func(w *worker, a wide) wide {
		if a.n[0] == 0 {
			return a
		}
		a.n[0]--
		other := fork.Fork(&w.Stack, f, a)
		b := f(w, a)
		c := other.Join(w)
		return wide{b.text, [4]int{0, b.n[1] + c.n[1], b.n[2], c.n[3]}}
	}
	p := newPool(3)
	defer p.Close()
	require.Equal(t, wide{"a", [4]int{0, 1 << 12, 2, 3}},
		f(p.workers[0], wide{"a", [4]int{12, 1, 2, 3}}))
}

// Functions of one type and of others share depths, and each fork runs its own.
func TestFunctionsOfOneType(t *testing.T) {
	w := alone(1)[0]
	for k := range 3 {
		one := func(*worker, int) int { return 10 + k }
		two := func(*worker, int) int { return 20 + k }
		text := func(*worker, string) string { return fmt.Sprint(30 + k) }
		require.Equal(t, 10+k, fork.Fork(&w.Stack, one, 1).Join(w))
		require.Equal(t, 20+k, fork.Fork(&w.Stack, two, 1).Join(w))
		require.Equal(t, 10+k, fork.Fork(&w.Stack, one, 1).Join(w))
		require.Equal(t, fmt.Sprint(30+k), fork.Fork(&w.Stack, text, "").Join(w))
		require.Equal(t, 20+k, fork.Fork(&w.Stack, two, 1).Join(w))
	}
}

// take claims from victim in the name of thief until nothing is left, and returns how many it got.
func take(thief, victim *worker, ask bool) (n int) {
	for c := victim.Claim(ask); c != nil; c = victim.Claim(ask) {
		c.Run(thief, &thief.Stack)
		n++
	}
	return n
}

func TestEveryForkButTheYoungestIsPublic(t *testing.T) {
	for n := range 3 * fork.Private {
		ws := alone(2)
		depth(ws[0], 3*fork.Private) // the frames are there
		var all []*fork.Frame[*worker, int, int]
		for i := range n {
			all = append(all, fork.Fork(&ws[0].Stack, leaf, i))
		}
		require.GreaterOrEqual(t, take(ws[1], ws[0], false), n-fork.Private)
		for _, f := range all {
			defer func() { require.Equal(t, 1, f.Join(ws[0])) }() // the youngest first
		}
	}
}

func TestEveryForkButTheYoungestIsPublicAfterAnAsk(t *testing.T) {
	w, thief := alone(2)[0], alone(1)[0]
	a := fork.Fork(&w.Stack, leaf, 1)
	a.Join(w)
	depth(w, fork.Private) // the frames are there
	for name, next := range map[string]func() (end func()){
		"fork": func() func() {
			f := fork.Fork(&w.Stack, leaf, 1)
			return func() { f.Join(w) }
		},
		"join": func() func() {
			f := fork.Fork(&w.Stack, leaf, 1)
			require.Zero(t, take(thief, w, true)+f.Join(w)-1)
			return func() {}
		},
		"poll": func() func() { w.Poll(); return func() {} },
	} {
		a := fork.Fork(&w.Stack, leaf, 1)
		b := fork.Fork(&w.Stack, leaf, 1)
		c := fork.Fork(&w.Stack, leaf, 1)
		if name != "join" {
			require.Zero(t, take(thief, w, true))
		}
		end := next()
		require.Equal(t, 2, take(thief, w, false), name)
		end()
		require.Equal(t, 3, c.Join(w)+b.Join(w)+a.Join(w))
	}
	a = fork.Fork(&w.Stack, leaf, 1)
	b := fork.Fork(&w.Stack, leaf, 1)
	w.Share()
	require.Equal(t, 2, take(thief, w, false))
	require.Equal(t, 2, b.Join(w)+a.Join(w))
}

// Trim gives the collector frames of greater depths, and what their calls were given and returned.
func TestTrimLetsGo(t *testing.T) {
	w := alone(1)[0]
	outer := fork.Fork(&w.Stack, leaf, 1)
	kept := func() weak.Pointer[[64]byte] {
		big := new([64]byte)
		f := fork.Fork(&w.Stack, func(_ *worker, p *[64]byte) *[64]byte { return p }, big)
		require.True(t, f.Mine())
		return weak.Make(big)
	}()
	depth(w, 1000)
	w.Trim()
	runtime.GC()
	require.Nil(t, kept.Value())
	require.Equal(t, 1, outer.Join(w))
	require.Equal(t, 1000, depth(w, 1000))
}

func TestMisuse(t *testing.T) {
	w := alone(1)[0]
	f := fork.Fork(&w.Stack, leaf, 1)
	f.Join(w)
	require.PanicsWithValue(t, "surewake: join of a fork that was joined or abandoned",
		func() { f.Join(w) })
	a := fork.Fork(&w.Stack, leaf, 1)
	b := fork.Fork(&w.Stack, leaf, 1)
	a.Join(w)
	require.PanicsWithValue(t, "surewake: join of a fork that was joined or abandoned",
		func() { b.Join(w) })
	require.PanicsWithValue(t, "fork: Stack.Abandon(1) of 0 forks", func() { w.Abandon(1) })
	require.PanicsWithValue(t, "fork: Stack.Abandon(-1) of 0 forks", func() { w.Abandon(-1) })
	require.PanicsWithValue(t, "surewake: Fork: nil function",
		func() { fork.Fork[*worker, int, int](&w.Stack, nil, 1) })
	require.PanicsWithValue(t, "surewake: Both: nil function",
		func() { fork.Both[*worker, int, int](&w.Stack, w, nil, nil) })
	var zero fork.Stack[*worker]
	require.PanicsWithValue(t, "fork: Fork on a Stack without Init",
		func() { fork.Fork(&zero, leaf, 1) })
	require.PanicsWithValue(t, "fork: Stack.Init: nil host", func() { zero.Init(nil) })
	require.Nil(t, zero.Claim(true))
}

// A panic in a loop of forks ends what it has left, at any place and whoever runs it.
func TestPanicInALoop(t *testing.T) {
	p := newPool(4)
	defer p.Close()
	w := p.workers[0]
	for n := range 50 {
		var ran atomic.Int32
		func() {
			defer func() { require.Equal(t, n, recover()) }()
			var last *fork.Frame[*worker, int, int]
			for i := range 100 {
				last = fork.Fork(&w.Stack, func(_ *worker, i int) int {
					if ran.Add(1); i == n {
						panic(n)
					}
					return i
				}, i)
			}
			last.Join(w)
			panic(n)
		}()
		w.Abandon(0)
		require.LessOrEqual(t, ran.Load(), int32(100))
		require.Equal(t, 610, fib(w, 15))
	}
}

// One owner and one thief that take turns do what a list of forks does.
func TestStackIsAListOfForks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ws := alone(2)
		w, thief := ws[0], ws[1]
		type fk struct {
			n    int
			join func() string
			ran  *int
		}
		var forks []fk
		began := 0 // claimed, from the oldest on
		add := func(n int, join func(ran *int) func() string) {
			ran := new(int)
			forks = append(forks, fk{n, join(ran), ran})
		}
		joined := func() {
			last := forks[len(forks)-1]
			require.Equal(t, fmt.Sprint(last.n), last.join())
			require.Equal(t, 1, *last.ran)
			forks = forks[:len(forks)-1]
			began = min(began, len(forks))
		}
		t.Repeat(map[string]func(*rapid.T){
			"fork": func(t *rapid.T) {
				n := rapid.IntRange(0, 99).Draw(t, "n")
				add(n, func(ran *int) func() string {
					f := fork.Fork(&w.Stack, func(_ *worker, n int) int { *ran++; return n }, n)
					return func() string { return fmt.Sprint(f.Join(w)) }
				})
			},
			"fork of text": func(t *rapid.T) {
				n := rapid.IntRange(0, 99).Draw(t, "n")
				add(n, func(ran *int) func() string {
					f := fork.Fork(&w.Stack, func(_ *worker, s string) string { *ran++; return s },
						fmt.Sprint(n))
					return func() string {
						if f.Mine() {
							*ran++
							return fmt.Sprint(n)
						}
						return f.Result()
					}
				})
			},
			"join": func(t *rapid.T) {
				if len(forks) == 0 {
					t.Skip("nothing forked")
				}
				joined()
			},
			"claim": func(t *rapid.T) {
				if c := w.Claim(rapid.Bool().Draw(t, "ask")); c != nil {
					require.Zero(t, *forks[began].ran)
					c.Run(thief, &thief.Stack)
					require.Equal(t, 1, *forks[began].ran)
					began++
				}
			},
			"poll":  func(*rapid.T) { w.Poll() },
			"share": func(*rapid.T) { w.Share() },
			"trim":  func(*rapid.T) { w.Trim() },
			"abandon": func(t *rapid.T) {
				n := rapid.IntRange(0, len(forks)).Draw(t, "left")
				w.Abandon(n)
				for i, f := range forks[n:] {
					if n+i < began {
						require.Equal(t, 1, *f.ran)
					} else {
						require.Zero(t, *f.ran)
					}
				}
				forks, began = forks[:n], min(began, n)
			},
			"": func(t *rapid.T) {
				require.Equal(t, len(forks), w.Len())
				require.Zero(t, thief.Len())
			},
		})
		for len(forks) > 0 {
			joined()
		}
	})
}
