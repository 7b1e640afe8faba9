//go:build unix && !aix

package runtime_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/runtime"
)

// A talk is a connection on which one task asks, another echoes, and a third writes for the first.
type talk struct {
	p    *player
	rng  *rand.Rand
	text []byte
	read int  // bytes that have come back
	both bool // the deadlines of who reads are those of who writes, too
	// patience is the deadline of the listener.
	patience atomic.Pointer[time.Time]
}

// talks counts talks, for the names of sockets.
var talks atomic.Int64

func newTalk(p *player) *talk {
	t := &talk{p: p, rng: p.rng, text: make([]byte, p.rng.IntN(600_000)),
		both: p.rng.IntN(3) == 0}
	for i, first := range p.rng.Perm(256) {
		for ; i < len(t.text); i += 256 {
			t.text[i] = byte(first + i>>8)
		}
	}
	return t
}

// talk listens, asks and echoes, and holds that everything comes back unless a task was stopped.
func (p *player) talk() {
	if p.shields > 0 || !p.mayHelp() { // the others have no shield
		return
	}
	path := filepath.Join(os.TempDir(), fmt.Sprintf("sw%d.%d", os.Getpid(), talks.Add(1)))
	l, err := net.Listen("unix", path)
	if err != nil {
		panic(err)
	}
	listener, err := p.r.house.rt.Listener(l)
	if err != nil {
		p.w.fail("Listener: %v", err)
		l.Close()
		return
	}
	t := newTalk(p)
	copies := p.rng.IntN(2) == 0
	echoer := runtime.Spawn(p.cx, func(cx runtime.Cx) (int, error) {
		return t.echoTo(cx, listener, copies)
	})
	if got := listener.Addr().String(); got != path {
		p.w.fail("a listener at %s says %s", path, got)
	}
	if p.rng.IntN(2) == 0 { // the echoer takes it back
		at := time.Now().Add(time.Duration(p.rng.IntN(200)) * time.Microsecond)
		t.patience.Store(&at)
		_ = listener.SetDeadline(at) // net.ErrClosed if the runtime was closed
	}
	wrote, writing, reading := t.ask(path)
	listener.Close() // the echoer may wait for somebody who asks
	echoed, echoing := echoer.Join(p.cx)
	switch n := len(t.text); {
	case stopped(writing) || stopped(reading) || stopped(echoing):
	case writing != nil || reading != nil || echoing != nil || wrote != n || echoed != n ||
		t.read != n:
		p.w.fail("task %d: %d bytes: %d written, %v; %d echoed, %v; %d read, %v", p.r.id, n,
			wrote, writing, echoed, echoing, t.read, reading)
	}
}

func stopped(err error) bool {
	return errors.Is(err, runtime.ErrCancelled) || errors.Is(err, runtime.ErrClosed)
}

// accept accepts a connection, if need be after a deadline.
func (t *talk) accept(cx runtime.Cx, l *runtime.Listener) (c *runtime.Conn, err error) {
	for {
		c, err = l.Accept(cx)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return c, err
		}
		if at := t.patience.Load(); at == nil || time.Now().Before(*at) {
			t.p.w.fail("task %d: a deadline of %v of a listener came early", t.p.r.id, at)
		}
		_ = l.SetDeadline(time.Time{}) // net.ErrClosed if it was closed meanwhile
	}
}

// echoTo accepts a connection and echoes until its end. It returns how many bytes.
func (t *talk) echoTo(cx runtime.Cx, l *runtime.Listener, copies bool) (int, error) {
	c, err := t.accept(cx, l)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	if copies {
		n, err := io.Copy(c.With(cx), c.With(cx))
		return int(n), err
	}
	buffer := make([]byte, 3000)
	for sum := 0; ; {
		n, err := c.Read(cx, buffer)
		if err == io.EOF {
			return sum, nil
		} else if err != nil {
			return sum, err
		}
		n, err = c.Write(cx, buffer[:n])
		if sum += n; err != nil {
			return sum, err
		}
	}
}

// ask sends the text and reads what comes back.
func (t *talk) ask(path string) (wrote int, writing, reading error) {
	cx := t.p.cx
	raw, err := net.Dial("unix", path)
	if err != nil {
		panic(err)
	}
	c, err := t.p.r.house.rt.Conn(raw)
	if err != nil {
		t.p.w.fail("Conn: %v", err)
		raw.Close()
		return 0, err, err
	}
	if got := c.RemoteAddr().String(); got != path || c.LocalAddr() == nil {
		t.p.w.fail("a connection to %s says %s, from %v", path, got, c.LocalAddr())
	}
	seed := t.rng.Uint64()
	writer := runtime.Spawn(cx, func(cx runtime.Cx) (n int, err error) {
		if n, err = t.write(cx, c, rand.New(rand.NewPCG(t.p.w.seed, seed))); err != nil {
			c.Close() // nobody is to wait for the rest
			return n, err
		}
		return n, c.NetConn().(*net.UnixConn).CloseWrite()
	})
	if reading = t.answers(c); stopped(reading) {
		t.p.fail(reading, "Conn.Read")
	}
	c.Close() // the writer may wait for room
	wrote, writing = writer.Join(cx)
	return wrote, writing, reading
}

// write writes all, if need be after some deadlines.
func (t *talk) write(cx runtime.Cx, c *runtime.Conn, rng *rand.Rand) (wrote int, err error) {
	for {
		var deadline time.Time
		if !t.both && rng.IntN(2) == 0 {
			deadline = time.Now().Add(time.Duration(rng.IntN(200)) * time.Microsecond)
		}
		_ = c.SetWriteDeadline(deadline) // net.ErrClosed if the reader was stopped
		n, err := c.Write(cx, t.text[wrote:])
		wrote += n
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return wrote, err
		}
		if !t.both && (deadline.IsZero() || time.Now().Before(deadline)) {
			t.p.w.fail("task %d: a deadline of %v of a writer came early", t.p.r.id, deadline)
		}
	}
}

// answers reads until the end.
func (t *talk) answers(c *runtime.Conn) error {
	buffer := make([]byte, 1000+t.rng.IntN(20_000))
	for {
		var deadline time.Time
		if t.rng.IntN(4) == 0 {
			deadline = time.Now().Add(time.Duration(t.rng.IntN(200)) * time.Microsecond)
		}
		set := c.SetReadDeadline
		if t.both {
			set = c.SetDeadline
		}
		_ = set(deadline) // net.ErrClosed if the writer was stopped
		n, err := c.Read(t.p.cx, buffer)
		if !bytes.HasPrefix(t.text[t.read:], buffer[:n]) {
			t.p.w.fail("task %d: after %d bytes, others have come back than were sent", t.p.r.id,
				t.read)
			return nil
		}
		t.read += n
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			if deadline.IsZero() || time.Now().Before(deadline) {
				t.p.w.fail("task %d: a deadline of %v came early", t.p.r.id, deadline)
			}
		case err != nil:
			return err
		}
	}
}
