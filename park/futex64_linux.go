//go:build !(386 || arm || mips || mipsle)

package park

// sysFutexTime64 is not needed: the time structure of SYS_FUTEX has 64 bits.
const sysFutexTime64 = 0
