//go:build !race

package explore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

// polls receives if that is possible at once.
func polls[T any](c <-chan T) bool {
	s := hook.NewSelection(1, true)
	select {
	case <-hook.SelectRecv(&s, c):
		return true
	default:
		return false
	}
}

// offers sends if that is possible at once.
func offers(c chan<- int, v int) bool {
	s := hook.NewSelection(1, true)
	select {
	case hook.SelectSend(&s, c) <- v:
		hook.SelectSent(&s)
		return true
	default:
		return false
	}
}

// gives sends, as a select with another case that never comes.
func gives(c chan<- int, v int) {
	s := hook.NewSelection(2, false)
	select {
	case hook.SelectSend(&s, c) <- v:
		hook.SelectSent(&s)
	case <-hook.SelectRecv[int](&s, nil):
	}
}

func never(ok bool, what string) {
	if ok {
		panic(what)
	}
}

// What Go says of channels and timers, and a search without reduction could get
// wrong as well.
func TestMeaningOfChannels(t *testing.T) {
	for _, c := range []struct {
		name  string
		early int
		body  func()
	}{
		{"whoever has another case ready does not wait", 0, func() {
			b, x := make(chan int, 1), make(chan int)
			spawn(func() {
				s := hook.NewSelection(2, false)
				select {
				case <-hook.SelectRecv(&s, b):
				case hook.SelectSend(&s, x) <- 1:
					hook.SelectSent(&s)
				}
			}, func() {
				hook.To(b).Send(1)
				never(polls(x), "the other was woken by the first send")
			})
		}},
		{"whoever was found waits nowhere else", 0, func() {
			x, y := make(chan int), make(chan int)
			spawn(func() {
				s := hook.NewSelection(2, false)
				select {
				case hook.SelectSend(&s, x) <- 1:
					hook.SelectSent(&s)
				case hook.SelectSend(&s, y) <- 1:
					hook.SelectSent(&s)
				}
			}, func() {
				hook.Recv(x)
				never(polls(y), "a select sent twice")
			})
		}},
		{"whoever was found goes on with the case at which it was found", 0, func() {
			x, y := make(chan int), make(chan int)
			spawn(func() {
				s := hook.NewSelection(2, false)
				select {
				case hook.SelectSend(&s, x) <- 1:
					hook.SelectSent(&s)
					never(true, "a send that nobody received")
				case hook.SelectSend(&s, y) <- 2:
					hook.SelectSent(&s)
				}
			}, func() {
				never(hook.Recv(y) != 2, "another value was sent")
			})
		}},
		{"a select sends to who waits, and to nobody else", 0, func() {
			x, other := make(chan int), make(chan int)
			var sent, got bool
			spawn(func() {
				sent = offers(x, 3)
				hook.Close(x)
			}, func() {
				v, ok := hook.Recv2(x)
				got = ok
				never(ok && v != 3 || !ok && v != 0, "another value")
			}, func() { never(offers(other, 1), "nobody receives") })
			never(sent != got, "a value lost or made")
		}},
		{"values of sends and selects come in their order", 0, func() {
			x := make(chan int)
			spawn(func() {
				hook.To(x).Send(1)
				gives(x, 2)
				hook.To(x).Send(3)
			}, func() {
				for v := 1; v <= 3; v++ {
					never(hook.Recv(x) != v, "out of order")
				}
			})
		}},
		{"a channel is emptied before it is closed", 0, func() {
			c := make(chan int, 2)
			hook.To(c).Send(7)
			hook.Close(c)
			v, ok := hook.Recv2(c)
			never(v != 7 || !ok, "the value is lost")
			v, ok = hook.Recv2(c)
			never(v != 0 || ok, "a value out of nothing")
		}},
		{"a send either panics or is received", 0, func() {
			c := make(chan int)
			var panicked, received bool
			spawn(func() {
				defer func() { panicked = hook.Recover(recover()) != nil }()
				hook.To(c).Send(1)
			}, func() { hook.Close(c) }, func() { _, received = hook.Recv2(c) })
			never(panicked == received, "both or neither")
		}},
		{"a stopped timer is silent", 2, func() {
			tm := hook.NewTimer(1)
			never(!hook.TimerStop(tm), "it was active")
			hook.Sleep(2)
			never(polls(tm.C), "a value after Stop")
		}},
		{"the first of two deadlines comes first", 0, func() {
			s := hook.NewSelection(2, false)
			select {
			case <-hook.SelectRecv(&s, hook.After(2)):
				panic("the second")
			case <-hook.SelectRecv(&s, hook.After(1)):
			}
		}},
		{"while anything can run, no deadline comes", 0, func() {
			first := false
			spawn(func() { hook.Recv(hook.After(1)); first = true }, func() {
				hook.Recv(hook.After(2))
				never(!first, "the second deadline came while the first goroutine could run")
			})
		}},
		{"the clock has come to the deadline of a timer that fired", 1, func() {
			now := hook.Recv(hook.After(5))
			never(now.Sub(explore.Epoch) != 5 || hook.Now() != now, "too early")
		}},
		{"a function that nobody waits for need not run", 0, func() {
			hook.TimeAfterFunc(time.Hour, func() { panic("an hour") })
			spawn(func() {}, func() {})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, preemptions := range []int{-1, 1 << 20} {
				cfg := explore.Config{Preemptions: preemptions, EarlyTimeouts: c.early}
				res := explore.Run(cfg, c.body)
				require.Nil(t, res.Failure)
				require.NotZero(t, res.Complete)
			}
		})
	}
}

// Programs that told a broken search from a right one.
func TestReductionKeepsEveryOutcomeOfTellingChannels(t *testing.T) {
	for _, c := range []struct {
		early int
		p     program
	}{
		// One blocks the other for ever, and the third, which sleeps, hides it.
		{0, program{
			{{Op: "send"}},
			{{Op: "recv", Var: 1}, {Op: "send", Var: 1}},
			{{Op: "send", Var: 1}, {Op: "send", Var: 1}, {Op: "poll"}},
		}},
		// A send that panics depends on what it would have depended on.
		{0, program{
			{{Op: "send", Var: 2}},
			{{Op: "load"}, {Op: "close", Var: 2}},
			{{Op: "len", Var: 2}, {Op: "send"}},
		}},
		// Two events keep a timer from firing.
		{1, program{
			{{Op: "await or expire"}},
			{{Op: "stop", Var: 1}},
			{{Op: "await or expire", Var: 1}, {Op: "await or expire"}},
		}},
		{1, program{
			{{Op: "stop"}, {Op: "send", Cond: true}},
			{{Op: "await or expire"}},
		}},
		// A select waits on two channels, and each is of interest to another.
		{0, program{
			{{Op: "both", Val: 0}},
			{{Op: "poll"}, {Op: "send", Var: 1}},
			{{Op: "send", Var: 1}, {Op: "poll"}},
		}},
	} {
		sameOutcomes(t, c.p, c.early)
	}
	// One choice of the first sleeps where the other does not.
	sameChanTraces(t, program{
		{{Op: "both", Var: 1, Val: 1}},
		{{Op: "send", Var: 2, Val: 1}, {Op: "either", Var: 1}},
		{{Op: "close", Var: 1}},
		{{Op: "send", Var: 1}},
	})
}
