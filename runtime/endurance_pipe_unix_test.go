//go:build unix

package runtime_test

import (
	"os"
	"sync/atomic"
	"syscall"

	"github.com/surewake/surewake/runtime"
)

// A pipeWatch is a pipe of the operating system that tasks of one runtime write to and read from, a
// byte at a time.
type pipeWatch struct {
	files         [2]*os.File // what is read from, what is written to
	watches       [2]*runtime.Watch
	written, read atomic.Int64
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
func (p *pipeWatch) use(cx runtime.Cx, write bool) error {
	if write {
		return p.watches[1].Write(cx, func(fd uintptr) bool { return p.move(true, fd) })
	}
	return p.watches[0].Read(cx, func(fd uintptr) bool { return p.move(false, fd) })
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
