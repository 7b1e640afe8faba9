package runtime

import (
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/surewake/surewake/runtime/internal/poll"
)

// ErrWatchClosed is returned by the methods of a [Watch] after Close, and by calls that wait when
// it is closed. With [Epoll], the end of the runtime closes all watches. It wraps fs.ErrClosed.
var ErrWatchClosed = fmt.Errorf("surewake: watch: %w", fs.ErrClosed)

// A Watch lets tasks wait until a file or connection is ready for reading or writing. It belongs to
// one runtime; any number of tasks of any runtimes may use it at a time. It must be closed, and
// does not close what it watches.
type Watch struct {
	rt          *Runtime
	conn        syscall.RawConn
	id          uint64      // in watches; never changes after Runtime.Watch
	fd          uintptr     // with Netpoll: the descriptor; never changes after Runtime.Watch
	closeCalled atomic.Bool // Close was called
	closed      atomic.Bool // no call may wait any more; stored under the lock
	lock        rankedLock  // of the lines and deadlines of both directions
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
	edges    atomic.Uint64
	waiting  line[error] // calls that wait for an edge; they receive its error
	deadline deadline
	netpoll  netpoll
}

// Watch starts to watch the descriptor of c, such as an *os.File, *net.TCPConn or *net.UnixConn.
// Any goroutine may call it. It returns [ErrClosed] if the runtime has ended, and another error if
// c has no descriptor, is closed, is watched already by this runtime, or is always ready, such as a
// file on a disk. It panics if c is nil.
//
// The descriptor should be non-blocking: those of package net are, and those of package os if Go's
// poller supports them. Close the Watch before c: with [Epoll], a task that waits for a descriptor
// is not told that it was closed, and waits on. Deadlines are those of the Watch. With [Netpoll],
// those of c count too, and are none after the Watch was closed while a task waited: then no other
// Watch may watch c at the same time.
func (rt *Runtime) Watch(c syscall.Conn) (*Watch, error) {
	rt.check("Watch")
	if c == nil {
		panic("surewake: Watch: nil connection")
	}
	return rt.watch("Watch", c)
}

// watch is Watch for a function of that name.
func (rt *Runtime) watch(what string, c syscall.Conn) (*Watch, error) {
	conn, err := c.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("surewake: %s: %w", what, err)
	}
	w := &Watch{rt: rt, conn: conn}
	w.directions[reading].of = w
	w.directions[writing].of = w
	w.directions[writing].write = true
	inKernel := rt.config.poller != Netpoll
	if !inKernel {
		if err := alwaysReady(c); err != nil {
			return nil, fmt.Errorf("surewake: %s: %w", what, err)
		}
		w.directions[reading].netpoll.enable(c, false)
		w.directions[writing].netpoll.enable(c, true)
	}
	if err := rt.watches.add(w, inKernel); err != nil {
		return nil, fmt.Errorf("surewake: %s: %w", what, err)
	}
	if inKernel {
		rt.wakeDriver() // partner: worker.drive, which loads watches.count as the driver
	}
	return w, nil
}

// Close ends the Watch: calls that wait return [ErrWatchClosed], as they do when the runtime ends.
// It returns nil, or ErrWatchClosed if it was called before. Any goroutine may call it. With
// [Netpoll], it waits until the goroutines that wait on behalf of tasks have returned, if c has
// deadlines.
func (w *Watch) Close() error {
	w.check("Watch.Close")
	if w.closeCalled.Swap(true) {
		return ErrWatchClosed
	}
	w.endWaits()
	for i := range w.directions {
		w.directions[i].netpoll.awaitReturn()
	}
	return nil
}

// check panics if w is nil or the zero Watch; what is the name of the calling function.
// (runtime/R14)
func (w *Watch) check(what string) {
	if w == nil || w.rt == nil {
		panic("surewake: " + what + ": a nil or zero Watch; Runtime.Watch makes one")
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
	for i := range w.directions {
		w.directions[i].deadline.stop()
		w.directions[i].netpoll.recall()
	}
	w.lock.Unlock()
	w.rt.watches.remove(w)
	readers.wakeAllFirst(nil)
	writers.wakeAllFirst(nil)
}

// ReadReady waits until a read would not block: data has arrived, or the other side has closed or
// failed. It may return spuriously, and another task may read first, so a read after it may still
// find nothing; see [Watch.Read].
//
// It returns [ErrWatchClosed] if the Watch is closed, os.ErrDeadlineExceeded if its deadline has
// passed, the connection's error if that is closed, and [Cx.Err] if the task must end, even if it
// would not have to wait.
func (w *Watch) ReadReady(cx Cx) error {
	cx.checkHere("ReadReady")
	w.check("ReadReady")
	return w.directions[reading].ready(cx)
}

// WriteReady is [Watch.ReadReady] for writing. On Windows it always returns an error.
func (w *Watch) WriteReady(cx Cx) error {
	cx.checkHere("WriteReady")
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
	cx.checkHere("Read")
	w.check("Read")
	if try == nil {
		panic("surewake: Read: nil function")
	}
	return w.directions[reading].retry(cx, try)
}

// Write is [Watch.Read] for writing.
func (w *Watch) Write(cx Cx, try func(fd uintptr) (done bool)) error {
	cx.checkHere("Write")
	w.check("Write")
	if try == nil {
		panic("surewake: Write: nil function")
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
	done := false
	return d.attempt(cx, func(fd uintptr) { done = try(fd) }, &done)
}

// attempt calls try until that sets done, and waits for edges in between. The runner of cx calls
// it.
func (d *direction) attempt(cx Cx, try func(fd uintptr), done *bool) error {
	cx.charge()
	for {
		edges := d.edges.Load() // before the try; see io_readiness.go
		if err := cx.stopErr(); err != nil {
			return err
		}
		if err := d.over(); err != nil {
			return err
		}
		if err := d.of.conn.Control(try); err != nil {
			return err
		}
		if *done {
			return nil
		}
		if err := d.wait(cx, edges); err != nil {
			return err
		}
	}
}

// over returns nil, or why no call may wait: the Watch is closed, or the deadline has passed. Any
// goroutine may call it; under the lock, the answer remains true until that is released.
func (d *direction) over() error {
	if d.of.closed.Load() {
		return ErrWatchClosed
	}
	if d.deadline.passed.Load() {
		return os.ErrDeadlineExceeded
	}
	return nil
}

// wait waits until there were more than so many edges. The runner of cx calls it.
func (d *direction) wait(cx Cx, edges uint64) error {
	w := d.of
	me := &waiter[error]{waker: cx.task}
	w.lock.Lock()
	if err := d.over(); err != nil || d.edges.Load() != edges { // (runtime/R23)
		w.lock.Unlock()
		return err
	}
	d.waiting.push(me)
	d.enterNetpoll()
	w.lock.Unlock()
	if rt := cx.task.rt; rt != w.rt {
		rt.outsiders.Add(1)
		defer rt.outsiders.Add(-1)
	}
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
// err. by is the calling worker, or nil: then the calls count as due.
func (d *direction) edge(err error, by *worker) {
	d.of.lock.Lock()
	waiters := d.countEdge(err)
	d.of.lock.Unlock()
	if by == nil {
		waiters.wakeAllFirst(nil)
	} else {
		waiters.wakeAll(by)
	}
}

// countEdge counts an edge and returns the calls that waited for it, to be woken after the lock,
// which the caller holds.
func (d *direction) countEdge(err error) line[error] {
	d.edges.Add(1)
	return d.answerWaiters(err)
}

// answerWaiters answers all that wait with err, and returns them, to be woken after the lock, which
// the caller holds.
func (d *direction) answerWaiters(err error) line[error] {
	for me := d.waiting.first; me != nil; me = me.next {
		me.payload = err
	}
	return d.waiting.answerAll(served)
}
