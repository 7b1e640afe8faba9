//go:build !unix

package main

import (
	"context"
	"os"
	"syscall"
)

func ends() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

func whileRead(ctx context.Context) context.Context { return ctx }
