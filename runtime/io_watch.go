package runtime

import (
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/surewake/surewake/runtime/internal/poll"
)

// ErrWatchClosed is returned by the methods of a [Watch] after Close, and by calls that wait when
// it is closed. With [Epoll], the end of the runtime closes all watches. It wraps fs.ErrClosed.
var ErrWatchClosed = fmt.Errorf("runtime: watch: %w", fs.ErrClosed)

// A Watch lets tasks wait until a file or connection is ready for reading or writing. It belongs to
// one runtime; any number of tasks of any runtimes may use it at a time. It must be closed, and
// does not close what it watches.
type Watch struct {
	rt          *Runtime
	conn        syscall.RawConn
	id          uint64      // in watches; 0 with Netpoll. Never changes after Runtime.Watch
	closeCalled atomic.Bool // Close was called
	closed      atomic.Bool // no call may wait any more; stored under the lock
	lock        sync.Mutex  // of the lines of both directions
	directions  [2]direction
}

const (
	reading = iota
	writing
)

// A direction of a Watch is reading or writing.
type direction struct {
	of    *Watch // never changes
	write bool   // never changes
	// edges counts how often it became ready. Incremented under the lock, loaded by any goroutine.
	edges     atomic.Uint64
	waiting   line[error] // calls that wait for an edge; they receive its error
	inNetpoll bool        // a goroutine is in awaitNetpoll and will call edge; under the lock
}

// Watch starts to watch the descriptor of c, such as an *os.File, *net.TCPConn or *net.UnixConn.
// Any goroutine may call it. It returns [ErrClosed] if the runtime has ended, and another error if
// c has no descriptor, is closed, is watched already by this runtime, or is always ready, such as a
// file on a disk. It panics if c is nil.
//
// The descriptor should be non-blocking: those of package net are, and those of package os if Go's
// poller supports them. Close the Watch before c: with [Epoll], a task that waits for a descriptor
// is not told that it was closed, and waits on. Deadlines of c count only with [Netpoll].
func (rt *Runtime) Watch(c syscall.Conn) (*Watch, error) {
	rt.check("Watch")
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
	rt.wakeDriver() // partner: worker.drive, which loads watches.count as the driver
	return w, nil
}

// Close ends the Watch: calls that wait return [ErrWatchClosed]. It returns nil, or ErrWatchClosed
// if it was called before. Any goroutine may call it.
//
// With [Epoll], the end of the runtime ends all waits too. With [Netpoll], a goroutine that waits
// on behalf of a task stays until the connection becomes ready or is closed.
func (w *Watch) Close() error {
	w.check("Watch.Close")
	if w.closeCalled.Swap(true) {
		return ErrWatchClosed
	}
	w.endWaits()
	return nil
}

// check panics if w is nil or the zero Watch; what is the name of the calling function.
// (runtime/R14)
func (w *Watch) check(what string) {
	if w == nil || w.rt == nil {
		panic("runtime: " + what + ": a nil or zero Watch; Runtime.Watch makes one")
	}
}

// endWaits ends all waits, present and future, once. Any goroutine may call it.
func (w *Watch) endWaits() {
	w.lock.Lock()
	if w.closed.Load() {
		w.lock.Unlock()
		return
	}
	w.closed.Store(true)
	readers := w.directions[reading].answerWaiters(ErrWatchClosed)
	writers := w.directions[writing].answerWaiters(ErrWatchClosed)
	w.lock.Unlock()
	if w.id != 0 {
		w.rt.watches.remove(w)
	}
	readers.wakeAll(nil)
	writers.wakeAll(nil)
}

// ReadReady waits until a read would not block: data has arrived, or the other side has closed or
// failed. It may return spuriously, and another task may read first, so a read after it may still
// find nothing; see [Watch.Read].
//
// It returns [ErrWatchClosed] if the Watch is closed, the connection's error if that is closed, and
// [Cx.Err] if the task must end, even if it would not have to wait.
func (w *Watch) ReadReady(cx Cx) error {
	cx.check("ReadReady")
	w.check("ReadReady")
	return w.directions[reading].ready(cx)
}

// WriteReady is [Watch.ReadReady] for writing. On Windows it always returns an error.
func (w *Watch) WriteReady(cx Cx) error {
	cx.check("WriteReady")
	w.check("WriteReady")
	return w.directions[writing].ready(cx)
}

// Read calls try with the descriptor until try returns true, and in between waits until more can be
// read. It is for tasks what Read of a syscall.RawConn is for goroutines: try should read without
// blocking, and return false if that fails with EAGAIN. The task calls try, which must not keep the
// descriptor, since its number may be used again.
//
// Read returns the errors of [Watch.ReadReady], and panics if try is nil.
func (w *Watch) Read(cx Cx, try func(fd uintptr) (done bool)) error {
	cx.check("Read")
	w.check("Read")
	if try == nil {
		panic("runtime: Read: nil function")
	}
	return w.directions[reading].retry(cx, try)
}

// Write is [Watch.Read] for writing.
func (w *Watch) Write(cx Cx, try func(fd uintptr) (done bool)) error {
	cx.check("Write")
	w.check("Write")
	if try == nil {
		panic("runtime: Write: nil function")
	}
	return w.directions[writing].retry(cx, try)
}

// ready is ReadReady and WriteReady.
func (d *direction) ready(cx Cx) error {
	waited := false
	return d.retry(cx, func(fd uintptr) bool {
		was := waited
		waited = true
		return poll.Ready(fd, d.write) || was && !poll.CanLook
	})
}

// retry is Read and Write. The runner of cx calls it.
func (d *direction) retry(cx Cx, try func(uintptr) bool) error {
	cx.charge()
	for {
		edges := d.edges.Load() // before the try; see io_readiness.go
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

// wait waits until there were more than so many edges. The runner of cx calls it.
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

// withdraw implements source.
func (d *direction) withdraw(me *waiter[error], _ *worker) bool {
	d.of.lock.Lock()
	defer d.of.lock.Unlock()
	if me.answered() {
		return false
	}
	d.waiting.remove(me)
	return true
}

// edge counts an edge and wakes all that wait: the descriptor became ready, or will not because of
// err. by is the calling worker, or nil.
func (d *direction) edge(err error, by *worker) {
	d.of.lock.Lock()
	d.edges.Add(1)
	d.inNetpoll = false
	waiters := d.answerWaiters(err)
	d.of.lock.Unlock()
	waiters.wakeAll(by)
}

// answerWaiters answers all that wait with err, and returns them, to be woken after the lock, which
// the caller holds.
func (d *direction) answerWaiters(err error) line[error] {
	for me := d.waiting.first; me != nil; me = me.next {
		me.payload = err
	}
	return d.waiting.answerAll(served)
}

// awaitNetpoll is a goroutine that waits in Go's poller, started under the lock.
//
// Go's poller forgets readiness that came before the call of conn.Read, so the descriptor is
// checked by the function that conn.Read calls. Where it cannot be checked (Windows), Go's poller
// decides.
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
