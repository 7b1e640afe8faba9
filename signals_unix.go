//go:build unix

package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// ends are the signals that end a command, which then says what it has so far.
func ends() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// whileRead returns a context that ends when nobody reads the output any more: then this process is
// not killed, and removes what it has made.
func whileRead(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	go func() {
		<-broken
		cancel()
	}()
	return ctx
}
