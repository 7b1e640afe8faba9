package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	goruntime "runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/runtime"
)

// misuses end the process: they are run in one of their own, the name of the misuse in its
// environment.
func misuses() map[string]func() {
	return map[string]func(){
		"goroutine": func() {
			rt, err := runtime.New(runtime.Workers(1), runtime.Debug())
			if err != nil {
				panic(err)
			}
			_, err = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				done := make(chan any)
				go func() {
					defer func() { done <- recover() }()
					cx.Yield() //cxcheck:ignore it is refused
				}()
				panic(<-done)
			}).Wait(context.Background())
			panic(err)
		},
		"goroutines that spawn": func() {
			rt, err := runtime.New(runtime.Workers(2), runtime.Debug())
			if err != nil {
				panic(err)
			}
			_, err = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				refused := make(chan any)
				for range 4 {
					go func() {
						defer func() { refused <- recover() }()
						for range 1000 {
							runtime.Spawn(cx, returns(1)) //cxcheck:ignore it is refused
						}
					}()
				}
				for range 3 {
					<-refused
				}
				panic(<-refused)
			}).Wait(context.Background())
			if closed := rt.Close(); closed != nil {
				panic(closed)
			}
			panic(err)
		},
		"threads": func() {
			debug.SetMaxThreads(150)
			for _, n := range []int{65, 90, 256, 300, 2000} {
				rt, err := runtime.New(runtime.Workers(n))
				if err != nil {
					panic(err)
				}
				time.Sleep(20 * time.Millisecond) // all sleep
				v, err := runtime.Submit(rt, returns(n)).Wait(context.Background())
				if err := errors.Join(err, rt.Close()); err != nil || v != n {
					panic(err)
				}
			}
			_, err := runtime.New(runtime.Workers(150), runtime.Parker(park.Futex))
			panic(err)
		},
		"locked": func() { // without Debug: what Go says
			rt, err := runtime.New(runtime.Workers(1))
			if err != nil {
				panic(err)
			}
			_, err = runtime.Submit(rt, locks()["waits"]).Wait(context.Background())
			panic(err)
		},
	}
}

const misuseVariable = "SUREWAKE_MISUSE"

func misuse(t *testing.T, name string) string {
	ctx, stop := context.WithTimeout(context.Background(), stuckAfter)
	defer stop()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), misuseVariable+"="+name)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var status *exec.ExitError
	require.True(t, errors.As(err, &status), "the process ends with %v\n%s", err, out.String())
	require.NoError(t, ctx.Err())
	return out.String()
}

func TestDebugRefusesACxOnAnotherGoroutine(t *testing.T) {
	if goruntime.GOOS == "js" {
		t.Skip("no processes")
	}
	require.Contains(t, misuse(t, "goroutine"),
		"surewake: a Cx must be used on the goroutine of its task only")
}

// A worker's queues have one owner: what another goroutine pushes there is lost, or nil.
// (runtime/R54)
func TestDebugRefusesToSpawnOnAnotherGoroutine(t *testing.T) {
	if goruntime.GOOS == "js" {
		t.Skip("no processes")
	}
	out := misuse(t, "goroutines that spawn")
	require.Contains(t, out, "surewake: a Cx must be used on the goroutine of its task only")
	require.NotContains(t, out, "nil pointer")
}

// Workers are no more threads than Go allows the process. (runtime/R53)
func TestNoMoreThreadsThanGoAllows(t *testing.T) {
	if !park.Futex.Available() {
		t.Skip("no worker has a thread to itself")
	}
	require.Contains(t, misuse(t, "threads"), "surewake: Workers(150): each takes a thread with "+
		"Parker(Futex), and Go allows 150 (debug.SetMaxThreads); Parker(Portable) takes none")
}

// If Go forgives it some day, Debug need not refuse it any more.
func TestGoRefusesLockedThreads(t *testing.T) {
	if goruntime.GOOS == "js" {
		t.Skip("no processes")
	}
	out := misuse(t, "locked")
	require.True(t, strings.Contains(out, "fatal error: coro"), out)
}
