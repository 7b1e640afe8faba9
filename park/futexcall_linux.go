package park

import (
	"math"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The two calls of the kernel, and nothing else.
//
// unsafe is used here only to pass addresses to the kernel, in the form that package unsafe allows:
// a conversion to uintptr within the call. The kernel uses them during the call only, except that
// it finds a thread that sleeps on a word by the word's address; its goroutine's stack refers to
// the Parker all the while, so the word stays where it is.

const (
	// FUTEX_PRIVATE_FLAG: no other process uses the word, which makes its look-up cheap
	private = 128

	// FUTEX_WAIT: the timeout is relative, by CLOCK_MONOTONIC, as Go's clock is
	opWait = 0 | private
	opWake = 1 | private // FUTEX_WAKE
)

// futexWait sleeps until a wake on word, if the word is val, which the kernel compares in one step
// with going to sleep; at most for d, unless d is negative. It returns 0 after a wake or
// spuriously, EAGAIN if the word was not val, EINTR, ETIMEDOUT, or an error.
//
// Syscall, not RawSyscall: the thread blocks, so the scheduler must be able to give its P to
// others, and the collector to stop the world without it.
func futexWait(word *atomic.Uint32, val uint32, d time.Duration) unix.Errno {
	var errno unix.Errno
	if d < 0 {
		_, _, errno = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), opWait,
			uintptr(val), 0, 0, 0)
	} else {
		ts := newTimespec(d)
		_, _, errno = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), opWait,
			uintptr(val), uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
	if no32(errno) {
		return futexWait64(word, val, d)
	}
	return errno
}

// futexWake wakes at most n of those that sleep on word.
//
// RawSyscall, not Syscall: a wake does not block. If the scheduler knew of the call it could take
// the waker's P away, since waking an idle processor takes about as long as it allows a system
// call; the waker would be stopped.
func futexWake(word *atomic.Uint32, n int) unix.Errno {
	_, _, errno := unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), opWake,
		uintptr(n), 0, 0, 0)
	if no32(errno) {
		return futexWake64(word, n)
	}
	return errno
}

// no32 reports whether a call failed because the kernel was built without 32-bit times, so that the
// calls below must be used. The old call first is the safe order: some old kernels use the new
// number for something else, and some sandboxes kill the process that uses it. As the timeout is
// relative, 32 bits are enough for it in any year.
func no32(errno unix.Errno) bool {
	return sysFutexTime64 != 0 && errno == unix.ENOSYS
}

func futexWait64(word *atomic.Uint32, val uint32, d time.Duration) unix.Errno {
	if d < 0 {
		_, _, errno := unix.Syscall6(sysFutexTime64, uintptr(unsafe.Pointer(word)), opWait,
			uintptr(val), 0, 0, 0)
		return errno
	}
	ts := timespec64{int64(d / time.Second), int64(d % time.Second)}
	_, _, errno := unix.Syscall6(sysFutexTime64, uintptr(unsafe.Pointer(word)), opWait,
		uintptr(val), uintptr(unsafe.Pointer(&ts)), 0, 0)
	return errno
}

func futexWake64(word *atomic.Uint32, n int) unix.Errno {
	_, _, errno := unix.RawSyscall6(sysFutexTime64, uintptr(unsafe.Pointer(word)), opWake,
		uintptr(n), 0, 0, 0)
	return errno
}

// A timespec is the kernel's time structure: two of C's long, which has the size of int on every
// platform on which Go runs Linux.
type timespec struct{ sec, nsec int }

// newTimespec returns d, or the largest time that the structure holds: 68 years where an int has 32
// bits. A longer sleep ends early there, and the parker sleeps again.
func newTimespec(d time.Duration) timespec {
	sec := d / time.Second
	if sec > math.MaxInt {
		return timespec{sec: math.MaxInt}
	}
	return timespec{int(sec), int(d % time.Second)}
}

// A timespec64 is the time structure of the system calls whose names end in time64.
type timespec64 struct{ sec, nsec int64 }
