package races

import (
	"context"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// pair runs two goroutines over a channel of that capacity and a plain variable.
func pair(t *testing.T, capacity int, one, two func(c chan struct{}, plain *int), opts ...model.Option) {
	t.Helper()
	model.Check(t, func(x *model.Exec) {
		c, plain := make(chan struct{}, capacity), new(int)
		x.Go("one", func() { one(c, plain) })
		x.Go("two", func() { two(c, plain) })
		x.Join()
	}, opts...)
}

// A send comes before the receive of its value.
func TestSendReceive(t *testing.T) {
	for _, capacity := range []int{0, 1, 2} {
		pair(t, capacity, func(c chan struct{}, plain *int) { *plain = 1; c <- struct{}{} },
			func(c chan struct{}, plain *int) { <-c; *plain++ })
	}
}

// What comes after the send is ordered with nothing.
func TestWriteAfterSend(t *testing.T) {
	pair(t, 1, func(c chan struct{}, plain *int) { c <- struct{}{}; *plain = 1 },
		func(c chan struct{}, plain *int) { <-c; *plain++ })
}

// On an unbuffered channel, a receive comes before the end of its send.
func TestReceiveBeforeSendEnds(t *testing.T) {
	pair(t, 0, func(c chan struct{}, plain *int) { *plain = 1; <-c },
		func(c chan struct{}, plain *int) { c <- struct{}{}; *plain++ })
}

// On a buffered one it does not.
func TestSendDoesNotWait(t *testing.T) {
	pair(t, 1, func(c chan struct{}, plain *int) { *plain = 1; <-c },
		func(c chan struct{}, plain *int) { c <- struct{}{}; *plain++ })
}

// A receive comes before the end of the send that needs its room, though not
// before sends in general.
func TestRoom(t *testing.T) {
	pair(t, 1, func(c chan struct{}, plain *int) { *plain = 1; <-c },
		func(c chan struct{}, plain *int) { c <- struct{}{}; c <- struct{}{}; *plain++ })
}

func TestRoomForTwo(t *testing.T) {
	pair(t, 2, func(c chan struct{}, plain *int) { *plain = 1; <-c },
		func(c chan struct{}, plain *int) { c <- struct{}{}; c <- struct{}{}; *plain++ })
}

// A channel with room for one is a lock; one with room for two is none, not even
// when its users happen to come one after the other.
func TestLock(t *testing.T) {
	hold := func(c chan struct{}, plain *int) { c <- struct{}{}; *plain++; <-c }
	pair(t, 1, hold, hold)
}

func TestNoLock(t *testing.T) {
	hold := func(c chan struct{}, plain *int) { c <- struct{}{}; *plain++; <-c }
	pair(t, 2, hold, hold)
}

// A close comes before a receive that returns because of it.
func TestCloseReceive(t *testing.T) {
	for _, capacity := range []int{0, 1} {
		pair(t, capacity, func(c chan struct{}, plain *int) { *plain = 1; close(c) },
			func(c chan struct{}, plain *int) { <-c; *plain++ })
	}
}

func TestWriteAfterClose(t *testing.T) {
	pair(t, 0, func(c chan struct{}, plain *int) { close(c); *plain = 1 },
		func(c chan struct{}, plain *int) { <-c; *plain++ })
}

// Finding a channel empty orders nothing: of two schedules, one has the race.
func TestDefault(t *testing.T) {
	pair(t, 1, func(c chan struct{}, plain *int) { *plain = 1; c <- struct{}{} },
		func(c chan struct{}, plain *int) {
			select {
			case <-c:
			default:
			}
			*plain++
		})
}

// Two selects meet: each side is ordered before what the other does next.
func TestMeeting(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c, never := make(chan *int), make(chan int)
		one, two := 0, 0
		x.Go("one", func() {
			v := 1
			one = 1
			select {
			case c <- &v:
			case <-never:
			}
			v, two = 2, two+1
		})
		x.Go("two", func() {
			two = 1
			select {
			case <-c:
			case <-never:
			}
			one++
		})
		x.Join()
	})
}

// What is behind a pointer that was sent is the receiver's.
func TestSentAndKept(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan *int)
		x.Go("one", func() {
			v := new(int)
			select {
			case c <- v:
			case <-make(chan int):
			}
			*v = 1
		})
		x.Go("two", func() { *<-c = 2 })
		x.Join()
	})
}

// Cancelling a context comes before the end of its Done, and before its
// functions.
func TestContext(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancel(context.Background())
		child, cancelChild := context.WithTimeout(ctx, time.Hour)
		defer cancelChild()
		plain, ran := 0, make(chan int)
		context.AfterFunc(child, func() { ran <- plain + 1 })
		x.Go("one", func() { plain = 1; cancel() })
		<-child.Done()
		_ = plain + 1
		<-ran
		x.Join()
	})
}

// A timer's function comes after what came before the timer was set; that its
// time is earlier orders it with nothing else.
func TestTimers(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		plain, done := 1, make(chan int)
		timer := time.AfterFunc(time.Second, func() { plain++; done <- 1 })
		<-done
		plain++
		timer.Reset(time.Second)
		<-done
		_ = plain
	})
}

func TestTimeIsNoOrder(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		plain := new(int)
		time.AfterFunc(time.Second, func() { *plain = 1 })
		<-time.After(2 * time.Second)
		*plain++
	})
}
