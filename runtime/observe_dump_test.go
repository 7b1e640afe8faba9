package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// dumped returns what Dump writes.
func dumped(t testing.TB, rt *runtime.Runtime) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, rt.Dump(&out))
	return out.String()
}

// standing is a clock that does not go on.
func standing() runtime.Option {
	return runtime.WithClock(func() int64 { return int64(time.Hour) })
}

// atRest waits until all workers of rt sleep, and no task is queued.
func atRest(t testing.TB, rt *runtime.Runtime) {
	t.Helper()
	waits(t, func() bool {
		s := rt.Stats()
		return rt.Idle() && s.Injected+s.Queued+s.Ready == 0
	}, "the workers do not sleep")
}

// waitings are the ways to wait, by what a dump with Debug says of them.
var waitings = map[string]func(runtime.Cx) error{
	"waits in Cx.Sleep, FILE:[0-9]+, for 0s, 1h0m0s are left": func(cx runtime.Cx) error {
		return cx.Sleep(time.Hour)
	},
	"waits in Channel.Receive, FILE:[0-9]+, for 0s": func(cx runtime.Cx) error {
		_, err := runtime.NewChannel[int](0).Receive(cx)
		return err
	},
	"waits in Channel.Send, FILE:[0-9]+, for 0s": func(cx runtime.Cx) error {
		return runtime.NewChannel[string](0).Send(cx, "")
	},
	"waits in Semaphore.Acquire, FILE:[0-9]+, for 0s": func(cx runtime.Cx) error {
		s := runtime.NewSemaphore(1)
		s.TryAcquire(1)
		return s.Acquire(cx, 1)
	},
	"waits in Notify.Wait, FILE:[0-9]+, for 0s": func(cx runtime.Cx) error {
		return new(runtime.Notify).Wait(cx)
	},
	"waits in Notify.WaitFor, FILE:[0-9]+, for 0s": func(cx runtime.Cx) error {
		return new(runtime.Notify).WaitFor(cx, func() bool { return false })
	},
	"waits in Mutex.Lock, FILE:[0-9]+, for 0s": func(cx runtime.Cx) error {
		var m runtime.Mutex
		m.TryLock()
		return m.Lock(cx)
	},
	"waits in RWMutex.RLock, FILE:[0-9]+, for 0s": func(cx runtime.Cx) error {
		var m runtime.RWMutex
		m.TryLock()
		return m.RLock(cx)
	},
	"waits in WaitGroup.Wait, FILE:[0-9]+, for 0s": func(cx runtime.Cx) error {
		var g runtime.WaitGroup
		g.Add(1)
		return g.Wait(cx)
	},
	"waits in Cond.Wait, FILE:[0-9]+, for 0s": func(cx runtime.Cx) error {
		var m runtime.Mutex
		m.TryLock()
		return runtime.NewCond(&m).Wait(cx)
	},
	"waits in Select, FILE:[0-9]+, for 0s": func(cx runtime.Cx) error {
		_, err := runtime.Select(cx, runtime.NewChannel[int](0).ReceiveCase(nil))
		return err
	},
	"waits in Select, FILE:[0-9]+, for 0s, 1h0m0s are left, for the end of task [0-9]+": func(
		cx runtime.Cx,
	) error {
		h := runtime.Submit(cx.Runtime(), forever)
		_, err := runtime.Select(cx, h.EndCase(), runtime.AfterCase(time.Hour))
		return err
	},
	"waits in Group.Join, FILE:[0-9]+, for 0s": func(cx runtime.Cx) error {
		g := runtime.NewGroup(context.Background(), cx.Runtime())
		g.TryGo(func(cx runtime.Cx) error { return cx.Sleep(time.Hour) })
		return g.Join(cx)
	},
	"waits in Oneshot.Receive, FILE:[0-9]+, for 0s": func(cx runtime.Cx) error {
		_, err := new(runtime.Oneshot[int]).Receive(cx)
		return err
	},
	"waits in Receive, FILE:[0-9]+, for 0s": func(cx runtime.Cx) error {
		_, _, err := runtime.Receive(cx, make(chan int))
		return err
	},
	"waits in Cx.AwaitContext, FILE:[0-9]+, for 0s": func(cx runtime.Cx) error {
		return cx.AwaitContext(context.Background())
	},
	"waits in Handle.Join, FILE:[0-9]+, for 0s, for the end of task [0-9]+": func(
		cx runtime.Cx,
	) error {
		_, err := runtime.Submit(cx.Runtime(), forever).Join(cx)
		return err
	},
	"waits in Handle.JoinTimeout, FILE:[0-9]+, for 0s, 1h0m0s are left, " +
		"for the end of task [0-9]+": func(cx runtime.Cx) error {
		h := runtime.Spawn(cx, forever)
		defer h.Cancel()
		_, err := h.JoinTimeout(cx, time.Hour)
		return err
	},
	"waits in Frame.Join, .*go:[0-9]+, for 0s\ntask 2 .*taken.*: waits in Cx.Sleep, " +
		"FILE:[0-9]+, for 0s, 1h0m0s are left, a fork of task 1": func(cx runtime.Cx) error {
		return taken(cx, func(cx runtime.Cx) error { return cx.Sleep(time.Hour) })()
	},
	"waits in Both, FILE:[0-9]+, for 0s": func(cx runtime.Cx) error {
		sleeps := func(cx runtime.Cx) error { return cx.Sleep(time.Hour) }
		a, b := runtime.Both(cx, sleeps, func(cx runtime.Cx) error { cx.Yield(); return nil })
		return errors.Join(a, b)
	},
	"waits at its end for its forks, for 0s": func(cx runtime.Cx) error {
		taken(cx, func(cx runtime.Cx) error { return cx.Sleep(time.Hour) })
		return nil
	},
	"waits in Scope, FILE:[0-9]+, for 0s, in a scope, for the end of task [0-9]+": func(
		cx runtime.Cx,
	) error {
		return runtime.Scope(cx, func(cx runtime.Cx, _ *runtime.TaskScope) error {
			_, err := forever(cx)
			return err
		})
	},
	"waits in Notify.Wait, FILE:[0-9]+, for 0s, in a shield": func(cx runtime.Cx) (err error) {
		var begun, over runtime.Notify
		h := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
			begun.Signal()
			err := cx.Sleep(time.Hour)
			over.Signal()
			return 0, err
		})
		if err := begun.Wait(cx); err != nil {
			return err // a child that is cancelled before it begins would not signal
		}
		cx.Shield(func() { err = over.Wait(cx) })
		h.Cancel()
		return err
	},
}

// With Debug, a dump says for what each task waits, in which line, and for how long.
func TestDumpSaysForWhatATaskWaits(t *testing.T) {
	for want, wait := range waitings {
		rt := start(t, 2, runtime.Debug(), standing())
		h := runtime.Submit(rt, does(wait))
		atRest(t, rt)
		file := `.*observe_dump_test\.go`
		if strings.Contains(want, "Timeout, ") {
			file = `.*`
		}
		want = strings.ReplaceAll(want, "FILE", file)
		require.Regexp(t, regexp.MustCompile(
			`(?m)^task 1 .*runtime_test.*(func|init).*: `+want+`$`), dumped(t, rt))
		h.Cancel()
		closes(t, rt)
		require.NotContains(t, dumped(t, rt), "task 1 ")
		require.Zero(t, runtime.Records(rt))
	}
}

func observedProcedure(cx runtime.Cx)    { _ = cx.Sleep(time.Hour) }
func observedMember(cx runtime.Cx) error { return cx.Sleep(time.Hour) }

// A task is called after the function that it was started with, however that was.
func TestDumpNamesTheFunctionOfEachKindOfTask(t *testing.T) {
	rt := start(t, 1, runtime.Debug(), standing())
	rt.Go(observedProcedure)
	g := runtime.NewGroup(context.Background(), rt)
	g.Go(observedMember)
	atRest(t, rt)
	text := dumped(t, rt)
	require.Contains(t, text, "runtime_test.observedProcedure: waits")
	require.Contains(t, text, "runtime_test.observedMember: waits")
	closes(t, rt)
	require.ErrorIs(t, g.Wait(), runtime.ErrClosed)
}

// A part of a loop that wraps the body in a function of its own is called after the loop.
func TestDumpNamesTheLoopOfAPart(t *testing.T) {
	for name, loop := range map[string]func(cx runtime.Cx, call func(cx runtime.Cx) error) error{
		"ForErr": func(cx runtime.Cx, call func(cx runtime.Cx) error) error {
			return runtime.ForErr(cx, 0, 4, func(cx runtime.Cx, _ int) error { return call(cx) })
		},
		"ForEachErr": func(cx runtime.Cx, call func(cx runtime.Cx) error) error {
			_, err := runtime.MapSeqErr(cx, count(4),
				func(cx runtime.Cx, i int) (int, error) { return i, call(cx) })
			return err
		},
	} {
		rt := start(t, 1, runtime.Debug(), standing())
		h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			calls := 0
			return 0, loop(cx, func(cx runtime.Cx) error {
				if calls++; calls == 1 {
					spin(5 * time.Millisecond) // so that the rest is worth to be divided
					return nil
				}
				return cx.Sleep(time.Hour)
			})
		})
		atRest(t, rt)
		require.Contains(t, dumped(t, rt), "surewake/runtime."+name+": waits")
		h.Cancel()
		closes(t, rt)
	}
}

// It says which tasks are queued, which one runs where, and what runs on top of it.
func TestDumpSaysWhatRunsAndWhatIsQueued(t *testing.T) {
	rt := start(t, 1, runtime.Debug(), standing())
	run(t, rt, func(cx runtime.Cx) error {
		queued := runtime.Spawn(cx, returns(1))
		yielded := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) { cx.Yield(); return 0, nil })
		cx.Yield()
		_, err := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
			cx.SetName("top")
			text := dumped(t, cx.Runtime())
			require.Contains(t, text, "worker 0: runs task 4 for 0s")
			require.Contains(t, text, `task 4 "top": runs on worker 0 for 0s`+"\n")
			require.Regexp(t, `\ntask 1 .*: runs task 4 on its stack, in a join\n`, text)
			return 0, nil
		}).Join(cx)
		require.NoError(t, err)
		_, _ = queued.Join(cx)
		_, _ = yielded.Join(cx)
		h := runtime.Spawn(cx, returns(1))
		require.Regexp(t, `\ntask 5 .*returns.*: queued, not begun for 0s\n`,
			dumped(t, cx.Runtime()))
		h.Cancel()
		require.Regexp(t, `\ntask 5 .*returns.*: queued, not begun for 0s, cancelled\n`,
			dumped(t, cx.Runtime()))
		return nil
	})
}

// A task that waits beneath another one on a stack is not said to run.
func TestDumpSeesTasksBeneathOneThatWaits(t *testing.T) {
	rt := start(t, 1, runtime.Debug(), standing())
	var over runtime.Notify
	h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		return runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
			return 0, over.Wait(cx)
		}).Join(cx)
	})
	atRest(t, rt)
	text := dumped(t, rt)
	require.Regexp(t, `\nworker 0: asleep\n`+
		`task 1 .*: runs task 2 on its stack, in a join\n`+
		`task 2 .*: waits in Notify.Wait, .*, for 0s\n$`, text)
	over.Signal()
	_, err := get(t, h)
	require.NoError(t, err)
}

// Without Debug, it says what is known at no cost.
func TestDumpWithoutDebugSaysWhatCostsNothing(t *testing.T) {
	rt := start(t, 1, standing())
	future := runtime.SubmitFuture(rt, rests{})
	h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		cx.SetName("parent")
		return runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
			cx.SetName("child")
			return 0, cx.Sleep(time.Minute)
		}).JoinTimeout(cx, time.Hour)
	})
	atRest(t, rt)
	require.Equal(t, `open; 1 worker, 1 asleep, 0 searching; `+
		`3 tasks, 2 timers, 0 watches; 2 stacks, 0 spare
worker 0: asleep
task 1 "parent": waits, 1h0m0s are left, for the end of task 2
task 2 "child": waits, 1m0s are left
task 3: waits
`, dumped(t, rt))
	h.Cancel()
	future.Cancel()
}

// Blocking tasks are listed, those that wait for a goroutine, too.
func TestDumpListsBlockingTasks(t *testing.T) {
	for _, options := range [][]runtime.Option{nil, {runtime.Debug()}} {
		rt := start(t, 1, append(options, runtime.BlockingThreads(1), standing())...)
		begun, over := make(chan struct{}), make(chan struct{})
		h := runtime.SubmitBlocking(rt, func() (int, error) {
			close(begun)
			<-over
			return 0, nil
		})
		receive(t, begun)
		runtime.SubmitBlocking(rt, one)
		atRest(t, rt)
		text := dumped(t, rt)
		require.Contains(t, text, "\nblocking: 1 goroutine, 0 idle, 1 queued\n")
		require.Regexp(t, `\ntask 1 .*TestDumpListsBlocking.*: runs on a goroutine of its own\n`,
			text)
		require.Regexp(t, `\ntask 2 .*one: queued for a goroutine of its own\n`, text)
		close(over)
		_, err := get(t, h)
		require.NoError(t, err)
		waits(t, func() bool { return rt.BlockingStats().Idle == 1 }, "the goroutine is not idle")
		require.NotContains(t, dumped(t, rt), "\ntask ")
	}
}

// A dump shows a bounded number of tasks, and counts the others. (runtime/R30)
func TestDumpIsBounded(t *testing.T) {
	for _, options := range [][]runtime.Option{nil, {runtime.Debug()}} {
		rt := start(t, 1, options...)
		const all, shown = 1100, 1000
		for range all {
			runtime.SubmitFuture(rt, rests{})
		}
		waits(t, func() bool { return rt.ListedFutures() == all }, "they do not wait")
		atRest(t, rt)
		text := dumped(t, rt)
		require.Equal(t, shown, strings.Count(text, "\ntask "))
		require.Contains(t, text, "\nabout 100 more")
	}
}

// writes counts how often it is written to, and fails.
type writes struct{ n int }

func (w *writes) Write([]byte) (int, error) { w.n++; return 0, errOver }

func TestDumpWritesOnceAndReturnsTheError(t *testing.T) {
	rt := start(t, 1)
	var w writes
	require.True(t, errors.Is(rt.Dump(&w), errOver))
	require.Equal(t, 1, w.n)
}

// Whoever looks, wherever from and whenever, sees something, and the race detector nothing: while
// tasks of all kinds start, wait, are named, cancelled, and end, and the runtime is closed.
// (runtime/R30)
func TestDumpMayBeCalledAtAnyTime(t *testing.T) {
	for _, options := range [][]runtime.Option{nil, {runtime.Debug()}} {
		var rt *runtime.Runtime
		rt = start(t, 2, append(options, runtime.TickBudget(1), runtime.InlineDepth(2),
			runtime.OnPanic(func(*runtime.PanicError) { _ = rt.Dump(io.Discard) }))...)
		var dumping sync.WaitGroup
		dumping.Go(func() {
			for {
				_ = rt.Dump(io.Discard)
				select {
				case <-rt.Done():
					return
				case <-t.Context().Done():
					return // it has failed: do not disturb the tests that follow
				default:
					goruntime.Gosched()
				}
			}
		})
		for range 20 {
			run(t, rt, func(cx runtime.Cx) error {
				cx.SetName("work")
				for _, wait := range waitings {
					runtime.Spawn(cx, does(wait)).Cancel()
					h := runtime.Spawn(cx, does(wait))
					cx.Yield()
					h.Cancel()
				}
				runtime.Spawn(cx, func(runtime.Cx) (int, error) { panic("as it should") })
				runtime.SpawnFuture(cx, rests{})
				_, _ = runtime.SpawnBlocking(cx, func() (int, error) {
					return 0, rt.Dump(io.Discard)
				}).Join(cx)
				_, _ = runtime.SpawnBatch(cx, 3, fib).Join(cx)
				require.NoError(t, rt.Dump(io.Discard))
				_, err := fib(cx, 8)
				return err
			})
		}
		closes(t, rt)
		dumping.Wait()
		require.Zero(t, runtime.Records(rt))
		require.Contains(t, dumped(t, rt), "closed; 2 workers, ")
	}
}

// rests is a future that is never ready.
type rests struct{}

func (rests) Poll(runtime.Cx) (int, error, bool) { return 0, nil, false }
