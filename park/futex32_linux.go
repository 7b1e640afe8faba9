//go:build 386 || arm || mips || mipsle

package park

import "golang.org/x/sys/unix"

// sysFutexTime64 is for kernels without 32-bit times.
const sysFutexTime64 = unix.SYS_FUTEX_TIME64
