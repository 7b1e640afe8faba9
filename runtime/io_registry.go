package runtime

import (
	"sync"
	"sync/atomic"

	"github.com/surewake/surewake/runtime/internal/poll"
)

// watches are those of a runtime that are added to the kernel. Anyone may call its methods.
type watches struct {
	// count is how many there are. Added to under the lock; loaded by the driver, before it sleeps, and by workers once a tick.
	count  atomic.Int32
	poller poll.Poller // started before the first is counted

	lock   sync.Mutex
	kernel poll.Descriptors // nil before the first; set once, under the lock
	closed bool             // under the lock
	// slots holds each watch at the index that is half of its id, until it is removed; the other half, a generation, tells it from those
	// that were there before. Under the lock.
	slots []watchSlot
	free  []uint32 // indices of slots; under the lock
}

type watchSlot struct {
	watch      *Watch // nil if the slot is free
	generation uint32
}

// add gives w an id, under which the kernel tells of it.
func (ws *watches) add(w *Watch) error {
	ws.lock.Lock()
	defer ws.lock.Unlock()
	if ws.closed {
		return ErrClosed
	}
	if ws.kernel == nil {
		kernel, err := w.rt.config.kernel()
		if err != nil {
			return err
		}
		ws.kernel = kernel
		ws.poller.Start(kernel)
	}
	if len(ws.free) == 0 {
		ws.slots = append(ws.slots, watchSlot{})
		ws.free = append(ws.free, uint32(len(ws.slots)-1))
	}
	i := ws.free[len(ws.free)-1]
	slot := &ws.slots[i]
	w.id = uint64(slot.generation)<<32 | uint64(i+1)
	var err error
	if e := w.conn.Control(func(fd uintptr) { _, err = ws.kernel.Add(fd, w.id) }); e != nil {
		return e
	}
	if err != nil {
		return err
	}
	ws.free = ws.free[:len(ws.free)-1]
	slot.watch = w
	ws.count.Add(1)
	return nil
}

// remove undoes add.
func (ws *watches) remove(w *Watch) {
	w.conn.Control(func(fd uintptr) { ws.kernel.Remove(fd) }) // an error says that it is closed, and then the kernel has removed it
	ws.lock.Lock()
	defer ws.lock.Unlock()
	i := uint32(w.id) - 1
	slot := &ws.slots[i]
	slot.watch = nil
	slot.generation++
	ws.free = append(ws.free, i)
	ws.count.Add(-1)
}

// find returns the watch that has an id, or nil.
func (ws *watches) find(id uint64) *Watch {
	ws.lock.Lock()
	defer ws.lock.Unlock()
	if slot := ws.slots[uint32(id)-1]; slot.generation == uint32(id>>32) {
		return slot.watch
	}
	return nil
}

// close closes all that there are, for tasks of other runtimes may wait for them, and gives back what the kernel has given. The last
// worker calls it.
func (ws *watches) close() {
	ws.lock.Lock()
	ws.closed = true
	var left []*Watch
	for _, slot := range ws.slots {
		if slot.watch != nil {
			left = append(left, slot.watch)
		}
	}
	ws.lock.Unlock()
	for _, w := range left {
		w.endWaits()
	}
	ws.lock.Lock()
	defer ws.lock.Unlock()
	if ws.kernel != nil {
		ws.kernel.Close()
	}
}
