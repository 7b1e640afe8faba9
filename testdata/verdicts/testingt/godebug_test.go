package testingt

import (
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// verdict: undecided asynctimerchan=1 in a check
func TestTimersOfGo122(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		t.Setenv("GODEBUG", "asynctimerchan=1")
		c := time.After(0)
		x.Assert(cap(c) == 1, "no buffer")
	})
}
