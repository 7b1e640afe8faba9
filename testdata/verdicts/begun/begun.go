// Package begun begins goroutines by init functions that name nobody who does: each reads what a
// check writes.
package begun

import "reflect"

// reads is the goroutine.
func reads(loud *int) {
	go func() {
		if *loud > 0 {
			println("loud")
		}
	}()
}

var byExpression, byInstance, byDeclared, byField, byRange, byReflection, byMethodValue int

type worker struct{}

func (*worker) begin() { reads(&byExpression) }

var expressions = []func(*worker){(*worker).begin}

func init() {
	for _, f := range expressions {
		f(&worker{})
	}
}

func begin[T any](T, T) { reads(&byInstance) }

var instances = []func(int, int){begin[int]}

func init() {
	for _, f := range instances {
		f(1, 2)
	}
}

type plugin interface{ install() }

type disk struct{}

func (*disk) install() { reads(&byDeclared) }

var declared disk

var plugins = []plugin{&declared}

func init() {
	for _, p := range plugins {
		p.install()
	}
}

type starter interface{ start() }

type part struct{}

func (part) start() { reads(&byField) }

type whole struct{ part part }

var starters = []starter{whole{}.part}

func init() {
	for _, s := range starters {
		s.start()
	}
}

var sequence = func(yield func(int) bool) {
	reads(&byRange)
	yield(1)
}

func init() {
	for range sequence {
	}
}

func reflected() { reads(&byReflection) }

var function = reflected

func init() { reflect.ValueOf(function).Call(nil) }

type goer interface{ goes(int8) }

type one struct{}

func (one) goes(int8) { reads(&byMethodValue) }

var (
	anyone goer = one{}
	method      = anyone.goes
)

func init() { method(1) }
