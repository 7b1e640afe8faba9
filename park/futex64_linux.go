//go:build !(386 || arm || mips || mipsle)

package park

const sysFutexTime64 = 0 // no need: time has 64 bits in every system call
