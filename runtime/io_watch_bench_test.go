//go:build unix && !aix

package runtime_test

import (
	"fmt"
	"net"
	"testing"

	"github.com/surewake/surewake/runtime"
)

// BenchmarkPingPongOverSockets is a byte there and back, between two tasks with a connection each;
// many pairs at a time, or one. The goroutines are those of Go, with the same calls of the kernel.
func BenchmarkPingPongOverSockets(b *testing.B) {
	for _, pairs := range []int{1, 64} {
		for _, k := range []runtime.PollerKind{runtime.Epoll, runtime.Netpoll} {
			b.Run(fmt.Sprintf("%v/pairs=%d", k, pairs), func(b *testing.B) {
				if !k.Available() {
					b.Skip("not on this platform")
				}
				rt := start(b, 2, runtime.Poller(k))
				var all []*runtime.Handle[int]
				each := b.N/pairs + 1
				play := func(conn net.Conn, first bool) {
					w := watch(b, rt, conn)
					all = append(all, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
						p := make([]byte, 1)
						for range each {
							if first {
								if err := write(cx, w, p); err != nil {
									return 0, err
								}
							}
							if _, err := read(cx, w, p); err != nil {
								return 0, err
							}
							if !first {
								if err := write(cx, w, p); err != nil {
									return 0, err
								}
							}
						}
						return 0, nil
					}))
				}
				b.ResetTimer()
				for range pairs {
					x, y := socketpair(b)
					play(x, true)
					play(y, false)
				}
				for _, h := range all {
					if _, err := get(b, h); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("goroutines/pairs=%d", pairs), func(b *testing.B) {
			each := b.N/pairs + 1
			done := make(chan error)
			play := func(conn net.Conn, first bool) {
				p := make([]byte, 1)
				var err error
				for range each {
					if first {
						_, err = conn.Write(p)
					}
					if err == nil {
						_, err = conn.Read(p)
					}
					if err == nil && !first {
						_, err = conn.Write(p)
					}
					if err != nil {
						break
					}
				}
				done <- err
			}
			for range pairs {
				x, y := socketpair(b)
				go play(x, true)
				go play(y, false)
			}
			for range 2 * pairs {
				if err := <-done; err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
