package hook

import (
	"io"
	"sync"
)

// Pipes of package io. The standard library is not rewritten, and calls the methods of a pipe
// wherever it reads and writes: so rewritten code has the types of this file in place of those of
// package io. The bytes are copied in sight of the race detector.
//
// They do what the original does, except that a writer does not look for a reader: it hands its
// slice over to whoever comes, and takes it back when the pipe is closed, unless a reader has it by
// then. That has the same outcomes, and orders fewer operations: whether a reader waits already is
// nothing that a program can see. It requires that a writer looks whether the pipe is closed before
// each slice. A slice that is taken after the pipe was closed was offered by a writer, and is taken
// by a reader, who have both looked before. Nothing that they do between that look and the transfer
// depends on the close, so the slice could as well have been taken before, as in the original.

// A handover passes slices from writers to readers. One slice at most is in it: the writers have a
// lock.
type handover struct {
	bytes chan []byte
	count chan int // how many bytes were taken
}

func newHandover() handover {
	return handover{MadeChan(make(chan []byte, 1)), MadeChan(make(chan int, 1))}
}

// An ending says which of three channels, some of them nil, ended a read or write.
type ending int

const (
	notEnded ending = iota
	firstEnds
	secondEnds
	thirdEnds
)

// take copies what a writer offers.
func (h handover) take(b []byte, first, second, third <-chan struct{}) (int, ending) {
	s := NewSelection(4, false)
	select {
	case bw := <-SelectRecv(&s, h.bytes):
		n := copy(b, bw)
		To(h.count).Send(n)
		return n, notEnded
	case <-SelectRecv(&s, first):
		return 0, firstEnds
	case <-SelectRecv(&s, second):
		return 0, secondEnds
	case <-SelectRecv(&s, third):
		return 0, thirdEnds
	}
}

// give offers a slice and returns how much of it was taken.
func (h handover) give(b []byte, first, second, third <-chan struct{}) (n int, end ending) {
	To(h.bytes).Send(b)
	s := NewSelection(4, false)
	select {
	case n = <-SelectRecv(&s, h.count):
		return n, notEnded
	case <-SelectRecv(&s, first):
		end = firstEnds
	case <-SelectRecv(&s, second):
		end = secondEnds
	case <-SelectRecv(&s, third):
		end = thirdEnds
	}
	back := NewSelection(1, true)
	select {
	case <-SelectRecv(&back, h.bytes):
		return 0, end
	default:
		return Recv(h.count), notEnded
	}
}

// A pipeError keeps the first error that is stored.
type pipeError struct {
	mu  sync.Mutex // guards err
	err error
}

func (a *pipeError) store(err error) {
	MutexLock(&a.mu)
	defer MutexUnlock(&a.mu)
	if a.err == nil {
		a.err = err
	}
}

func (a *pipeError) load() error {
	MutexLock(&a.mu)
	defer MutexUnlock(&a.mu)
	return a.err
}

// A pipe is what both halves share.
type pipe struct {
	wrMu sync.Mutex // held by Write
	hand handover

	once sync.Once // closes done
	done chan struct{}
	rerr pipeError
	werr pipeError
}

func (p *pipe) read(b []byte) (n int, err error) {
	if closed(p.done) {
		return 0, p.readCloseError()
	}
	n, end := p.hand.take(b, p.done, nil, nil)
	if end != notEnded {
		return 0, p.readCloseError()
	}
	return n, nil
}

func (p *pipe) write(b []byte) (n int, err error) {
	if closed(p.done) {
		return 0, p.writeCloseError()
	}
	MutexLock(&p.wrMu)
	defer MutexUnlock(&p.wrMu)
	for once := true; once || len(b) > 0; once = false {
		if closed(p.done) {
			return n, p.writeCloseError()
		}
		nw, end := p.hand.give(b, p.done, nil, nil)
		if end != notEnded {
			return n, p.writeCloseError()
		}
		b = b[nw:]
		n += nw
	}
	return n, nil
}

func (p *pipe) close() { OnceDo(&p.once, func() { Close(p.done) }) }

// readCloseError is why a read ends.
func (p *pipe) readCloseError() error {
	rerr := p.rerr.load()
	if werr := p.werr.load(); rerr == nil && werr != nil {
		return werr
	}
	return io.ErrClosedPipe
}

// writeCloseError is why a write ends.
func (p *pipe) writeCloseError() error {
	werr := p.werr.load()
	if rerr := p.rerr.load(); werr == nil && rerr != nil {
		return rerr
	}
	return io.ErrClosedPipe
}

// PipeReader is the hook of io.PipeReader.
type PipeReader struct{ pipe }

// Read is the hook of io.PipeReader.Read.
func (r *PipeReader) Read(data []byte) (n int, err error) { return r.read(data) }

// Close is the hook of io.PipeReader.Close.
func (r *PipeReader) Close() error { return r.CloseWithError(nil) }

// CloseWithError is the hook of io.PipeReader.CloseWithError.
func (r *PipeReader) CloseWithError(err error) error {
	if err == nil {
		err = io.ErrClosedPipe
	}
	r.rerr.store(err)
	r.close()
	return nil
}

// PipeWriter is the hook of io.PipeWriter.
type PipeWriter struct{ r PipeReader }

// Write is the hook of io.PipeWriter.Write.
func (w *PipeWriter) Write(data []byte) (n int, err error) { return w.r.write(data) }

// Close is the hook of io.PipeWriter.Close.
func (w *PipeWriter) Close() error { return w.CloseWithError(nil) }

// CloseWithError is the hook of io.PipeWriter.CloseWithError.
func (w *PipeWriter) CloseWithError(err error) error {
	if err == nil {
		err = io.EOF
	}
	w.r.werr.store(err)
	w.r.close()
	return nil
}

// IOPipe is the hook of io.Pipe.
//
//go:norace
//go:noinline
func IOPipe() (*PipeReader, *PipeWriter) {
	pw := &PipeWriter{r: PipeReader{pipe: pipe{
		hand: newHandover(),
		done: MadeChan(make(chan struct{})),
	}}}
	return &pw.r, pw
}

// closed looks whether c is closed, on which nobody sends.
func closed(c <-chan struct{}) bool {
	s := NewSelection(1, true)
	select {
	case <-SelectRecv(&s, c):
		return true
	default:
		return false
	}
}
