package runtime

import (
	"fmt"
	"strings"
)

// Dump describes a runtime that is stuck. What it reads of the workers may be changing.
//
//go:norace
func Dump(rt *Runtime) string {
	var s strings.Builder
	fmt.Fprintf(
		&s,
		"mode %d, live %d, injector %d, driver %d, parked %d of %d, searching %d, running %d, "+
			"finished %v, next timer in %d\n",
		rt.mode.Load(),
		rt.live.Load(),
		rt.injector.Len(),
		rt.driver.Load()&^notScanning-1,
		rt.idle.Parked(),
		len(rt.workers),
		rt.idle.Searching(),
		rt.running.Load(),
		rt.finished.Load(),
		rt.timers.until(rt.now()),
	)
	for _, w := range rt.workers {
		count := w.count // Fprintf would read it with the race detector's knowledge
		fmt.Fprintf(
			&s,
			"worker %d: slot %p, ring %d, credit %d, replaceDriver %v, quiet %v, spares %d, %+v\n",
			w.id,
			w.slot.Load(),
			w.ring.Len(),
			w.credit,
			w.replaceDriver,
			w.unannounced,
			len(w.spares),
			count,
		)
	}
	return s.String()
}

// DumpTask describes a task.
func DumpTask[T any](h *Handle[T]) string { return fmt.Sprintf("%p %v", &h.task, h.state.Load()) }
