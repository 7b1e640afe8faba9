package serve_test

import (
	"time"

	"github.com/surewake/surewake/fuzz/prog"
	"github.com/surewake/surewake/fuzz/serve"
	"github.com/surewake/surewake/model/explore"
)

// explored explores the program. It is of use in a rewritten binary only.
func explored(r serve.Request) serve.Answer {
	a := search(r, -1)
	if r.Mode == serve.Both && a.Failure == "" && a.Refused == "" && !a.Bounded {
		every := search(r, 1<<20)
		a.Every = &every
	}
	return a
}

// search explores the program with reduction if preemptions is negative, else without.
func search(r serve.Request, preemptions int) serve.Answer {
	a := serve.Answer{Complete: map[string]int{}, Stuck: map[string]int{}}
	var w *prog.World
	cfg := explore.Config{Preemptions: preemptions, Executions: int64(r.Runs)}
	if r.Program.Timed() { // time as in a bubble, and equal deadlines in any order
		cfg.TimePasses, cfg.Short = true, 1
		if cfg.EarlyTimeouts = r.Early; r.Early > 0 {
			cfg.Short = watch
		}
	}
	cfg.FirstOnly = explore.Race // reports are slow
	cfg.End = func() *explore.Failure { a.Complete[w.Outcome()]++; return nil }
	cfg.Deadlock = func() { a.Stuck[w.Outcome()]++ }
	res := explore.Run(cfg, func() {
		w = prog.NewWorld()
		w.Over = explore.Aborting
		w.Run(r.Program)
		if r.Program.Timed() {
			time.Sleep(watch)
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
	return a
}
