package runtime

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"
)

// A Listener accepts connections for tasks. [Runtime.Listener] makes one. Any number of tasks of
// any runtimes may use it at a time; their calls of Accept are served in turn. It must be closed.
// Errors are those of a [Conn].
type Listener struct {
	socket
	rt       *Runtime
	listener net.Listener
	file     *os.File // what is watched with Netpoll, a copy of the descriptor; else nil
	queue    transfer
}

// Listener returns l for tasks. From then on, l must be used by way of the Listener only. Any
// goroutine may call it. l stays as it is if it returns an error: one that [Runtime.Conn] returns.
// It panics if l is nil.
func (rt *Runtime) Listener(l net.Listener) (*Listener, error) {
	rt.check("Listener")
	if l == nil {
		panic("surewake: Listener: nil listener")
	}
	source, err := socketOf(l)
	if err != nil {
		return nil, fmt.Errorf("surewake: Listener: %w", err)
	}
	listener := &Listener{rt: rt, listener: l}
	if rt.config.poller == Netpoll {
		if source, err = listener.copy(); err != nil {
			return nil, fmt.Errorf("surewake: Listener: %w", err)
		}
	}
	w, err := rt.watch("Listener", source)
	if err != nil {
		listener.closeCopy()
		return nil, err
	}
	listener.watch, listener.local = w, l.Addr()
	listener.queue.init(&w.directions[reading], listener.queue.accept)
	return listener, nil
}

// copy returns a copy of the descriptor: package net lets nobody wait for a listener in Go's
// poller, except by Accept, but package os does.
func (l *Listener) copy() (syscall.Conn, error) {
	c, ok := l.listener.(interface{ File() (*os.File, error) })
	if !ok {
		return nil, fmt.Errorf("a %T has no method File: %w", l.listener, errors.ErrUnsupported)
	}
	f, err := c.File()
	l.file = f
	return f, err
}

func (l *Listener) closeCopy() {
	if l.file != nil {
		_ = l.file.Close() // nothing was written
	}
}

// check panics if l is nil or the zero Listener; what is the name of the calling method.
func (l *Listener) check(what string) {
	if l == nil || l.watch == nil {
		panic("surewake: Listener." + what +
			": a nil or zero Listener; Runtime.Listener makes one")
	}
}

// Accept waits for a connection and returns it, as one of the runtime of l. The connection has the
// settings that package net gives a new one. It takes none if it returns an error that tells why
// the task must end.
func (l *Listener) Accept(cx Cx) (*Conn, error) {
	cx.checkHere("Listener.Accept")
	l.check("Accept")
	fd, err := l.queue.run(cx, nil)
	if err != nil {
		return nil, l.failure("accept", err)
	}
	f := os.NewFile(uintptr(fd), "accepted")
	conn, err := net.FileConn(f) // a copy
	_ = f.Close()
	if err != nil {
		return nil, &net.OpError{
			Op: "accept", Net: l.local.Network(), Addr: l.local, Err: err,
		}
	}
	c, err := l.rt.Conn(conn)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return c, nil
}

// Close stops listening. Calls that wait return net.ErrClosed, and so do further ones, Close
// included. Connections that were accepted stay open. Any goroutine may call it.
func (l *Listener) Close() error {
	l.check("Close")
	l.closed.Store(true)
	_ = l.watch.Close() // before the descriptor; an error says that it is closed
	l.closeCopy()
	return l.listener.Close()
}

// SetDeadline is [Watch.SetDeadline] for Accept: it also ends calls that wait already. Any
// goroutine may call it. After Close it returns net.ErrClosed.
func (l *Listener) SetDeadline(t time.Time) error {
	l.check("SetDeadline")
	return l.setFailure(l.watch.SetReadDeadline(t))
}

// Addr returns the address at which l listens. Any goroutine may call it.
func (l *Listener) Addr() net.Addr { l.check("Addr"); return l.local }
