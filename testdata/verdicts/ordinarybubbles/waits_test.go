package ordinarybubbles

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// What ends the wait of a goroutine that synctest.Wait has found waiting ends it at once.

// The end of the context comes before the value.
//
// verdict: proved without assumptions
func TestSelectThatWaitedEndsByWhatCameFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := make(chan int, 1)
		go func() {
			select {
			case <-ctx.Done():
			case <-c:
				panic("received after the end")
			}
		}()
		synctest.Wait()
		cancel()
		c <- 1
	})
}

// Without Wait it need not have waited.
//
// verdict: FAILED received after the end
func TestSelectThatMayHaveComeLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := make(chan int, 1)
		go func() {
			select {
			case <-ctx.Done():
			case <-c:
				panic("received after the end")
			}
		}()
		cancel()
		c <- 1
	})
}

// verdict: proved without assumptions
func TestValueForOneWhoWaitsIsNeverInTheChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := make(chan int, 1)
		go func() { <-c }()
		synctest.Wait()
		c <- 1
		if len(c) != 0 {
			t.Fatal("it is in the channel")
		}
		select {
		case v := <-c:
			t.Fatal("taken back: ", v)
		default:
		}
		select {
		case c <- 2:
		default:
			t.Fatal("there is no room")
		}
	})
}

// verdict: proved without assumptions
func TestRoomForOneWhoWaitsIsUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := make(chan int, 1)
		c <- 1
		go func() { c <- 2 }()
		synctest.Wait()
		<-c
		if len(c) != 1 {
			t.Error("there is room")
		}
		select {
		case c <- 3:
			t.Error("there is room")
		default:
		}
		close(c)
		if v := <-c; v != 2 {
			t.Error(v)
		}
	})
}

// verdict: proved without assumptions
func TestWhoHasWaitedLongestIsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, d := make(chan int, 1), make(chan int)
		for i := range 3 {
			go func() {
				if v := <-c; v != i {
					t.Errorf("%d got %d", i, v)
				}
				d <- i
			}()
			synctest.Wait()
		}
		for i := range 3 {
			c <- i
		}
		synctest.Wait()
		for i := range 3 {
			if v := <-d; v < 0 || v > 2 {
				t.Error(i, v)
			}
		}
	})
}

// Those who have begun to wait between two calls of Wait did so in any order.
//
// verdict: FAILED the second one
func TestTwoThatHaveWaitedAsLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := make(chan int, 1)
		for i := range 2 {
			go func() {
				if v := <-c; v != i {
					t.Error("the second one")
				}
			}()
		}
		synctest.Wait()
		c <- 0
		c <- 1
	})
}

// verdict: proved
func TestTickIsForWhoHasWaitedLongest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		var first, second time.Time
		go func() { first = <-ticker.C }()
		synctest.Wait()
		go func() { second = <-ticker.C }()
		time.Sleep(5 * time.Second / 2)
		synctest.Wait()
		if !first.Before(second) {
			t.Error(first, second)
		}
	})
}

// The second one, which is met on c, could have received from b.
//
// verdict: FAILED from b
func TestOneWhoIsMetCouldHaveReceived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, c := make(chan int, 1), make(chan int)
		go func() {
			<-b
			select {
			case c <- 1:
			case <-b:
			}
		}()
		go func() {
			select {
			case <-c:
			case <-b:
				t.Error("from b")
				b <- 1
			}
		}()
		synctest.Wait()
		b <- 1
	})
}

// Two selects that wait for one another would have met.
//
// verdict: proved without assumptions
func TestNoTwoWaitForOneAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, c := make(chan int, 1), make(chan int)
		go func() {
			b <- 1
			select {
			case <-b:
			default:
			}
		}()
		go func() {
			select {
			case <-c:
			case <-b:
				b <- 1
				<-c
			}
		}()
		go func() {
			select {
			case c <- 1:
			case <-make(chan int):
			}
		}()
	})
}

// The context of a bubble ends with its function, and who waited for another waits on.
//
// verdict: FAILED deadlock.*blocked for ever in channel receive at
func TestContextOfABubbleEndsWithItsFunction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := make(chan int)
		go func() { <-c }()
		go func() {
			select {
			case c <- 1:
			case <-t.Context().Done():
			}
		}()
	})
}

// What happens after an execution has gone another way than Go's ends no check, and what the others
// do is seen all the same.
//
// verdict: FAILED index out of range
func TestFailureBesideAWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, d := make(chan int, 1), make(chan int, 1)
		go func() { <-c }()
		synctest.Wait()
		c <- 1
		if len(c) > 0 {
			panic("it is in the channel")
		}
		go func() { d <- 1 }()
		select {
		case <-d:
			var none []int
			_ = none[len(c)]
		default:
		}
	})
}
