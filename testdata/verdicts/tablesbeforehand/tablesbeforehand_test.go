// Package tablesbeforehand has a check whose TestMain has called a closure that is in a table, too.
package tablesbeforehand

import (
	"os"
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

var (
	reg     = map[string]func() int{}
	counter = register("a", counts())
)

func counts() func() int {
	n := 0
	return func() int { n++; return n }
}

func register(name string, f func() int) func() int {
	reg[name] = f
	return f
}

func TestMain(m *testing.M) {
	counter()
	os.Exit(m.Run())
}

// verdict: said \.reg .*TestMain may have called a closure in it
func TestRegistered(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		for range 2 {
			x.Go("locks", func() { mu.Lock(); mu.Unlock() })
		}
		x.Join()
		x.Assert(reg["a"] != nil, "nothing is registered")
	})
}
