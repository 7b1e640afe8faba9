package serve_test

import (
	"time"

	"github.com/surewake/surewake/fuzz/prog"
	"github.com/surewake/surewake/fuzz/serve"
	"github.com/surewake/surewake/model/explore"
)

// explored explores the program. It is of use in a rewritten binary only.
func explored(r serve.Request) serve.Answer {
	a := serve.Answer{Complete: map[string]int{}, Stuck: map[string]int{}}
	search(&a, r, explore.Config{Preemptions: -1, Executions: int64(r.Runs)})
	if r.Mode != serve.Both || a.Failure != "" || a.Refused != "" || a.Bounded {
		return a
	}
	every := serve.Answer{Complete: map[string]int{}, Stuck: map[string]int{}}
	search(&every, r, explore.Config{Preemptions: -1, Unreduced: true, Executions: int64(r.Every)})
	if every.Bounded && every.Failure == "" && every.Crash == "" && r.Samples > 0 {
		search(&every, r, explore.Config{
			Strategy: explore.Random, Preemptions: -1, Executions: int64(r.Samples), Seed: r.Seed,
		})
	}
	a.Every = &every
	return a
}

// search adds to the answer what an exploration of the program finds.
func search(a *serve.Answer, r serve.Request, cfg explore.Config) {
	var w *prog.World
	needs := r.Program.Needs()
	inBubble := r.Bubble || r.Program.Bubbled()
	if needs.Clocks && !inBubble { // time as in a bubble, and equal deadlines in any order
		cfg.TimePasses, cfg.Short = true, 1
		if cfg.EarlyTimeouts = r.Early; r.Early > 0 {
			cfg.Short = watch
		}
	}
	cfg.FirstOnly = explore.Race // reports are slow
	cfg.End = func() *explore.Failure { a.Complete[w.Outcome()]++; return nil }
	cfg.Deadlock = func() { a.Stuck[w.Outcome()]++ }
	body := func() {
		w = prog.NewWorld()
		w.Over = explore.Aborting
		w.Run(r.Program, needs)
		if needs.Clocks {
			time.Sleep(watch)
		}
	}
	res := explore.Run(cfg, func() {
		if inBubble {
			explore.RunBubble(body)
		} else {
			body()
		}
	})
	a.Bounded = res.Bounded != ""
	a.Races = int(res.Races)
	if f := res.Failure; f != nil {
		switch f.Kind {
		case explore.KindDeadlock, explore.KindLeak, explore.KindRace:
		case explore.KindPanic:
			a.Crash = f.Message
		case explore.KindRefused:
			a.Refused = f.Message
		default:
			a.Failure = f.Error()
		}
	}
}
