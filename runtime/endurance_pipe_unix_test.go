//go:build unix

package runtime_test

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/surewake/surewake/runtime"
)

// A pipeWatch is a pipe of the operating system that tasks of one runtime write to and read from, a
// byte at a time.
type pipeWatch struct {
	files         [2]*os.File // what is read from, what is written to
	watches       [2]*runtime.Watch
	written, read atomic.Int64
	limited       atomic.Int64 // deadlines that were set and perhaps not taken back
}

func (p *pipeWatch) open(w *world, h *house) {
	r, wr, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	p.files = [2]*os.File{r, wr}
	for i, f := range p.files {
		if p.watches[i], err = h.rt.Watch(f); err != nil {
			w.fail("Watch: %v", err)
		}
	}
}

// move reads or writes a byte, if that is possible, and reports whether it did.
func (p *pipeWatch) move(write bool, fd uintptr) bool {
	var n int
	if write {
		n, _ = syscall.Write(int(fd), []byte{1})
	} else {
		n, _ = syscall.Read(int(fd), make([]byte, 1))
	}
	if n != 1 {
		return false
	}
	if write {
		p.written.Add(1)
	} else {
		p.read.Add(1)
	}
	return true
}

// tend does what a goroutine does so that nobody waits for ever.
func (p *pipeWatch) tend(write bool) bool {
	f := p.files[0]
	if write {
		f = p.files[1]
	}
	conn, err := f.SyscallConn()
	if err != nil {
		panic(err)
	}
	moved := false
	conn.Control(func(fd uintptr) { moved = p.move(write, fd) })
	return moved
}

// use is what a task does.
func (p *pipeWatch) use(by *player, write bool) error {
	end, wait := p.watches[0], (*runtime.Watch).ReadReady
	if write {
		end, wait = p.watches[1], (*runtime.Watch).WriteReady
	}
	var err error
	switch {
	case by.rng.IntN(3) == 0:
		if err = wait(end, by.cx); err == nil {
			p.tend(write) // another may have been first
		}
	case write:
		err = end.Write(by.cx, func(fd uintptr) bool { return p.move(true, fd) })
	default:
		err = end.Read(by.cx, func(fd uintptr) bool { return p.move(false, fd) })
	}
	if errors.Is(err, os.ErrDeadlineExceeded) && p.limited.Load() > 0 {
		return nil
	}
	return err
}

// deadline gives all that use an end a deadline for a while, and has one of its own for a pipe that
// nobody else uses.
func (p *pipeWatch) deadline(by *player) error {
	set := []func(*runtime.Watch, time.Time) error{(*runtime.Watch).SetDeadline,
		(*runtime.Watch).SetReadDeadline, (*runtime.Watch).SetWriteDeadline}[by.rng.IntN(3)]
	end := p.watches[by.rng.IntN(2)]
	d := time.Duration(by.rng.IntN(200)) * time.Microsecond
	p.limited.Add(1) // and never less: who was told of it may look only now
	if err := set(end, time.Now().Add(d)); err != nil {
		return err
	}
	by.sleep(d / 2)
	if err := end.SetDeadline(time.Time{}); err != nil {
		return err
	}
	return p.passes(by, d)
}

// passes waits for a deadline to pass; then what it ended goes on.
func (p *pipeWatch) passes(by *player, d time.Duration) error {
	r, wr, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	defer r.Close()
	defer wr.Close()
	w, err := by.r.house.rt.Watch(r)
	if err != nil {
		return err
	}
	defer w.Close()
	at := time.Now().Add(d)
	if err := w.SetDeadline(at); err != nil {
		return err
	}
	if err := w.ReadReady(by.cx); !errors.Is(err, os.ErrDeadlineExceeded) {
		if err == nil {
			by.w.fail("task %d: an empty pipe is ready", by.r.id)
		}
		return err
	} else if time.Now().Before(at) {
		by.w.fail("task %d: a deadline of %v came early", by.r.id, at)
	}
	if _, err := wr.Write([]byte{7}); err != nil {
		panic(err)
	}
	if err := w.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	b := []byte{0}
	err = w.Read(by.cx, func(fd uintptr) bool {
		n, _ := syscall.Read(int(fd), b)
		return n == 1
	})
	if err == nil && b[0] != 7 {
		by.w.fail("task %d: 7 was written, %d read after a deadline", by.r.id, b[0])
	}
	return err
}

// cases returns what a Select of a task may wait for.
func (p *pipeWatch) cases() []runtime.Case {
	return []runtime.Case{p.watches[0].ReadReadyCase(), p.watches[1].WriteReadyCase()}
}

func (p *pipeWatch) close(w *world) {
	for p.tend(false) {
	}
	if p.written.Load() != p.read.Load() {
		w.fail("%d bytes were written to a pipe, %d read", p.written.Load(), p.read.Load())
	}
	for i := range p.files {
		if err := p.watches[i].Close(); err != nil {
			w.fail("Close of a Watch: %v", err)
		}
		p.files[i].Close()
	}
}
