package driver

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/surewake/surewake/model/instrument"
	"github.com/surewake/surewake/model/wire"
)

// The test binary stands in for a binary with checks: started with SUREWAKE in
// its environment it plays the Test function that -test.run names.
func TestMain(m *testing.M) {
	s, err := wire.DecodeSettings(os.Getenv(wire.SettingsVariable))
	if err != nil {
		panic(err)
	}
	if s == nil {
		os.Exit(m.Run())
	}
	flag.Parse()
	run := flag.Lookup("test.run").Value.String()
	name, _, _ := strings.Cut(strings.TrimLeft(run, "^("), ")")
	play := scenarios[strings.TrimSuffix(name, "$")]
	if play == nil {
		panic("no scenario for " + run)
	}
	os.Exit(play(*s))
}

func say(r wire.Result) {
	if err := (wire.Message{Result: &r}).Write(os.Stdout); err != nil {
		panic(err)
	}
}

func proved(name string) wire.Result {
	return wire.Result{
		Check: name, Verdict: Proved, Complete: 12, Deadlocked: 3, Pruned: 4,
		Steps: 1234, Seconds: 0.5, Digest: "abc",
	}
}

func failing(name string) wire.Result {
	return wire.Result{
		Check: name, Verdict: Failed, Kind: wire.KindAssertion, Complete: 1, Later: true,
		Message: "assertion failed: lost 3",
		Trace:   &wire.Trace{Steps: []wire.Step{{Name: "owner", Op: "Push"}}}, Schedule: "3b2a",
	}
}

const sampleRace = `==================
WARNING: DATA RACE
Write at 0x00c000012345 by goroutine 9:
  example.com/ring.(*Ring[go.shape.int]).Push()
      /src/ring/ring.go:31 +0x44
  github.com/surewake/surewake/model/hook.Go.func1()
      /sw/model/hook/go.go:20 +0x11

Previous read at 0x00c000012345 by goroutine 8:
  example.com/ring.(*Ring[go.shape.int]).Pop()
      /src/ring/ring.go:47 +0x31
  testing.tRunner()
      /go/src/testing/testing.go:1934 +0x1c8

Goroutine 9 (running) created at:
  github.com/surewake/surewake/model/explore.(*fiber).start()
      /sw/model/explore/fiber_race.go:40 +0x99
==================
`

// neverReturns is what a dump must point at.
func neverReturns() {
	for i := 0; ; i++ {
		if i < 0 {
			return
		}
	}
}

var scenarios = map[string]func(wire.Settings) int{
	"TestProved": func(s wire.Settings) int {
		fmt.Print("the body says hello")
		wire.Message{
			Progress: &wire.Progress{Check: "TestProved", Executions: 5, Rate: 100, Left: 50},
		}.Write(
			os.Stdout,
		)
		say(proved("TestProved"))
		return 0
	},
	// It dies in its last check, from which another process goes on.
	"TestKept": func(s wire.Settings) int {
		log := func(text string) {
			f, err := os.OpenFile(os.Getenv("KEPT_LOG"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
			if err == nil {
				_, err = fmt.Fprintln(f, text)
			}
			if err != nil {
				panic(err)
			}
		}
		if s.Resume != "" {
			var left wire.Resume
			text, err := os.ReadFile(s.Resume)
			if err == nil {
				err = json.Unmarshal(text, &left)
			}
			if err != nil {
				panic(err)
			}
			log(fmt.Sprintf("goes on with %s after %s %s", left.Checkpoint.State,
				left.Ended[0].Check, left.Ended[1].Check))
			say(proved("TestKept/c"))
			return 1
		}
		log("begins")
		say(proved("TestKept/a"))
		fmt.Fprint(os.Stderr, sampleRace)
		r := failing("TestKept/b")
		r.Races, r.Kind = 1, wire.KindRace
		say(r)
		_ = wire.Message{
			Checkpoint: &wire.Checkpoint{Check: "TestKept/c", State: json.RawMessage("7")},
		}.Write(os.Stdout)
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill()
		}
		select {}
	},
	// It dies before it can say what its check has reached.
	"TestReached": func(s wire.Settings) int {
		say(proved("TestReached"))
		if os.Getenv("REACHED") == "" {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
			}
			select {}
		}
		m := wire.Message{Coverage: &wire.Coverage{Marks: map[string][]byte{"ring.go": {1}}}}
		_ = m.Write(os.Stdout)
		if s.Resume != "" {
			panic("what is reached belongs to the result")
		}
		return 0
	},
	// It dies before it can say what decides the failure.
	"TestDecidedLate": func(s wire.Settings) int {
		say(failing("TestDecidedLate"))
		if os.Getenv("REACHED") == "" {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
			}
			select {}
		}
		_ = wire.Message{Reversal: &wire.Reversal{First: 1, Second: 2}}.Write(os.Stdout)
		if s.Resume != "" {
			panic("what decides belongs to the result")
		}
		return 1
	},
	"TestAssumes": func(s wire.Settings) int {
		r := proved("TestAssumes")
		r.Assumptions = []string{"timeouts fire last"}
		say(r)
		return 0
	},
	"TestSubtests": func(s wire.Settings) int {
		say(proved("TestSubtests/a"))
		say(failing("TestSubtests/b"))
		say(proved("TestSubtests/c"))
		return 1
	},
	"TestDecided": func(s wire.Settings) int {
		say(failing("TestDecided/a"))
		say(failing("TestDecided/b"))
		decides := wire.Message{Reversal: &wire.Reversal{Second: wire.AfterAll, Schedule: "1c"}}
		if err := decides.Write(os.Stdout); err != nil {
			panic(err)
		}
		return 1
	},
	"TestDiesDeciding": func(s wire.Settings) int {
		say(failing("TestDiesDeciding"))
		fmt.Println("panic: another order")
		return 2
	},
	"TestCutShort": func(s wire.Settings) int {
		r := proved("TestCutShort")
		r.Verdict, r.Bounded, r.Cut = Bounded, "budget of 1s", true
		say(r)
		return 0
	},
	"TestRaceCutShort": func(s wire.Settings) int {
		r := proved("TestRaceCutShort")
		if s.Race {
			r.Verdict, r.Bounded, r.Cut = Bounded, "budget of 1s", true
		}
		say(r)
		return 0
	},
	"TestRacy": func(s wire.Settings) int {
		r := proved("TestRacy")
		if s.Race {
			fmt.Fprint(os.Stderr, "noise\n"+sampleRace)
			r = failing("TestRacy")
			r.Races, r.Message, r.Kind = 1, "data race", wire.KindRace
			say(r)
			return 1
		}
		say(r)
		return 0
	},
	// Its first check prints its report twice, as it is run again to be drawn.
	"TestTwoRaces": func(s wire.Settings) int {
		for _, name := range []string{"TestTwoRaces/a", "TestTwoRaces/b"} {
			r := proved(name)
			if s.Race {
				fmt.Fprint(
					os.Stderr, strings.ReplaceAll(sampleRace, "ring.go", name[len(name)-1:]+".go"),
					sampleRace,
				)
				r = failing(name)
				r.Races, r.Kind = 1, wire.KindRace
			}
			say(r)
		}
		if s.Race {
			return 1
		}
		return 0
	},
	"TestOwnRace": func(s wire.Settings) int {
		r := proved("TestOwnRace")
		if s.Race {
			own := "  " + enginePath + "/explore.(*engine).step()\n      /sw/step.go:1 +0x1\n"
			fmt.Fprintf(
				os.Stderr,
				"==================\nWARNING: DATA RACE\nWrite at 0x1 by goroutine 7:\n%s\n"+
					"Previous read at 0x1 by goroutine 8:\n%s==================\n",
				own,
				own,
			)
			r.Verdict, r.Kind, r.Races = Failed, wire.KindRace, 1
		}
		say(r)
		return 0
	},
	// It says how long it may take.
	"TestBudget": func(s wire.Settings) int {
		r := proved("TestBudget")
		if s.Race {
			r.Verdict, r.Bounded = Bounded, fmt.Sprintf("%gs", s.Seconds)
		} else {
			r.Assumptions = []string{fmt.Sprintf("%gs", s.Seconds)}
		}
		say(r)
		return 0
	},
	"TestGivesUp": func(s wire.Settings) int {
		r := proved("TestGivesUp")
		r.Verdict, r.Kind, r.Message = Undecided, wire.KindLimit, "limit: no end after 20000 steps"
		r.File, r.Line, r.Schedule = "ring_test.go", 7, "0"
		say(r)
		return 1
	},
	"TestOtherSchedules": func(s wire.Settings) int {
		r := proved("TestOtherSchedules")
		if s.Race {
			r.Digest = "other"
		}
		say(r)
		return 0
	},
	// Their race runs pass, and their plain runs do not.
	"TestStands": func(s wire.Settings) int { return passesUnderRace(s, "TestStands", nil) },
	"TestObserved": func(s wire.Settings) int {
		return passesUnderRace(s, "TestObserved", func(r *wire.Result) { r.Stands = false })
	},
	"TestCutUnderRace": func(s wire.Settings) int {
		return passesUnderRace(s, "TestCutUnderRace", func(r *wire.Result) {
			r.Verdict, r.Bounded, r.Cut, r.Stands = Bounded, "budget of 1s", true, false
		})
	},
	"TestCountedUnderRace": func(s wire.Settings) int {
		return passesUnderRace(s, "TestCountedUnderRace", func(r *wire.Result) {
			r.Verdict, r.Bounded, r.Cut = Bounded, "budget of 9 executions", true
		})
	},
	"TestSkipsMore": func(s wire.Settings) int {
		if s.Race {
			skip := wire.Message{Skip: &wire.Skip{Test: "TestSkipsMore/a", Why: "slow"}}
			_ = skip.Write(os.Stdout)
		}
		return passesUnderRace(s, "TestSkipsMore", nil)
	},
	"TestFailsUnderRaceToo": func(s wire.Settings) int {
		r := failing("TestFailsUnderRaceToo")
		r.Stands = s.Race
		if s.Race {
			r.Message = "assertion failed later"
		}
		say(r)
		return 1
	},
	"TestLongSecond": func(s wire.Settings) int {
		r := proved("TestLongSecond/first")
		r.Stands = s.Race
		say(r)
		if s.Race {
			say(proved("TestLongSecond/second"))
			return 0
		}
		tell(wire.Progress{Check: "TestLongSecond/second", Executions: 7})
		time.Sleep(time.Hour)
		return 0
	},
	"TestNothing": func(s wire.Settings) int { return 0 },
	"TestExits":   func(s wire.Settings) int { fmt.Println("goodbye"); return 3 },
	"TestPanics":  func(s wire.Settings) int { panic("out of cheese") },
	"TestFailsAfterwards": func(s wire.Settings) int {
		say(proved("TestFailsAfterwards"))
		fmt.Println("--- FAIL: TestFailsAfterwards (0.00s)\n    x_test.go:3: not after all")
		return 1
	},
	// They tell how far they are, and do not end.
	"TestLong": func(s wire.Settings) int {
		say(proved("TestLong/first"))
		tell(wire.Progress{Check: "TestLong/second", Executions: 12345, Steps: 99999})
		time.Sleep(time.Hour)
		return 0
	},
	"TestLongAndWrong": func(s wire.Settings) int {
		tell(wire.Progress{
			Check: "TestLongAndWrong", Executions: 7, Kind: wire.KindLeak, Failure: "leak: a waits",
		})
		time.Sleep(time.Hour)
		return 0
	},
	"TestLongRace": func(s wire.Settings) int {
		if s.Race {
			tell(wire.Progress{Check: "TestLongRace", Executions: 7})
			time.Sleep(time.Hour)
		}
		say(proved("TestLongRace"))
		return 0
	},
	"TestLoops":  func(s wire.Settings) int { neverReturns(); return 0 },
	"TestBlocks": func(s wire.Settings) int { time.Sleep(time.Hour); return 0 },
	"TestOdd": func(s wire.Settings) int {
		r := proved("TestOdd")
		r.Verdict = "perhaps"
		say(r)
		return 0
	},
}

func passesUnderRace(s wire.Settings, name string, change func(*wire.Result)) int {
	if !s.Race {
		say(failing(name))
		return 1
	}
	r := proved(name)
	r.Stands = true
	if change != nil {
		change(&r)
	}
	say(r)
	return 0
}

func tell(p wire.Progress) { wire.Message{Progress: &p}.Write(os.Stdout) }

// fakeTarget builds copies of the test binary itself.
type fakeTarget struct {
	raceError error
	otherRace bool // files differ under the race detector
}

func (f fakeTarget) SameFiles(context.Context, string) (bool, error) { return !f.otherRace, nil }

func (fakeTarget) RewrittenMode(string, bool) []string {
	return []string{"github.com/surewake/surewake/model/driver", "example.com/ring"}
}

func (fakeTarget) Covered(string) []instrument.CoveredFile { return nil }

func (f fakeTarget) Build(_ context.Context, pkg string, race bool, output string) error {
	if race && f.raceError != nil {
		return f.raceError
	}
	if pkg == "example.com/broken" {
		return &instrument.BuildError{Output: "./x.go:1: undefined: y"}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return os.Symlink(self, output)
}

// A listener is an Observer that remembers.
type listener struct {
	rows   []Row
	active func(done int, active []Activity) // nil: not told
}

func (*listener) Plan([]Row)  {}
func (l *listener) Row(r Row) { l.rows = append(l.rows, r) }
func (l *listener) Active(done, _ int, active []Activity) {
	if l.active != nil {
		l.active(done, active)
	}
}

// runScenarios checks the named scenarios as one package.
func runScenarios(
	t *testing.T, target target, opts Options, tests ...string,
) ([]Row, Summary, error) {
	t.Helper()
	if err := opts.normalize(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	packages := []instrument.Package{
		{Path: "example.com/ring", Dir: dir, Checks: tests, Tests: true, Source: "1f3a9c2e"},
	}
	p, err := plan(packages, dir, &opts)
	if err != nil {
		return nil, Summary{}, err
	}
	r, err := newRunner(&opts, target)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	var l listener
	sum, err := r.all(t.Context(), p, &l)
	return l.rows, sum, err
}

// errNoCgo is what the go command says without a C compiler.
var errNoCgo = &instrument.BuildError{
	Output: "go: -race requires cgo; enable cgo by setting CGO_ENABLED=1\n",
}
