//go:build unix && !aix

package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	goruntime "runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// conns returns a Conn of rt and the other end of it.
func conns(t testing.TB, rt *runtime.Runtime) (*runtime.Conn, net.Conn) {
	t.Helper()
	a, b := socketpair(t)
	c, err := rt.Conn(a)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c, b
}

// reads is a task that reads once, and returns how many bytes.
func reads(c *runtime.Conn) func(runtime.Cx) (int, error) {
	return func(cx runtime.Cx) (int, error) { return c.Read(cx, make([]byte, 100)) }
}

// fills is a task that writes more than there is room for, and returns how many bytes went.
func fills(c *runtime.Conn) func(runtime.Cx) (int, error) {
	return func(cx runtime.Cx) (int, error) { return c.Write(cx, make([]byte, 10<<20)) }
}

// isOpError holds that err is one of package net for op because of want.
func isOpError(t testing.TB, err error, op string, want error) {
	t.Helper()
	require.ErrorIs(t, err, want)
	var e *net.OpError
	require.ErrorAs(t, err, &e)
	require.Equal(t, op, e.Op)
	require.NotEmpty(t, e.Net)
}

// Writes are completed however little room there is; the end is io.EOF.
func TestConnMovesBytesUntilTheEnd(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		each(t, func(t *testing.T, workers int) {
			rt := start(t, workers, poller)
			a, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer a.Close()
			client, err := net.Dial("tcp", a.Addr().String())
			require.NoError(t, err)
			server, err := a.Accept()
			require.NoError(t, err)
			from, err := rt.Conn(client)
			require.NoError(t, err)
			to, err := rt.Conn(server)
			require.NoError(t, err)

			sent := make([]byte, 1<<20)
			for i := range sent {
				sent[i] = byte(rand.Uint32())
			}
			out := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				defer from.Close()
				return from.Write(cx, sent)
			})
			in := runtime.Submit(rt, func(cx runtime.Cx) ([]byte, error) {
				defer to.Close()
				if n, err := to.Read(cx, nil); n != 0 || err != nil {
					return nil, errors.New("a read of nothing")
				}
				return io.ReadAll(to.With(cx))
			})
			n, err := get(t, out)
			require.NoError(t, err)
			require.Equal(t, len(sent), n)
			got, err := get(t, in)
			require.NoError(t, err)
			require.True(t, bytes.Equal(sent, got))
		})
	})
}

// Bytes of two calls are not mixed.
func TestWritesOfAConnAreWhole(t *testing.T) {
	const size = 1 << 20
	rt := start(t, 4)
	c, b := conns(t, rt)
	var all []*runtime.Handle[int]
	for i := range 3 {
		all = append(all, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			return c.Write(cx, bytes.Repeat([]byte{byte(i)}, size))
		}))
	}
	got := make([]byte, 3*size)
	_, err := io.ReadFull(b, got)
	require.NoError(t, err)
	for i := range 3 {
		part := got[i*size : (i+1)*size]
		require.Equal(t, size, bytes.Count(part, part[:1]))
	}
	for _, h := range all {
		_, err := get(t, h)
		require.NoError(t, err)
	}
}

// Close, from a goroutine or a task, ends all calls that wait, also those that wait for their turn,
// and those that come later. (runtime/R23)
func TestCloseOfAConnEndsItsCalls(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		for _, inTask := range []bool{false, true} {
			rt := start(t, 2, poller)
			c, _ := conns(t, rt)
			ops := map[string][]*runtime.Handle[int]{}
			for range 3 {
				ops["read"] = append(ops["read"], runtime.Submit(rt, reads(c)))
				ops["write"] = append(ops["write"], runtime.Submit(rt, fills(c)))
			}
			inLine(t, c.Watch(), 1, 1)
			if inTask {
				run(t, rt, func(runtime.Cx) error { return c.Close() })
			} else {
				require.NoError(t, c.Close())
			}
			ops["read"] = append(ops["read"], runtime.Submit(rt, reads(c)))
			ops["write"] = append(ops["write"], runtime.Submit(rt, fills(c)))
			for op, hs := range ops {
				for _, h := range hs {
					_, err := get(t, h)
					isOpError(t, err, op, net.ErrClosed)
				}
			}
			isOpError(t, c.Close(), "close", net.ErrClosed)
			isOpError(t, c.SetDeadline(past), "set", net.ErrClosed)
			isOpError(t, c.SetReadDeadline(past), "set", net.ErrClosed)
			isOpError(t, c.SetWriteDeadline(past), "set", net.ErrClosed)
		}
	})
}

// A deadline, set by a goroutine or a task, ends all calls of its direction, and none after it was
// taken back. A write that it ends tells how much went.
func TestDeadlineOfAConnEndsItsCalls(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		for _, inTask := range []bool{false, true} {
			rt := start(t, 2, poller)
			c, b := conns(t, rt)
			readers := []*runtime.Handle[int]{
				runtime.Submit(rt, reads(c)), runtime.Submit(rt, reads(c)),
			}
			writer := runtime.Submit(rt, fills(c))
			inLine(t, c.Watch(), 1, 1)
			if inTask {
				run(t, rt, func(runtime.Cx) error { return c.SetDeadline(past) })
			} else {
				require.NoError(t, c.SetDeadline(past))
			}
			for _, h := range readers {
				_, err := get(t, h)
				isTimeout(t, err)
				isOpError(t, err, "read", os.ErrDeadlineExceeded)
			}
			n, err := get(t, writer)
			isTimeout(t, err)
			isOpError(t, err, "write", os.ErrDeadlineExceeded)
			_, err = io.ReadFull(b, make([]byte, n))
			require.NoError(t, err)

			require.NoError(t, c.SetReadDeadline(time.Time{}))
			require.NoError(t, c.SetWriteDeadline(time.Now().Add(time.Hour)))
			b.Write([]byte{1, 2})
			n, err = get(t, runtime.Submit(rt, reads(c)))
			require.NoError(t, err)
			require.Equal(t, 2, n)
			writer = runtime.Submit(rt, fills(c))
			inLine(t, c.Watch(), 0, 1)
			require.NoError(t, c.SetWriteDeadline(time.Now().Add(time.Millisecond)))
			n, err = get(t, writer)
			isTimeout(t, err)
			require.NotZero(t, n)
		}
	})
}

// A task that is cancelled leaves the call, whether it waits for bytes or for its turn, and the
// bytes to the next.
func TestCancelledTaskLeavesAConn(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		rt := start(t, 2, poller)
		c, b := conns(t, rt)
		for range 2 {
			first := runtime.Submit(rt, reads(c))
			inLine(t, c.Watch(), 1, 0)
			second, third := runtime.Submit(rt, reads(c)), runtime.Submit(rt, reads(c))
			for _, h := range []*runtime.Handle[int]{second, first} {
				h.Cancel()
				_, err := get(t, h)
				require.Equal(t, runtime.ErrCancelled, err)
			}
			b.Write([]byte{1, 2, 3})
			n, err := get(t, third)
			require.NoError(t, err)
			require.Equal(t, 3, n)
		}
	})
}

// The end of the runtime of a Conn ends calls of other runtimes; the connection is still open.
func TestConnAfterTheEndOfItsRuntime(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		before := goruntime.NumGoroutine()
		there, here := start(t, 1, poller), start(t, 1, poller)
		c, b := conns(t, there)
		h := runtime.Submit(here, reads(c))
		inLine(t, c.Watch(), 1, 0)
		require.NoError(t, there.Close())
		for range 2 {
			_, err := get(t, h)
			isOpError(t, err, "read", runtime.ErrClosed)
			h = runtime.Submit(here, reads(c))
		}
		b.Write([]byte{1})
		n, err := c.NetConn().Read(make([]byte, 2))
		require.NoError(t, err)
		require.Equal(t, 1, n)
		_, err = there.Conn(c.NetConn())
		require.ErrorIs(t, err, runtime.ErrClosed)
		require.NoError(t, c.Close())
		require.NoError(t, here.Close())
		waits(t, func() bool { return goruntime.NumGoroutine() <= before }, "goroutines are left")
	})
}

// What the operating system refuses is told as package net tells it.
func TestConnWhoseOtherSideIsGone(t *testing.T) {
	rt := start(t, 1)
	c, b := conns(t, rt)
	b.Close()
	_, err := get(t, runtime.Submit(rt, reads(c)))
	require.Equal(t, io.EOF, err)
	_, err = get(t, runtime.Submit(rt, fills(c)))
	var call *os.SyscallError
	require.ErrorAs(t, err, &call)
	isOpError(t, err, "write", call.Err)
	require.Equal(t, "write", call.Syscall)
}

// Calls that do not wait allocate nothing.
func TestCallsOfAConnDoNotAllocate(t *testing.T) {
	rt := start(t, 1)
	a, b := socketpair(t)
	from, err := rt.Conn(a)
	require.NoError(t, err)
	defer from.Close()
	to, err := rt.Conn(b)
	require.NoError(t, err)
	defer to.Close()
	run(t, rt, func(cx runtime.Cx) (failed error) {
		p := make([]byte, 100)
		allocs := testing.AllocsPerRun(100, func() {
			_, err1 := from.Write(cx, p)
			_, err2 := to.Read(cx, p)
			failed = errors.Join(failed, err1, err2)
		})
		require.Zero(t, allocs)
		return failed
	})
}

func TestMisuseOfAConn(t *testing.T) {
	rt := start(t, 1)
	require.PanicsWithValue(t, "surewake: Conn: nil connection", func() { rt.Conn(nil) })
	require.PanicsWithValue(t, "surewake: Conn.Close: a nil or zero Conn; Runtime.Conn makes one",
		func() { new(runtime.Conn).Close() })
	p, _ := net.Pipe()
	_, err := rt.Conn(p)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorContains(t, err, "*net.pipe has no descriptor")
	c, _ := conns(t, rt)
	require.Panics(t, func() { c.Read(runtime.Cx{}, nil) })
	require.Panics(t, func() { c.With(runtime.Cx{}) })
}

// In a bubble of testing/synctest, a connection that is open and that no task waits for does not
// stop the clock. (runtime/R53)
func TestAnOpenConnectionDoesNotStopTheClockOfABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, err := runtime.New(runtime.Workers(2))
		require.NoError(t, err)
		a, _ := socketpair(t)
		conn, err := rt.Conn(a)
		require.NoError(t, err)
		begin := time.Now()
		ctx, stop := context.WithTimeout(context.Background(), 2*time.Hour)
		defer stop()
		_, err = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			return 0, cx.Sleep(time.Hour)
		}).Wait(ctx)
		require.NoError(t, err)
		require.Equal(t, time.Hour, time.Since(begin))
		require.NoError(t, conn.Close())
		require.NoError(t, rt.Close())
	})
}
