package driver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPackageOfAFunction(t *testing.T) {
	for function, want := range map[string]string{
		"main.main": "main",
		"example.com/ring.(*Ring[go.shape.int]).Push":        "example.com/ring",
		"example.com/ring.F[example.com/other/pkg.T].func1":  "example.com/ring",
		"gopkg.in/yaml%2ev3.(*node).Decode":                  "gopkg.in/yaml.v3",
		"github.com/surewake/surewake/model/hook.Go.func1":   "github.com/surewake/surewake/model/hook",
		"github.com/surewake/surewake/deque_test.TestSteal1": "github.com/surewake/surewake/deque_test",
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
	require.Equal(t, "example.com/ring.(*Ring).spin at /src/ring/ring.go:99 [running]", s.stuckAt(dump))
	require.Empty(t, stackReader{[]string{"example.com/other"}}.stuckAt(dump))
	require.Empty(t, s.stuckAt("no dump at all"))
}

func TestRaceReportsAreCutOut(t *testing.T) {
	s := stackReader{[]string{"example.com/ring"}}
	require.Len(t, s.races("x\n"+raceReport+"y\n"+raceReport), 2)
	require.Empty(t, s.races("nothing"))
}

func TestQuoteBeginsWithThePanic(t *testing.T) {
	require.Equal(t, "\n  | panic: no\n  | goroutine 1", quote("a\nb\npanic: no\ngoroutine 1\n"))
	require.Empty(t, quote(" \n"))
	require.Equal(t, "\n  | goroutine 7 [running]:\n  | f()\n  | \tf.go:1 +0x1f",
		quote("goroutine 7 gp=0xc0000a8000 m=3 mp=0xc000080008 [running]:\n\nf()\n\tf.go:1 +0x1f fp=0xc1 sp=0xc2 pc=0xc3\n"))
}
