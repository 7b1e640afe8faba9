package idle_test

import (
	"fmt"
	"sync"

	"github.com/surewake/surewake/idle"
)

// What becomes of a worker that sleeps, and of two tasks.
func Example() {
	c := idle.New(2)
	sleeper, busy := c.Worker(0), c.Worker(1)
	fmt.Println(sleeper.Publish()) // found nothing, and looks once more before it sleeps
	fmt.Println(c.Notify())        // a task was put: wake worker 0
	fmt.Println(c.Notify())        // another one: worker 0 is on its way
	fmt.Println(sleeper.Woke(true))
	fmt.Println(sleeper.Found()) // the last searcher wakes another, but none sleeps
	fmt.Println(busy.Search())
	// Output:
	// Recheck
	// 0 true
	// -1 false
	// Searching
	// -1 false
	// true
}

// Four workers sum up numbers and sleep meanwhile, in channels of one token each.
func Example_channels() {
	c := idle.New(4)
	tokens := make([]chan bool, c.Workers())
	for i := range tokens {
		tokens[i] = make(chan bool, 1)
	}
	unpark := func(worker int, ok bool) {
		if ok {
			tokens[worker] <- true
		}
	}

	var mu sync.Mutex
	var tasks []func()
	take := func() func() {
		mu.Lock()
		defer mu.Unlock()
		if len(tasks) == 0 {
			return nil
		}
		t := tasks[0]
		tasks = tasks[1:]
		return t
	}
	queued := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(tasks) > 0
	}

	work := func(me int) {
		w := c.Worker(me)
		for {
			if t := take(); t != nil {
				unpark(w.Found())
				t()
				continue
			}
			next := w.Publish()
			if next == idle.Recheck {
				if queued() {
					unpark(c.Notify())
				}
				next = idle.AwaitToken
			}
			if next == idle.AwaitToken {
				<-tokens[me]
				next = w.Woke(true)
			}
			if next == idle.Closed && !queued() {
				return
			}
		}
	}

	var workers, all sync.WaitGroup
	for i := range tokens {
		workers.Go(func() { work(i) })
	}
	sum := 0
	for i := 1; i <= 100; i++ {
		all.Add(1)
		mu.Lock()
		tasks = append(tasks, func() {
			defer all.Done()
			mu.Lock()
			defer mu.Unlock()
			sum += i
		})
		mu.Unlock()
		unpark(c.Notify()) // after the push, always
	}
	all.Wait()
	c.Close(func(worker int) { tokens[worker] <- true })
	workers.Wait()
	fmt.Println(sum)
	// Output: 5050
}

// The first push wakes a worker, which counts as a searcher at once: further pushes leave their
// tasks to it.
func ExampleCoordinator_Notify() {
	c := idle.New(2)
	for i := range c.Workers() {
		fmt.Println("worker", i, c.Worker(i).Publish())
	}
	fmt.Println(c.Notify())
	fmt.Println(c.Notify())
	fmt.Println(c.Searching(), "searches,", c.Parked(), "sleeps")
	// Output:
	// worker 0 Recheck
	// worker 1 Recheck
	// 0 true
	// -1 false
	// 1 searches, 1 sleeps
}

// The last searcher that finds something wakes another one in its place.
func ExampleWorker_Found() {
	c := idle.New(2)
	c.Worker(1).Publish()
	w := c.Worker(0)
	fmt.Println(w.Search())
	fmt.Println(w.Found())
	// Output:
	// true
	// 1 true
}

// A searcher that panics wakes another one in its place.
func ExampleWorker_Release() {
	c := idle.New(2)
	c.Worker(1).Publish()
	func() {
		defer func() { fmt.Println("recovered:", recover()) }()
		w := c.Worker(0)
		defer w.Release(func(worker int) { fmt.Println("wake", worker) })
		w.Search()
		panic("a bug")
	}()
	// Output:
	// wake 1
	// recovered: a bug
}

// A timeout that meets a claim: the worker is told to wait for its token.
func ExampleWorker_Woke() {
	c := idle.New(1)
	w := c.Worker(0)

	w.Publish()
	fmt.Println(w.Woke(false)) // nobody has claimed it

	w.Publish()
	c.Notify()
	fmt.Println(w.Woke(false)) // somebody has, and gives it a token soon
	fmt.Println(w.Woke(true))
	// Output:
	// Running
	// AwaitToken
	// Searching
}

// After Close, whoever sleeps is woken, and nobody sleeps any more.
func ExampleCoordinator_Close() {
	c := idle.New(3)
	c.Worker(0).Publish()
	c.Worker(2).Publish()
	c.Close(func(worker int) { fmt.Println("wake", worker) })
	fmt.Println(c.Worker(1).Publish())
	// Output:
	// wake 0
	// wake 2
	// Closed
}

// What concerns one worker, here a deadline, claims that one.
func ExampleCoordinator_Claim() {
	c := idle.New(2)
	c.Worker(1).Publish()
	fmt.Println(c.Claim(0), c.Claim(1), c.Claim(1))
	// Output: false true false
}
