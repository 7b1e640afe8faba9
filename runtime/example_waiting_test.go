package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	sw "github.com/surewake/surewake/runtime"
)

func ExampleNotify() {
	do(func(cx sw.Cx) error {
		var ready sw.Notify
		h := sw.Spawn(cx,
			func(cx sw.Cx) (string, error) { return "woken", ready.Wait(cx) })
		ready.SignalFrom(cx) // also if it does not wait yet
		fmt.Println(h.Join(cx))
		return nil
	})
	// Output: woken <nil>
}

func ExampleNotify_Broadcast() {
	do(func(cx sw.Cx) error {
		var changed sw.Notify
		level := 0
		var tasks []*sw.Handle[int]
		for want := range 3 {
			tasks = append(tasks, sw.Spawn(cx, func(cx sw.Cx) (int, error) {
				return want, changed.WaitFor(cx, func() bool { return level >= want })
			}))
		}
		for range 2 {
			cx.Yield()
			level++ // one worker, and nothing that waits in between: no lock
			changed.Broadcast()
		}
		for _, h := range tasks {
			fmt.Println(h.Join(cx))
		}
		return nil
	}, sw.Workers(1))
	// Output:
	// 0 <nil>
	// 1 <nil>
	// 2 <nil>
}

func ExampleNotify_WaitContext() {
	var n sw.Notify
	ctx, stop := context.WithTimeout(context.Background(), time.Millisecond)
	defer stop()
	fmt.Println(n.WaitContext(ctx))
	n.Signal()
	fmt.Println(n.WaitContext(context.Background()))
	// Output:
	// context deadline exceeded
	// <nil>
}

func ExampleSemaphore() {
	do(func(cx sw.Cx) error {
		seats := sw.NewSemaphore(3)
		var tasks []*sw.Handle[struct{}]
		for range 10 {
			tasks = append(tasks, sw.Spawn(cx, func(cx sw.Cx) (none struct{}, err error) {
				if err := seats.Acquire(cx, 1); err != nil {
					return none, err
				}
				defer seats.ReleaseFrom(cx, 1)
				return none, cx.Sleep(10 * time.Microsecond) // at most three at a time
			}))
		}
		for _, h := range tasks {
			if _, err := h.Join(cx); err != nil {
				return err
			}
		}
		fmt.Println(seats.Free(), "of 3 are free")
		return nil
	})
	// Output: 3 of 3 are free
}

func ExampleSemaphore_TryAcquire() {
	s := sw.NewSemaphore(2)
	fmt.Println(s.TryAcquire(2), s.TryAcquire(1))
	s.Release(1)
	fmt.Println(s.TryAcquire(1))
	// Output:
	// true false
	// true
}

func ExampleSemaphore_AcquireContext() {
	s := sw.NewSemaphore(1)
	fmt.Println(s.AcquireContext(context.Background(), 1))
	ctx, stop := context.WithTimeout(context.Background(), time.Millisecond)
	defer stop()
	fmt.Println(s.AcquireContext(ctx, 1))
	// Output:
	// <nil>
	// context deadline exceeded
}

func ExampleOneshot() {
	do(func(cx sw.Cx) error {
		var answer sw.Oneshot[int]
		go func() { _ = answer.Send(42) }()
		fmt.Println(answer.Receive(cx))
		return nil
	})
	// Output: 42 <nil>
}

func ExampleOneshot_Close() {
	var answer sw.Oneshot[int]
	answer.Close() // the receiver has lost interest
	fmt.Println(answer.Send(42))
	fmt.Println(answer.TryReceive())
	// Output:
	// surewake: channel closed
	// 0 surewake: channel closed
}

func ExampleOneshot_ReceiveContext() {
	var answer sw.Oneshot[int]
	do(func(cx sw.Cx) error { return answer.SendFrom(cx, 42) })
	fmt.Println(answer.ReceiveContext(context.Background()))
	// Output: 42 <nil>
}

func ExampleChannel() {
	do(func(cx sw.Cx) error {
		c := sw.NewChannel[int](2)
		sw.Spawn(cx, func(cx sw.Cx) (none struct{}, err error) {
			defer c.Close()
			for i := range 4 {
				if err := c.Send(cx, i); err != nil {
					return none, err
				}
			}
			return none, nil
		})
		for {
			v, err := c.Receive(cx)
			if errors.Is(err, sw.ErrChannelClosed) {
				return nil
			} else if err != nil {
				return err
			}
			fmt.Println(v)
		}
	})
	// Output:
	// 0
	// 1
	// 2
	// 3
}

func ExampleChannel_TrySend() {
	c := sw.NewChannel[string](1)
	fmt.Println(c.TrySend("first"), c.Len(), "of", c.Cap())
	fmt.Println(c.TrySend("second"))
	fmt.Println(c.TryReceive())
	_, err := c.TryReceive()
	fmt.Println(err)
	// Output:
	// <nil> 1 of 1
	// surewake: it would have to wait
	// first <nil>
	// surewake: it would have to wait
}

// Goroutines and tasks share a channel.
func ExampleChannel_SendContext() {
	rt, err := sw.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()
	questions, answers := sw.NewChannel[int](0), sw.NewChannel[int](0)
	sw.Submit(rt, func(cx sw.Cx) (none struct{}, err error) {
		for {
			q, err := questions.Receive(cx)
			if err != nil {
				return none, err
			}
			if err := answers.Send(cx, q*q); err != nil {
				return none, err
			}
		}
	})
	for i := range 3 {
		if err := questions.SendContext(context.Background(), i); err != nil {
			fmt.Println(err)
		}
		fmt.Println(answers.ReceiveContext(context.Background()))
	}
	// Output:
	// 0 <nil>
	// 1 <nil>
	// 4 <nil>
}

func ExampleReceive() {
	do(func(cx sw.Cx) error {
		c := make(chan string)
		go func() { c <- "from a goroutine" }()
		fmt.Println(sw.Receive(cx, c))
		return nil
	})
	// Output: from a goroutine true <nil>
}

func ExampleSend() {
	do(func(cx sw.Cx) error {
		c := make(chan string)
		var goroutine sync.WaitGroup
		goroutine.Go(func() { fmt.Println(<-c) })
		err := sw.Send(cx, c, "from a task")
		goroutine.Wait()
		return err
	})
	// Output: from a task
}

func ExampleCx_AwaitContext() {
	do(func(cx sw.Cx) error {
		ctx, stop := context.WithTimeout(context.Background(), time.Millisecond)
		defer stop()
		err := cx.AwaitContext(ctx)
		fmt.Println(err, ctx.Err())
		return nil
	})
	// Output: <nil> context deadline exceeded
}

func ExampleCx_Context() {
	rt, err := sw.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()
	contexts := make(chan context.Context, 1)
	h := sw.Submit(rt, func(cx sw.Cx) (int, error) {
		contexts <- cx.Context() // for whatever takes a context
		return 0, cx.Sleep(time.Hour)
	})
	ctx := <-contexts
	h.Cancel()
	<-ctx.Done()
	fmt.Println(context.Cause(ctx))
	// Output: surewake: task cancelled
}

func ExampleHandle_JoinTimeout() {
	do(func(cx sw.Cx) error {
		var goOn sw.Notify
		h := sw.Spawn(cx, func(cx sw.Cx) (string, error) { return "done", goOn.Wait(cx) })
		_, err := h.JoinTimeout(cx, time.Millisecond)
		fmt.Println(err, errors.Is(err, os.ErrDeadlineExceeded))
		goOn.SignalFrom(cx) // it has not been cancelled
		fmt.Println(h.JoinTimeout(cx, time.Hour))
		return nil
	})
	// Output:
	// surewake: timeout true
	// done <nil>
}

func ExampleHandle_JoinContext() {
	do(func(cx sw.Cx) error {
		ctx, stop := context.WithCancelCause(context.Background())
		var goOn sw.Notify
		h := sw.Spawn(cx, func(cx sw.Cx) (string, error) {
			stop(errors.New("no interest"))
			return "done", goOn.Wait(cx)
		})
		_, err := h.JoinContext(cx, ctx)
		fmt.Println(err)
		goOn.SignalFrom(cx)
		fmt.Println(h.JoinContext(cx, context.Background()))
		return nil
	})
	// Output:
	// context canceled: no interest
	// done <nil>
}

func ExampleTimeout() {
	do(func(cx sw.Cx) error {
		_, err := sw.Timeout(cx, time.Millisecond, func(cx sw.Cx) (int, error) {
			err := cx.Sleep(time.Hour)
			fmt.Println("inside:", err)
			return 0, err
		})
		fmt.Println("outside:", err)
		return nil
	})
	// Output:
	// inside: surewake: task cancelled
	// outside: surewake: timeout
}

func ExampleDeadline() {
	do(func(cx sw.Cx) error {
		end := time.Now().Add(time.Millisecond)
		for n := 0; ; n++ {
			_, err := sw.Deadline(cx, end,
				func(cx sw.Cx) (int, error) { return 0, cx.Sleep(100 * time.Microsecond) })
			if err != nil {
				fmt.Println(err)
				return nil
			}
		}
	})
	// Output: surewake: timeout
}

func ExampleCx_SleepUntil() {
	do(func(cx sw.Cx) error {
		t := time.Now().Add(time.Millisecond)
		err := cx.SleepUntil(t)
		fmt.Println(err, time.Now().Before(t))
		return nil
	})
	// Output: <nil> false
}

func ExampleTicker() {
	do(func(cx sw.Cx) error {
		begin := time.Now()
		tick := cx.NewTicker(200*time.Microsecond, sw.Skip)
		for range 3 {
			if err := tick.Next(cx); err != nil {
				return err
			}
		}
		fmt.Println(time.Since(begin) >= 600*time.Microsecond)
		return nil
	})
	// Output: true
}
