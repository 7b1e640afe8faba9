//go:build 386 || arm || mips || mipsle

package park

import "golang.org/x/sys/unix"

const sysFutexTime64 = unix.SYS_FUTEX_TIME64
