// Package futexes holds programs that call the futex of the kernel themselves.
package futexes

import (
	"fmt"
	"io"
	"math"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/surewake/surewake/model"
)

func sleep(word *atomic.Uint32) unix.Errno {
	_, _, errno := unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), 128, 0, 0, 0, 0)
	return errno
}

func sleepFor(word *atomic.Uint32, d time.Duration) unix.Errno {
	ts := unix.Timespec{Nsec: int64(d)}
	_, _, errno := unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), 128, 0,
		uintptr(unsafe.Pointer(&ts)), 0, 0)
	return errno
}

func wake(word *atomic.Uint32, n uint32) uintptr {
	woken, _, _ := unix.RawSyscall6(
		unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), 129, uintptr(n), 0, 0, 0)
	return woken
}

// sleepers starts count goroutines that sleep unless the word is 1. Those that are woken send their
// numbers to woken. After wakes, which is run beside them, all are woken.
func sleepers(x *model.Exec, count int, wakes func(word *atomic.Uint32, woken chan int)) {
	var word atomic.Uint32
	woken := make(chan int, count)
	for i := range count {
		x.Go(fmt.Sprint("sleeper ", i), func() {
			if sleep(&word) == 0 {
				woken <- i
			}
		})
	}
	x.Go("waker", func() {
		wakes(&word, woken)
		word.Store(1)
		wake(&word, math.MaxInt32)
	})
	x.Join()
}

// A wake of two of three sleepers lets any one of them sleep on. All three sleep by then, if the
// second wake finds one: a later one would have seen the new word.
func staysAsleep(t *testing.T, who int) {
	model.Check(t, func(x *model.Exec) {
		sleepers(x, 3, func(word *atomic.Uint32, woken chan int) {
			word.Store(1)
			if wake(word, 2) == 2 && <-woken+<-woken == 0+1+2-who && wake(word, 1) == 1 {
				panic("the third one slept on")
			}
		})
	})
}

// verdict: FAILED the third one slept on
func TestTheFirstStaysAsleep(t *testing.T) { staysAsleep(t, 0) }

// verdict: FAILED the third one slept on
func TestTheSecondStaysAsleep(t *testing.T) { staysAsleep(t, 1) }

// verdict: FAILED the third one slept on
func TestTheThirdStaysAsleep(t *testing.T) { staysAsleep(t, 2) }

// The sleepers arrive in any order, which is not part of a trace.
//
// verdict: proved without assumptions
func TestSleepersThatPrint(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		sleepers(x, 3, func(word *atomic.Uint32, woken chan int) {
			if wake(word, 2) == 2 && <-woken == <-woken {
				panic("one was woken twice")
			}
			fmt.Fprintln(io.Discard, "woken")
		})
	})
}

// The kernel wakes one sleeper before it looks at the number.
//
// verdict: FAILED one of 0 was woken
func TestAWakeOfNone(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		sleepers(x, 1, func(word *atomic.Uint32, _ chan int) {
			if wake(word, 0) == 1 {
				panic("one of 0 was woken")
			}
		})
	})
}

// The number is signed.
//
// verdict: FAILED one of two was woken
func TestAWakeOfTooMany(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		sleepers(x, 2, func(word *atomic.Uint32, _ chan int) {
			word.Store(1)
			if wake(word, math.MaxUint32) == 1 && wake(word, 1) == 1 {
				panic("one of two was woken")
			}
		})
	})
}

// A sleep that ends early moves the clock: what begins later ends later.
//
// verdict: said the order of timeouts of futex waits
func TestTimeoutsAfterAnEarlyOne(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var words [3]atomic.Uint32
		var ended atomic.Int32
		var places [3]int32
		for i, ms := range []time.Duration{10, 15, 20} {
			x.Go(fmt.Sprint("sleeper ", i), func() {
				if sleepFor(&words[i], ms*time.Millisecond) == unix.ETIMEDOUT {
					places[i] = ended.Add(1)
				}
			})
		}
		x.Join()
		if places == [3]int32{1, 3, 2} {
			panic("20ms ended before 15ms")
		}
	}, model.Timeouts(1))
}
