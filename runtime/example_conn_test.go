//go:build unix && !aix

package runtime_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

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

// A task asks a server that does not answer, and gives up.
func ExampleRuntime_Conn() {
	rt, err := sw.New(sw.Workers(1))
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer silent.Close()
	raw, err := net.Dial("tcp", silent.Addr().String())
	if err != nil {
		panic(err)
	}
	c, err := rt.Conn(raw)
	if err != nil {
		panic(err)
	}
	defer c.Close()
	n, err := sw.Submit(rt, func(cx sw.Cx) (int, error) {
		if _, err := c.Write(cx, []byte("hello?\n")); err != nil {
			return 0, err
		}
		c.SetDeadline(time.Now().Add(20 * time.Millisecond))
		defer c.SetDeadline(time.Time{}) // for the next call
		return c.Read(cx, make([]byte, 100))
	}).Wait(context.Background())
	fmt.Println(n, errors.Is(err, os.ErrDeadlineExceeded))
	// Output:
	// 0 true
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
