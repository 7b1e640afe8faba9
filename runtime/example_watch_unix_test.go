//go:build unix && !aix

package runtime_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	sw "github.com/surewake/surewake/runtime"
)

// echo sends back what it reads from a connection, until the other side has ended: a task for each
// connection, and no goroutine that waits.
func echo(cx sw.Cx, conn *net.TCPConn) (echoed int, err error) {
	defer conn.Close()
	w, err := cx.Runtime().Watch(conn)
	if err != nil {
		return 0, err
	}
	defer w.Close() // before conn

	buffer := make([]byte, 4096)
	for {
		n, failed := 0, error(nil)
		err := w.Read(cx, func(fd uintptr) bool {
			n, failed = syscall.Read(int(fd), buffer)
			return failed != syscall.EAGAIN && failed != syscall.EINTR
		})
		if err = errors.Join(err, failed); err != nil || n == 0 {
			return echoed, err
		}
		for rest := buffer[:n]; len(rest) > 0; {
			err := w.Write(cx, func(fd uintptr) bool {
				n, failed = syscall.Write(int(fd), rest)
				return failed != syscall.EAGAIN && failed != syscall.EINTR
			})
			if err = errors.Join(err, failed); err != nil {
				return echoed, err
			}
			rest = rest[n:]
			echoed += n
		}
	}
}

func ExampleRuntime_Watch() {
	rt, err := sw.New(sw.Workers(2))
	if err != nil {
		panic(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	var connections []*sw.Handle[int]
	accepted := make(chan struct{})
	go func() {
		defer close(accepted)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			connections = append(connections, sw.Submit(rt, func(cx sw.Cx) (int, error) {
				return echo(cx, conn.(*net.TCPConn))
			}))
		}
	}()

	for _, name := range []string{"one", "two"} {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(conn, "hello from %s\n", name)
		conn.(*net.TCPConn).CloseWrite()
		line, _ := bufio.NewReader(conn).ReadString('\n')
		fmt.Print(line)
		io.Copy(io.Discard, conn)
		conn.Close()
	}
	listener.Close()
	<-accepted
	for _, c := range connections {
		fmt.Println(c.Wait(context.Background()))
	}
	rt.Close()
	// Output:
	// hello from one
	// hello from two
	// 15 <nil>
	// 15 <nil>
}
