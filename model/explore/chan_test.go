//go:build !race

package explore_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

// How many traces programs with channels have: complete and deadlocked.
func TestCountsOfChannels(t *testing.T) {
	send := func(c chan int, n int) func() {
		return func() {
			for i := range n {
				hook.To(c).Send(i)
			}
		}
	}
	recv := func(c chan int, n int) func() {
		return func() {
			for range n {
				hook.Recv(c)
			}
		}
	}
	give := func(c chan int, n int) func() {
		return func() {
			for i := range n {
				gives(c, i)
			}
		}
	}
	for _, c := range []struct {
		name           string
		complete, dead int64
		body           func()
	}{
		{"one sender, one receiver, room for all", 1, 0, func() {
			c := make(chan int, 4)
			spawn(send(c, 4), recv(c, 4))
		}},
		{"one sender, one receiver, room for one", 1, 0, func() {
			c := make(chan int, 1)
			spawn(send(c, 4), recv(c, 4))
		}},
		{"one sender, one receiver, unbuffered", 1, 0, func() {
			c := make(chan int)
			spawn(send(c, 4), recv(c, 4))
		}},
		{"three senders", 6, 0, func() {
			c := make(chan int, 3)
			spawn(send(c, 1), send(c, 1), send(c, 1))
		}},
		{"three senders, room for one, and a receiver", 6, 0, func() {
			c := make(chan int, 1)
			spawn(send(c, 1), send(c, 1), send(c, 1), recv(c, 3))
		}},
		{"three senders, unbuffered, and a receiver", 6, 0, func() {
			c := make(chan int)
			spawn(send(c, 1), send(c, 1), send(c, 1), recv(c, 3))
		}},
		{"a sender and three receivers", 6, 0, func() {
			c := make(chan int)
			spawn(send(c, 3), recv(c, 1), recv(c, 1), recv(c, 1))
		}},
		{"two and two", 4, 0, func() {
			c := make(chan int, 2)
			spawn(send(c, 1), send(c, 1), recv(c, 1), recv(c, 1))
		}},
		{"a lock with room for one", 6, 0, func() {
			c := make(chan int, 1)
			f := func() { hook.To(c).Send(1); hook.Recv(c) }
			spawn(f, f, f)
		}},
		{"nobody receives", 0, 1, func() { spawn(send(make(chan int), 1)) }},
		{"nobody sends", 0, 2, func() {
			c := make(chan int, 1)
			spawn(send(c, 1), recv(c, 1), recv(c, 1))
		}},
		{"close and three receivers", 1, 0, func() {
			c := make(chan int)
			spawn(recv(c, 1), recv(c, 1), recv(c, 1), func() { hook.Close(c) })
		}},
		{"values, then close", 2, 0, func() {
			c := make(chan int, 1)
			spawn(recv(c, 1), recv(c, 1), func() { hook.To(c).Send(0); hook.Close(c) })
		}},
		{"poll", 2, 0, func() {
			c := make(chan int, 1)
			spawn(send(c, 1), func() {
				s := hook.NewSelection(1, true)
				select {
				case <-hook.SelectRecv(&s, c):
				default:
				}
			})
		}},
		{"work or the end", 1, 0, func() {
			c, done := make(chan int, 3), make(chan int)
			spawn(send(c, 3), func() {
				for range 3 {
					s := hook.NewSelection(2, false)
					select {
					case <-hook.SelectRecv(&s, c):
					case <-hook.SelectRecv(&s, done):
						panic("not closed")
					}
				}
			})
		}},
		{"either of two", 4, 0, func() {
			a, b := make(chan int, 1), make(chan int, 1)
			spawn(send(a, 1), send(b, 1), func() {
				s := hook.NewSelection(2, false)
				select {
				case <-hook.SelectRecv(&s, a):
				case <-hook.SelectRecv(&s, b):
				}
			})
		}},
		{"a select sends to a receiver", 1, 0, func() {
			c := make(chan int)
			spawn(recv(c, 1), func() {
				s := hook.NewSelection(2, false)
				select {
				case hook.SelectSend(&s, c) <- 0:
					hook.SelectSent(&s)
				case <-hook.SelectRecv[int](&s, nil):
				}
			})
		}},
		{"four values from a select", 1, 0, func() {
			c := make(chan int)
			spawn(recv(c, 4), give(c, 4))
		}},
		{"two selects that send, and a receiver", 6, 0, func() {
			c := make(chan int)
			spawn(recv(c, 4), give(c, 2), give(c, 2))
		}},
		{"a select and a sender", 2, 0, func() {
			c := make(chan int)
			spawn(recv(c, 2), give(c, 1), send(c, 1))
		}},
		{"two and two, beside a select that sends", 4, 0, func() {
			c, d := make(chan int), make(chan int)
			spawn(send(c, 1), send(c, 1), recv(c, 1), recv(c, 1), give(d, 1), recv(d, 1))
		}},
		{"a close, beside a select that sends", 1, 0, func() {
			c, d := make(chan int), make(chan int)
			spawn(recv(c, 1), func() { hook.Close(c) }, give(d, 1), recv(d, 1))
		}},
		{"two selects meet", 2, 0, func() {
			a, b := make(chan int), make(chan int)
			spawn(func() {
				s := hook.NewSelection(2, false)
				select {
				case hook.SelectSend(&s, a) <- 0:
					hook.SelectSent(&s)
				case <-hook.SelectRecv(&s, b):
				}
			}, func() {
				s := hook.NewSelection(2, false)
				select {
				case <-hook.SelectRecv(&s, a):
				case <-hook.SelectRecv[int](&s, nil):
				}
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := all(c.body)
			if c.dead == 0 {
				require.Nil(t, res.Failure)
			}
			found := [3]int64{res.Complete, res.Deadlocked, res.Failures}
			require.Equal(t, [3]int64{c.complete, c.dead, 0}, found, "%+v", res)
			t.Logf("%d pruned", res.Pruned)
			full := explore.Run(explore.Config{Preemptions: -1, Unreduced: true}, c.body)
			require.GreaterOrEqual(t, full.Complete, res.Complete)
			require.Equal(t, full.Deadlocked > 0, res.Deadlocked > 0)
		})
	}
}

// What a goroutine does while it is alone is no step, whatever it did when it
// was not: neither the clock nor a channel is asked for what the last choice was
// among.
func TestAloneAfterAChoice(t *testing.T) {
	res := all(func() {
		if hook.Now() != explore.Epoch {
			panic("the clock moved")
		}
		c := make(chan int, 1)
		hook.To(c).Send(1)
		spawn(func() { explore.Choose(3) }, func() { hook.Recv(c) })
		explore.Choose(2)
	})
	require.Nil(t, res.Failure)
	require.EqualValues(t, 6, res.Complete)
}
