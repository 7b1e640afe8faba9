//go:build unix && !aix

package runtime_test

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// listen returns a Listener of rt.
func listen(t testing.TB, rt *runtime.Runtime, network, address string) *runtime.Listener {
	t.Helper()
	inner, err := net.Listen(network, address)
	require.NoError(t, err)
	t.Cleanup(func() { inner.Close() })
	l, err := rt.Listener(inner)
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

// accepts is a task that accepts one connection and closes it.
func accepts(l *runtime.Listener) func(runtime.Cx) (int, error) {
	return func(cx runtime.Cx) (int, error) {
		c, err := l.Accept(cx)
		if err != nil {
			return 0, err
		}
		return 1, c.Close()
	}
}

// A server that echoes, a task for each connection, and clients of package net.
func TestListenerServesManyClients(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		folder, err := os.MkdirTemp("", "sw") // the path of a socket must be short
		require.NoError(t, err)
		defer os.RemoveAll(folder)
		for network, address := range map[string]string{
			"tcp": "127.0.0.1:0", "unix": filepath.Join(folder, "socket"),
		} {
			const clients = 20
			rt := start(t, 2, poller)
			l := listen(t, rt, network, address)
			server := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				for served := 0; ; served++ {
					c, err := l.Accept(cx)
					if err != nil {
						return served, err
					}
					runtime.Spawn(cx, func(cx runtime.Cx) (int64, error) {
						defer c.Close()
						return io.Copy(c.With(cx), c.With(cx))
					}).Detach()
				}
			})
			failed := make(chan error, clients)
			for range clients {
				go func() { failed <- echoes(l.Addr()) }()
			}
			for range clients {
				require.NoError(t, receive(t, failed))
			}
			require.NoError(t, l.Close())
			served, err := get(t, server)
			isOpError(t, err, "accept", net.ErrClosed)
			require.Equal(t, clients, served)
		}
	})
}

// echoes sends something to a server and holds that it comes back.
func echoes(a net.Addr) error {
	c, err := net.Dial(a.Network(), a.String())
	if err != nil {
		return err
	}
	defer c.Close()
	got := make([]byte, 5)
	for range 10 {
		if _, err := c.Write([]byte("hello")); err != nil {
			return err
		}
		if _, err := io.ReadFull(c, got); err != nil {
			return err
		}
		if string(got) != "hello" {
			return errors.New("something else comes back")
		}
	}
	return nil
}

// Close and deadlines, by a goroutine or a task, end all calls of Accept; a cancellation ends one,
// and takes no connection.
func TestWhatEndsAccept(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		for _, inTask := range []bool{false, true} {
			rt := start(t, 2, poller)
			l := listen(t, rt, "tcp", "127.0.0.1:0")
			ends := func(f func() error, want error) {
				first, second := runtime.Submit(rt, accepts(l)), runtime.Submit(rt, accepts(l))
				inLine(t, l.Watch(), 1, 0)
				if inTask {
					run(t, rt, func(runtime.Cx) error { return f() })
				} else {
					require.NoError(t, f())
				}
				for _, h := range []*runtime.Handle[int]{first, second} {
					_, err := get(t, h)
					isOpError(t, err, "accept", want)
				}
			}
			ends(func() error { return l.SetDeadline(past) }, os.ErrDeadlineExceeded)
			require.NoError(t, l.SetDeadline(time.Time{}))

			h := runtime.Submit(rt, accepts(l))
			inLine(t, l.Watch(), 1, 0)
			h.Cancel()
			_, err := get(t, h)
			require.Equal(t, runtime.ErrCancelled, err)
			client, err := net.Dial("tcp", l.Addr().String())
			require.NoError(t, err)
			defer client.Close()
			_, err = get(t, runtime.Submit(rt, accepts(l)))
			require.NoError(t, err)

			ends(l.Close, net.ErrClosed)
			isOpError(t, l.Close(), "close", net.ErrClosed)
			isOpError(t, l.SetDeadline(past), "set", net.ErrClosed)
			_, err = net.Dial("tcp", l.Addr().String())
			require.Error(t, err, "it is still listening")
		}
	})
}

// The descriptors of a Listener and its connections are given back.
func TestListenerAfterTheEndOfItsRuntime(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		there, here := start(t, 1, poller), start(t, 1, poller)
		l := listen(t, there, "tcp", "127.0.0.1:0")
		h := runtime.Submit(here, accepts(l))
		inLine(t, l.Watch(), 1, 0)
		require.NoError(t, there.Close())
		_, err := get(t, h)
		isOpError(t, err, "accept", runtime.ErrClosed)
		inner, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer inner.Close()
		_, err = there.Listener(inner)
		require.ErrorIs(t, err, runtime.ErrClosed)
	})
}

// A fakeListener has no descriptor.
type fakeListener struct{ net.Listener }

func TestMisuseOfAListener(t *testing.T) {
	rt := start(t, 1)
	require.PanicsWithValue(t, "surewake: Listener: nil listener", func() { rt.Listener(nil) })
	require.PanicsWithValue(t,
		"surewake: Listener.Close: a nil or zero Listener; Runtime.Listener makes one",
		func() { new(runtime.Listener).Close() })
	_, err := rt.Listener(fakeListener{})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	l := listen(t, rt, "tcp", "127.0.0.1:0")
	require.Panics(t, func() { l.Accept(runtime.Cx{}) })
}
