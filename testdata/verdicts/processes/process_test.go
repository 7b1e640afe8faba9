// Package processes has checks that run processes, or ask about the process of the check.
package processes

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

const asked = "TEST_AS_A_PROCESS"

// again returns a command that runs the test in a process of its own.
func again(x *model.Exec, test string) *exec.Cmd {
	exe, err := os.Executable()
	x.Assert(err == nil, "%v", err)
	cmd := exec.Command(exe, "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), asked+"=1")
	return cmd
}

// The process runs as without the checker, and panics once.
//
// verdict: said other processes run by themselves.*exec.Cmd.Start.*exec.Cmd.Wait
func TestThatPanicsElsewhere(t *testing.T) {
	if os.Getenv(asked) != "" {
		panic("as it should")
	}
	model.Check(t, func(x *model.Exec) {
		cmd := again(x, "TestThatPanicsElsewhere")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Start()
		x.Assert(err == nil, "%v", err)
		err = cmd.Wait()
		x.Assert(err != nil && err.Error() == "exit status 2", "%v: %s", err, &out)
		x.Assert(strings.Contains(out.String(), "panic: as it should"), "%s", &out)
	})
}

// verdict: proved, 1 trace
func TestEnvironmentElsewhere(t *testing.T) {
	if os.Getenv(asked) != "" {
		for _, v := range os.Environ() {
			if strings.HasPrefix(v, "SUREWAKE=") || strings.HasPrefix(v, "GORACE=suppress") {
				t.Errorf("the process has %s", v)
			}
		}
		return
	}
	model.Check(t, func(x *model.Exec) {
		out, err := again(x, "TestEnvironmentElsewhere").CombinedOutput()
		x.Assert(err == nil, "%v: %s", err, out)
		t.Setenv(asked, "1")
		cmd := again(x, "TestEnvironmentElsewhere")
		cmd.Env = nil
		out, err = cmd.Output()
		x.Assert(err == nil, "%v: %s", err, out)
	})
}

// What goroutines do beside a process is explored.
//
// verdict: FAILED assertion failed: n is 1
func TestLostUpdateBesideAProcess(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		n := 0
		add := func() {
			mu.Lock()
			was := n
			mu.Unlock()
			mu.Lock()
			n = was + 1
			mu.Unlock()
		}
		x.Go("alone", add)
		x.Go("beside a process", func() {
			err := exec.Command(os.Args[0], "-test.list=^$").Run()
			x.Assert(err == nil, "%v", err)
			add()
		})
		x.Join()
		x.Assert(n == 2, "n is %d", n)
	})
}

type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, string(p))
	return len(p), nil
}

// A goroutine of package os/exec would call Write.
//
// verdict: undecided process_test.go:\d+: a process with a Stdout that is neither a file
func TestProcessThatCallsBack(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		cmd := exec.Command(os.Args[0], "-test.list=^$")
		cmd.Stdout = &lines{}
		_ = cmd.Run()
	})
}

// The goroutines of the process are those of the checker, too.
//
// verdict: undecided runtime.Stack of all goroutines is not modelled
func TestStacksOfAll(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		buf := make([]byte, 1<<16)
		own := string(buf[:runtime.Stack(buf, false)])
		x.Assert(strings.Contains(own, "TestStacksOfAll"), "%s", own)
		all := string(buf[:runtime.Stack(buf, true)])
		n := strings.Count(all, "goroutine ")
		x.Assert(n <= 2, "%d goroutines:\n%s", n, all)
	})
}

// verdict: undecided the profile of goroutines is not modelled
func TestProfileOfGoroutines(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n := pprof.Lookup("goroutine").Count()
		x.Assert(n <= 2, "%d goroutines", n)
	})
}

// verdict: undecided finalizers and cleanups do not run, .* runtime.GC testdata/.*/process_test.go
func TestFinalizer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		done := make(chan bool, 1)
		runtime.SetFinalizer(&lines{}, func(*lines) { done <- true })
		runtime.GC()
		select {
		case <-done:
			x.Assert(false, "it has run")
		default:
		}
	})
}

// verdict: said what the garbage collector frees does not matter.*runtime.AddCleanup
func TestCleanup(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type file struct{ fd []int }
		freed := make(chan int, 1)
		c := runtime.AddCleanup(&file{}, func(n int) { freed <- n }, 1)
		c.Stop()
		x.Assert(len(freed) == 0, "it has run")
	})
}

// verdict: undecided finalizers and cleanups do not run
func TestWaitsForACleanup(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		type file struct{ fd []int }
		freed := make(chan int)
		runtime.AddCleanup(&file{}, func(n int) { freed <- n }, 1)
		runtime.GC()
		<-freed
	})
}

// verdict: undecided runtime.AddCleanup is modelled where it is called only
func TestCleanupThatIsAValue(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		add := runtime.AddCleanup[int, int]
		add(new(int), func(int) {}, 1)
	})
}
