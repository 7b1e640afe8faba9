//go:build unix && !aix

package runtime_test

import (
	"fmt"
	"net"
	"testing"

	"github.com/surewake/surewake/runtime"
)

// pingPong sends and receives a byte n times; the side that is not first answers.
func pingPong(c net.Conn, first bool, n int) error {
	p := make([]byte, 1)
	for i := range 2 * n {
		var err error
		if (i%2 == 0) == first {
			_, err = c.Write(p)
		} else {
			_, err = c.Read(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkPingPongOfConns is BenchmarkPingPongOverSockets with the same code on both sides: tasks
// with a Conn, and goroutines with what is within.
func BenchmarkPingPongOfConns(b *testing.B) {
	for _, pairs := range []int{1, 64} {
		b.Run(fmt.Sprintf("tasks/pairs=%d", pairs), func(b *testing.B) {
			b.ReportAllocs()
			rt := start(b, 2)
			var all []*runtime.Handle[int]
			for range pairs {
				x, y := socketpair(b)
				for _, end := range []net.Conn{x, y} {
					c, err := rt.Conn(end)
					if err != nil {
						b.Fatal(err)
					}
					defer c.Close()
					all = append(all, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
						return 0, pingPong(c.With(cx), end == x, b.N/pairs+1)
					}))
				}
			}
			for _, h := range all {
				if _, err := get(b, h); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("goroutines/pairs=%d", pairs), func(b *testing.B) {
			b.ReportAllocs()
			done := make(chan error)
			for range pairs {
				x, y := socketpair(b)
				go func() { done <- pingPong(x, true, b.N/pairs+1) }()
				go func() { done <- pingPong(y, false, b.N/pairs+1) }()
			}
			for range 2 * pairs {
				if err := <-done; err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
