//go:build unix && !aix

package main

import (
	"io"
	"net"
	"sync"
	"time"

	ours "github.com/surewake/surewake/runtime"
)

func echoRows() []row {
	return []row{{"echo", "echo over 100 connections, a message of 64 bytes", time.Microsecond,
		echoing64}}
}

// echoing64 are 100 clients, each with a connection of its own, that send a message and wait for
// its echo, again and again. Both ends are in this process, and are what the line says.
func echoing64() ([]contender, func()) {
	const clients, messages = 100, 20
	const n = clients * messages
	rt := start()
	var goroutines sync.WaitGroup
	var tasks []*ours.Conn
	var conns []net.Conn
	for range clients {
		client, echoes := connected()
		goroutines.Go(func() { expectNo(echoAll(echoes)) })
		conns = append(conns, client)

		a, b := connected()
		server := must(rt.Conn(b))
		rt.Go(func(cx ours.Cx) { expectNo(echoTask(cx, server)) })
		tasks = append(tasks, must(rt.Conn(a)))
	}
	return []contender{
			{name: "tasks with a Conn", ops: n, round: inside(rt, func(cx ours.Cx) {
				expectNo(ours.Scope(cx, func(cx ours.Cx, s *ours.TaskScope) error {
					for _, c := range tasks {
						ours.SpawnIn(cx, s, func(cx ours.Cx) (int, error) {
							return 0, exchange(c.With(cx), messages)
						}).Detach()
					}
					return nil
				}))
			})},
			{name: "goroutines with a net.Conn", peer: true, ops: n, round: outside(func() {
				var all sync.WaitGroup
				for _, c := range conns {
					all.Go(func() { expectNo(exchange(c, messages)) })
				}
				all.Wait()
			})},
		}, func() {
			for i := range clients {
				expectNo(tasks[i].Close())
				expectNo(conns[i].Close())
			}
			goroutines.Wait()
			shutdown(rt)
		}
}

// connected returns the two ends of a TCP connection over the loopback device.
func connected() (client, server net.Conn) {
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	client = must(net.Dial("tcp", l.Addr().String()))
	server = must(l.Accept())
	expectNo(l.Close())
	return client, server
}

// exchange sends n messages, and waits for the echo of each before the next.
func exchange(c net.Conn, n int) error {
	var sent, got [64]byte
	for i := range n {
		sent[0] = byte(i)
		if _, err := c.Write(sent[:]); err != nil {
			return err
		}
		if _, err := io.ReadFull(c, got[:]); err != nil {
			return err
		}
		expect(int(got[0]), int(sent[0]))
	}
	return nil
}
