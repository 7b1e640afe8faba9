package runtime

import (
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/surewake/surewake/runtime/internal/poll"
)

// ErrWatchClosed is what the methods of a [Watch] return after Close, and those that wait when it comes; with [Epoll], the end of the runtime
// does the same. It wraps fs.ErrClosed.
var ErrWatchClosed = fmt.Errorf("runtime: watch: %w", fs.ErrClosed)

// A Watch lets tasks wait for a file or connection to be ready to be read or written. It belongs to one runtime, tasks of all may use
// it, any number of them at a time. It must be closed; it does not close what it watches.
type Watch struct {
	rt          *Runtime
	conn        syscall.RawConn
	id          uint64      // of the kernel; 0 if goroutines wait instead. Never changes after Runtime.Watch
	closeCalled atomic.Bool // Close was called
	closed      atomic.Bool // nobody waits any more, nor will; stored under the lock
	lock        sync.Mutex  // of the lines of both directions
	directions  [2]direction
}

const (
	reading = iota
	writing
)

// A direction of a Watch: reading or writing.
type direction struct {
	of    *Watch // never changes
	write bool   // never changes
	// edges is how often it has become ready: added to under the lock, loaded by anybody.
	edges     atomic.Uint64
	waiting   line[error] // of calls; what they get is why they need not wait any more
	inNetpoll bool        // a goroutine waits and will call edge; under the lock
}

// Watch starts to watch what is behind c, such as an *os.File, *net.TCPConn or *net.UnixConn. Anyone may call it. It returns
// [ErrClosed] if the runtime has ended, and other errors if c has no descriptor, is closed or watched already by this runtime, or
// is something that is always ready, such as a file on a disk.
//
// The descriptor should not block: those of package net do not, nor do those of package os if it can wait for them. Close the Watch
// before c: with [Epoll], nobody is told that a descriptor is closed, and who waits for it waits on. Deadlines of c count
// with [Netpoll] only.
func (rt *Runtime) Watch(c syscall.Conn) (*Watch, error) {
	if c == nil {
		panic("runtime: Watch: nil connection")
	}
	conn, err := c.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("runtime: Watch: %w", err)
	}
	w := &Watch{rt: rt, conn: conn}
	w.directions[reading].of = w
	w.directions[writing].of = w
	w.directions[writing].write = true
	if rt.config.poller == Netpoll {
		return w, nil
	}
	if err := rt.watches.add(w); err != nil {
		return nil, fmt.Errorf("runtime: Watch: %w", err)
	}
	rt.wakeDriver() // partner: worker.drive, which looks at watches.count after it has become the driver
	return w, nil
}

// Close ends the Watch. Who waits for it gets [ErrWatchClosed]. Anyone may call it. It returns ErrWatchClosed if it was called before.
//
// The end of the runtime ends all waits, too, with [Epoll].
//
// With [Netpoll], a goroutine that waits on behalf of a task stays until the connection becomes ready or is closed.
func (w *Watch) Close() error {
	if w.closeCalled.Swap(true) {
		return ErrWatchClosed
	}
	w.endWaits()
	return nil
}

// end ends all waits, if nobody has done so. Anyone may call it.
func (w *Watch) endWaits() {
	w.lock.Lock()
	if w.closed.Load() {
		w.lock.Unlock()
		return
	}
	w.closed.Store(true)
	readers, writers := w.directions[reading].answerWaiters(ErrWatchClosed), w.directions[writing].answerWaiters(ErrWatchClosed)
	w.lock.Unlock()
	if w.id != 0 {
		w.rt.watches.remove(w)
	}
	readers.wakeAll(nil)
	writers.wakeAll(nil)
}

// ReadReady waits until a read would not wait: there is something to read, or the other side has ended, or failed. It may return for no
// reason, and another task may be faster; so a read after it may still find nothing, see [Watch.Read].
//
// It returns [ErrWatchClosed] if the Watch is closed, the error of the connection if that is, and [Cx.Err] if the task is to end, also if
// it would not have to wait.
func (w *Watch) ReadReady(cx Cx) error {
	cx.check("ReadReady")
	return w.directions[reading].ready(cx)
}

// WriteReady is [Watch.ReadReady] for writing. On Windows, it always returns an error.
func (w *Watch) WriteReady(cx Cx) error {
	cx.check("WriteReady")
	return w.directions[writing].ready(cx)
}

// Read calls try with the descriptor until it returns true, and waits in between until there is something new to read. It is for tasks what the
// Read of a syscall.RawConn is for goroutines: try should read without waiting, and return false if there was nothing, EAGAIN.
// It is called on the goroutine of the task; and must not keep the descriptor, which may mean something else later.
//
// The errors are those of [Watch.ReadReady].
func (w *Watch) Read(cx Cx, try func(fd uintptr) (done bool)) error {
	cx.check("Read")
	if try == nil {
		panic("runtime: Read: nil function")
	}
	return w.directions[reading].retry(cx, try)
}

// Write is [Watch.Read] for writing.
func (w *Watch) Write(cx Cx, try func(fd uintptr) (done bool)) error {
	cx.check("Write")
	if try == nil {
		panic("runtime: Write: nil function")
	}
	return w.directions[writing].retry(cx, try)
}

func (d *direction) ready(cx Cx) error {
	waited := false
	return d.retry(cx, func(fd uintptr) bool {
		was := waited
		waited = true
		return poll.Ready(fd, d.write) || was && !poll.CanLook
	})
}

// until is Read and Write. The runner of cx calls it.
func (d *direction) retry(cx Cx, try func(uintptr) bool) error {
	cx.charge()
	for {
		edges := d.edges.Load() // before the try: see io_readiness.go
		if err := cx.task.stopErr(); err != nil {
			return err
		}
		if d.of.closed.Load() {
			return ErrWatchClosed
		}
		done := false
		if err := d.of.conn.Control(func(fd uintptr) { done = try(fd) }); err != nil {
			return err
		}
		if done {
			return nil
		}
		if err := d.wait(cx, edges); err != nil {
			return err
		}
	}
}

// wait waits for an edge that is not one of so many. The runner of cx calls it.
func (d *direction) wait(cx Cx, edges uint64) error {
	w := d.of
	me := &waiter[error]{waker: cx.task}
	w.lock.Lock()
	if w.closed.Load() {
		w.lock.Unlock()
		return ErrWatchClosed
	}
	if d.edges.Load() != edges {
		w.lock.Unlock()
		return nil
	}
	d.waiting.push(me)
	if w.id == 0 && !d.inNetpoll {
		d.inNetpoll = true
		go d.awaitNetpoll()
	}
	w.lock.Unlock()
	if err := me.wait(cx, d); err != nil {
		return err
	}
	return me.payload
}

// forget implements source.
func (d *direction) withdraw(me *waiter[error], _ *worker) bool {
	d.of.lock.Lock()
	defer d.of.lock.Unlock()
	if me.answered() {
		return false
	}
	d.waiting.remove(me)
	return true
}

// edge tells everybody who waits that it has become ready, or that it will not, because of err. by is the worker whose goroutine
// calls, or nil.
func (d *direction) edge(err error, by *worker) {
	d.of.lock.Lock()
	d.edges.Add(1)
	d.inNetpoll = false
	waiters := d.answerWaiters(err)
	d.of.lock.Unlock()
	waiters.wakeAll(by)
}

// tell answers all who wait, who are to be woken behind the lock that the caller holds.
func (d *direction) answerWaiters(err error) line[error] {
	for me := d.waiting.first; me != nil; me = me.next {
		me.payload = err
	}
	return d.waiting.answerAll(served)
}

// bridge waits in Go's poller, on a goroutine of its own, which is started under the lock.
//
// Go's poller forgets what became ready before the call of conn.Read, so the look has to come behind that, in the function that it calls.
// Where there is no looking (Windows), it looks itself.
func (d *direction) awaitNetpoll() {
	await := d.of.conn.Read
	if d.write {
		await = d.of.conn.Write
	}
	looked := false
	d.edge(await(func(fd uintptr) bool {
		was := looked
		looked = true
		return was || poll.Ready(fd, d.write)
	}), nil)
}
