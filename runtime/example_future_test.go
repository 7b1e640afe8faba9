package runtime_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	sw "github.com/surewake/surewake/runtime"
)

// A switchboard is what the futures of the next example wait for.
type switchboard struct {
	lock   sync.Mutex
	on     bool
	wakers []sw.Waker
}

func (s *switchboard) turnOn() {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.on = true
	for _, w := range s.wakers {
		w.Wake()
	}
	s.wakers = nil
}

// A lamp is a future: it is ready when its switchboard is on.
type lamp struct {
	name  string
	board *switchboard
}

func (l *lamp) Poll(cx sw.Cx) (string, error, bool) {
	l.board.lock.Lock()
	defer l.board.lock.Unlock()
	if !l.board.on {
		l.board.wakers = append(l.board.wakers, cx.Waker())
		return "", nil, false
	}
	return l.name + " is lit", nil, true
}

// Drop makes a lamp a Dropper.
func (l *lamp) Drop() { fmt.Println(l.name, "stays dark") }

func ExampleSubmitFuture() {
	rt, _ := sw.New()
	board := &switchboard{}
	first, second := sw.SubmitFuture(rt, &lamp{"first", board}), sw.SubmitFuture(rt,
		&lamp{"second", board})
	second.Cancel()
	fmt.Println(second.Wait(context.Background()))
	board.turnOn()
	fmt.Println(first.Wait(context.Background()))
	rt.Close()
	// Output:
	// second stays dark
	//  surewake: task cancelled
	// first is lit <nil>
}

func ExampleSpawnFuture() {
	do(func(cx sw.Cx) error {
		board := &switchboard{}
		h := sw.SpawnFuture(cx, &lamp{"lamp", board})
		cx.Yield()
		board.turnOn()
		fmt.Println(h.Join(cx))
		return nil
	})
	// Output: lamp is lit <nil>
}

// A relay is ready with the result of a task.
type relay struct{ of *sw.Handle[int] }

func (r relay) Poll(cx sw.Cx) (int, error, bool) {
	if r.of.WakeOnEnd(cx.Waker()) {
		return 0, nil, false
	}
	return r.of.TryJoin()
}

func ExampleHandle_WakeOnEnd() {
	do(func(cx sw.Cx) error {
		slow := sw.Spawn(cx,
			func(cx sw.Cx) (int, error) { return 3, cx.Sleep(time.Millisecond) })
		fmt.Println(sw.SpawnFuture(cx, relay{slow}).Join(cx))
		return nil
	})
	// Output: 3 <nil>
}

// A waker is small and comparable, and the zero one wakes nobody.
func ExampleWaker() {
	var nobody sw.Waker
	nobody.Wake()
	do(func(cx sw.Cx) error {
		mine := cx.Waker()
		fmt.Println(mine == cx.Waker(), mine == nobody)
		cx.Waker().WakeFrom(cx) // another poll for a future, nothing for a function
		return nil
	})
	// Output: true false
}
