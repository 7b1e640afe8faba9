//go:build !race

package explore_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"github.com/surewake/surewake/model/wire"
	"pgregory.net/rapid"
)

// A script is what a goroutine or a coroutine does. The program has three
// coroutines, and a script for each: pull makes it anew.
type script []action

type action struct {
	what string
	coro int
}

// machine runs scripts on coroutines made by pull, and logs what they see.
type machine struct {
	pull    func(iter.Seq[int]) (func() (int, bool), func())
	goexit  func()
	scripts [3]script
	next    [3]func() (int, bool)
	stop    [3]func()
	yield   [3]func(int) bool
	stops   []func()
	log     []string
	budget  int
}

func (m *machine) say(format string, args ...any) {
	m.log = append(m.log, fmt.Sprintf(format, args...))
}

func (m *machine) run(who string, s script) {
	for _, a := range s {
		m.do(who, a)
	}
	m.say("%s ends", who)
}

func (m *machine) do(who string, a action) {
	if m.budget == 0 {
		return
	}
	m.budget--
	i := a.coro
	switch a.what {
	case "pull":
		m.next[i], m.stop[i] = m.pull(func(yield func(int) bool) {
			m.yield[i] = yield
			m.run(fmt.Sprint("coroutine ", i), m.scripts[i])
		})
		m.stops = append(m.stops, m.stop[i])
	case "next":
		if m.next[i] != nil {
			v, ok := m.next[i]()
			m.say("%s: next %d gives %d %v", who, i, v, ok)
		}
	case "stop":
		if m.stop[i] != nil {
			m.stop[i]()
			m.say("%s: stop %d", who, i)
		}
	case "yield":
		if m.yield[i] != nil {
			ok := m.yield[i](m.budget)
			m.say("%s: yield %d of %d gives %v", who, i, m.budget, ok)
		}
	case "deferred yield and goexit":
		defer m.do(who, action{"yield", i})
		m.goexit()
	case "deferred panic and goexit":
		defer panic("deferred")
		m.goexit()
	case "goexit":
		m.goexit()
	case "panic":
		panic(m.budget)
	case "try yield", "try next", "try stop":
		defer func() {
			if p := hook.Recover(recover()); p != nil {
				m.say("%s: recovers %v", who, p)
			}
		}()
		m.do(who, action{strings.TrimPrefix(a.what, "try "), i})
	}
}

func (m *machine) main(s script) {
	*m = machine{pull: m.pull, goexit: m.goexit, scripts: m.scripts, budget: 60}
	defer func() {
		if p := hook.Recover(recover()); p != nil {
			m.say("main panics with %v", p)
		}
	}()
	m.run("main", s)
}

// Whatever a program does with coroutines, in a check it sees what it sees
// outside, in the same order.
func TestCoroutinesAreThoseOfPackageIter(t *testing.T) {
	before := runtime.NumGoroutine()
	refused, compared, seen := 0, 0, map[string]int{}
	for seed := range uint64(4000) {
		main, scripts := drawScripts(rand.New(rand.NewPCG(seed, 1)))
		checked := &machine{pull: hook.Pull[int], goexit: hook.Goexit, scripts: scripts}
		r := all(func() { // the body itself must not exit
			explore.Go("main", func() { checked.main(main) }, true)
			explore.Join()
		})
		if f := r.Failure; f != nil {
			require.Equal(t, explore.KindRefused, f.Kind, f.Message)
			refused++
			continue
		}
		compared++
		real := &machine{pull: iter.Pull[int], goexit: runtime.Goexit, scripts: scripts}
		onGoroutine(func() { real.main(main) })
		require.Equal(t, real.log, checked.log, "%v\n%v", main, scripts)
		for _, line := range real.log {
			_, text, _ := strings.Cut(line, ":")
			seen[regexp.MustCompile(`\d+`).ReplaceAllString(text, "#")]++
		}
		real.budget = 0
		for _, stop := range real.stops {
			onGoroutine(func() { defer func() { _ = recover() }(); stop() })
		}
	}
	require.Greater(t, compared, 3*refused, "few scripts were of use")
	for _, want := range []string{
		" next # gives # true", " next # gives # false",
		" yield # of # gives true", " yield # of # gives false", " stop #",
		" recovers iter.Pull: next called again before yield",
		" recovers iter.Pull: yield called again before next",
		" recovers #", " recovers deferred",
	} {
		require.Greater(t, seen[want], 10, want)
	}
	requireSettled(t, before)
}

func drawScripts(rng *rand.Rand) (main script, scripts [3]script) {
	kinds := []string{
		"pull", "next", "next", "next", "yield", "yield", "yield", "stop",
		"try next", "try yield", "try stop",
		"panic", "goexit", "deferred yield and goexit", "deferred panic and goexit",
	}
	draw := func(least int) script {
		s := make(script, least+rng.IntN(7))
		for i := range s {
			s[i] = action{kinds[rng.IntN(len(kinds))], rng.IntN(len(scripts))}
		}
		return s
	}
	main = append(script{{"pull", 0}, {"pull", 1}}, draw(3)...)
	for i := range scripts {
		scripts[i] = draw(1)
	}
	return
}

// inCoroutines runs body in a coroutine in a coroutine. Its pauses suspend the
// inner one, or both at once.
func inCoroutines(body func(pause func())) {
	next, stop := hook.Pull(func(outer yields) {
		next, stop := hook.Pull(func(inner yields) {
			n := 0
			body(func() {
				switch n++; n % 3 {
				case 0:
					inner(n)
				case 1:
					outer(n)
				}
			})
		})
		defer stop()
		for _, ok := next(); ok; _, ok = next() {
			outer(0)
		}
	})
	defer stop()
	for _, ok := next(); ok; _, ok = next() {
	}
}

// A program does in coroutines, in the same schedules, what it does without,
// whatever the strategy.
func TestCoroutinesChangeNoSchedule(t *testing.T) {
	ops := []string{
		"load", "store", "await", "cas", "add", "lock", "lock", "unlock", "once", "condwait",
		"signal", "rlock", "wlock", "rwunlock", "wgadd", "wgdone", "wgwait", "choose", "trylock",
	}
	gen := genProgram(ops, 3, 5)
	failed := map[explore.Kind]bool{}
	rapid.Check(t, func(t *rapid.T) {
		p := gen.Draw(t, "program")
		for _, cfg := range []explore.Config{
			{Preemptions: -1, Executions: 2000},
			{Preemptions: 1, Executions: 500},
			{Strategy: explore.Random, Preemptions: -1, Executions: 20, Seed: 3},
			{Strategy: explore.POS, Preemptions: -1, Executions: 20, Seed: 4},
			{Strategy: explore.PCT, Preemptions: 2, Executions: 20, Seed: 5},
		} {
			run := func(cfg explore.Config, in func(func(func()))) explore.Result {
				return explore.Run(cfg, func() {
					w := newWorld()
					w.in = in
					p.run(w)
				})
			}
			plain, pulled := run(cfg, nil), run(cfg, inCoroutines)
			if plain.Failure != nil {
				failed[plain.Failure.Kind] = true
				require.NotNil(t, pulled.Failure)
				require.Equal(t, plain.Failure.Message, pulled.Failure.Message)
				cfg.Record, cfg.Replay = true, wire.Deviations(plain.Failure.Schedule)
				again := run(cfg, inCoroutines)
				require.NotNil(t, again.Failure)
				require.Equal(t, plain.Failure.Message, again.Failure.Message)
				plain.Failure, pulled.Failure = nil, nil
			}
			plain.Seconds, pulled.Seconds = 0, 0
			require.Equal(t, plain, pulled)
		}
	})
	require.NotEmpty(t, failed)
}

// onGoroutine runs f to its end or its Goexit.
func onGoroutine(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
	}()
	<-done
}
