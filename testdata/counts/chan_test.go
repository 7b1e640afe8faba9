package counts

import (
	"fmt"
	"testing"
)

func sends(c chan<- int, n int) func() {
	return func() {
		for i := range n {
			c <- i
		}
	}
}

func receives(c <-chan int, n int) func() {
	return func() {
		for range n {
			<-c
		}
	}
}

// One sender and one receiver: 1 trace, whatever the capacity.
func TestPipe(t *testing.T) {
	for _, capacity := range []int{0, 1, 2, 4} {
		t.Run(fmt.Sprint(capacity), func(t *testing.T) {
			check(t, func() {
				c := make(chan int, capacity)
				parallel(sends(c, 4), func() {
					for i := range 4 {
						if v := <-c; v != i {
							t.Error(v)
						}
					}
				})
			})
		})
	}
}

// A sender that closes, and a loop over the channel: 1 trace.
func TestRange(t *testing.T) {
	check(t, func() {
		c := make(chan int, 1)
		parallel(func() { sends(c, 3)(); close(c) }, func() {
			n := 0
			for v := range c {
				n += v
			}
			if n != 3 {
				t.Error(n)
			}
		})
	})
}

// n senders of one value each, and a receiver: n! traces.
func TestSenders(t *testing.T) {
	for n := 1; n <= 5; n++ {
		for _, capacity := range []int{0, 1, 5} {
			t.Run(fmt.Sprintf("%d-%d", n, capacity), func(t *testing.T) {
				check(t, func() {
					c := make(chan int, capacity)
					parallel(append(repeat(n, func(int) func() { return sends(c, 1) }), receives(c, n))...)
				})
			})
		}
	}
}

// n receivers of one value each, and a sender: n! traces.
func TestReceivers(t *testing.T) {
	for n := 1; n <= 5; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			check(t, func() {
				c := make(chan int)
				parallel(append(repeat(n, func(int) func() { return receives(c, 1) }), sends(c, n))...)
			})
		})
	}
}

// A channel with room for one is a mutex: (nk)!/(k!)^n traces.
func TestChannelAsMutex(t *testing.T) {
	for _, c := range []struct{ n, k int }{{2, 1}, {2, 3}, {3, 2}} {
		t.Run(fmt.Sprintf("%dx%d", c.n, c.k), func(t *testing.T) {
			check(t, func() {
				m := make(chan struct{}, 1)
				parallel(repeat(c.n, func(int) func() {
					return func() {
						for range c.k {
							m <- struct{}{}
							<-m
						}
					}
				})...)
			})
		})
	}
}

// A close that n goroutines wait for: 1 trace.
func TestClose(t *testing.T) {
	for n := 1; n <= 5; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			check(t, func() {
				c := make(chan struct{})
				parallel(append(repeat(n, func(int) func() { return func() { <-c } }), func() { close(c) })...)
			})
		})
	}
}

// A loop that waits for work or for the end, which does not come: 1 trace.
func TestWorkOrEnd(t *testing.T) {
	check(t, func() {
		work, end := make(chan int, 2), make(chan struct{})
		parallel(sends(work, 4), func() {
			for range 4 {
				select {
				case <-work:
				case <-end:
					t.Error("the end")
				}
			}
		})
	})
}

// A look at whether a value is there comes before or after each of n sends.
func TestPolls(t *testing.T) {
	for n := 1; n <= 4; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			check(t, func() {
				c := make(chan int, n)
				parallel(sends(c, n), func() {
					select {
					case <-c:
					default:
					}
				})
			})
		})
	}
}

// Two channels become ready: before the select, after it, or both before, and
// then there is a choice: 4 traces.
func TestEither(t *testing.T) {
	check(t, func() {
		a, b := make(chan int, 1), make(chan int, 1)
		parallel(sends(a, 1), sends(b, 1), func() {
			select {
			case <-a:
			case <-b:
			}
		})
	})
}

// n selects that send k values each to one receiver, which come in every order of the selects:
// (nk)!/(k!)^n traces.
func TestSelectsSend(t *testing.T) {
	for _, c := range []struct{ n, k int }{{1, 1}, {1, 12}, {2, 1}, {2, 3}, {3, 2}} {
		t.Run(fmt.Sprintf("%dx%d", c.n, c.k), func(t *testing.T) {
			check(t, func() {
				values, never := make(chan int), make(chan int)
				parallel(append(repeat(c.n, func(i int) func() {
					return func() {
						for range c.k {
							select {
							case values <- i:
							case <-never:
							}
						}
					}
				}), receives(values, c.n*c.k))...)
			})
		})
	}
}

// An offer finds the receiver, or comes before it: 1 trace, and 1 in which the receiver waits for
// ever.
func TestOffer(t *testing.T) {
	check(t, func() {
		c := make(chan int)
		parallel(func() {
			select {
			case c <- 1:
			default:
			}
		}, receives(c, 1))
	})
}

// Two goroutines that each send to the other first: 1 deadlock, or 1 trace if
// there is room.
func TestBothSend(t *testing.T) {
	for _, capacity := range []int{0, 1} {
		t.Run(fmt.Sprint(capacity), func(t *testing.T) {
			check(t, func() {
				a, b := make(chan int, capacity), make(chan int, capacity)
				parallel(func() { a <- 1; <-b }, func() { b <- 1; <-a })
			})
		})
	}
}
