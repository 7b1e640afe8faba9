package a

import (
	"context"
	"sync"
	"time"

	"github.com/surewake/surewake/runtime"
)

type holder struct{ cx runtime.Cx }

type alias = runtime.Cx

func uses(cx runtime.Cx, n int) {}

func goroutines(cx runtime.Cx, rt *runtime.Runtime, h *runtime.Handle[int], all []runtime.Cx) {
	go uses(cx, 1)               // want `cx must not be used on another goroutine: it is the Cx of the task that runs here`
	go cx.Yield()                // want `cx must not be used on another goroutine`
	go h.Join(cx)                // want `cx must not be used on another goroutine`
	go uses(all[0], 1)           // want `all\[0\] must not be used on another goroutine`
	go (func() { cx.Yield() })() // want `cx must not be used on another goroutine`
	go func() {
		func() {
			h.Join(cx) // want `cx must not be used on another goroutine`
		}()
	}()
	x := holder{cx}
	p := &x
	go func() {
		x.cx.Yield()    // want `x\.cx must not be used on another goroutine`
		(*p).cx.Yield() // want `\(\*p\)\.cx must not be used on another goroutine`
		all[1].Yield()  // want `all\[1\] must not be used on another goroutine`
	}()
	var other alias = cx
	go func(cx runtime.Cx) { cx.Yield() }(other) // want `other must not be used on another goroutine`

	var group sync.WaitGroup
	group.Go(func() { cx.Yield() })                                      // want `cx must not be used on another goroutine`
	time.AfterFunc(1, func() { cx.Yield() })                             // want `cx must not be used on another goroutine`
	context.AfterFunc(context.Background(), func() { cx.Yield() })       // want `cx must not be used on another goroutine`
	runtime.SpawnBlocking(cx, func() (int, error) { return h.Join(cx) }) // want `cx must not be used on another goroutine`
	runtime.SubmitBlocking(rt, func() (int, error) {
		cx.Yield() // want `cx must not be used on another goroutine`
		return 0, nil
	})
}

func tasks(cx runtime.Cx, rt *runtime.Runtime, h *runtime.Handle[int]) {
	runtime.Spawn(cx, func(inner runtime.Cx) (int, error) { return h.Join(cx) }) // want `cx is the Cx of another task: this function has its own`
	runtime.Spawn(cx, func(runtime.Cx) (int, error) { return h.Join(cx) })       // want `cx is the Cx of another task`
	runtime.SpawnBatch(cx, 3, func(_ runtime.Cx, i int) (int, error) {
		cx.Yield() // want `cx is the Cx of another task`
		return i, nil
	})
	runtime.Submit(rt, func(outer runtime.Cx) (int, error) {
		return runtime.Spawn(outer, func(inner runtime.Cx) (int, error) {
			inner.Shield(func() { outer.Yield() }) // want `outer is the Cx of another task`
			return 0, nil
		}).Join(outer)
	})
	_ = runtime.Scope(cx, func(inner runtime.Cx, s *runtime.TaskScope) error {
		runtime.SpawnIn(cx, s, func(cx runtime.Cx) (int, error) { return h.Join(cx) }) // want `cx is the Cx of another task`
		return nil
	})
	later := func(inner runtime.Cx) { cx.Yield() } // want `cx is the Cx of another task`
	later(cx)
}

func allowed(cx runtime.Cx, rt *runtime.Runtime, h *runtime.Handle[int]) {
	runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
		cx.Shield(func() { cx.Yield() })
		mine := cx
		func() { mine.Yield() }()
		return h.Join(cx)
	})
	runtime.SpawnBlocking(cx, func() (int, error) { return 1, nil })
	go func() {
		runtime.Submit(rt, func(cx runtime.Cx) (int, error) { cx.Yield(); return h.Join(cx) })
	}()
	same := func() { cx.Yield() }
	same()
	func() { defer cx.Yield() }()
	go func() {
		cx.Yield() //cxcheck:ignore it panics
		//cxcheck:ignore it panics
		h.Join(cx)
	}()
	go func() {
		//cxcheck:ignore
		cx.Yield() // want `cx must not be used on another goroutine`
	}()
}
