// Package rareraces holds programs with a race that the detector reports in one execution only, as
// it can: it forgets accesses at random. Here a variable that outlives executions sees to it.
package rareraces

import (
	"fmt"
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

// The checker runs the first schedule, another order of it because of what is not rewritten, and
// then the first one again, to see whether it repeats itself.
//
// verdict: FAILED data race
func TestReportedInTheRepetition(t *testing.T) {
	runs := 0
	model.Check(t, func(*model.Exec) {
		runs++
		n := 0
		add := func() {
			_ = fmt.Sprint()
			if runs == 3 {
				n++
			}
		}
		go add()
		add()
	})
}

// A WaitGroup whose counter is below zero makes the exploration start again.
//
// verdict: FAILED data race
func TestReportedBeforeTheExplorationStartsAgain(t *testing.T) {
	runs := 0
	model.Check(t, func(x *model.Exec) {
		runs++
		n := 0
		add := func() {
			if runs == 1 {
				n++
			}
		}
		var wg sync.WaitGroup
		x.Go("adds", add)
		x.Go("adds and panics", func() {
			add()
			defer func() { recover() }()
			wg.Done()
		})
		x.Join()
	})
}
