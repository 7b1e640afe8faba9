// Package behind has bodies that start work behind the checker's back, or
// depend on something that it does not control.
package behind

import (
	"net/http/httptest"
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

func TestServer(t *testing.T) {
	model.Check(t, func(x *model.Exec) { httptest.NewServer(nil).Close() })
}

func TestParallel(t *testing.T) {
	model.Check(t, func(x *model.Exec) { t.Parallel() })
}

// A real goroutine from before the check keeps working on what is checked.
func TestStartedBefore(t *testing.T) {
	var n atomic.Int64
	var stop atomic.Bool
	defer stop.Store(true)
	go func() {
		for !stop.Load() {
			n.Add(1)
		}
	}()
	for n.Load() < 1000 {
	}
	model.Check(t, func(x *model.Exec) {
		x.Go("one", func() { n.Add(1) })
		x.Go("two", func() { n.Add(1) })
		x.Join()
	})
}

// What the body does depends on the order in which reflection visits a map.
func TestMapOrder(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m := map[int]*atomic.Int64{}
		for i := range 8 {
			m[i] = new(atomic.Int64)
		}
		work := func() {
			for _, k := range reflect.ValueOf(m).MapKeys() {
				m[int(k.Int())].Add(k.Int() + 1)
			}
		}
		x.Go("one", work)
		x.Go("two", work)
		x.Join()
	})
}

// What the body does depends on earlier executions.
func TestKeptState(t *testing.T) {
	runs := 0
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int64
		runs++
		work := func() {
			for range runs%3 + 1 {
				n.Add(1)
			}
		}
		x.Go("one", work)
		x.Go("two", work)
		x.Join()
	})
}

// The fifth execution fails, and a replay of its schedule does not.
func TestFailsOnce(t *testing.T) {
	runs := 0
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int64
		runs++
		x.Go("one", func() { n.Add(1) })
		x.Go("two", func() { n.Add(2) })
		x.Go("three", func() { n.Add(3) })
		x.Join()
		x.Assert(runs != 5, "run %d", runs)
	})
}
