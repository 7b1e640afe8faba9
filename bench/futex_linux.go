package main

import (
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	futexWait = 128 // private
	futexWake = 129
)

// bareFutex is a goroutine that sleeps in a futex, with nothing around it.
func bareFutex(ran *atomic.Int64) ([]contender, func()) {
	wake, stop := answers(func() { ran.Store(int64(time.Since(epoch))) })
	return []contender{{name: "bare futex", peer: true, ops: 1, round: func() time.Duration {
		spin()
		begin := time.Since(epoch)
		wake()
		return await(ran, begin)
	}}}, stop
}

// A futex is a word that is 1 if somebody has to wake.
type futex struct{ word *uint32 }

func newFutex() futex { return futex{new(uint32)} }

func (f futex) wait() {
	for atomic.LoadUint32(f.word) == 0 {
		f.call(futexWait, 0)
	}
	atomic.StoreUint32(f.word, 0)
}

func (f futex) wake() {
	atomic.StoreUint32(f.word, 1)
	f.call(futexWake, 1)
}

// call may fail, if the word has changed meanwhile; then whoever waits looks again.
func (f futex) call(op, value uintptr) {
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(f.word)), op, value, 0, 0, 0)
}

// answers starts a goroutine that calls answer each time it is woken.
func answers(answer func()) (wake, stop func()) {
	there := newFutex()
	var over atomic.Bool
	go func() {
		for {
			there.wait()
			if over.Load() {
				return
			}
			answer()
		}
	}()
	return there.wake, func() {
		over.Store(true)
		there.wake()
	}
}

// futexRoundTrip wakes a goroutine that sleeps in a futex, and sleeps in one until it answers.
func futexRoundTrip(n int, gap func()) ([]contender, func()) {
	back := newFutex()
	wake, stop := answers(back.wake)
	return []contender{{name: "bare futex, there and back", peer: true, ops: n, gap: gap,
		round: outside(func() {
			for range n {
				wake()
				back.wait()
			}
		})}}, stop
}
