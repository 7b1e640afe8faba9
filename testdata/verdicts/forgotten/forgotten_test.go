// Package forgotten has checks in which a goroutine does much: the race detector remembers the last
// calls and accesses of each goroutine, and drops the report of a race of which it has forgotten the
// first access.
package forgotten

import (
	"iter"
	"testing"

	"github.com/surewake/surewake/model"
)

// A worker calls a small function again and again.
type worker struct{ table [1024]int }

func (w *worker) work(times int) {
	for i := range times {
		w.touch(i)
	}
}

//go:noinline
func (w *worker) touch(i int) { w.table[i&1023]++ }

// Calls that the race detector remembers all, and more than it does.
const (
	few  = 5_000
	many = 400_000
)

func write(times int) func(*model.Exec) {
	return func(*model.Exec) {
		v, done := 0, make(chan bool)
		go func() {
			v = 1
			new(worker).work(times)
			done <- true
		}()
		v = 2
		new(worker).work(times)
		<-done
		_ = v
	}
}

// verdict: FAILED race|data race
func TestRaceThatIsNear(t *testing.T) { model.Check(t, write(few)) }

// verdict: said no data race is so far apart that the race detector has forgotten the first access
func TestRaceThatIsFarApart(t *testing.T) { model.Check(t, write(many)) }

// What takes long need not be forgotten.
//
// verdict: proved without assumptions
func TestLongIsNotForgotten(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		done := make(chan bool)
		go func() {
			new(worker).work(few)
			done <- true
		}()
		new(worker).work(few)
		<-done
	})
}

// The detector remembers what a coroutine does by itself.
//
// verdict: said no data race is so far apart that the race detector has forgotten the first access
func TestACoroutineDoesMuch(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		next, stop := iter.Pull(func(yield func(int) bool) {
			new(worker).work(many)
			yield(1)
		})
		defer stop()
		v, ok := next()
		x.Assert(ok && v == 1, "%d, %v", v, ok)
	})
}
