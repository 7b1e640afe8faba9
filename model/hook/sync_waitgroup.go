package hook

import (
	"sync"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// WaitGroupAdd is the hook of sync.WaitGroup.Add.
//
//go:norace
//go:noinline
func WaitGroupAdd(wg *sync.WaitGroup, delta int) {
	explore.EnterDelta(unsafe.Pointer(wg), delta)
	wg.Add(delta)
}

// WaitGroupDone is the hook of sync.WaitGroup.Done.
//
//go:norace
//go:noinline
func WaitGroupDone(wg *sync.WaitGroup) { WaitGroupAdd(wg, -1) }

// WaitGroupWait is the hook of sync.WaitGroup.Wait.
//
//go:norace
//go:noinline
func WaitGroupWait(wg *sync.WaitGroup) {
	checked, free := explore.LookAtGroup(unsafe.Pointer(wg))
	if !checked || free {
		wg.Wait()
	}
	if !checked {
		return
	}
	if explore.ReturnFromGroup(unsafe.Pointer(wg)) {
		panic("sync: WaitGroup is reused before previous Wait has returned")
	}
	if !free {
		wg.Wait()
	}
}

// WaitGroupGo is the hook of sync.WaitGroup.Go.
//
//go:norace
//go:noinline
func WaitGroupGo(wg *sync.WaitGroup, f func()) {
	WaitGroupAdd(wg, 1)
	start(explore.FuncName(f), func() {
		defer WaitGroupDone(wg)
		f()
	})
}
