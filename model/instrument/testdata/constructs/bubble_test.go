package t

import (
	"testing"
	. "testing/synctest"
	sc "testing/synctest"
)

func made[C ~chan int](n int) C { return make(C, n) }

func TestBubble(t *testing.T) {
	run, wait := sc.Test, Wait
	run(t, func(t *testing.T) {
		c := make(chan int,
			1)
		eq(t, cap(c)+cap(made[ints2](2)), 3)
		done := false
		go func() { done = <-c == 1 }()
		wait()
		c <- 1
		sc.Wait()
		eq(t, done, true)
	})
}
