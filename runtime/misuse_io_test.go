package runtime_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A nil or zero Conn or Listener is named by each method, also where sockets block. (runtime/R14)
func TestNilAndZeroConnsAndListenersAreNamed(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		named := func(rule string, calls map[string]func()) {
			t.Helper()
			for what, call := range calls {
				require.Equal(t, "surewake: "+what+": "+rule, panics(call))
			}
		}
		for _, c := range []*runtime.Conn{nil, {}} {
			named("a nil or zero Conn; Runtime.Conn makes one", map[string]func(){
				"Conn.Read":             func() { _, _ = c.Read(cx, nil) },
				"Conn.Write":            func() { _, _ = c.Write(cx, nil) },
				"Conn.Close":            func() { _ = c.Close() },
				"Conn.SetDeadline":      func() { _ = c.SetDeadline(time.Time{}) },
				"Conn.SetReadDeadline":  func() { _ = c.SetReadDeadline(time.Time{}) },
				"Conn.SetWriteDeadline": func() { _ = c.SetWriteDeadline(time.Time{}) },
				"Conn.LocalAddr":        func() { c.LocalAddr() },
				"Conn.RemoteAddr":       func() { c.RemoteAddr() },
				"Conn.NetConn":          func() { c.NetConn() },
				"Conn.With":             func() { c.With(cx) },
			})
		}
		for _, l := range []*runtime.Listener{nil, {}} {
			named("a nil or zero Listener; Runtime.Listener makes one", map[string]func(){
				"Listener.Accept":      func() { _, _ = l.Accept(cx) },
				"Listener.Close":       func() { _ = l.Close() },
				"Listener.SetDeadline": func() { _ = l.SetDeadline(time.Time{}) },
				"Listener.Addr":        func() { l.Addr() },
			})
		}
		for _, w := range []*runtime.Watch{nil, {}} {
			named("a nil or zero Watch; Runtime.Watch makes one", map[string]func(){
				"SetDeadline":          func() { _ = w.SetDeadline(time.Time{}) },
				"SetReadDeadline":      func() { _ = w.SetReadDeadline(time.Time{}) },
				"SetWriteDeadline":     func() { _ = w.SetWriteDeadline(time.Time{}) },
				"Watch.ReadReadyCase":  func() { w.ReadReadyCase() },
				"Watch.WriteReadyCase": func() { w.WriteReadyCase() },
			})
		}
		return nil
	})
}

// So are a nil or zero Runtime, and the zero Cx, where one of them is to have connections, futures,
// or tasks with a context. (runtime/R14)
func TestNilRuntimesAndTheZeroCxAreNamed(t *testing.T) {
	const nilRuntime = ": nil Runtime; New makes one"
	const zeroCx = ": the zero Cx; a Cx is what a task's function is given"
	var (
		none *runtime.Runtime
		zero runtime.Cx
		ctx  = context.Background()
		c    runtime.Conn
		l    runtime.Listener
	)
	for want, call := range map[string]func(){
		"Conn" + nilRuntime:       func() { _, _ = none.Conn(&net.TCPConn{}) },
		"Listener" + nilRuntime:   func() { _, _ = none.Listener(&net.TCPListener{}) },
		"NewResults" + nilRuntime: func() { runtime.NewResults[int](ctx, none) },
		"SubmitFutureValue" + nilRuntime: func() {
			runtime.SubmitFutureValue[int](none, doze{})
		},
		"SpawnFutureValue" + zeroCx: func() { runtime.SpawnFutureValue[int](zero, doze{}) },
		"Nap.Over" + zeroCx:         func() { new(runtime.Nap).Over(zero, 1) },
		"Pending.Poll" + zeroCx:     func() { _, _, _ = new(runtime.Pending).Poll(zero) },
		"Pending.Stop" + zeroCx:     func() { new(runtime.Pending).Stop(zero) },
		"Conn.Read" + zeroCx:        func() { _, _ = c.Read(zero, nil) },
		"Conn.Write" + zeroCx:       func() { _, _ = c.Write(zero, nil) },
		"Conn.With" + zeroCx:        func() { c.With(zero) },
		"Listener.Accept" + zeroCx:  func() { _, _ = l.Accept(zero) },
		"SpawnContext: nil function": func() {
			runtime.SpawnContext[int](ctx, zero, nil)
		},
	} {
		require.Equal(t, "surewake: "+want, panics(call))
	}
}

// doze is a future that is ready.
type doze struct{}

// Poll implements runtime.Future.
func (*doze) Poll(runtime.Cx) (int, error, bool) { return 0, nil, true }

// Pending.Stop is for the future that waits, too.
func TestMisuseOfPendingStopPanics(t *testing.T) {
	rt := start(t, 1)
	var p runtime.Pending
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, "surewake: Pending.Stop: the task is not a future; "+
			"it can wait by Sleep and Select", panics(func() { p.Stop(cx) }))
		return nil
	})
}
