// Package tablesbeforehand has checks whose TestMain calls functions of tables. A table is no part
// of a check that does not come to it.
package tablesbeforehand

import (
	"os"
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

var (
	made    int
	shared  = withOne("a")
	actions = actionsOn(2)
	reg     = map[string]func() int{}
	counter = register("a", counts())
)

func withOne(name string) map[string]int {
	made++
	return map[string]int{name: 1}
}

func actionsOn(n int) map[string]func() {
	return map[string]func(){"set": func() { made = n }}
}

func counts() func() int {
	n := 0
	return func() int { n++; return n }
}

func register(name string, f func() int) func() int {
	reg[name] = f
	return f
}

func TestMain(m *testing.M) {
	if f := actions[os.Getenv("ACTION")]; f != nil {
		f()
		os.Exit(0)
	}
	counter()
	os.Exit(m.Run())
}

func together(x *model.Exec, f func()) {
	var mu sync.Mutex
	for range 2 {
		x.Go("adds", func() { mu.Lock(); f(); mu.Unlock() })
	}
	x.Join()
}

// verdict: proved without assumptions
func TestNeedsNoTable(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		together(x, func() { shared["c"]++ })
		x.Assert(shared["a"] == 1 && shared["c"] == 2, "%v", shared)
	})
}

// verdict: said \.reg .*TestMain may have called a closure in it
func TestRegistered(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		together(x, func() {})
		x.Assert(reg["a"] != nil, "nothing is registered")
	})
}
