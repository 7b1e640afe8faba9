package runtime_test

import (
	"context"
	"fmt"
	"time"

	sw "github.com/surewake/surewake/runtime"
)

// An account may be used by one task at a time, also while that waits.
func ExampleMutex() {
	do(func(cx sw.Cx) error {
		var account sw.Mutex
		balance := 100
		withdraw := func(cx sw.Cx) (bool, error) {
			if err := account.Lock(cx); err != nil {
				return false, err
			}
			defer account.UnlockFrom(cx)
			if balance < 70 {
				return false, nil
			}
			err := cx.Sleep(10 * time.Microsecond) // a database, say
			balance -= 70
			return true, err
		}
		first, second := sw.Spawn(cx, withdraw), sw.Spawn(cx, withdraw)
		a, err := first.Join(cx)
		if err != nil {
			return err
		}
		b, err := second.Join(cx)
		fmt.Println(a != b, balance)
		return err
	})
	// Output: true 30
}

func ExampleMutex_LockContext() {
	var m sw.Mutex
	fmt.Println(m.TryLock(), m.TryLock())
	ctx, stop := context.WithTimeout(context.Background(), time.Millisecond)
	defer stop()
	fmt.Println(m.LockContext(ctx))
	m.Unlock()
	fmt.Println(m.LockContext(context.Background()))
	// Output:
	// true false
	// context deadline exceeded
	// <nil>
}

func ExampleRWMutex() {
	do(func(cx sw.Cx) error {
		var m sw.RWMutex
		routes := map[string]int{}
		if err := m.Lock(cx); err != nil {
			return err
		}
		routes["home"] = 1
		m.UnlockFrom(cx)

		var tasks []*sw.Handle[int]
		for range 3 {
			tasks = append(tasks, sw.Spawn(cx, func(cx sw.Cx) (int, error) {
				if err := m.RLock(cx); err != nil {
					return 0, err
				}
				defer m.RUnlockFrom(cx)
				return routes["home"], nil
			}))
		}
		for _, h := range tasks {
			fmt.Println(h.Join(cx))
		}
		return nil
	})
	// Output:
	// 1 <nil>
	// 1 <nil>
	// 1 <nil>
}

func ExampleRWMutex_TryRLock() {
	var m sw.RWMutex
	fmt.Println(m.TryRLock(), m.TryRLock(), m.TryLock())
	m.RUnlock()
	m.RUnlock()
	fmt.Println(m.TryLock(), m.TryRLock())
	// Output:
	// true true false
	// true false
}

func ExampleWaitGroup() {
	do(func(cx sw.Cx) error {
		var done sw.WaitGroup
		squares := make([]int, 4)
		for i := range squares {
			done.Add(1)
			go func() { // what counts need not be a task
				defer done.Done()
				squares[i] = i * i
			}()
		}
		err := done.Wait(cx)
		fmt.Println(squares, err)
		return nil
	})
	// Output: [0 1 4 9] <nil>
}

func ExampleWaitGroup_WaitContext() {
	var done sw.WaitGroup
	done.Add(1)
	ctx, stop := context.WithTimeout(context.Background(), time.Millisecond)
	defer stop()
	fmt.Println(done.WaitContext(ctx))
	done.Done()
	fmt.Println(done.WaitContext(context.Background()))
	// Output:
	// context deadline exceeded
	// <nil>
}

func ExampleCond() {
	do(func(cx sw.Cx) error {
		var m sw.Mutex
		arrived := sw.NewCond(&m)
		var guests []string
		host := sw.Spawn(cx, func(cx sw.Cx) (int, error) {
			if err := m.Lock(cx); err != nil {
				return 0, err
			}
			defer m.UnlockFrom(cx)
			for len(guests) < 2 {
				if err := arrived.Wait(cx); err != nil {
					return 0, err // with m locked, as always after Wait
				}
			}
			return len(guests), nil
		})
		for _, name := range []string{"Ada", "Grace"} {
			if err := m.Lock(cx); err != nil {
				return err
			}
			guests = append(guests, name)
			arrived.SignalFrom(cx)
			m.UnlockFrom(cx)
		}
		fmt.Println(host.Join(cx))
		return nil
	})
	// Output: 2 <nil>
}

func ExampleCond_WaitContext() {
	var m sw.Mutex
	changed := sw.Cond{L: &m}
	ctx, stop := context.WithTimeout(context.Background(), time.Millisecond)
	defer stop()
	if err := m.LockContext(ctx); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(changed.WaitContext(ctx), m.TryLock())
	m.Unlock()
	// Output: context deadline exceeded false
}

func ExampleChannel_All() {
	do(func(cx sw.Cx) error {
		c := sw.NewChannel[int](1)
		sw.Spawn(cx, func(cx sw.Cx) (none struct{}, err error) {
			defer c.Close()
			for i := range 3 {
				if err := c.Send(cx, i); err != nil {
					return none, err
				}
			}
			return none, nil
		})
		for v, err := range c.All(cx) {
			if err != nil {
				return err
			}
			fmt.Println(v)
		}
		return nil
	})
	// Output:
	// 0
	// 1
	// 2
}

// A channel has not ended because who receives has lost patience.
func ExampleChannel_AllContext() {
	c := sw.NewChannel[string](1)
	_ = c.TrySend("the only one")
	ctx, stop := context.WithTimeout(context.Background(), time.Millisecond)
	defer stop()
	for v, err := range c.AllContext(ctx) {
		fmt.Printf("%q %v\n", v, err)
	}
	// Output:
	// "the only one" <nil>
	// "" context deadline exceeded
}

func ExampleLimiter() {
	do(func(cx sw.Cx) error {
		begin := time.Now()
		l := sw.NewLimiter(1000, 2)
		for range 5 { // two at once, then one in a millisecond
			if err := l.Wait(cx); err != nil {
				return err
			}
		}
		fmt.Println(time.Since(begin) >= 3*time.Millisecond)
		return nil
	})
	// Output: true
}

// Events may differ in size, here in kilobytes of a line that carries 100,000 a second.
func ExampleLimiter_WaitN() {
	do(func(cx sw.Cx) error {
		kilobytes := sw.NewLimiter(100_000, 64)
		for _, size := range []int{10, 64, 1} {
			if err := kilobytes.WaitN(cx, size); err != nil {
				return err
			}
			fmt.Println("send", size)
		}
		return nil
	})
	// Output:
	// send 10
	// send 64
	// send 1
}

func ExampleLimiter_AllowN() {
	l := sw.NewLimiter(0.1, 5)
	fmt.Println(l.AllowN(4), l.AllowN(2), l.AllowN(1))
	// Output: true false true
}

func ExampleLimiter_Allow() {
	l := sw.NewLimiter(0.1, 2)
	fmt.Println(l.Allow(), l.Allow(), l.Allow())
	// Output: true true false
}
