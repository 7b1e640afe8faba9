// Package numbers has checks that ask for the number of a goroutine, which the first line of its
// stack has.
package numbers

import (
	"fmt"
	"iter"
	"runtime"
	"strings"
	"testing"

	"github.com/surewake/surewake/model"
)

// number reads the number of the calling goroutine, as programs do, from a buffer of that size.
func number(size int) string {
	buf := make([]byte, size)
	fields := strings.Fields(string(buf[:runtime.Stack(buf, false)]))
	if fields[0] != "goroutine" || !strings.HasPrefix(fields[2], "[running") {
		panic(fmt.Sprint("not a first line: ", fields))
	}
	return fields[1]
}

// numbers panics if a short buffer tells another number than a long one does.
func numbers() string {
	short, long := number(64), number(4096)
	if short != long {
		panic(short + " is not " + long)
	}
	return long
}

// Each goroutine has its number, on which every way to ask agrees, after it has waited as well.
//
// verdict: proved
func TestEachGoroutineHasItsNumber(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		own, theirs := numbers(), make(chan string)
		go func() {
			first := numbers()
			theirs <- first
			if numbers() != first {
				panic("another number after a wait")
			}
		}()
		x.Assert(<-theirs != own, "two goroutines have one number")
		x.Assert(numbers() == own, "another number after a wait")
	})
}

// A coroutine is a goroutine of its own, and its caller stays what it was.
//
// verdict: proved
func TestACoroutineHasItsNumber(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		own := numbers()
		next, stop := iter.Pull(func(yield func(string) bool) {
			for yield(numbers()) {
			}
		})
		defer stop()
		first, _ := next()
		x.Assert(numbers() == own, "the caller has another number")
		second, _ := next()
		x.Assert(first == second && first != own, "the coroutine: %s, %s; its caller: %s", first, second, own)
	})
}

// A buffer that has no room for the line has its beginning.
//
// verdict: proved
func TestTheBeginningOfALine(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		buf := make([]byte, 9)
		n := runtime.Stack(buf, false)
		x.Assert(string(buf[:n]) == "goroutine", "%q", buf[:n])
		x.Assert(runtime.Stack(nil, false) == 0, "nothing has no room")
	})
}

// Whether the other one has ended is not tried out.
//
// verdict: said runtime.NumGoroutine
func TestHowManyThereAre(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		go func() {}()
		x.Assert(runtime.NumGoroutine() >= 1, "%d", runtime.NumGoroutine())
	})
}

// verdict: proved without assumptions
func TestThereIsOne(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		next, stop := iter.Pull(func(func(int) bool) {})
		defer stop()
		x.Assert(runtime.NumGoroutine() == 2, "%d", runtime.NumGoroutine())
		next()
		x.Assert(runtime.NumGoroutine() == 1, "%d", runtime.NumGoroutine())
	})
}
