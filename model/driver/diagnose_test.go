package driver

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/wire"
)

func TestPackageOfAFunction(t *testing.T) {
	for function, want := range map[string]string{
		"main.main": "main",
		"example.com/ring.(*Ring[go.shape.int]).Push":       "example.com/ring",
		"example.com/ring.F[example.com/other/pkg.T].func1": "example.com/ring",
		"gopkg.in/yaml%2ev3.(*node).Decode":                 "gopkg.in/yaml.v3",
		enginePath + "/hook.Go.func1":                       enginePath + "/hook",
		"github.com/a/b/deque_test.TestSteal1":              "github.com/a/b/deque_test",
	} {
		require.Equal(t, want, packageOf(function), function)
	}
}

// A dump as the runtime prints it with GOTRACEBACK=crash.
const dump = `SIGQUIT: quit
PC=0x4a1b2c m=3 sigcode=0

goroutine 7 gp=0xc0000a8000 m=3 mp=0xc000080008 [running]:
example.com/ring.(*Ring).spin(0xc000012345)
	/src/ring/ring.go:99 +0x1f fp=0xc1 sp=0xc2 pc=0xc3
example.com/ring.TestSpin.func1.1()
	/src/ring/ring_test.go:20 +0x33
github.com/surewake/surewake/model/explore.(*fiber).run(...)
	/sw/model/explore/fiber.go:33
created by github.com/surewake/surewake/model/explore.start in goroutine 6
	/sw/model/explore/fiber.go:12 +0x5a

goroutine 6 gp=0xc0000a8001 m=nil [coroutine]:
runtime.coroswitch(0xc000)
	/go/src/runtime/coro.go:10
github.com/surewake/surewake/model.Check(0x1, 0x2)
	/sw/model/check.go:50
example.com/ring.TestSpin(0xc000)
	/src/ring/ring_test.go:18 +0x22

goroutine 9 gp=0xc0000a8002 m=nil [select (no cases)]:
runtime.gopark(0x1)
	/go/src/runtime/proc.go:435 +0xce
example.com/ring.background()
	/src/ring/bg.go:5 +0x22
`

func TestStuckPlaceIsUserCodeAboveTheChecker(t *testing.T) {
	s := stackReader{[]string{"example.com/ring"}}
	at, place := s.stuckAt(dump)
	require.Equal(t, "example.com/ring.(*Ring).spin at /src/ring/ring.go:99 [running]", at)
	require.Equal(t, "/src/ring/ring.go:99", place)
	at, _ = stackReader{[]string{"example.com/other"}}.stuckAt(dump)
	require.Empty(t, at)
	at, _ = s.stuckAt("no dump at all")
	require.Empty(t, at)
}

func TestRaceReportsAreCutOut(t *testing.T) {
	s := stackReader{[]string{"example.com/ring"}}
	require.Len(t, s.races("x\n"+sampleRace+"y\n"+sampleRace), 2)
	require.Empty(t, s.races("nothing"))
}

func TestARaceIsOfTheProgramUnlessBothAccessesAreTheCheckers(t *testing.T) {
	s := stackReader{[]string{"example.com/ring"}}
	const engine = `Write at 0x00c000012345 by goroutine 9:
  runtime.slicecopy()
      /go/src/runtime/slice.go:367 +0x0
  github.com/surewake/surewake/model/explore.(*engine).takePost()
      /sw/model/explore/chan.go:300 +0x44
  example.com/ring.(*Ring).Push()
      /src/ring/ring.go:31 +0x44
`
	const program = `Previous read at 0x00c000012345 by goroutine 8:
  runtime.slicecopy()
      /go/src/runtime/slice.go:367 +0x0
  example.com/ring.(*Ring).Pop()
      /src/ring/ring.go:47 +0x31
  github.com/surewake/surewake/model/explore.(*fiber).start()
      /sw/model/explore/fiber_race.go:40 +0x99
`
	const unknown = `Previous read at 0x00c000012345 by goroutine 8:
  [failed to restore the stack]
`
	const send = `Read at 0x00c000012345 by goroutine 9:
  runtime.chansend()
      /go/src/runtime/chan.go:176 +0x0
  github.com/surewake/surewake/model/hook.finishSend[go.shape.int]()
      /sw/model/hook/chan.go:87 +0x164
  example.com/ring.(*Ring).Push()
      /src/ring/ring.go:31 +0x44
  github.com/surewake/surewake/model/explore.(*engine).runFunc()
      /sw/model/explore/thread.go:269 +0x6f
  example.com/ring.Before()
      /src/ring/ring.go:99 +0x44
`
	const closes = `Previous write at 0x00c000012345 by goroutine 8:
  runtime.closechan()
      /go/src/runtime/chan.go:414 +0x0
  github.com/surewake/surewake/model/hook.Close[go.shape.int]()
      /sw/model/hook/chan.go:184 +0xce
  example.com/ring.(*Ring).Close()
      /src/ring/ring.go:47 +0x31
`
	const closesOwn = `Previous write at 0x00c000012345 by goroutine 8:
  runtime.closechan()
      /go/src/runtime/chan.go:414 +0x0
  github.com/surewake/surewake/model/explore.(*engine).open()
      /sw/model/explore/thread.go:1 +0xce
`
	for _, c := range []struct {
		first, second string
		internal      bool
	}{
		{send, closes, false}, {engine, closes, false}, {engine, closesOwn, true},
		{engine, engine, true}, {engine, program, false}, {program, engine, false},
		{program, program, false}, {engine, unknown, false},
	} {
		reports := s.races("==================\nWARNING: DATA RACE\n" + c.first + "\n" + c.second +
			"\nGoroutine 9 (running) created at:\n  testing.tRunner()\n      /t.go:1 +0x1\n" +
			"==================\n")
		require.Len(t, reports, 1)
		require.Equal(t, c.internal, reports[0].internal, "%s%s", c.first, c.second)
		require.Equal(t, "/src/ring/ring.go", reports[0].file)
	}
	sent := s.races("==================\nWARNING: DATA RACE\n" + send + "\n" + closes)[0]
	require.Equal(t, "channel send", sent.accesses[0].op)
	require.Equal(t, "close of the channel", sent.accesses[1].op)
	require.Contains(t, sent.text, "ring.(*Ring).Push()")
	require.NotContains(t, sent.text, "Before", "frames below the thread's function are old")
	internal, real := raceReport{internal: true, text: "i"}, raceReport{text: "r"}
	require.Equal(t, "r", worstRace([]raceReport{internal, real}).text)
	require.Equal(t, "i", worstRace([]raceReport{internal, internal}).text)
}

func TestACrashIsOfTheProgramUnlessTheCheckerRaisedIt(t *testing.T) {
	s := stackReader{[]string{"example.com/ring"}}
	user := "example.com/ring.(*Ring).Push(...)\n\t/src/ring/ring.go:31 +0x44\n"
	engine := enginePath + "/explore.(*engine).commit(...)\n\t/sw/commit.go:1\n"
	raised := "panic({0x1, 0x2})\n\t/go/panic.go:1\nruntime.goPanicIndex(0x1)\n\t/go/panic.go:2\n"
	for stack, own := range map[string]bool{user + engine: false, engine + user: true} {
		by, file, line := s.crash("noise\npanic: no\n\ngoroutine 7 [running]:\n" + raised + stack)
		require.Equal(t, own, s.checker(by), by)
		require.Equal(t, "/src/ring/ring.go:31", fmt.Sprintf("%s:%d", file, line))
	}
}

func TestAStackOverflowIsOfWhoCallsItself(t *testing.T) {
	s := stackReader{[]string{"example.com/ring"}}
	user := strings.Repeat("example.com/ring.(*Ring).Push(...)\n\t/src/ring/ring.go:31 +0x44\n", 3)
	engine := strings.Repeat(enginePath+"/explore.Loop(...)\n\t/sw/loop.go:1\n", 3)
	for stack, kind := range map[string]wire.Kind{
		user: wire.KindPanic, engine + user: wire.KindPanic,
		engine + "...100 frames elided...\n" + user: wire.KindInternal,
	} {
		o := s.death(&outcome{exit: errors.New("signal: aborted"), said: "fatal error: stack " +
			"overflow\n\nruntime stack:\nruntime.throw(...)\n\t/go/panic.go:1\n\n" +
			"goroutine 7 [running]:\n" + stack}, "TestPush")
		require.Equal(t, kind, o.kind, stack)
	}
}

func TestQuoteBeginsWithThePanic(t *testing.T) {
	require.Equal(t, "\n  | panic: no\n  | goroutine 1", quote("a\nb\npanic: no\ngoroutine 1\n"))
	require.Empty(t, quote(" \n"))
	require.Equal(
		t,
		"\n  | goroutine 7 [running]:\n  | f()\n  | \tf.go:1 +0x1f",
		quote(
			"goroutine 7 gp=0xc0000a8000 m=3 mp=0xc000080008 [running]:\n\n"+
				"f()\n\tf.go:1 +0x1f fp=0xc1 sp=0xc2 pc=0xc3\n",
		),
	)
}
