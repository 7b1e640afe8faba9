package runtime_test

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"time"

	"github.com/surewake/surewake/park"
	sw "github.com/surewake/surewake/runtime"
)

// A task is started from outside, starts others, and waits for them.
func Example() {
	rt, err := sw.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	h := sw.Submit(rt, func(cx sw.Cx) (int, error) {
		half := sw.Spawn(cx, func(cx sw.Cx) (int, error) { return 21, nil })
		v, err := half.Join(cx)
		return 2 * v, err
	})
	fmt.Println(h.Wait(context.Background()))
	fmt.Println(rt.Shutdown(context.Background()))
	// Output:
	// 42 <nil>
	// <nil>
}

// do runs f as a task of a new runtime, and closes that afterwards.
func do(f func(cx sw.Cx) error, options ...sw.Option) {
	rt, err := sw.New(options...)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()
	_, err = sw.Submit(rt, func(cx sw.Cx) (struct{}, error) { return struct{}{}, f(cx) }).
		Wait(context.Background())
	if err != nil {
		fmt.Println("error:", err)
	}
}

func ExampleNew() {
	rt, err := sw.New(sw.Workers(2), sw.Seed(1))
	fmt.Println(rt != nil, err)
	rt.Close()
	_, err = sw.New(sw.Workers(0))
	fmt.Println(err)
	// Output:
	// true <nil>
	// surewake: Workers(0): must be 1 to 65536
}

// All settings that a runtime can have.
func ExampleOption() {
	do(func(cx sw.Cx) error { fmt.Println("runs"); return nil },
		sw.Workers(2),
		sw.Parker(park.Portable),
		sw.InjectorBatch(32, sw.PrivateBuffer),
		sw.Ring(256),
		sw.LIFOCap(3),
		sw.TickBudget(128),
		sw.TaskBudget(128),
		sw.InlineDepth(256),
		sw.SpareCoroutines(8),
		sw.Searches(4),
		sw.RescueInterval(10*time.Millisecond),
		sw.BlockingThreads(64),
		sw.BlockingKeepAlive(time.Second),
	)
	// Output: runs
}

func ExampleWorkers() {
	do(func(cx sw.Cx) error { fmt.Println("worker", cx.Worker()); return nil },
		sw.Workers(1))
	// Output: worker 0
}

// With one worker and a seed, tasks run in the same order each time.
func ExampleSeed() {
	for range 2 {
		do(func(cx sw.Cx) error {
			var order []string
			for _, name := range []string{"a", "b", "c"} {
				sw.Spawn(cx, func(cx sw.Cx) (int, error) {
					order = append(order, name)
					return 0, nil
				}).
					Detach()
			}
			cx.Yield()
			fmt.Println(order)
			return nil
		}, sw.Workers(1), sw.Seed(1))
	}
	// Output:
	// [c a b]
	// [c a b]
}

func ExampleOnPanic() {
	do(func(cx sw.Cx) error {
		_, err := sw.Spawn(cx, func(cx sw.Cx) (int, error) { panic("oh") }).Join(cx)
		var p *sw.PanicError
		fmt.Println(errors.As(err, &p), p.Value)
		return nil
	}, sw.OnPanic(func(p *sw.PanicError) { fmt.Println("reported:", p.Value) }))
	// Output:
	// reported: oh
	// true oh
}

// With Debug, a task that waits although it has locked its thread is told so; without it, Go ends
// the process.
func ExampleDebug() {
	do(func(cx sw.Cx) error {
		_, err := sw.Spawn(cx, func(cx sw.Cx) (int, error) {
			goruntime.LockOSThread()
			defer goruntime.UnlockOSThread()
			return 0, cx.Sleep(time.Millisecond)
		}).Join(cx)
		var p *sw.PanicError
		errors.As(err, &p)
		fmt.Println(p.Value.(string)[:83])
		return nil
	}, sw.Debug())
	// Output: surewake: a task that waits must not have locked its thread (runtime.LockOSThread);
}

func ExampleSpawn() {
	do(func(cx sw.Cx) error {
		h := sw.Spawn(cx, func(cx sw.Cx) (string, error) { return "done", nil })
		fmt.Println(h.Join(cx))
		return nil
	})
	// Output: done <nil>
}

// fibonacci needs no closure for its task: one allocation for each.
func fibonacci(cx sw.Cx, n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	h := sw.SpawnWith(cx, fibonacci, n-1)
	y, err := fibonacci(cx, n-2)
	if err != nil {
		return 0, err
	}
	x, err := h.Join(cx)
	return x + y, err
}

func ExampleSpawnWith() {
	do(func(cx sw.Cx) error {
		fmt.Println(fibonacci(cx, 20))
		return nil
	})
	// Output: 6765 <nil>
}

func ExampleSubmit() {
	rt, _ := sw.New()
	h := sw.Submit(rt, func(cx sw.Cx) (int, error) { return 7, nil })
	fmt.Println(h.Wait(context.Background()))
	rt.Close()
	fmt.Println(
		sw.Submit(rt, func(cx sw.Cx) (int, error) { return 7, nil }).
			Wait(context.Background()),
	)
	// Output:
	// 7 <nil>
	// 0 surewake: closed
}

// Several tasks may join one, and each gets its result.
func ExampleHandle_Join() {
	do(func(cx sw.Cx) error {
		one := sw.Spawn(cx,
			func(cx sw.Cx) (int, error) { return 1, cx.Sleep(time.Millisecond) })
		next := func(cx sw.Cx) (int, error) {
			v, err := one.Join(cx)
			return v + 1, err
		}
		a, b := sw.Spawn(cx, next), sw.Spawn(cx, next)
		fmt.Println(a.Join(cx))
		fmt.Println(b.Join(cx))
		return nil
	})
	// Output:
	// 2 <nil>
	// 2 <nil>
}

func ExampleHandle_Wait() {
	rt, _ := sw.New()
	defer rt.Close()
	h := sw.Submit(rt, func(cx sw.Cx) (int, error) { return 1, cx.Sleep(time.Hour) })
	ctx, stop := context.WithTimeout(context.Background(), time.Millisecond)
	defer stop()
	fmt.Println(h.Wait(ctx)) // the task goes on
	// Output: 0 context deadline exceeded
}

func ExampleHandle_TryJoin() {
	do(func(cx sw.Cx) error {
		h := sw.Spawn(cx, func(cx sw.Cx) (int, error) { return 5, nil })
		for {
			if v, err, ended := h.TryJoin(); ended {
				fmt.Println(v, err)
				return nil
			}
			cx.Yield()
		}
	})
	// Output: 5 <nil>
}

func ExampleHandle_Done() {
	rt, _ := sw.New()
	defer rt.Close()
	h := sw.Submit(rt, func(cx sw.Cx) (int, error) { return 5, nil })
	select {
	case <-h.Done():
		fmt.Println(h.TryJoin())
	case <-time.After(time.Minute):
		fmt.Println("that was long")
	}
	// Output: 5 <nil> true
}

// A task that waits is told that it is to end. In a shield it is not.
func ExampleHandle_Cancel() {
	do(func(cx sw.Cx) error {
		var ready bool
		h := sw.Spawn(cx, func(cx sw.Cx) (string, error) {
			ready = true
			if err := cx.Sleep(time.Hour); err != nil {
				cx.Shield(
					func() { fmt.Println("tidying up:", cx.Err(), cx.Sleep(time.Millisecond)) })
				return "tidy", err
			}
			return "slept", nil
		})
		for !ready {
			cx.Yield()
		}
		h.Cancel()
		fmt.Println(h.Join(cx))
		return nil
	}, sw.Workers(1))
	// Output:
	// tidying up: <nil> <nil>
	// tidy surewake: task cancelled
}

// Nobody waits for a detached task, but the runtime does.
func ExampleHandle_Detach() {
	rt, _ := sw.New()
	sw.Submit(rt, func(cx sw.Cx) (int, error) { fmt.Println("runs"); return 0, nil }).
		Detach()
	fmt.Println(rt.Shutdown(context.Background()))
	// Output:
	// runs
	// <nil>
}

func ExampleCx_Err() {
	do(func(cx sw.Cx) error {
		h := sw.Spawn(cx, func(cx sw.Cx) (int, error) {
			n := 0
			for cx.Err() == nil { // a task that works for long looks now and then
				n++
				cx.Yield()
			}
			return n, cx.Err()
		})
		for range 10 {
			cx.Yield()
		}
		h.Cancel()
		n, err := h.Join(cx)
		fmt.Println(n > 0, err)
		return nil
	}, sw.Workers(1))
	// Output: true surewake: task cancelled
}

func ExampleCx_Shield() {
	do(func(cx sw.Cx) error {
		cx.Shield(func() { fmt.Println(cx.Sleep(time.Microsecond)) })
		return nil
	})
	// Output: <nil>
}

func ExampleCx_Yield() {
	do(func(cx sw.Cx) error {
		sw.Spawn(cx, func(cx sw.Cx) (int, error) {
			fmt.Println("the other one")
			return 0, nil
		}).
			Detach()
		cx.Yield()
		fmt.Println("this one")
		return nil
	}, sw.Workers(1))
	// Output:
	// the other one
	// this one
}

func ExampleCx_Sleep() {
	do(func(cx sw.Cx) error {
		start := time.Now()
		err := cx.Sleep(2 * time.Millisecond)
		fmt.Println(time.Since(start) >= 2*time.Millisecond, err)
		return nil
	})
	// Output: true <nil>
}

func ExampleCx_Runtime() {
	do(func(cx sw.Cx) error {
		h := sw.Submit(cx.Runtime(),
			func(cx sw.Cx) (int, error) { return 1, nil }) // after the queued tasks
		fmt.Println(h.Join(cx))
		return nil
	})
	// Output: 1 <nil>
}

func ExampleCx_Worker() {
	do(func(cx sw.Cx) error {
		fmt.Println(cx.Worker())
		return nil
	}, sw.Workers(1))
	// Output: 0
}

// Shutdown lets the tasks end by themselves, those too that they start.
func ExampleRuntime_Shutdown() {
	rt, _ := sw.New()
	h := sw.Submit(rt, func(cx sw.Cx) (int, error) {
		sw.Spawn(cx, func(cx sw.Cx) (int, error) {
			return 0, cx.Sleep(time.Millisecond)
		}).
			Detach()
		return 1, nil
	})
	fmt.Println(rt.Shutdown(context.Background()))
	fmt.Println(h.TryJoin())
	fmt.Println(rt.Shutdown(context.Background()))
	// Output:
	// <nil>
	// 1 <nil> true
	// surewake: closed
}

func ExampleRuntime_Close() {
	rt, _ := sw.New()
	h := sw.Submit(rt, func(cx sw.Cx) (int, error) { return 0, cx.Sleep(time.Hour) })
	fmt.Println(rt.Close())
	fmt.Println(h.TryJoin())
	// Output:
	// <nil>
	// 0 surewake: closed true
}

// A task may end its own runtime; whoever waits for that waits for Done.
func ExampleCx_Shutdown() {
	rt, _ := sw.New()
	sw.Submit(rt, func(cx sw.Cx) (int, error) { return 0, cx.Shutdown() }).Detach()
	<-rt.Done()
	fmt.Println("over")
	// Output: over
}

func ExampleCx_Close() {
	rt, _ := sw.New()
	other := sw.Submit(rt, func(cx sw.Cx) (int, error) { return 0, cx.Sleep(time.Hour) })
	sw.Submit(rt, func(cx sw.Cx) (int, error) { return 0, cx.Close() }).Detach()
	<-rt.Done()
	fmt.Println(other.TryJoin())
	// Output: 0 surewake: closed true
}

func ExampleRuntime_Done() {
	rt, _ := sw.New()
	go rt.Close()
	<-rt.Done()
	fmt.Println("no task and no worker is left")
	// Output: no task and no worker is left
}

// What blocks has a goroutine of its own; the worker goes on.
func ExampleSpawnBlocking() {
	do(func(cx sw.Cx) error {
		lines := make(chan string)
		read := sw.SpawnBlocking(cx, func() (string, error) { return <-lines, nil })
		sw.SpawnBlocking(cx, func() (int, error) { lines <- "hello"; return 0, nil }).Detach()
		fmt.Println(read.Join(cx))
		return nil
	}, sw.Workers(1))
	// Output: hello <nil>
}

func ExampleSubmitBlocking() {
	rt, _ := sw.New(sw.BlockingThreads(1))
	a := sw.SubmitBlocking(rt,
		func() (string, error) { time.Sleep(time.Millisecond); return "one", nil })
	b := sw.SubmitBlocking(rt, func() (string, error) { return "after the other", nil })
	fmt.Println(a.Wait(context.Background()))
	fmt.Println(b.Wait(context.Background()))
	fmt.Println(rt.BlockingStats().Started)
	rt.Close()
	// Output:
	// one <nil>
	// after the other <nil>
	// 1
}

func ExampleRuntime_BlockingStats() {
	rt, _ := sw.New()
	sw.SubmitBlocking(rt, func() (int, error) { return 0, nil }).Detach()
	rt.Shutdown(context.Background())
	fmt.Printf("%+v\n", rt.BlockingStats())
	// Output: {Threads:0 Idle:0 Queued:0 Started:1 Spawned:1 Completed:1}
}

func ExampleSpawnBatch() {
	do(func(cx sw.Cx) error {
		squares, err := sw.SpawnBatch(cx, 5, func(cx sw.Cx, i int) (int, error) {
			return i * i, nil
		}).
			Join(cx)
		fmt.Println(squares, err)
		return nil
	})
	// Output: [0 1 4 9 16] <nil>
}

func ExampleSubmitBatch() {
	rt, _ := sw.New()
	defer rt.Close()
	b := sw.SubmitBatch(rt, 3, func(cx sw.Cx, i int) (int, error) {
		if i == 1 {
			return 0, errors.New("1 is odd")
		}
		return i, nil
	})
	fmt.Println(b.Wait(context.Background()))
	for i, h := range b.All() {
		_, err, _ := h.TryJoin()
		fmt.Println(i, err)
	}
	// Output:
	// [0 0 2] 1 is odd
	// 0 <nil>
	// 1 1 is odd
	// 2 <nil>
}

// The first error ends what waits in the scope, and Scope returns when everything has ended.
func ExampleScope() {
	do(func(cx sw.Cx) error {
		err := sw.Scope(cx, func(cx sw.Cx, s *sw.TaskScope) error {
			sw.SpawnIn(cx, s, func(cx sw.Cx) (int, error) {
				err := cx.Sleep(time.Hour)
				fmt.Println("the first child ends with:", err)
				return 0, err
			})
			cx.Yield()
			sw.SpawnIn(cx, s,
				func(cx sw.Cx) (int, error) { return 0, errors.New("out of paper") })
			return nil
		})
		fmt.Println("the scope ends with:", err)
		return nil
	}, sw.Workers(1))
	// Output:
	// the first child ends with: surewake: task cancelled
	// the scope ends with: out of paper
}

func ExampleSpawnIn() {
	do(func(cx sw.Cx) error {
		var a, b *sw.Handle[int]
		err := sw.Scope(cx, func(cx sw.Cx, s *sw.TaskScope) error {
			a = sw.SpawnIn(cx, s, func(cx sw.Cx) (int, error) { return 1, nil })
			b = sw.SpawnIn(cx, s, func(cx sw.Cx) (int, error) { return 2, nil })
			return nil
		})
		fmt.Println(err)
		fmt.Println(a.TryJoin()) // they have ended
		fmt.Println(b.TryJoin())
		return nil
	})
	// Output:
	// <nil>
	// 1 <nil> true
	// 2 <nil> true
}

func ExampleTaskScope_Cancel() {
	do(func(cx sw.Cx) error {
		err := sw.Scope(cx, func(cx sw.Cx, s *sw.TaskScope) error {
			sw.SpawnIn(cx, s,
				func(cx sw.Cx) (int, error) { return 0, cx.Sleep(time.Hour) })
			s.Cancel()
			return nil
		})
		fmt.Println(err)
		return nil
	})
	// Output: surewake: task cancelled
}
