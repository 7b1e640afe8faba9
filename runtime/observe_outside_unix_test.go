//go:build unix && !aix

package runtime_test

import (
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// The end of a Watch, Conn or Listener for which nobody waits wakes no worker. (runtime/R61)
func TestDebugTellsAfterTheLastWatchIsClosed(t *testing.T) {
	for name, open := range map[string]func(*runtime.Runtime) (io.Closer, error){
		"Watch": func(rt *runtime.Runtime) (io.Closer, error) {
			r, w, err := os.Pipe()
			require.NoError(t, err)
			t.Cleanup(func() { r.Close(); w.Close() })
			return rt.Watch(r)
		},
		"Conn": func(rt *runtime.Runtime) (io.Closer, error) {
			c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
			require.NoError(t, err)
			return rt.Conn(c)
		},
		"Listener": func(rt *runtime.Runtime) (io.Closer, error) {
			l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
			require.NoError(t, err)
			return rt.Listener(l)
		},
	} {
		t.Run(name, func(t *testing.T) {
			all := toldIn(t, func(rt *runtime.Runtime) {
				first, err := open(rt)
				require.NoError(t, err)
				last, err := open(rt)
				require.NoError(t, err)
				runtime.Submit(rt, waitsForABell)
				time.Sleep(time.Minute)
				require.NoError(t, first.Close())
				time.Sleep(time.Minute)
				require.NoError(t, last.Close())
				time.Sleep(time.Hour)
			}, runtime.Poller(runtime.Netpoll)) // which no clock of a bubble waits for
			require.Len(t, all, 1)
			require.Equal(t, 130*time.Second, all[0].after.Truncate(rescue))
		})
	}
}

// A Watch of another runtime may wake a task. (runtime/R61)
func TestWhatWaitsForAWatchOfAnotherRuntimeIsNotToldOf(t *testing.T) {
	for name, wait := range map[string]func(runtime.Cx, *runtime.Watch) error{
		"ReadReady": func(cx runtime.Cx, w *runtime.Watch) error { return w.ReadReady(cx) },
		"Select": func(cx runtime.Cx, w *runtime.Watch) error {
			_, err := runtime.Select(cx, w.ReadReadyCase())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachPoller(t, func(t *testing.T, poller runtime.Option) {
				rt, other := start(t, 1, runtime.Debug()), start(t, 1, poller)
				runtime.Submit(rt, waitsForABell)
				atRest(t, rt)
				require.True(t, rt.Quiet())
				r, _ := pipe(t)
				watch, err := other.Watch(r)
				require.NoError(t, err)
				h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					return 0, wait(cx, watch)
				})
				waits(t, func() bool { return rt.Outsiders() == 1 }, "it does not wait")
				atRest(t, rt)
				require.False(t, rt.Quiet())
				require.NoError(t, watch.Close())
				_, err = get(t, h)
				require.ErrorIs(t, err, runtime.ErrWatchClosed)
				atRest(t, rt)
				require.True(t, rt.Quiet())
			})
		})
	}
}
