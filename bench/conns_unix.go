//go:build unix && !aix

package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	ours "github.com/surewake/surewake/runtime"
)

// idleConns is how many connections the survey of them wants.
const idleConns = 10_000

// bufferSize is that of each server of a connection that has a buffer while it waits.
const bufferSize = 512

var part = flag.String("part", "", "be a part of the survey of connections, "+
	"\"servers KIND NUMBER\" or \"clients ADDRESS NUMBER\": the program starts itself so")

// An echoServer echoes what each of n connections of a listener sends, until that ends.
type echoServer struct {
	name  string
	serve func(l *net.TCPListener, n int) (done func())
}

var echoServers = []echoServer{
	{"goroutine with a net.Conn and a buffer", goroutinesServe},
	{"task with a Conn and a buffer", tasksServe},
	{"future with a Watch of a net.Conn, and a buffer only while it echoes", futuresServe},
}

// connections measures what a process holds for each of many connections on which nothing happens.
// Each kind of server is a process of its own, since what a goroutine leaves is used again by the
// next; and so are the clients, since their memory is not the servers'. Before the connections are
// closed, each echoes a byte.
func connections(quick bool) [][2]string {
	n := idleConns
	if quick {
		n = 100
	}
	const others = 100 // files that are no connection
	note := ""
	if limit := fileLimit(); limit < n+others {
		note = fmt.Sprintf(" (%d connections in place of %d: RLIMIT_NOFILE allows %d files)",
			max(limit-others, 1), n, limit)
		n = max(limit-others, 1)
	}
	var lines [][2]string
	for i, s := range echoServers {
		servers := exec.Command(must(os.Executable()), "-part", fmt.Sprint("servers ", i, " ", n))
		servers.Stderr = os.Stderr
		bytes := must(servers.Output())
		lines = append(lines, [2]string{s.name + note, strings.TrimSpace(string(bytes))})
	}
	return lines
}

// fileLimit returns how many files the process may have. Go has raised that at the start as far as
// it may.
func fileLimit() int {
	var limit unix.Rlimit
	expectNo(unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
	return int(min(uint64(limit.Cur), 1<<30))
}

// isPart reports whether the process is a part of the survey; then it has done its part.
func isPart() bool {
	if *part == "" {
		return false
	}
	var what, which string
	var n int
	must(fmt.Sscan(*part, &what, &which, &n))
	if what == "clients" {
		beClients(which, n)
	} else {
		fmt.Printf("%.0f\n", idle(echoServers[must(strconv.Atoi(which))], n))
	}
	return true
}

// begun is how many connections of the process are about to be waited for, or are.
var begun atomic.Int64

// idle returns how many bytes s holds for each of n connections.
func idle(s echoServer, n int) float64 {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	expectNo(err)
	before := inUse()
	done := s.serve(l, n)
	clients := startClients(l.Addr().String(), n)
	clients.expect("connected")
	for begun.Load() < int64(n) {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(200 * time.Millisecond) // the last ones wait
	bytes := float64(inUse()-before) / float64(n)
	clients.order("echo")
	clients.expect("echoed")
	clients.order("close")
	done()
	expectNo(clients.command.Wait())
	return bytes
}

func goroutinesServe(l *net.TCPListener, n int) func() {
	var all sync.WaitGroup
	all.Go(func() {
		for range n {
			c := must(l.AcceptTCP())
			all.Go(func() { expectNo(echoAll(c)) })
		}
	})
	return func() { all.Wait(); expectNo(l.Close()) }
}

// echoAll echoes until the client closes the connection.
func echoAll(c net.Conn) error {
	buffer := make([]byte, bufferSize)
	begun.Add(1)
	for {
		k, err := c.Read(buffer)
		if k > 0 {
			_, err = c.Write(buffer[:k])
		}
		if err != nil {
			return c.Close()
		}
	}
}

func tasksServe(l *net.TCPListener, n int) func() {
	rt := start()
	listener := must(rt.Listener(l))
	rt.Go(func(cx ours.Cx) {
		for range n {
			c := must(listener.Accept(cx))
			cx.Go(func(cx ours.Cx) { expectNo(echoTask(cx, c)) })
		}
	})
	return func() { shutdown(rt); expectNo(listener.Close()) }
}

// echoTask is echoAll for a task.
func echoTask(cx ours.Cx, c *ours.Conn) error {
	buffer := make([]byte, bufferSize)
	begun.Add(1)
	for {
		k, err := c.Read(cx, buffer)
		if k > 0 {
			_, err = c.Write(cx, buffer[:k])
		}
		if err != nil {
			return c.Close()
		}
	}
}

// shutdown waits for the tasks of rt.
func shutdown(rt *ours.Runtime) {
	for s := rt.Stats(); s.Spawned != s.Completed; s = rt.Stats() {
		time.Sleep(time.Millisecond)
	}
	expectNo(rt.Close())
}

func futuresServe(l *net.TCPListener, n int) func() {
	rt := start()
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for range n {
			c := must(l.AcceptTCP())
			w := must(rt.Watch(c))
			ours.SubmitFutureValue[int](rt, echoing{
				conn: c, watch: w, cases: [1]ours.Case{w.ReadReadyCase()},
			}).Detach()
		}
	})
	return func() { accepting.Wait(); shutdown(rt); expectNo(l.Close()) }
}

// An echoing is a future that echoes until the end.
type echoing struct {
	conn  *net.TCPConn
	watch *ours.Watch
	next  ours.Pending
	cases [1]ours.Case
	begun bool
}

// Poll implements runtime.Future.
func (e *echoing) Poll(cx ours.Cx) (int, error, bool) {
	for {
		_, err, ready := e.next.Poll(cx, e.cases[:]...)
		if !ready {
			if !e.begun {
				e.begun = true
				begun.Add(1)
			}
			return 0, nil, false
		}
		if err == nil {
			err = e.echo(cx)
		}
		if err != nil {
			expectNo(e.watch.Close())
			expectNo(e.conn.Close())
			return 0, nil, true
		}
	}
}

// echo echoes what there is.
func (e *echoing) echo(cx ours.Cx) error {
	buffer := make([]byte, bufferSize)
	k, err := 0, error(nil)
	if waited := e.watch.Read(cx, func(fd uintptr) bool {
		k, err = readNow(fd, buffer)
		return true
	}); waited != nil {
		return waited
	}
	if err != nil || k == 0 { // k is 0 if there is nothing yet
		return err
	}
	_, err = e.conn.Write(buffer[:k])
	return err
}

// clients is the process of the clients.
type clients struct {
	command *exec.Cmd
	orders  io.Writer
	answers *bufio.Scanner
}

func startClients(address string, n int) *clients {
	command := exec.Command(must(os.Executable()), "-part", fmt.Sprint("clients ", address, " ", n))
	command.Stderr = os.Stderr
	c := &clients{command: command, orders: must(command.StdinPipe())}
	c.answers = bufio.NewScanner(must(command.StdoutPipe()))
	expectNo(command.Start())
	return c
}

func (c *clients) order(what string) { must(fmt.Fprintln(c.orders, what)) }

func (c *clients) expect(what string) {
	if !c.answers.Scan() || c.answers.Text() != what {
		panic("the clients say: " + c.answers.Text())
	}
}

// beClients is what the process of the clients does.
func beClients(address string, n int) {
	all := make([]net.Conn, n)
	for i := range all {
		all[i] = must(net.Dial("tcp", address))
	}
	orders := bufio.NewScanner(os.Stdin)
	for fmt.Println("connected"); orders.Scan() && orders.Text() == "echo"; fmt.Println("echoed") {
		for i, c := range all {
			must(c.Write([]byte{byte(i)}))
		}
		for i, c := range all {
			var got [1]byte
			must(io.ReadFull(c, got[:]))
			expect(int(got[0]), int(byte(i)))
		}
	}
	for _, c := range all {
		expectNo(c.(*net.TCPConn).SetLinger(0)) // leaves no port behind
		expectNo(c.Close())
	}
}

// readNow reads what there is, and returns 0 and nil if there is nothing yet, io.EOF at the end.
func readNow(fd uintptr, p []byte) (int, error) {
	n, err := unix.Read(int(fd), p)
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return 0, nil
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}
