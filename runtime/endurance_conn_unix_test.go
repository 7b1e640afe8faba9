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
	read int // bytes that have come back
}

// talks counts talks, for the names of sockets.
var talks atomic.Int64

func newTalk(p *player) *talk {
	t := &talk{p: p, rng: p.rng, text: make([]byte, p.rng.IntN(600_000))}
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
		return echoTo(cx, listener, copies)
	})
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

// echoTo accepts a connection and echoes until its end. It returns how many bytes.
func echoTo(cx runtime.Cx, l *runtime.Listener, copies bool) (int, error) {
	c, err := l.Accept(cx)
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
	writer := runtime.Spawn(cx, func(cx runtime.Cx) (n int, err error) {
		if n, err = c.Write(cx, t.text); err != nil {
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

// answers reads until the end.
func (t *talk) answers(c *runtime.Conn) error {
	buffer := make([]byte, 1000+t.rng.IntN(20_000))
	for {
		var deadline time.Time
		if t.rng.IntN(4) == 0 {
			deadline = time.Now().Add(time.Duration(t.rng.IntN(200)) * time.Microsecond)
		}
		_ = c.SetReadDeadline(deadline) // net.ErrClosed if the writer was stopped
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
