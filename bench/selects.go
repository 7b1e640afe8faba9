package main

import (
	"time"

	ours "github.com/surewake/surewake/runtime"
)

// selectRows are those of channels, and of waits for the first of several.
func selectRows() []row {
	const ns = time.Nanosecond
	return []row{
		{"channel", "a value from one to another, through a channel", ns, channels},
		{"select-ready", "a value into a channel, and a select of several that finds it", ns,
			readySelects},
		{"select-wait", "a select of two channels to which another one sends in turn, a value", ns,
			waitingSelects},
		{"select-time", "a select of a channel and a timer, a value that comes first", ns,
			timedSelects},
	}
}

// channels is one that sends and one that receives. With capacity 0, each value is a meeting.
func channels() ([]contender, func()) {
	const n = 1000
	one, two := start(ours.Workers(1)), start(ours.Workers(2))
	tasks := func(name string, rt *ours.Runtime, capacity int) contender {
		return contender{name: name, ops: n, round: inside(rt, func(cx ours.Cx) {
			values := ours.NewChannel[int](capacity)
			sender := cx.Go(func(cx ours.Cx) {
				for i := range n {
					expectNo(values.Send(cx, i))
				}
			})
			for i := range n {
				expect(must(values.Receive(cx)), i)
			}
			must(sender.Join(cx))
		})}
	}
	goroutines := func(name string, capacity int) contender {
		return contender{name: name, peer: true, ops: n, round: outside(func() {
			values := make(chan int, capacity)
			go func() {
				for i := range n {
					values <- i
				}
			}()
			for i := range n {
				expect(<-values, i)
			}
		})}
	}
	return []contender{
		tasks("Channel, capacity 0, 2 workers", two, 0),
		tasks("Channel, capacity 128, 2 workers", two, 128),
		tasks("Channel, capacity 0, 1 worker", one, 0),
		tasks("Channel, capacity 128, 1 worker", one, 128),
		goroutines("Go's channel, capacity 0", 0),
		goroutines("Go's channel, capacity 128", 128),
	}, closing(one, two)
}

// receiveCases returns k channels, and the case of each, which receives into value.
func receiveCases(k, capacity int, value *int) ([]*ours.Channel[int], []ours.Case) {
	all, cases := make([]*ours.Channel[int], k), make([]ours.Case, k)
	for i := range all {
		all[i] = ours.NewChannel[int](capacity)
		cases[i] = all[i].ReceiveCase(value)
	}
	return all, cases
}

// readySelects need not wait: a value is there, in one of the channels in turn.
func readySelects() ([]contender, func()) {
	const n = 1000
	rt := start()
	tasks := func(name string, k int) contender {
		var value int
		all, cases := receiveCases(k, 1, &value)
		return contender{name: name, ops: n, round: inside(rt, func(cx ours.Cx) {
			for i := range n {
				expectNo(all[i%k].TrySend(i))
				expect(must(ours.Select(cx, cases...)), i%k)
				expect(value, i)
			}
		})}
	}
	var c [8]chan int
	for i := range c {
		c[i] = make(chan int, 1)
	}
	return []contender{
		tasks("Select, 2 cases", 2),
		tasks("Select, 8 cases", 8),
		{name: "Go's select, 2 cases", peer: true, ops: n, round: outside(func() {
			for i := range n {
				c[i%2] <- i
				var value int
				select {
				case value = <-c[0]:
				case value = <-c[1]:
				}
				expect(value, i)
			}
		})},
		{name: "Go's select, 8 cases", peer: true, ops: n, round: outside(func() {
			for i := range n {
				c[i%8] <- i
				var value int
				select {
				case value = <-c[0]:
				case value = <-c[1]:
				case value = <-c[2]:
				case value = <-c[3]:
				case value = <-c[4]:
				case value = <-c[5]:
				case value = <-c[6]:
				case value = <-c[7]:
				}
				expect(value, i)
			}
		})},
	}, closing(rt)
}

// A selector is a future that takes so many values from what it selects.
type selector struct {
	wait  ours.Pending
	cases []ours.Case
	left  int
}

// Poll implements runtime.Future.
func (s *selector) Poll(cx ours.Cx) (int, error, bool) {
	for s.left > 0 {
		_, err, ready := s.wait.Poll(cx, s.cases...)
		if err != nil || !ready {
			return 0, err, ready
		}
		s.left--
	}
	return 0, nil, true
}

// waitingSelects mostly wait: the channels have no room, and the sender goes on when it has met the
// receiver.
func waitingSelects() ([]contender, func()) {
	const n = 1000
	one, two := start(ours.Workers(1)), start(ours.Workers(2))
	receives := func(cx ours.Cx, cases []ours.Case) (int, error) {
		for range n {
			must(ours.Select(cx, cases...))
		}
		return 0, nil
	}
	polls := func(cx ours.Cx, cases []ours.Case) *ours.Handle[int] {
		return ours.SpawnFuture[int](cx, &selector{cases: cases, left: n})
	}
	tasks := func(name string, rt *ours.Runtime,
		receiver func(cx ours.Cx, cases []ours.Case) *ours.Handle[int]) contender {
		return contender{name: name, ops: n, round: inside(rt, func(cx ours.Cx) {
			var value int
			all, cases := receiveCases(2, 0, &value)
			h := receiver(cx, cases)
			for i := range n {
				expectNo(all[i%2].Send(cx, i))
			}
			must(h.Join(cx))
			expect(value, n-1)
		})}
	}
	spawns := func(cx ours.Cx, cases []ours.Case) *ours.Handle[int] {
		return ours.SpawnWith(cx, receives, cases)
	}
	return []contender{
		tasks("Select, 2 workers", two, spawns),
		tasks("Pending of a future, 2 workers", two, polls),
		tasks("Select, 1 worker", one, spawns),
		tasks("Pending of a future, 1 worker", one, polls),
		{name: "Go's select", peer: true, ops: n, round: outside(func() {
			a, b, done := make(chan int), make(chan int), make(chan int)
			go func() {
				var value int
				for range n {
					select {
					case value = <-a:
					case value = <-b:
					}
				}
				done <- value
			}()
			for i := range n {
				if i%2 == 0 {
					a <- i
				} else {
					b <- i
				}
			}
			expect(<-done, n-1)
		})},
	}, closing(one, two)
}

// timedSelects have a timer of their own for each value, which has an hour to come.
func timedSelects() ([]contender, func()) {
	const n = 1000
	one, two := start(ours.Workers(1)), start(ours.Workers(2))
	tasks := func(name string, rt *ours.Runtime) contender {
		return contender{name: name, ops: n, round: inside(rt, func(cx ours.Cx) {
			values := ours.NewChannel[int](0)
			sender := cx.Go(func(cx ours.Cx) {
				for i := range n {
					expectNo(values.Send(cx, i))
				}
			})
			for i := range n {
				var value int
				expect(must(ours.Select(cx, values.ReceiveCase(&value), ours.AfterCase(time.Hour))),
					0)
				expect(value, i)
			}
			must(sender.Join(cx))
		})}
	}
	goroutines := func(name string, receive func(values chan int) int) contender {
		return contender{name: name, peer: true, ops: n, round: outside(func() {
			values := make(chan int)
			go func() {
				for i := range n {
					values <- i
				}
			}()
			for i := range n {
				expect(receive(values), i)
			}
		})}
	}
	return []contender{
		tasks("Select, AfterCase, 2 workers", two),
		tasks("Select, AfterCase, 1 worker", one),
		goroutines("Go's select, NewTimer, Stop", func(values chan int) int {
			timer := time.NewTimer(time.Hour)
			defer timer.Stop()
			select {
			case value := <-values:
				return value
			case <-timer.C:
				return -1
			}
		}),
		goroutines("Go's select, time.After", func(values chan int) int {
			select {
			case value := <-values:
				return value
			case <-time.After(time.Hour):
				return -1
			}
		}),
	}, closing(one, two)
}
