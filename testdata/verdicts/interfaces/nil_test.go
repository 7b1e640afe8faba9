package interfaces

import (
	"sync"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// A method of a nil interface panics where it is evaluated, also in a go or defer statement.
//
// verdict: proved
func TestMethodsOfNil(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for what, f := range map[string]func(l sync.Locker, c *sync.Cond){
			"value": func(l sync.Locker, _ *sync.Cond) {
				f := l.Lock
				_ = f
			},
			"go": func(l sync.Locker, _ *sync.Cond) { go l.Lock() },
			"defer": func(l sync.Locker, _ *sync.Cond) {
				defer l.Unlock()
				x.Assert(false, "the statement behind it is reached")
			},
			"field": func(_ sync.Locker, c *sync.Cond) {
				defer c.L.Unlock()
				x.Assert(false, "the statement behind it is reached")
			},
		} {
			func() {
				defer func() { x.Assert(recover() != nil, "%s: no panic", what) }()
				f(nil, &sync.Cond{})
			}()
		}
		time.Sleep(time.Second)
	})
}

// verdict: proved
func TestDeferredMethodsOfInterfaces(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m sync.Mutex
		var l sync.Locker = &m
		func() {
			l.Lock()
			defer l.Unlock()
			l = nil
		}()
		x.Assert(m.TryLock(), "it is locked")
	})
}
