package main

import (
	"context"
	"time"

	ours "github.com/surewake/surewake/runtime"
)

// endSelectRows are those of selects for what comes once, and of selects by goroutines.
func endSelectRows() []row {
	const ns = time.Nanosecond
	return []row{
		{"select-signal", "a select of a channel and a signal, which another one gives", ns,
			signalSelects},
		{"select-end", "a start, and a select of its end and of one that goes on", ns, endSelects},
		{"select-outside", "a goroutine's select of two channels to which another one sends in " +
			"turn, a value", ns, outsideSelects},
	}
}

// signalSelects are answered by a signal of the one who is signalled.
func signalSelects() ([]contender, func()) {
	const n = 500
	one, two := start(ours.Workers(1)), start(ours.Workers(2))
	tasks := func(name string, rt *ours.Runtime) contender {
		return contender{name: name, ops: 2 * n, round: inside(rt, func(cx ours.Cx) {
			var ping, pong ours.Notify
			values := ours.NewChannel[int](0)
			takeTurns := func(cx ours.Cx, mine, other *ours.Notify) {
				var value int
				cases := []ours.Case{values.ReceiveCase(&value), mine.WaitCase()}
				for range n {
					expect(must(ours.Select(cx, cases...)), 1)
					other.SignalFrom(cx)
				}
			}
			partner := cx.Go(func(cx ours.Cx) { takeTurns(cx, &ping, &pong) })
			ping.SignalFrom(cx)
			takeTurns(cx, &pong, &ping)
			must(partner.Join(cx))
		})}
	}
	return []contender{
		tasks("Select, WaitCase, 2 workers", two),
		tasks("Select, WaitCase, 1 worker", one),
		{name: "Go's select, channels of capacity 1", peer: true, ops: 2 * n,
			round: outside(func() {
				ping, pong := make(chan struct{}, 1), make(chan struct{}, 1)
				values, done := make(chan int), make(chan struct{})
				takeTurns := func(mine, other chan struct{}) {
					for range n {
						select {
						case <-values:
							panic("nobody sends")
						case <-mine:
							other <- struct{}{}
						}
					}
				}
				go func() { takeTurns(ping, pong); close(done) }()
				ping <- struct{}{}
				takeTurns(pong, ping)
				<-done
			})},
	}, closing(one, two)
}

// endSelects wait for a task that has nothing to do, beside one that waits until all is over.
func endSelects() ([]contender, func()) {
	const n = 500
	one, two := start(ours.Workers(1)), start(ours.Workers(2))
	tasks := func(name string, rt *ours.Runtime) contender {
		return contender{name: name, ops: n, round: inside(rt, func(cx ours.Cx) {
			var over ours.Notify
			lasting := cx.Go(func(cx ours.Cx) { expectNo(over.Wait(cx)) })
			for range n {
				h := ours.Spawn(cx, empty)
				expect(must(ours.Select(cx, lasting.EndCase(), h.EndCase())), 1)
				must(h.Join(cx))
			}
			over.SignalFrom(cx)
			must(lasting.Join(cx))
		})}
	}
	return []contender{
		tasks("Spawn, Select, EndCase, 2 workers", two),
		tasks("Spawn, Select, EndCase, 1 worker", one),
		{name: "go, Go's select, channel of capacity 1", peer: true, ops: n, round: outside(func() {
			lasting, over := make(chan int), make(chan struct{})
			go func() { <-over; close(lasting) }()
			for i := range n {
				result := make(chan int, 1)
				go func() { result <- i }()
				select {
				case <-lasting:
					panic("it lasts")
				case value := <-result:
					expect(value, i)
				}
			}
			close(over)
			<-lasting
		})},
	}, closing(one, two)
}

// outsideSelects are those of goroutines that are no tasks, and may be given up.
func outsideSelects() ([]contender, func()) {
	const n = 1000
	ctx, cancel := context.WithCancel(background)
	goroutines := func(name string, send func(i int), receive func() int) contender {
		return contender{name: name, ops: n, round: outside(func() {
			go func() {
				for i := range n {
					send(i)
				}
			}()
			for i := range n {
				expect(receive(), i)
			}
		})}
	}
	var value int
	all, cases := receiveCases(2, 0, &value)
	a, b := make(chan int), make(chan int)
	peer := goroutines("Go's select, Context.Done",
		func(i int) {
			if i%2 == 0 {
				a <- i
			} else {
				b <- i
			}
		},
		func() int {
			select {
			case value := <-a:
				return value
			case value := <-b:
				return value
			case <-ctx.Done():
				panic("nobody gives up")
			}
		})
	peer.peer = true
	return []contender{
		goroutines("SelectContext, SendContext",
			func(i int) { expectNo(all[i%2].SendContext(ctx, i)) },
			func() int { must(ours.SelectContext(ctx, cases...)); return value }),
		peer,
	}, cancel
}
