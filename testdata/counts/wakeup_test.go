package counts

import (
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// A goroutine looks for the last cell that is 0, from the end, while each of the others makes its
// cell larger by 1 than the one before: 64 traces (Abdulla et al., POPL 2014, "lastzero").
func TestLastZero(t *testing.T) {
	const n = 6
	model.Check(t, func(x *model.Exec) {
		var cells [n]atomic.Int32
		x.Go("scanner", func() {
			for k := n - 1; k > 0 && cells[k].Load() != 0; k-- {
			}
		})
		for i := 1; i < n; i++ {
			x.Go("writer", func() { cells[i].Store(cells[i-1].Load() + 1) })
		}
		x.Join()
	})
}

// 3 senders and 3 receivers of 2 values each, 90 orders on either side: 8,100 traces.
func TestCrowd(t *testing.T) {
	for name, capacity := range map[string]int{"0": 0, "2": 2} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				c := make(chan int, capacity)
				for range 3 {
					x.Go("sender", sends(c, 2))
					x.Go("receiver", receives(c, 2))
				}
				x.Join()
			})
		})
	}
}
