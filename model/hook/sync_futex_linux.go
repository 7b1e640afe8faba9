package hook

import (
	"fmt"
	"syscall"
	"time"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

const (
	sysFutexTime64 = 422 // on 32-bit machines, with a 64-bit time structure
	futexWait      = 0
	futexWake      = 1
	futexFlags     = 128 | 256 // private, realtime clock: of no consequence here
)

// Syscall6 is the hook of unix.Syscall6 and syscall.Syscall6: futex calls are
// modelled, others refused.
//
//go:norace
//go:noinline
//go:uintptrescapes
func Syscall6(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err syscall.Errno) {
	if !explore.Active() {
		return syscall.Syscall6(trap, a1, a2, a3, a4, a5, a6)
	}
	return futex(trap, a1, a2, a3, a4)
}

// RawSyscall6 is the hook of unix.RawSyscall6 and syscall.RawSyscall6.
//
//go:norace
//go:noinline
//go:uintptrescapes
func RawSyscall6(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err syscall.Errno) {
	if !explore.Active() {
		return syscall.RawSyscall6(trap, a1, a2, a3, a4, a5, a6)
	}
	return futex(trap, a1, a2, a3, a4)
}

//go:norace
func futex(trap, addr, op, val, timeout uintptr) (r1, r2 uintptr, err syscall.Errno) {
	if trap != syscall.SYS_FUTEX && trap != sysFutexTime64 {
		explore.Fail(explore.KindRefused, fmt.Sprintf("system call %d is not modelled", trap))
	}
	switch op &^ futexFlags {
	case futexWait:
		explore.Passed(pointer(timeout), 2*unsafe.Sizeof(timeout))
		r, _ := explore.FutexWait(pointer(addr), uint32(val), timespec(trap, timeout))
		switch r {
		case explore.FutexMismatch:
			return 0, 0, syscall.EAGAIN
		case explore.FutexTimeout:
			return 0, 0, syscall.ETIMEDOUT
		case explore.FutexInterrupted:
			return 0, 0, syscall.EINTR
		}
		return 0, 0, 0
	case futexWake:
		// The kernel looks at the number, which is signed, after it has woken one.
		n, _ := explore.FutexWake(pointer(addr), max(1, int(int32(val))))
		return uintptr(n), 0, 0
	}
	explore.Fail(explore.KindRefused, fmt.Sprintf("futex operation %d is not modelled", op))
	return
}

// pointer gives back the pointer that the caller of a system call converted;
// uintptrescapes keeps what it points to alive and in its place meanwhile.
func pointer(addr uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) }

// timespec reads the relative timeout at the address, -1 for none.
//
//go:norace
func timespec(trap, addr uintptr) time.Duration {
	p := pointer(addr)
	if p == nil {
		return -1
	}
	if unsafe.Sizeof(addr) == 8 || trap == sysFutexTime64 {
		ts := (*[2]int64)(p)
		return duration(ts[0], ts[1])
	}
	ts := (*[2]int32)(p)
	return duration(int64(ts[0]), int64(ts[1]))
}

func duration(sec, nsec int64) time.Duration {
	const most = 1<<63 - 1
	if sec > most/int64(time.Second)-1 {
		return most
	}
	return time.Duration(sec)*time.Second + time.Duration(nsec)
}
