package runtime

import (
	"sync"
	"sync/atomic"
)

// What a runtime knows of futures that wait
//
// A future has a slot from when it waits until it ends, with what only few futures need at a time:
// the alarm, a timer that wakes it, and the list of its [Pending]s. So a future takes 16 bytes more
// while it waits, and none before; and Close finds all that wait. Slots are in chunks, which never
// move: an alarm is in the heap of timers by its address.

// A futureState is the part of a poll-style task that is not its result. The runner accesses it.
type futureState struct {
	slot     uint32 // noSlot until the future waits
	alarming bool   // the alarm may be set
	pending  bool   // the list of Pendings is not empty
}

const noSlot = 0

// futureChunkLen is how many slots a chunk has, which takes 4 KB.
const futureChunkLen = 255

// A futureChunk has the slots of as many futures.
type futureChunk struct {
	// alarms have the future's task, or nil if the slot is free: under the lock of the list. The
	// rest of each is the future's, which sets it, and then of the runtime's timers.
	alarms [futureChunkLen]timer
	// pendings are the heads of lists of Pendings, each for the runner of its future. The array is
	// made with the first.
	pendings atomic.Pointer[[futureChunkLen]*pendingWait]
}

// A futureList has the poll-style tasks of a runtime that have a slot: at least those that have
// been IDLE and have not ended. Any goroutine may call its methods.
type futureList struct {
	lock  sync.Mutex
	count int      // slots in use
	free  []uint32 // slots of chunks that are not in use; the last is used next
	// chunks is replaced under the lock by a longer slice, or by one of the first chunk when no
	// slot is in use. Holders of a slot load it.
	chunks atomic.Pointer[[]*futureChunk]
}

// add returns a slot for t.
func (l *futureList) add(t *task) (slot uint32) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if len(l.free) == 0 {
		l.grow()
	}
	last := len(l.free) - 1
	slot = l.free[last]
	l.free = l.free[:last]
	l.count++
	*l.alarm(slot) = timer{task: t, index: unset}
	return slot
}

// grow adds a chunk, under the lock.
func (l *futureList) grow() {
	var chunks []*futureChunk
	if old := l.chunks.Load(); old != nil {
		chunks = *old
	}
	chunks = append(chunks, new(futureChunk)) // beyond the length of the old slice
	l.chunks.Store(&chunks)
	l.offer(len(chunks) - 1)
}

// offer makes the slots of a chunk free, under the lock.
func (l *futureList) offer(chunk int) {
	first := uint32(chunk) * futureChunkLen
	for i := uint32(futureChunkLen); i > 0; i-- {
		l.free = append(l.free, first+i) // noSlot is none of them
	}
}

// remove takes back a slot whose alarm is not set and which has no Pendings. When none is left in
// use, one chunk is kept: futures that wait one at a time would make it anew each time.
func (l *futureList) remove(slot uint32) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.alarm(slot).task = nil
	l.count--
	chunks := *l.chunks.Load()
	if l.count > 0 || len(chunks) == 1 {
		l.free = append(l.free, slot)
		return
	}
	l.chunks.Store(&[]*futureChunk{chunks[0]})
	l.free = nil
	l.offer(0)
}

// alarm returns the alarm of a slot that is in use.
func (l *futureList) alarm(slot uint32) *timer {
	return &l.chunk(slot).alarms[(slot-1)%futureChunkLen]
}

// pendings returns the list of Pendings of a slot that is in use. The runner of the future calls
// it.
func (l *futureList) pendings(slot uint32) **pendingWait {
	c := l.chunk(slot)
	all := c.pendings.Load()
	if all == nil {
		// Partner: another future of the chunk.
		c.pendings.CompareAndSwap(nil, new([futureChunkLen]*pendingWait))
		all = c.pendings.Load()
	}
	return &all[(slot-1)%futureChunkLen]
}

func (l *futureList) chunk(slot uint32) *futureChunk {
	return (*l.chunks.Load())[(slot-1)/futureChunkLen]
}

// tasks yields the tasks, under the lock.
func (l *futureList) tasks(yield func(*task) bool) {
	l.lock.Lock()
	defer l.lock.Unlock()
	chunks := l.chunks.Load()
	if chunks == nil {
		return
	}
	for _, c := range *chunks {
		for i := range c.alarms {
			if t := c.alarms[i].task; t != nil && !yield(t) {
				return
			}
		}
	}
}

// empty reports whether no slot is in use.
func (l *futureList) empty() bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.count == 0
}

// wakeAll wakes all tasks of the list. Partner: worker.toIdle, which loads the mode after the task
// has entered the list.
func (l *futureList) wakeAll() {
	for t := range l.tasks {
		t.wake(nil)
	}
}
