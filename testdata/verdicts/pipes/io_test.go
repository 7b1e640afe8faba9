// Package pipes has programs that talk over pipes of packages io and net.
package pipes

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/surewake/surewake/model"
)

var errOwn = errors.New("own")

// What was written before a Write is seen after the Read that takes it, and what the reader does
// before it reads again is seen after the Write.
//
// verdict: proved, 1 trace without assumptions
func TestPipeOrdersBothSides(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		r, w := io.Pipe()
		var there, back int
		x.Go("writer", func() {
			there = 1
			_, err := w.Write([]byte("ab"))
			x.Assert(err == nil && back == 1, "wrote: %v, %d", err, back)
		})
		b := make([]byte, 1)
		_, err := r.Read(b)
		x.Assert(err == nil && b[0] == 'a' && there == 1, "read %q: %v", b, err)
		back = 1
		_, err = r.Read(b)
		x.Assert(err == nil && b[0] == 'b', "read %q: %v", b, err)
		x.Join()
	})
}

// The Write ends before the reader has set the variable.
//
// verdict: FAILED data race
func TestWriteDoesNotWaitForTheReaderToGoOn(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		r, w := io.Pipe()
		seen := 0
		x.Go("writer", func() {
			w.Write([]byte("a"))
			seen++
		})
		r.Read(make([]byte, 1))
		seen++
		x.Join()
	})
}

// The pipe has no buffer of its own: a Read copies from the slice while Write has it.
//
// verdict: FAILED data race
func TestBytesAreChangedWhileTheyAreWritten(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		r, w := io.Pipe()
		b := []byte("ab")
		x.Go("writer", func() { w.Write(b) })
		x.Go("other", func() { b[1] = 'c' })
		io.ReadFull(r, make([]byte, 2))
		x.Join()
	})
}

// verdict: FAILED deadlock|waits? for ever|blocked
func TestNobodyReads(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		_, w := io.Pipe()
		w.Write([]byte("a"))
	})
}

// verdict: FAILED deadlock|waits? for ever|blocked
func TestWriterForgetsToClose(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		r, w := io.Pipe()
		x.Go("writer", func() { fmt.Fprint(w, "all") })
		io.ReadAll(r)
		x.Join()
	})
}

// The reader has gone: the writer must not wait for it.
//
// verdict: proved without assumptions
func TestReaderGivesUp(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		r, w := io.Pipe()
		x.Go("writer", func() {
			n, err := w.Write([]byte("abc"))
			x.Assert(n <= 1 && errors.Is(err, errOwn), "wrote %d: %v", n, err)
		})
		x.Go("reader", func() {
			r.Read(make([]byte, 1))
			r.CloseWithError(errOwn)
		})
		x.Join()
		_, err := r.Read(nil)
		x.Assert(err == io.ErrClosedPipe, "own half: %v", err)
	})
}

// verdict: FAILED none was taken
func TestReaderGivesUpAfterAByte(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		r, w := io.Pipe()
		x.Go("reader", func() { r.Read(make([]byte, 1)); r.Close() })
		x.Go("closer", func() { r.Close() })
		n, _ := w.Write([]byte("abc"))
		x.Assert(n == 1, "none was taken")
		x.Join()
	})
}

// The first error stays, whoever is first.
//
// verdict: FAILED the other was first
func TestTwoClose(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		r, w := io.Pipe()
		x.Go("one", func() { w.CloseWithError(errOwn) })
		x.Go("two", func() { w.Close() })
		x.Join()
		_, err := r.Read(nil)
		x.Assert(err == errOwn || err == io.EOF, "%v", err)
		x.Assert(err == errOwn, "the other was first")
	})
}

// verdict: proved, 1 trace without assumptions
func TestFirstErrorStays(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		r, w := io.Pipe()
		w.CloseWithError(errOwn)
		w.Close()
		_, err := r.Read(nil)
		x.Assert(err == errOwn, "%v", err)
	})
}

// Each Write is whole, in either order.
//
// verdict: proved, 2 traces without assumptions
func TestWritesAreNotMixed(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		r, w := io.Pipe()
		x.Go("one", func() { w.Write([]byte("ab")) })
		x.Go("two", func() { w.Write([]byte("cd")) })
		b := make([]byte, 4)
		for i := range b {
			r.Read(b[i : i+1])
		}
		x.Join()
		x.Assert(string(b) == "abcd" || string(b) == "cdab", "read %q", b)
	})
}

// The second writer waits for the first one, which ends because the pipe is closed: its own bytes
// cannot be read after that, even by a reader that came before.
//
// verdict: proved without assumptions
func TestSecondWriterComesTooLate(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		r, w := io.Pipe()
		var first, second error
		x.Go("one", func() { _, first = w.Write([]byte("aa")) })
		r.Read(make([]byte, 1))
		x.Go("two", func() { _, second = w.Write([]byte("b")) })
		x.Go("close", func() { w.Close() })
		r.Read(make([]byte, 1))
		x.Join()
		x.Assert(first == nil || second != nil, "%v, %v", first, second)
	})
}

// What Write says was not taken belongs to the writer again.
//
// verdict: proved without assumptions
func TestWriterThatGaveUpHasItsBytes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		r, w := io.Pipe()
		x.Go("close", func() { r.Close() })
		x.Go("reader", func() {
			if n, err := r.Read(make([]byte, 1)); err == nil {
				x.Assert(n == 1, "read %d", n)
			}
		})
		b := []byte("a")
		w.Write(b)
		b[0]++
		x.Join()
	})
}

// verdict: FAILED the other was first
func TestWritesHaveNoOrder(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		r, w := io.Pipe()
		x.Go("one", func() { w.Write([]byte("a")) })
		x.Go("two", func() { w.Write([]byte("b")) })
		b := make([]byte, 2)
		io.ReadFull(r, b)
		x.Join()
		x.Assert(string(b) == "ab", "the other was first")
	})
}

// The standard library calls the methods of pipes behind interfaces.
//
// verdict: proved without assumptions
func TestDecoderAtTheOtherEnd(t *testing.T) {
	type point struct{ X, Y int }
	model.Check(t, func(x *model.Exec) {
		r, w := io.Pipe()
		x.Go("encoder", func() {
			err := json.NewEncoder(w).Encode(point{1, 2})
			w.CloseWithError(err)
		})
		var p point
		d := json.NewDecoder(r)
		x.Assert(d.Decode(&p) == nil && p == point{1, 2}, "%v", p)
		x.Assert(d.Decode(&p) == io.EOF, "more than one")
		x.Join()
	})
}

// verdict: proved without assumptions
func TestLinesAreScanned(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		r, w := io.Pipe()
		x.Go("copy", func() {
			_, err := io.Copy(w, strings.NewReader("a\nb\n"))
			w.CloseWithError(err)
		})
		var lines []string
		for s := bufio.NewScanner(r); s.Scan(); {
			lines = append(lines, s.Text())
		}
		x.Assert(fmt.Sprint(lines) == "[a b]", "%v", lines)
		x.Join()
	})
}

// The types of pipes stand wherever a type can stand.
type (
	half   = io.PipeReader
	halves struct {
		*io.PipeReader
		w *io.PipeWriter
	}
	pair[T any] struct{ a, b T }
)

func ends() (*io.PipeReader, *io.PipeWriter) { return io.Pipe() }

func swap[R io.Reader, W io.Writer](r R, w W) (W, R) { return w, r }

// verdict: proved without assumptions
func TestTypesOfPipes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var make = io.Pipe
		r, w := make()
		h := halves{PipeReader: r, w: w}
		var any any = h.PipeReader
		own, ok := any.(*io.PipeReader)
		x.Assert(ok && own == (*half)(r), "%T", any)
		p := pair[*io.PipeWriter]{a: w}
		v, u := swap(own, p.a)
		closing := (*io.PipeWriter).Close
		x.Go("close", func() { closing(v) })
		read := h.Read
		_, err := read(nil)
		x.Assert(err == io.EOF, "%v", err)
		_, err = u.Read(nil)
		x.Assert(err == io.EOF, "%v", err)
		for range 1 {
			r, w := ends()
			go func(c chan *io.PipeWriter) { (<-c).Close() }(func() chan *io.PipeWriter {
				c := builtin()
				c <- w
				return c
			}())
			_, err := h.PipeReader.Read(nil)
			x.Assert(err == io.EOF, "%v", err)
			_, err = r.Read(nil)
			x.Assert(err == io.EOF, "%v", err)
		}
		x.Join()
	})
}

func builtin() chan *io.PipeWriter { return make(chan *io.PipeWriter, 1) }

var packageReader, packageWriter = io.Pipe()

// verdict: proved without assumptions
func TestPipeOfThePackage(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("writer", func() { packageWriter.Write([]byte("a")) })
		b := make([]byte, 1)
		n, err := packageReader.Read(b)
		x.Assert(n == 1 && err == nil, "%d, %v", n, err)
		x.Join()
	})
}
