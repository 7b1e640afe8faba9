// Package serversguarded has a check of a goroutine that an init function began, which holds nothing
// of what TestMain has changed, where an initialiser makes a closure that calls any function.
package serversguarded

import (
	"os"
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

type counter struct{ n int }

var (
	p   = &counter{}
	inc = func() func() { q := p; return func() { q.n++ } }()

	mu      sync.Mutex
	guarded = func() func(func()) {
		m := &mu
		return func(f func()) { m.Lock(); defer m.Unlock(); f() }
	}()

	c, ack = make(chan int), make(chan bool)
)

func init() {
	go func() {
		for range c {
			ack <- true
		}
	}()
}

func TestMain(m *testing.M) {
	p.n = 5
	os.Exit(m.Run())
}

// verdict: said serversguarded.inc .not made anew
func TestServerOfItsOwn(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		inc()
		guarded(func() {})
		c <- 1
		<-ack
		x.Assert(p.n == 6, "%d", p.n)
	})
}
