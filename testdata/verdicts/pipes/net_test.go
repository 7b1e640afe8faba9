package pipes

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// verdict: proved without assumptions
func TestConnectionsTalkBothWays(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := net.Pipe()
		x.Go("echo", func() {
			line, err := bufio.NewReader(b).ReadString('\n')
			x.Assert(err == nil && line == "hello\n", "%q, %v", line, err)
			_, err = io.WriteString(b, line)
			x.Assert(err == nil, "%v", err)
			b.Close()
		})
		_, err := io.WriteString(a, "hello\n")
		x.Assert(err == nil, "%v", err)
		all, err := io.ReadAll(a)
		x.Assert(err == nil && string(all) == "hello\n", "%q, %v", all, err)
		x.Join()
	})
}

// Both sides write first: there is no buffer.
//
// verdict: FAILED deadlock|waits? for ever|blocked
func TestBothSidesWriteFirst(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := net.Pipe()
		talk := func(c net.Conn) func() {
			return func() {
				c.Write([]byte("a"))
				c.Read(make([]byte, 1))
			}
		}
		x.Go("a", talk(a))
		x.Go("b", talk(b))
		x.Join()
	})
}

// verdict: FAILED closed before
func TestConnectionIsClosedAtTheOtherEnd(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := net.Pipe()
		x.Go("close", func() { a.Close() })
		x.Go("read", func() { io.ReadAll(b) })
		_, err := a.Write([]byte("a"))
		x.Assert(err == nil, "closed before")
		x.Join()
	})
}

// A deadline may pass before the other side answers, or not.
//
// verdict: FAILED too late
func TestAnswerMayBeLate(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := net.Pipe()
		a.SetReadDeadline(time.Now().Add(time.Millisecond))
		x.Go("answer", func() { b.Write([]byte("a")) })
		_, err := a.Read(make([]byte, 1))
		a.Close()
		x.Join()
		x.Assert(err == nil, "too late")
	})
}

// verdict: proved
func TestDeadlineEndsARead(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := net.Pipe()
		a.SetDeadline(time.Now().Add(time.Hour))
		_, err := a.Read(make([]byte, 1))
		var late *net.OpError
		x.Assert(errors.Is(err, os.ErrDeadlineExceeded) && errors.As(err, &late), "%v", err)
		x.Assert(late.Op == "read" && late.Net == "pipe" && late.Timeout(), "%v", late)
		_, err = a.Write([]byte("a"))
		x.Assert(errors.As(err, &late) && late.Op == "write" && late.Timeout(), "%v", err)
		a.SetDeadline(time.Time{})
		x.Go("writer", func() { b.Write([]byte("a")) })
		_, err = a.Read(make([]byte, 1))
		x.Assert(err == nil, "%v", err)
		x.Assert(a.LocalAddr().String() == "pipe" && b.RemoteAddr().Network() == "pipe", "address")
		x.Join()
	})
}

// The deadline is moved while it passes: no timer is left that would close the new channel.
//
// verdict: bounded at most 2 timers
func TestDeadlineIsMovedWhileItPasses(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := net.Pipe()
		a.SetReadDeadline(time.Now().Add(time.Millisecond))
		x.Go("move", func() { a.SetReadDeadline(time.Time{}) })
		x.Go("writer", func() { b.Write([]byte("a")) })
		_, err := a.Read(make([]byte, 1))
		x.Assert(err == nil || errors.Is(err, os.ErrDeadlineExceeded), "%v", err)
		x.Go("closer", func() { a.Close() })
		x.Join()
		_, err = a.Read(nil)
		x.Assert(err == io.ErrClosedPipe, "%v", err)
	})
}

// A listener and connections of the program itself, over pipes of the library.
type listener struct{ conns chan net.Conn }

func (l *listener) Accept() (net.Conn, error) {
	c, ok := <-l.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (l *listener) Close() error   { close(l.conns); return nil }
func (l *listener) Addr() net.Addr { return &net.TCPAddr{} }

func serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		io.Copy(io.Discard, c)
		c.Close()
	}
}

// verdict: proved without assumptions
func TestListenerOfTheProgram(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		l := &listener{conns: make(chan net.Conn)}
		x.Go("server", func() { serve(l) })
		x.Go("client", func() {
			a, b := net.Pipe()
			l.conns <- b
			_, err := a.Write([]byte("a"))
			x.Assert(err == nil, "%v", err)
			a.Close()
			var any net.Listener = l
			any.Close()
		})
		x.Join()
	})
}

var outside, _ = net.ListenPacket("udp", "127.0.0.1:0")

// verdict: undecided not modelled
func TestSocketMadeOutside(t *testing.T) {
	model.Check(t, func(*model.Exec) { outside.LocalAddr() })
}

// verdict: undecided not modelled
func TestSocketByItsType(t *testing.T) {
	address := net.PacketConn.LocalAddr
	model.Check(t, func(*model.Exec) { address(outside) })
}

// verdict: undecided net.Listen is not modelled
func TestSocket(t *testing.T) {
	model.Check(t, func(*model.Exec) { net.Listen("tcp", "127.0.0.1:0") })
}

var left, right = net.Pipe()

// verdict: proved without assumptions
func TestNetPipeOfThePackage(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Choose(2)
		x.Go("closer", func() { x.Assert(left.Close() == nil, "Close") })
		_, err := right.Read(make([]byte, 1))
		x.Assert(err == io.EOF, "%v", err)
		x.Join()
	})
}
