// Package endless has bodies that do not end.
package endless

import (
	"os"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

var sink int

// No scheduling point: the checker is never asked again.
func TestLoop(t *testing.T) {
	model.Check(t, func(x *model.Exec) { count() })
}

//go:noinline
func count() {
	for i := 0; ; i++ {
		sink = i
	}
}

// Blocked in the kernel, where the checker cannot see it.
func TestBlock(t *testing.T) {
	r, _, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	model.Check(t, func(x *model.Exec) { r.Read(make([]byte, 1)) })
}

// Nobody ever sets the flag.
func TestSpin(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var flag atomic.Bool
		for !flag.Load() {
		}
	})
}

// Every round changes memory, for ever.
func TestBusy(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int64
		for n.Add(1) != 0 {
		}
	})
}
