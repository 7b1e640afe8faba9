//go:build unix && !aix

package runtime_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// eachPoller runs a test with each way to wait for descriptors that there is.
func eachPoller(t *testing.T, test func(t *testing.T, poller runtime.Option)) {
	for _, k := range []runtime.PollerKind{runtime.Epoll, runtime.Netpoll} {
		t.Run(k.String(), func(t *testing.T) {
			if !k.Available() {
				t.Skip("not on this platform")
			}
			test(t, runtime.Poller(k))
		})
	}
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() {
		r.Close()
		w.Close()
	})
	return r, w
}

// socketpair returns the two ends of a connection.
func socketpair(t testing.TB) (a, b net.Conn) {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	var ends [2]net.Conn
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "socketpair")
		ends[i], err = net.FileConn(f)
		f.Close()
		require.NoError(t, err)
		t.Cleanup(func() { ends[i].Close() })
	}
	return ends[0], ends[1]
}

func watch(t testing.TB, rt *runtime.Runtime, c any) *runtime.Watch {
	t.Helper()
	w, err := rt.Watch(c.(syscall.Conn))
	require.NoError(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

// read reads something; 0 bytes are the end.
func read(cx runtime.Cx, w *runtime.Watch, p []byte) (n int, err error) {
	waited := w.Read(cx, func(fd uintptr) bool {
		n, err = syscall.Read(int(fd), p)
		return err != syscall.EAGAIN && err != syscall.EINTR
	})
	if waited != nil {
		return 0, waited
	}
	return n, err
}

// write writes all of p.
func write(cx runtime.Cx, w *runtime.Watch, p []byte) (err error) {
	waited := w.Write(cx, func(fd uintptr) bool {
		var n int
		for n, err = syscall.Write(int(fd), p); n > 0 && err == nil; {
			p = p[n:]
			n, err = syscall.Write(int(fd), p)
		}
		return len(p) == 0 || err != syscall.EAGAIN && err != syscall.EINTR
	})
	if waited != nil {
		return waited
	}
	return err
}

// reader is a task that reads until the end, and returns how many bytes.
func reader(w *runtime.Watch) func(runtime.Cx) (int, error) {
	return func(cx runtime.Cx) (sum int, err error) {
		p := make([]byte, 100)
		for {
			n, err := read(cx, w, p)
			sum += n
			if n == 0 || err != nil {
				return sum, err
			}
		}
	}
}

func TestTaskWaitsForBytes(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		each(t, func(t *testing.T, workers int) {
			rt := start(t, workers, poller)
			r, w := pipe(t)
			h := runtime.Submit(rt, reader(watch(t, rt, r)))
			for i := range 20 {
				if i%3 == 0 {
					time.Sleep(time.Millisecond) // the reader waits by now, and all workers sleep
				}
				w.Write([]byte("seven b"))
			}
			w.Close()
			n, err := get(t, h)
			require.NoError(t, err)
			require.Equal(t, 140, n)
		})
	})
}

// What became ready before the Watch, or between that and the wait, ends the wait, too.
func TestReadinessBeforeTheWaitIsNotLost(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		rt := start(t, 2, poller)
		ready := func(w *runtime.Watch) *runtime.Handle[int] {
			return runtime.Submit(rt,
				func(cx runtime.Cx) (int, error) { return 0, w.ReadReady(cx) })
		}
		for range 20 {
			r, w := pipe(t)
			w.Write([]byte("before the watch"))
			watched := watch(t, rt, r)
			for range 2 { // nothing is taken by waiting
				_, err := get(t, ready(watched))
				require.NoError(t, err)
			}
			r, w = pipe(t)
			watched = watch(t, rt, r)
			h := ready(watched)
			w.Write([]byte("before, in or after the wait"))
			_, err := get(t, h)
			require.NoError(t, err)
		}
	})
}

// What becomes ready right after a failed try ends the wait that follows, also when somebody
// else has learned of it before the task stands in line.
func TestReadinessRightBehindTheTryIsNotLost(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		each(t, func(t *testing.T, workers int) {
			rt := start(t, workers, poller)
			for range 3 {
				r, w := pipe(t)
				watched := watch(t, rt, r)
				tries := 0
				_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					return 0, watched.Read(cx, func(fd uintptr) bool {
						if tries++; tries > 1 {
							_, err := syscall.Read(int(fd), make([]byte, 10))
							return err == nil
						}
						w.Write([]byte("too late for this try"))
						time.Sleep(
							2 * time.Millisecond) // the driver, if there is another worker, sees it
						return false
					})
				}))
				require.NoError(t, err)
			}
		})
	})
}

// Both directions of one Watch, used by two tasks at a time, with more bytes than there is room
// for.
func TestBothDirectionsAtOnce(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		each(t, func(t *testing.T, workers int) {
			const size = 1 << 20
			rt := start(t, workers, poller)
			a, b := socketpair(t)
			var sent, got [2][]byte
			var all []*runtime.Handle[int]
			for i, end := range []net.Conn{a, b} {
				w := watch(t, rt, end)
				sent[i] = make([]byte, size)
				for j := range sent[i] {
					sent[i][j] = byte(rand.Uint32())
				}
				all = append(all, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					return 0, write(cx, w, sent[i])
				}), runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					p := make([]byte, 5000)
					for len(got[i]) < size {
						n, err := read(cx, w, p)
						if err != nil {
							return 0, err
						}
						got[i] = append(got[i], p[:n]...)
					}
					return 0, nil
				}))
			}
			for _, h := range all {
				_, err := get(t, h)
				require.NoError(t, err)
			}
			require.Equal(t, sent[0], got[1])
			require.Equal(t, sent[1], got[0])
		})
	})
}

// More descriptors than are told of at a time.
func TestManyDescriptorsAtOnce(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		each(t, func(t *testing.T, workers int) {
			const many = 150
			rt := start(t, workers, poller)
			var writers [many]*os.File
			var all [many]*runtime.Handle[int]
			for i := range all {
				r, w := pipe(t)
				writers[i] = w
				all[i] = runtime.Submit(rt, reader(watch(t, rt, r)))
			}
			for range 3 {
				for _, i := range rand.Perm(many) {
					writers[i].Write(make([]byte, i+1))
				}
			}
			for _, w := range writers {
				w.Close()
			}
			for i, h := range all {
				n, err := get(t, h)
				require.NoError(t, err)
				require.Equal(t, 3*(i+1), n)
			}
		})
	})
}

// Everybody who waits for one direction is woken by an edge; each byte is one task's.
func TestSeveralTasksWaitForOneDirection(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		const tasks = 10
		rt := start(t, 2, poller)
		r, w := pipe(t)
		watched := watch(t, rt, r)
		var all [tasks]*runtime.Handle[int]
		for i := range all {
			all[i] = runtime.Submit(rt,
				func(cx runtime.Cx) (int, error) { return read(cx, watched, make([]byte, 1)) })
		}
		time.Sleep(time.Millisecond)
		w.Write(make([]byte, tasks-1))
		time.Sleep(time.Millisecond)
		w.Write(make([]byte, 1))
		for _, h := range all {
			n, err := get(t, h)
			require.NoError(t, err)
			require.Equal(t, 1, n)
		}
	})
}

func TestCloseOfAWatchEndsItsWaits(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		rt := start(t, 2, poller)
		a, b := socketpair(t)
		watched := watch(t, rt, a)
		var all []*runtime.Handle[int]
		for range 3 {
			all = append(all, runtime.Submit(rt, reader(watched)), runtime.Submit(
				rt,
				func(cx runtime.Cx) (int, error) {
					return 0, write(cx, watched, make([]byte, 10<<20))
				},
			))
		}
		time.Sleep(2 * time.Millisecond)
		require.NoError(t, watched.Close())
		for _, h := range all {
			_, err := get(t, h)
			require.ErrorIs(t, err, runtime.ErrWatchClosed)
			require.ErrorIs(t, err, fs.ErrClosed)
		}
		require.Equal(t, runtime.ErrWatchClosed, watched.Close())
		_, err := get(
			t,
			runtime.Submit(rt,
				func(cx runtime.Cx) (int, error) { return 0, watched.WriteReady(cx) }),
		)
		require.Equal(t, runtime.ErrWatchClosed, err)

		b.Write(make([]byte, 4)) // a is still open, and can be watched again
		again := watch(t, rt, a)
		n, err := get(
			t,
			runtime.Submit(rt,
				func(cx runtime.Cx) (int, error) { return read(cx, again, make([]byte, 5)) }),
		)
		require.NoError(t, err)
		require.Equal(t, 4, n)
	})
}

// Who is cancelled takes nothing with it: what comes then is for the next one.
func TestCancelEndsAWaitAndTakesNothing(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		each(t, func(t *testing.T, workers int) {
			rt := start(t, workers, poller)
			r, w := pipe(t)
			watched := watch(t, rt, r)
			for i := range 20 {
				h := runtime.Submit(rt,
					func(cx runtime.Cx) (int, error) { return read(cx, watched, make([]byte, 1)) })
				if i%2 == 0 {
					time.Sleep(200 * time.Microsecond)
				}
				h.Cancel()
				w.Write([]byte{1})
				n, err := get(t, h)
				if err == nil {
					require.Equal(t, 1, n)
					continue
				}
				require.ErrorIs(t, err, runtime.ErrCancelled)
				n, err = get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					return read(cx, watched, make([]byte, 10))
				}))
				require.NoError(t, err)
				require.Equal(t, 1, n)
			}
		})
	})
}

// A task that is to end does not wait, and not even look.
func TestCancelledTaskDoesNotRead(t *testing.T) {
	rt := start(t, 1)
	r, w := pipe(t)
	watched := watch(t, rt, r)
	w.Write([]byte{1})
	_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		var h *runtime.Handle[int]
		h = runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
			h.Cancel()
			require.ErrorIs(t, watched.ReadReady(cx), runtime.ErrCancelled)
			return 0, watched.Read(cx, func(uintptr) bool { panic("called") })
		})
		return h.Join(cx)
	}))
	require.ErrorIs(t, err, runtime.ErrCancelled)
}

// Timers go on while the driver waits in the kernel, and a wait for a descriptor can have a time
// limit.
func TestWaitsHaveTimeLimits(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		each(t, func(t *testing.T, workers int) {
			rt := start(t, workers, poller)
			r, _ := pipe(t)
			watched := watch(t, rt, r)
			began := time.Now()
			_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				h := runtime.Spawn(cx,
					func(cx runtime.Cx) (int, error) { return 0, watched.ReadReady(cx) })
				_, err := h.JoinTimeout(cx, 3*time.Millisecond)
				require.ErrorIs(t, err, runtime.ErrTimeout)
				h.Cancel()
				_, err = h.Join(cx)
				require.ErrorIs(t, err, runtime.ErrCancelled)
				return 0, cx.Sleep(time.Millisecond)
			}))
			require.NoError(t, err)
			require.GreaterOrEqual(t, time.Since(began), 4*time.Millisecond)
			require.Less(t, time.Since(began), stuckAfter)
		})
	})
}

func TestCloseOfTheRuntimeEndsWaits(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		each(t, func(t *testing.T, workers int) {
			rt := start(t, workers, poller)
			var all []*runtime.Handle[int]
			for range 20 {
				a, _ := socketpair(t)
				all = append(all, runtime.Submit(rt, reader(watch(t, rt, a))))
			}
			time.Sleep(time.Millisecond)
			require.NoError(t, rt.Close())
			for _, h := range all {
				_, err := get(t, h)
				require.ErrorIs(t, err, runtime.ErrClosed)
			}
		})
	})
}

// Draining waits for those that wait for descriptors.
func TestShutdownWaitsForDescriptors(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		rt := start(t, 2, poller)
		r, w := pipe(t)
		h := runtime.Submit(rt, reader(watch(t, rt, r)))
		ctx, stop := context.WithTimeout(context.Background(), 2*time.Millisecond)
		defer stop()
		require.ErrorIs(t, rt.Shutdown(ctx), context.DeadlineExceeded)
		w.Write(make([]byte, 3))
		w.Close()
		n, err := get(t, h)
		require.NoError(t, err)
		require.Equal(t, 3, n)
		ends(t, rt)
	})
}

func TestWatchAfterTheEnd(t *testing.T) {
	for _, used := range []bool{false, true} {
		rt := start(t, 1)
		r, w := pipe(t)
		var watched *runtime.Watch
		if used {
			watched = watch(t, rt, r)
		}
		require.NoError(t, rt.Close())
		if runtime.Epoll.Available() {
			_, err := rt.Watch(w)
			require.ErrorIs(t, err, runtime.ErrClosed)
		}
		if used {
			require.NoError(t, watched.Close())
			require.ErrorIs(t, watched.Close(), runtime.ErrWatchClosed)
		}
	}
}

// Who waits with the Watch of a runtime that ends is told so, also if it is a task of another.
func TestTheEndOfARuntimeClosesItsWatches(t *testing.T) {
	if !runtime.Epoll.Available() {
		t.Skip("goroutines wait here, and belong to no runtime")
	}
	there, here := start(t, 1), start(t, 1)
	r, _ := pipe(t)
	watched := watch(t, there, r)
	h := runtime.Submit(here, reader(watched))
	require.Eventually(t, here.Idle, 10*time.Second, time.Millisecond)
	require.NoError(t, there.Close())
	_, err := get(t, h)
	require.ErrorIs(t, err, runtime.ErrWatchClosed)
	_, err = get(t, runtime.Submit(here, reader(watched)))
	require.ErrorIs(t, err, runtime.ErrWatchClosed)
}

// The first descriptor is watched while the driver sleeps in its parker, and who waits for it
// leaves its worker asleep: the driver has to change its place.
func TestFirstWatchMovesTheDriver(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		for range 10 {
			rt := start(t, 2, poller, runtime.RescueInterval(0))
			r, w := pipe(t)
			h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				asleep(t, rt, 1)
				watched, err := cx.Runtime().Watch(r)
				if err != nil {
					return 0, err
				}
				defer watched.Close()
				return read(cx, watched, make([]byte, 10))
			})
			asleep(t, rt, 2)
			time.Sleep(100 * time.Microsecond)
			w.Write([]byte{1})
			n, err := get(t, h)
			require.NoError(t, err)
			require.Equal(t, 1, n)
			r.Close() // before the runtime: a goroutine may wait for it
		}
	})
}

// Tasks that respawn themselves for ever do not keep a worker from looking at descriptors.
func TestBusyWorkersLook(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		each(t, func(t *testing.T, workers int) {
			rt := start(t, workers, poller)
			var over atomic.Bool
			var again func(cx runtime.Cx) (int, error)
			again = func(cx runtime.Cx) (int, error) {
				if !over.Load() {
					runtime.Spawn(cx, again)
				}
				return 0, nil
			}
			for range 2 * workers {
				runtime.Submit(rt, again)
			}
			r, w := pipe(t)
			h := runtime.Submit(rt, reader(watch(t, rt, r)))
			for range 10 {
				time.Sleep(100 * time.Microsecond)
				w.Write([]byte{1})
			}
			w.Close()
			n, err := get(t, h)
			over.Store(true)
			require.NoError(t, err)
			require.Equal(t, 10, n)
		})
	})
}

// The error of a connection that is closed, or a deadline, is that of the call; with Netpoll also
// while it waits.
func TestErrorsOfTheConnection(t *testing.T) {
	rt := start(t, 1, runtime.Poller(runtime.Netpoll))
	a, _ := socketpair(t)
	watched := watch(t, rt, a)
	h := runtime.Submit(rt, reader(watched))
	time.Sleep(time.Millisecond)
	require.NoError(t, a.SetReadDeadline(time.Now()))
	_, err := get(t, h)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NoError(t, a.SetReadDeadline(time.Time{}))
	h = runtime.Submit(rt, reader(watched))
	time.Sleep(time.Millisecond)
	a.Close()
	_, err = get(t, h)
	require.ErrorIs(t, err, net.ErrClosed)

	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		rt := start(t, 1, poller)
		r, _ := pipe(t)
		watched := watch(t, rt, r)
		r.Close()
		_, err := get(t, runtime.Submit(rt, reader(watched)))
		require.Error(t, err)
		require.NoError(t, watched.Close())
	})
}

// With Epoll, a task that waits is not told of a deadline that the connection is given behind its
// Watch, nor that it is closed: it waits on until the Watch is closed, or the runtime.
func TestEpollDoesNotTellWhatIsDoneBehindAWatch(t *testing.T) {
	if !runtime.Epoll.Available() {
		t.Skip("not on this platform")
	}
	for name, want := range map[string]error{
		"Watch.Close": runtime.ErrWatchClosed, "Runtime.Close": runtime.ErrClosed,
		"Watch.SetDeadline": os.ErrDeadlineExceeded,
	} {
		t.Run(name, func(t *testing.T) {
			rt := start(t, 1, runtime.Poller(runtime.Epoll))
			a, _ := socketpair(t)
			watched := watch(t, rt, a)
			h := runtime.Submit(rt, reader(watched))
			inLine(t, watched, 1, 0)
			require.NoError(t, a.SetReadDeadline(past))
			time.Sleep(10 * time.Millisecond)
			require.False(t, hasEnded(h))
			require.NoError(t, a.Close())
			time.Sleep(10 * time.Millisecond)
			require.False(t, hasEnded(h))
			switch name {
			case "Watch.Close":
				require.NoError(t, watched.Close())
			case "Runtime.Close":
				closes(t, rt)
			default:
				require.NoError(t, watched.SetDeadline(past))
			}
			_, err := get(t, h)
			require.ErrorIs(t, err, want)
		})
	}
}

// Tasks of one runtime may wait with the Watch of another.
func TestWatchOfAnotherRuntime(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		there, here := start(t, 1, poller), start(t, 1, poller)
		r, w := pipe(t)
		h := runtime.Submit(here, reader(watch(t, there, r)))
		time.Sleep(time.Millisecond)
		w.Write([]byte{1})
		w.Close()
		n, err := get(t, h)
		require.NoError(t, err)
		require.Equal(t, 1, n)
	})
}

// descriptor returns that of c.
func descriptor(t *testing.T, c syscall.Conn) (fd uintptr) {
	raw, err := c.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(n uintptr) { fd = n }))
	return fd
}

func TestMisuseOfAWatch(t *testing.T) {
	rt := start(t, 1)
	require.PanicsWithValue(t, "surewake: Watch: nil connection", func() { rt.Watch(nil) })
	r, _ := pipe(t)
	w := watch(t, rt, r)
	_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		require.PanicsWithValue(t, "surewake: Read: nil function", func() { w.Read(cx, nil) })
		require.PanicsWithValue(t, "surewake: Write: nil function", func() { w.Write(cx, nil) })
		return 0, nil
	}))
	require.NoError(t, err)
	require.Panics(t, func() { w.ReadReady(runtime.Cx{}) })

	_, err = runtime.New(runtime.Poller(7))
	require.ErrorContains(t, err, "PollerKind(7)")
	if runtime.Epoll.Available() {
		const twice = "surewake: %s: descriptor %d is watched by this runtime already; close " +
			"that Watch, Conn or Listener first: epoll_ctl: file exists"
		_, err = rt.Watch(r)
		require.ErrorIs(t, err, syscall.EEXIST)
		require.EqualError(t, err, fmt.Sprintf(twice, "Watch", descriptor(t, r)))
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		listener, err := rt.Listener(l)
		require.NoError(t, err)
		_, err = rt.Listener(l)
		require.EqualError(t, err,
			fmt.Sprintf(twice, "Listener", descriptor(t, l.(*net.TCPListener))))
		require.NoError(t, listener.Close())
		f, err := os.Create(filepath.Join(t.TempDir(), "file"))
		require.NoError(t, err)
		defer f.Close()
		_, err = rt.Watch(f)
		require.ErrorIs(t, err, syscall.EPERM)
		require.EqualError(t, err, fmt.Sprintf("surewake: Watch: descriptor %d cannot be waited "+
			"for; it is always ready, as a file on a disk is: epoll_ctl: operation not permitted",
			descriptor(t, f)))
	}
}

// What can't be waited for is refused by both pollers: what is closed, watched already, or a file
// or a directory on a disk.
func TestWatchesThatAreRefused(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		rt := start(t, 1, poller)
		refused := func(c syscall.Conn, is error, text string) {
			t.Helper()
			_, err := rt.Watch(c)
			require.ErrorContains(t, err, "surewake: Watch: ")
			if is != nil {
				require.ErrorIs(t, err, is)
			}
			require.ErrorContains(t, err, text)
		}
		dir := t.TempDir()
		file, err := os.Create(filepath.Join(dir, "file"))
		require.NoError(t, err)
		refused(file, fs.ErrPermission, "always ready")
		require.NoError(t, file.Close())
		refused(file, nil, "use of closed file")
		d, err := os.Open(dir)
		require.NoError(t, err)
		defer d.Close()
		refused(d, fs.ErrPermission, "always ready")

		r, _ := pipe(t)
		w := watch(t, rt, r)
		refused(r, fs.ErrExist, "is watched by this runtime already")
		require.NoError(t, w.Close())
		w, err = rt.Watch(r)
		require.NoError(t, err)
		// The number of a descriptor that is closed is soon another's.
		fd := descriptor(t, r)
		require.NoError(t, r.Close())
		refused(r, nil, "use of closed file")
		again, _ := pipe(t)
		if descriptor(t, again) == fd {
			other, err := rt.Watch(again)
			require.NoError(t, err)
			require.NoError(t, w.Close()) // which is not the one of that number
			refused(again, fs.ErrExist, "already")
			require.NoError(t, other.Close())
		}

		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		c, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		require.NoError(t, l.Close())
		require.NoError(t, c.Close())
		_, err = rt.Conn(c)
		require.ErrorIs(t, err, net.ErrClosed)
		_, err = rt.Listener(l)
		require.ErrorIs(t, err, net.ErrClosed)
	})
}
