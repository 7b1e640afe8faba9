package time

import (
	"math"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// Since tells times apart, in whatever order it is asked, and holds at what a Duration can be.
//
// verdict: proved
func TestSinceOfManyTimes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		start := time.Now()
		time.Sleep(time.Hour)
		later := time.Now()
		time.Sleep(time.Minute)
		for range 2 {
			x.Assert(time.Since(start) == time.Hour+time.Minute, "start: %v", time.Since(start))
			x.Assert(time.Since(later) == time.Minute, "later: %v", time.Since(later))
			x.Assert(time.Since(later.Add(time.Hour)) == time.Minute-time.Hour, "the future")
			x.Assert(time.Since(time.Time{}) == math.MaxInt64, "long ago: %v", time.Since(time.Time{}))
			x.Assert(time.Since(start.AddDate(900, 0, 0)) == math.MinInt64, "far ahead")
		}
	})
}
