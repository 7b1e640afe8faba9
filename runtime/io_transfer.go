package runtime

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"

	"github.com/surewake/surewake/runtime/internal/poll"
)

// A transfer is one direction of a socket: what a call moves. Calls use it in turn, so that one
// does not write into the middle of another's bytes, and no call allocates. A call that ends passes
// the turn, so Close and a deadline end those that wait for it, one after the other.
type transfer struct {
	turn      *Semaphore
	direction *direction
	try       func(fd uintptr) // makes one attempt; never changes

	// The rest belongs to the call that has the turn.
	p      []byte
	n      int // bytes moved, or the socket that was accepted
	err    error
	done   bool
	stream bool // 0 bytes read are the end; never changes
}

// init makes t one that moves what try does, which is a method of t.
func (t *transfer) init(d *direction, try func(fd uintptr)) {
	t.turn = NewSemaphore(1)
	t.direction = d
	t.try = try
}

// run moves p, and returns what was moved. The runner of cx calls it.
func (t *transfer) run(cx Cx, p []byte) (n int, err error) {
	if err := t.turn.Acquire(cx, 1); err != nil {
		return 0, err
	}
	t.p, t.n, t.err, t.done = p, 0, nil, false
	err = t.direction.attempt(cx, t.try, &t.done)
	if err == nil {
		err = t.err
	}
	n = t.n
	t.p = nil
	t.turn.ReleaseFrom(cx, 1)
	return n, err
}

// read reads something into p.
func (t *transfer) read(fd uintptr) {
	if len(t.p) == 0 {
		t.done = true
		return
	}
	n, err := poll.Read(fd, t.p)
	if err == poll.ErrWouldBlock {
		return
	}
	t.done = true
	t.n = n
	if err != nil {
		t.err = os.NewSyscallError("read", err)
	} else if n == 0 && t.stream {
		t.err = io.EOF
	}
}

// write writes what is left of p.
func (t *transfer) write(fd uintptr) {
	for {
		n, err := poll.Write(fd, t.p[t.n:])
		if err == poll.ErrWouldBlock {
			return
		}
		t.n += n
		switch {
		case err != nil:
			t.err = os.NewSyscallError("write", err)
		case n == 0 && t.n < len(t.p):
			t.err = io.ErrUnexpectedEOF
		case t.n < len(t.p):
			continue
		}
		t.done = true
		return
	}
}

// accept accepts a connection.
func (t *transfer) accept(fd uintptr) {
	socket, err := poll.Accept(fd)
	if err == poll.ErrWouldBlock {
		return
	}
	t.done = true
	t.n = socket
	if err != nil {
		t.err = os.NewSyscallError("accept", err)
	}
}

// A socket is what a Conn and a Listener have in common.
type socket struct {
	watch         *Watch
	closed        atomic.Bool // Close was called; stored before the Watch is closed
	local, remote net.Addr    // remote is nil for a Listener. Never change
}

// failure returns what a call named op returns for err: as package net, an *net.OpError unless err
// is io.EOF or tells why the task must end.
func (s *socket) failure(op string, err error) error {
	switch _, isCall := err.(*os.SyscallError); {
	case err == ErrWatchClosed && !s.closed.Load():
		err = ErrClosed // by the end of the runtime
	case err == ErrWatchClosed || errors.Is(err, net.ErrClosed):
		err = net.ErrClosed
	case isCall, err == os.ErrDeadlineExceeded, err == io.ErrUnexpectedEOF:
	default:
		return err
	}
	if s.remote == nil {
		return &net.OpError{Op: op, Net: s.local.Network(), Addr: s.local, Err: err}
	}
	return &net.OpError{
		Op: op, Net: s.local.Network(), Source: s.local, Addr: s.remote, Err: err,
	}
}

// setFailure is failure for a deadline that could not be set, or nil.
func (s *socket) setFailure(err error) error {
	if err == nil {
		return nil
	}
	e := s.failure("set", err).(*net.OpError)
	e.Source, e.Addr = nil, s.local
	return e
}
