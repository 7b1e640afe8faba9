//go:build unix && !aix

package runtime_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	sw "github.com/surewake/surewake/runtime"
)

// serve sends back what clients send: a task for each of them, and no goroutine that waits.
func serve(cx sw.Cx, l *sw.Listener) (clients int, err error) {
	for ; ; clients++ {
		c, err := l.Accept(cx)
		if err != nil {
			return clients, err
		}
		sw.Spawn(cx, func(cx sw.Cx) (int64, error) {
			defer c.Close()
			return io.Copy(c.With(cx), c.With(cx))
		}).Detach()
	}
}

func ExampleRuntime_Listener() {
	rt, err := sw.New(sw.Workers(2))
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	l, err := rt.Listener(inner)
	if err != nil {
		panic(err)
	}
	server := sw.Submit(rt, func(cx sw.Cx) (int, error) { return serve(cx, l) })

	for _, name := range []string{"one", "two"} {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(c, "hello from %s\n", name)
		line, _ := bufio.NewReader(c).ReadString('\n')
		fmt.Print(line)
		c.Close()
	}
	l.Close()
	clients, err := server.Wait(context.Background())
	fmt.Println(clients, errors.Is(err, net.ErrClosed))
	// Output:
	// hello from one
	// hello from two
	// 2 true
}
