//go:build unix && !aix

package main

import (
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	ours "github.com/surewake/surewake/runtime"
)

// BenchmarkEchoLatency is how long an echo of 64 bytes takes, of 100 clients that send one message
// after the other, the 50th and the 99th percentile. Servers and clients are in this process; the
// clients are goroutines with a net.Conn in both cases.
func BenchmarkEchoLatency(b *testing.B) {
	const clients = 100
	rt := start()
	defer shutdown(rt)
	for _, c := range []struct {
		name  string
		serve func(net.Conn)
	}{
		{"tasks", func(server net.Conn) {
			conn := must(rt.Conn(server))
			rt.Go(func(cx ours.Cx) { expectNo(echoTask(cx, conn)) })
		}},
		{"goroutines", func(server net.Conn) { go func() { expectNo(echoAll(server)) }() }},
	} {
		b.Run(c.name, func(b *testing.B) {
			var conns []net.Conn
			for range clients {
				client, server := connected()
				c.serve(server)
				conns = append(conns, client)
			}
			var lock sync.Mutex
			var all []time.Duration
			b.ResetTimer()
			for range b.N {
				var done sync.WaitGroup
				for _, conn := range conns {
					done.Go(func() {
						took := make([]time.Duration, 0, 20)
						for range 20 {
							begin := time.Now()
							expectNo(exchange(conn, 1))
							took = append(took, time.Since(begin))
						}
						lock.Lock()
						defer lock.Unlock()
						all = append(all, took...)
					})
				}
				done.Wait()
			}
			b.StopTimer()
			slices.Sort(all)
			for name, at := range map[string]int{"p50-µs": 50, "p99-µs": 99} {
				b.ReportMetric(float64(all[(len(all)-1)*at/100].Nanoseconds())/1e3, name)
			}
			for _, conn := range conns {
				expectNo(conn.Close())
			}
		})
	}
}
