package runtime_test

import (
	"context"
	"fmt"
	"time"

	sw "github.com/surewake/surewake/runtime"
)

// A blinker is a future that naps between two blinks.
type blinker struct {
	nap  sw.Nap
	left int
}

func (b *blinker) Poll(cx sw.Cx) (string, error, bool) {
	for b.nap.Over(cx, time.Millisecond) {
		fmt.Println("blink")
		if b.left--; b.left == 0 {
			return "done", nil, true
		}
	}
	return "", nil, false
}

// A future that naps is polled again when the nap is over. It has no stack meanwhile.
func ExampleNap() {
	rt, _ := sw.New()
	defer rt.Close()
	fmt.Println(sw.SubmitFuture(rt, &blinker{left: 2}).Wait(context.Background()))
	// Output:
	// blink
	// blink
	// done <nil>
}

// A future may be a value, which is part of its task: with a nap, 128 bytes in all.
func ExampleSubmitFutureValue() {
	rt, _ := sw.New()
	defer rt.Close()
	h := sw.SubmitFutureValue[string](rt, blinker{left: 1})
	fmt.Println(h.Wait(context.Background()))
	// Output:
	// blink
	// done <nil>
}

func ExampleSpawnFutureValue() {
	do(func(cx sw.Cx) error {
		fmt.Println(sw.SpawnFutureValue[string](cx, blinker{left: 1}).Join(cx))
		return nil
	})
	// Output:
	// blink
	// done <nil>
}

// A summer is a future that adds what it receives, until nothing comes for a while.
type summer struct {
	next  sw.Pending
	cases []sw.Case
	value int
	sum   int
}

func newSummer(in *sw.Channel[int]) *summer {
	s := &summer{}
	s.cases = []sw.Case{in.ReceiveCase(&s.value), sw.AfterCase(time.Minute)}
	return s
}

func (s *summer) Poll(cx sw.Cx) (int, error, bool) {
	for {
		i, err, ready := s.next.Poll(cx, s.cases...)
		switch {
		case !ready:
			return 0, nil, false
		case err != nil || i == 1: // the channel is closed, or a minute is over
			return s.sum, nil, true
		}
		s.sum += s.value
	}
}

// A Pending is a Select of a future.
func ExamplePending() {
	rt, _ := sw.New()
	defer rt.Close()
	in := sw.NewChannel[int](0)
	h := sw.SubmitFuture(rt, newSummer(in))
	for i := range 4 {
		_ = in.SendContext(context.Background(), i)
	}
	_ = in.Close()
	fmt.Println(h.Wait(context.Background()))
	// Output: 6 <nil>
}
