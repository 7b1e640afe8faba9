package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	sw "github.com/surewake/surewake/runtime"
)

// A task serves requests until it is told to stop, or has had nothing to do for an hour. Cases can
// be used again.
func ExampleSelect() {
	do(func(cx sw.Cx) error {
		requests, stop := sw.NewChannel[string](0), &sw.Notify{}
		cx.Go(func(cx sw.Cx) {
			_ = requests.Send(cx, "first")
			_ = requests.Send(cx, "second") // returns when it has been received
			stop.SignalFrom(cx)
		}).Detach()
		var request string
		cases := []sw.Case{
			requests.ReceiveCase(&request), stop.WaitCase(), sw.AfterCase(time.Hour),
		}
		for {
			i, err := sw.Select(cx, cases...)
			if err != nil || i > 0 {
				fmt.Println("stopped by case", i)
				return err
			}
			fmt.Println(request)
		}
	})
	// Output:
	// first
	// second
	// stopped by case 1
}

// A task waits for a message, as long as a connection lasts that has a context of its own.
func ExampleDoneCase() {
	do(func(cx sw.Cx) error {
		messages := sw.NewChannel[string](0)
		connection, drop := context.WithCancelCause(context.Background())
		time.AfterFunc(time.Millisecond, func() { drop(errors.New("connection lost")) })
		var message string
		i, err := sw.Select(cx, messages.ReceiveCase(&message), sw.DoneCase(connection))
		fmt.Println(i, err, context.Cause(connection))
		return err
	})
	// Output: 1 <nil> connection lost
}

// A goroutine takes what comes first: the result of a task, or a permit.
func ExampleSelectContext() {
	rt, _ := sw.New()
	defer rt.Close()
	permits := sw.NewSemaphore(1)
	slow := sw.Submit(rt, func(cx sw.Cx) (int, error) { return 1, cx.Sleep(time.Hour) })
	fmt.Println(sw.SelectContext(context.Background(), slow.EndCase(), permits.AcquireCase(1)))
	slow.Cancel()
	fmt.Println(sw.SelectContext(context.Background(), slow.EndCase(), permits.AcquireCase(1)))
	// Output:
	// 1 <nil>
	// 0 <nil>
}

// What select with a default does.
func ExampleTrySelect() {
	c := sw.NewChannel[int](1)
	var v int
	fmt.Println(sw.TrySelect(c.ReceiveCase(&v)))
	_ = c.TrySend(7)
	fmt.Println(sw.TrySelect(c.ReceiveCase(&v)))
	fmt.Println(v)
	// Output:
	// -1 surewake: it would have to wait
	// 0 <nil>
	// 7
}
