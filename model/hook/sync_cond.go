package hook

import (
	"sync"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// CondWait is the hook of sync.Cond.Wait: the goroutine queues, unlocks, waits
// for its signal and locks again.
//
//go:norace
//go:noinline
func CondWait(c *sync.Cond) {
	mustBeOriginal(c)
	if !explore.Enter(unsafe.Pointer(c), explore.OpCondAdd) {
		c.Wait()
		return
	}
	explore.RaceRead(unsafe.Pointer(&c.L))
	DynUnlock(c.L)
	explore.EnterCondWait()
	explore.RaceRead(unsafe.Pointer(&c.L))
	DynLock(c.L)
}

// CondSignal is the hook of sync.Cond.Signal. Every waiter that it may wake is
// explored: the documentation promises no order.
//
//go:norace
//go:noinline
func CondSignal(c *sync.Cond) {
	mustBeOriginal(c)
	if !explore.Enter(unsafe.Pointer(c), explore.OpCondSignal) {
		c.Signal()
	}
}

// CondBroadcast is the hook of sync.Cond.Broadcast.
//
//go:norace
//go:noinline
func CondBroadcast(c *sync.Cond) {
	mustBeOriginal(c)
	if !explore.Enter(unsafe.Pointer(c), explore.OpCondBroadcast) {
		c.Broadcast()
	}
}

// mustBeOriginal panics as package sync does if c is a copy of a Cond that was used.
//
//go:norace
func mustBeOriginal(c *sync.Cond) {
	if explore.MeetCond(unsafe.Pointer(c)) {
		panic("sync.Cond is copied")
	}
}
