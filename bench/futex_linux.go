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
	word := new(uint32)
	var over atomic.Bool
	call := func(op, value uintptr) {
		unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), op, value, 0, 0, 0)
	}
	wake := func() {
		atomic.StoreUint32(word, 1)
		call(futexWake, 1)
	}
	go func() {
		for {
			for atomic.LoadUint32(word) == 0 {
				call(futexWait, 0)
			}
			if over.Load() {
				return
			}
			atomic.StoreUint32(word, 0)
			ran.Store(int64(time.Since(epoch)))
		}
	}()
	return []contender{{name: "bare futex", ops: 1, round: func() time.Duration {
			spin()
			begin := time.Since(epoch)
			wake()
			return await(ran, begin)
		}}}, func() {
			over.Store(true)
			wake()
		}
}
