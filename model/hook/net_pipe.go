package hook

import (
	"io"
	"sync"
	"time"

	"github.com/surewake/surewake/model/explore"
)

// The connections of net.Pipe, which hand slices over as the pipes of package io do. A slice may be
// taken after a deadline that its writer and reader have not seen to pass, here as in the original.
// Package net is not imported for them: what they need of it comes from a real pair.

// conn has the methods of net.Conn that make a connection; A is net.Addr.
type conn[A any] interface {
	io.ReadWriteCloser
	LocalAddr() A
	SetDeadline(t time.Time) error
	SetReadDeadline(t time.Time) error
	SetWriteDeadline(t time.Time) error
}

// A pipeDeadline tells by a channel that a deadline has passed.
type pipeDeadline struct {
	mu     sync.Mutex // guards timer and cancel
	timer  *time.Timer
	cancel chan struct{} // never nil
}

// set sets the deadline; a zero time is none.
func (d *pipeDeadline) set(t time.Time) {
	MutexLock(&d.mu)
	defer MutexUnlock(&d.mu)
	if d.timer != nil && !TimerStop(d.timer) {
		Recv(d.cancel) // the function of the timer closes it
	}
	d.timer = nil
	passed := closed(d.cancel)
	if t.IsZero() {
		if passed {
			d.cancel = MadeChan(make(chan struct{}))
		}
		return
	}
	if dur := Until(t); dur > 0 {
		if passed {
			d.cancel = MadeChan(make(chan struct{}))
		}
		d.timer = TimeAfterFunc(dur, func() { Close(d.cancel) })
		return
	}
	if !passed {
		Close(d.cancel)
	}
}

func (d *pipeDeadline) wait() chan struct{} {
	MutexLock(&d.mu)
	defer MutexUnlock(&d.mu)
	return d.cancel
}

// A netPipe is one end.
type netPipe[A any] struct {
	wrMu sync.Mutex // held by Write

	in, out handover

	once       sync.Once // closes localDone
	localDone  chan struct{}
	remoteDone <-chan struct{}

	readDeadline, writeDeadline pipeDeadline

	addr                A
	readLate, writeLate error // what a real pipe gives after its deadlines
}

// LocalAddr is that of net.Pipe.
func (p *netPipe[A]) LocalAddr() A { return p.addr }

// RemoteAddr is that of net.Pipe.
func (p *netPipe[A]) RemoteAddr() A { return p.addr }

// Read is that of net.Pipe.
func (p *netPipe[A]) Read(b []byte) (n int, err error) {
	switch {
	case closed(p.localDone):
		return 0, io.ErrClosedPipe
	case closed(p.remoteDone):
		return 0, io.EOF
	case closed(p.readDeadline.wait()):
		return 0, p.readLate
	}
	n, end := p.in.take(b, p.localDone, p.remoteDone, p.readDeadline.wait())
	switch end {
	case firstEnds:
		return 0, io.ErrClosedPipe
	case secondEnds:
		return 0, io.EOF
	case thirdEnds:
		return 0, p.readLate
	}
	return n, nil
}

// Write is that of net.Pipe.
func (p *netPipe[A]) Write(b []byte) (n int, err error) {
	switch {
	case closed(p.localDone), closed(p.remoteDone):
		return 0, io.ErrClosedPipe
	case closed(p.writeDeadline.wait()):
		return 0, p.writeLate
	}
	MutexLock(&p.wrMu)
	defer MutexUnlock(&p.wrMu)
	for once := true; once || len(b) > 0; once = false {
		if closed(p.localDone) || closed(p.remoteDone) {
			return n, io.ErrClosedPipe
		}
		nw, end := p.out.give(b, p.localDone, p.remoteDone, p.writeDeadline.wait())
		switch end {
		case firstEnds, secondEnds:
			return n, io.ErrClosedPipe
		case thirdEnds:
			return n, p.writeLate
		}
		b = b[nw:]
		n += nw
	}
	return n, nil
}

// SetDeadline is that of net.Pipe.
func (p *netPipe[A]) SetDeadline(t time.Time) error {
	return p.setDeadlines(t, &p.readDeadline, &p.writeDeadline)
}

// SetReadDeadline is that of net.Pipe.
func (p *netPipe[A]) SetReadDeadline(t time.Time) error {
	return p.setDeadlines(t, &p.readDeadline)
}

// SetWriteDeadline is that of net.Pipe.
func (p *netPipe[A]) SetWriteDeadline(t time.Time) error {
	return p.setDeadlines(t, &p.writeDeadline)
}

func (p *netPipe[A]) setDeadlines(t time.Time, deadlines ...*pipeDeadline) error {
	if closed(p.localDone) || closed(p.remoteDone) {
		return io.ErrClosedPipe
	}
	for _, d := range deadlines {
		d.set(t)
	}
	return nil
}

// Close is that of net.Pipe.
func (p *netPipe[A]) Close() error {
	OnceDo(&p.once, func() { Close(p.localDone) })
	return nil
}

// late gives what a real connection returns after its deadlines.
func late[A any](real conn[A]) (read, write error) {
	if err := real.SetDeadline(time.Unix(1, 0)); err != nil {
		return err, err
	}
	_, read = real.Read(nil)
	_, write = real.Write(nil)
	return read, write
}

// NetPipe makes net.Pipe a function whose connections the checker sees.
//
//go:norace
//go:noinline
func NetPipe[C conn[A], A any](original func() (C, C)) func() (C, C) {
	return func() (C, C) {
		var read, write error
		var addr A
		explore.Hidden(func() bool {
			real, _ := original()
			addr = real.LocalAddr()
			read, write = late[A](real)
			return true
		})
		there, back := newHandover(), newHandover()
		done1, done2 := MadeChan(make(chan struct{})), MadeChan(make(chan struct{}))
		end := func(in, out handover, local, remote chan struct{}) C {
			p := &netPipe[A]{
				in: in, out: out, localDone: local, remoteDone: remote,
				addr: addr, readLate: read, writeLate: write,
			}
			p.readDeadline.cancel = MadeChan(make(chan struct{}))
			p.writeDeadline.cancel = MadeChan(make(chan struct{}))
			return any(p).(C)
		}
		return end(there, back, done1, done2), end(back, there, done2, done1)
	}
}
