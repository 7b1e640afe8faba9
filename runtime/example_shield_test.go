package runtime_test

import (
	"context"
	"fmt"
	"time"

	sw "github.com/surewake/surewake/runtime"
)

// An account takes its time, and must not be left between the two halves of a transfer.
type account struct {
	lock    *sw.Semaphore
	balance int
}

func (a *account) add(cx sw.Cx, amount int) error {
	if err := a.lock.Acquire(cx, 1); err != nil {
		return err
	}
	defer a.lock.ReleaseFrom(cx, 1)
	if err := cx.Sleep(time.Millisecond); err != nil {
		return err
	}
	a.balance += amount
	return nil
}

// A task moves money once an hour until it is cancelled. A transfer that has begun is finished
// behind a shield; the cancellation shows after that.
func Example_shield() {
	rt, err := sw.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()
	from, to := &account{
		lock:    sw.NewSemaphore(1),
		balance: 1000,
	}, &account{
		lock: sw.NewSemaphore(1),
	}
	var began sw.Notify
	h := sw.Submit(rt, func(cx sw.Cx) (transfers int, err error) {
		for {
			cx.Shield(func() {
				if err = from.add(cx, -10); err == nil {
					began.SignalFrom(cx)
					err = to.add(cx, 10)
				}
			})
			if err != nil {
				// It was not the cancellation: in the shield, nothing is told of it.
				return transfers, err
			}
			transfers++
			if err := cx.Sleep(time.Hour); err != nil {
				return transfers, err
			}
		}
	})
	fmt.Println(began.WaitContext(context.Background()))
	h.Cancel() // in the middle of a transfer
	transfers, err := h.Wait(context.Background())
	fmt.Println(transfers, "transfer,", err)
	fmt.Println("balances:", from.balance, to.balance)
	// Output:
	// <nil>
	// 1 transfer, surewake: task cancelled
	// balances: 990 10
}
