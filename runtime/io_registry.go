package runtime

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/surewake/surewake/runtime/internal/poll"
)

// watches is the set of a runtime's watches. Any goroutine may call its methods.
type watches struct {
	// count is the number of watches that the kernel knows: all, or none with Netpoll. Changed
	// under the lock; loaded by the driver before it sleeps and by workers once a tick.
	count  atomic.Int32
	open   atomic.Int32 // watches in slots; changed under the lock, loaded by any goroutine
	poller poll.Poller  // started before the first is counted

	lock   sync.Mutex
	kernel poll.Descriptors // nil before the first; set once, under the lock
	closed bool             // under the lock
	// slots holds each watch at the index in the lower half of its id, until it is removed. The
	// upper half is a generation, which tells it from earlier watches at the same index. Under the
	// lock.
	slots []watchSlot
	free  []uint32 // indices of slots; under the lock
	// inNetpoll has the watches for which goroutines wait in Go's poller, by descriptor. Under the
	// lock.
	inNetpoll map[uintptr]*Watch
}

// A watchSlot is an entry of watches.slots.
type watchSlot struct {
	watch      *Watch // nil if the slot is free
	generation uint32
}

// add gives w an id, and adds its descriptor to the kernel unless Go's poller waits for it.
func (ws *watches) add(w *Watch, inKernel bool) error {
	ws.lock.Lock()
	defer ws.lock.Unlock()
	if ws.closed {
		return ErrClosed
	}
	if len(ws.free) == 0 {
		ws.slots = append(ws.slots, watchSlot{})
		ws.free = append(ws.free, uint32(len(ws.slots)-1))
	}
	i := ws.free[len(ws.free)-1]
	slot := &ws.slots[i]
	w.id = uint64(slot.generation)<<32 | uint64(i+1)
	add := ws.addToNetpoll
	if inKernel {
		add = ws.addToKernel
	}
	if err := add(w); err != nil {
		return err
	}
	ws.free = ws.free[:len(ws.free)-1]
	slot.watch = w
	ws.open.Add(1)
	return nil
}

// addToKernel tells the kernel of w, and starts it before the first. The caller holds the lock.
func (ws *watches) addToKernel(w *Watch) error {
	if ws.kernel == nil {
		kernel, err := w.rt.config.kernel()
		if err != nil {
			return err
		}
		ws.kernel = kernel
		ws.poller.Start(kernel)
	}
	var err error
	if e := w.conn.Control(func(fd uintptr) {
		_, err = ws.kernel.Add(fd, w.id)
		err = refusal(fd, err)
	}); e != nil {
		return e
	}
	if err == nil {
		ws.count.Add(1)
	}
	return err
}

// addToNetpoll refuses what the kernel would, which Go's poller does not: a connection that is
// closed, and a descriptor that is watched already. The caller holds the lock.
func (ws *watches) addToNetpoll(w *Watch) error {
	var of uintptr
	if err := w.conn.Control(func(fd uintptr) { of = fd }); err != nil {
		return err
	}
	// The number of a descriptor that was closed under its Watch may be another's now.
	if old := ws.inNetpoll[of]; old != nil && old.conn.Control(func(uintptr) {}) == nil {
		return refusal(of, fs.ErrExist)
	}
	if ws.inNetpoll == nil {
		ws.inNetpoll = make(map[uintptr]*Watch)
	}
	ws.inNetpoll[of], w.fd = w, of
	return nil
}

// alwaysReady is the error for a file that is, as far as it says so; nil otherwise.
func alwaysReady(c syscall.Conn) error {
	file, ok := c.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return nil
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return nil
	}
	return fmt.Errorf("%s cannot be waited for; it is always ready, as a file on a disk is: %w",
		info.Name(), fs.ErrPermission)
}

// refusal returns err, for which the kernel does not watch fd, with the rule that is broken.
func refusal(fd uintptr, err error) error {
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("descriptor %d is watched by this runtime already; "+
			"close that Watch, Conn or Listener first: %w", fd, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("descriptor %d cannot be waited for; it is always ready, "+
			"as a file on a disk is: %w", fd, err)
	}
	return err
}

// remove undoes add.
func (ws *watches) remove(w *Watch) {
	inKernel := w.rt.config.poller != Netpoll
	if inKernel {
		// An error says that the descriptor is closed; then the kernel has removed it.
		_ = w.conn.Control(func(fd uintptr) { ws.kernel.Remove(fd) })
	}
	ws.lock.Lock()
	defer ws.lock.Unlock()
	i := uint32(w.id) - 1
	slot := &ws.slots[i]
	slot.watch = nil
	slot.generation++
	ws.free = append(ws.free, i)
	if ws.open.Add(-1) == 0 {
		w.rt.asleep.rests(w.rt) // partner: quiet, which may have found it
	}
	if inKernel {
		ws.count.Add(-1)
	} else if ws.inNetpoll[w.fd] == w {
		delete(ws.inNetpoll, w.fd)
	}
}

// find returns the watch with an id, or nil if that was removed.
func (ws *watches) find(id uint64) *Watch {
	ws.lock.Lock()
	defer ws.lock.Unlock()
	if slot := ws.slots[uint32(id)-1]; slot.generation == uint32(id>>32) {
		return slot.watch
	}
	return nil
}

// endAll ends the waits of all watches, for which tasks of other runtimes may wait, and refuses
// further ones. The goroutines in Go's poller return soon. It is called when no task is left.
func (ws *watches) endAll() {
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
}

// close ends all watches and closes the kernel. The last worker calls it.
func (ws *watches) close() {
	ws.endAll()
	ws.lock.Lock()
	defer ws.lock.Unlock()
	if ws.kernel != nil {
		ws.kernel.Close()
	}
}
