package main

import (
	"context"
	"time"

	ours "github.com/surewake/surewake/runtime"
)

var background = context.Background()

// start starts a runtime for a row. An error is a mistake in this program.
func start(options ...ours.Option) *ours.Runtime {
	rt, err := ours.New(options...)
	if err != nil {
		panic(err)
	}
	return rt
}

// inside returns a round that is measured inside a task.
func inside(rt *ours.Runtime, work func(cx ours.Cx)) func() time.Duration {
	return func() time.Duration {
		return must(ours.Submit(rt, func(cx ours.Cx) (time.Duration, error) {
			begin := time.Now()
			work(cx)
			return time.Since(begin), nil
		}).Wait(context.Background()))
	}
}

// outside returns a round that is measured where it is called.
func outside(work func()) func() time.Duration {
	return func() time.Duration {
		begin := time.Now()
		work()
		return time.Since(begin)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func expectNo(err error) {
	if err != nil {
		panic(err)
	}
}

func expect(got, want int) {
	if got != want {
		panic("a wrong result")
	}
}

func empty(ours.Cx) (int, error)         { return 0, nil }
func echo(_ ours.Cx, n int) (int, error) { return n, nil }
func yieldOnce(cx ours.Cx) (int, error)  { cx.Yield(); return 0, nil }
func yields(cx ours.Cx, n int) (int, error) {
	for range n {
		cx.Yield()
	}
	return 0, nil
}

func closing(runtimes ...*ours.Runtime) func() {
	return func() {
		for _, rt := range runtimes {
			rt.Close()
		}
	}
}
