// Package stacks has checks that read their own stack.
package stacks

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/surewake/surewake/model"
)

// stack returns as much of the stack as fits into a buffer of so many bytes.
func stack(size int) []byte {
	buf := make([]byte, size)
	return buf[:runtime.Stack(buf, false)]
}

// A stack is longer than these buffers, so each is full.
//
// verdict: proved without assumptions
func TestAStackFillsItsBuffer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for _, size := range []int{0, 1, 25, 64, 128, 200} {
			x.Go("reader", func() {
				s := stack(size)
				x.Assert(len(s) == size, "%d of %d bytes: %q", len(s), size, s)
			})
			x.Join()
		}
	})
}

// The buffer grows until the stack leaves room in it, as that of debug.Stack does.
//
// verdict: proved without assumptions
func TestABufferThatGrows(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		s, size := stack(64), 64
		for len(s) == size {
			size *= 2
			s = stack(size)
		}
		x.Assert(bytes.Contains(s, []byte("TestABufferThatGrows")), "%s", s)
	})
}

// The second line is that of the caller, however long the buffer is.
//
// verdict: proved without assumptions
func TestTheCallerComesFirst(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for _, size := range []int{128, 4096} {
			line := strings.Split(string(stack(size)), "\n")
			x.Assert(len(line) > 1 && strings.Contains(line[1], "stacks.stack("), "%q", line)
		}
	})
}
