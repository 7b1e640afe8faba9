package runtime

import (
	"errors"
	"fmt"
	"net"
	goruntime "runtime"
	"syscall"
	"time"

	"github.com/surewake/surewake/runtime/internal/poll"
)

// A Conn is a connection for tasks: a call that waits suspends its task, and no goroutine.
// [Runtime.Conn] and [Listener.Accept] make one. Any number of tasks of any runtimes may use it at
// a time; calls that read, and calls that write, are served in turn. It must be closed.
//
// Errors are those of package net: *net.OpError, with net.ErrClosed after Close and with
// os.ErrDeadlineExceeded after a deadline, or io.EOF at the end. A call returns [Cx.Err] instead if
// the task must end, and [ErrClosed] in a *net.OpError if the runtime of the Conn has ended.
type Conn struct {
	socket
	conn    net.Conn
	in, out transfer
}

// Conn returns c for tasks. From then on, c must be read, written, closed and given deadlines by
// way of the Conn only. Any goroutine may call it. c stays as it is if it returns an error:
// [ErrClosed] if the runtime has ended, errors.ErrUnsupported if c is no syscall.Conn, such as a
// *tls.Conn, or on platforms whose sockets block, such as Windows and js; otherwise that of
// [Runtime.Watch]. It panics if c is nil.
func (rt *Runtime) Conn(c net.Conn) (*Conn, error) {
	rt.check("Conn")
	if c == nil {
		panic("surewake: Conn: nil connection")
	}
	source, err := socketOf(c)
	if err != nil {
		return nil, fmt.Errorf("surewake: Conn: %w", err)
	}
	w, err := rt.watch("Conn", source)
	if err != nil {
		return nil, err
	}
	conn := &Conn{conn: c}
	conn.socket.watch, conn.local, conn.remote = w, c.LocalAddr(), c.RemoteAddr()
	conn.in.init(&w.directions[reading], conn.in.read)
	conn.out.init(&w.directions[writing], conn.out.write)
	// An error would say that c is closed, as each call will.
	_ = w.conn.Control(func(fd uintptr) { conn.in.stream = poll.EndsAtZero(fd) })
	return conn, nil
}

// socketOf returns what can be watched of c, a connection or listener.
func socketOf(c any) (syscall.Conn, error) {
	if !poll.CanTransfer {
		return nil, fmt.Errorf("sockets of %s: %w", goruntime.GOOS, errors.ErrUnsupported)
	}
	source, ok := c.(syscall.Conn)
	if !ok {
		return nil, fmt.Errorf("a %T has no descriptor: %w", c, errors.ErrUnsupported)
	}
	return source, nil
}

// check panics if c is nil or the zero Conn; what is the name of the calling method.
func (c *Conn) check(what string) {
	if c == nil || c.watch == nil {
		panic("surewake: Conn." + what + ": a nil or zero Conn; Runtime.Conn makes one")
	}
}

// Read reads into p once something can be read, and returns how many bytes. At the end it returns
// io.EOF. It does not wait if p is empty.
func (c *Conn) Read(cx Cx, p []byte) (n int, err error) {
	cx.checkHere("Conn.Read")
	c.check("Read")
	n, err = c.in.run(cx, p)
	if err != nil {
		err = c.failure("read", err)
	}
	return n, err
}

// Write writes all of p, and waits while there is no room. It returns how many bytes were written:
// all, or fewer and an error, also if the task must end.
func (c *Conn) Write(cx Cx, p []byte) (n int, err error) {
	cx.checkHere("Conn.Write")
	c.check("Write")
	n, err = c.out.run(cx, p)
	if err != nil {
		err = c.failure("write", err)
	}
	return n, err
}

// Close closes the connection. Calls that wait return net.ErrClosed, and so do further ones, Close
// included. Any goroutine may call it.
func (c *Conn) Close() error {
	c.check("Close")
	c.closed.Store(true)
	_ = c.watch.Close() // before the descriptor; an error says that it is closed
	return c.conn.Close()
}

// SetDeadline is [Watch.SetDeadline]: it also ends calls that wait already. Any goroutine may call
// it. After Close it returns net.ErrClosed.
func (c *Conn) SetDeadline(t time.Time) error {
	c.check("SetDeadline")
	return c.setFailure(c.watch.SetDeadline(t))
}

// SetReadDeadline is [Conn.SetDeadline] for Read.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.check("SetReadDeadline")
	return c.setFailure(c.watch.SetReadDeadline(t))
}

// SetWriteDeadline is [Conn.SetDeadline] for Write.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.check("SetWriteDeadline")
	return c.setFailure(c.watch.SetWriteDeadline(t))
}

// LocalAddr returns the address of this side. Any goroutine may call it.
func (c *Conn) LocalAddr() net.Addr { c.check("LocalAddr"); return c.local }

// RemoteAddr returns the address of the other side. Any goroutine may call it.
func (c *Conn) RemoteAddr() net.Addr { c.check("RemoteAddr"); return c.remote }

// NetConn returns the connection that c was made from, for what c has no method for, such as
// CloseWrite of a *net.TCPConn. Any goroutine may call it.
func (c *Conn) NetConn() net.Conn { c.check("NetConn"); return c.conn }

// With returns c as a net.Conn whose Read and Write are those of c with cx, for functions that know
// no Cx, such as io.Copy. It is valid as long as cx, for the same task.
func (c *Conn) With(cx Cx) net.Conn {
	cx.check("Conn.With")
	c.check("With")
	return taskConn{c, cx}
}

// A taskConn is a Conn for one task.
type taskConn struct {
	*Conn
	cx Cx
}

func (c taskConn) Read(p []byte) (n int, err error)  { return c.Conn.Read(c.cx, p) }
func (c taskConn) Write(p []byte) (n int, err error) { return c.Conn.Write(c.cx, p) }
