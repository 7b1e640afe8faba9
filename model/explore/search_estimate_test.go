//go:build !race

package explore_test

import (
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

// Programs whose searches have trees of different shapes.
var estimated = []struct {
	name  string
	total int64 // executions
	cfg   explore.Config
	body  func()
}{
	{"two threads that add eight times", 12870, explore.Config{Preemptions: -1}, func() {
		addsToOne(8)
	}},
	{"three threads that add", 34650, explore.Config{Preemptions: -1}, func() {
		var v atomic.Int64
		add := func() {
			for range 4 {
				hook.Int64Add(&v, 1)
			}
		}
		spawn(add, add, add)
	}},
	{"two writers and a reader of cells", 7776, explore.Config{Preemptions: -1}, func() {
		var cells [5]atomic.Int64
		read := func() {
			for i := range cells {
				hook.Int64Load(&cells[i])
			}
		}
		write := func() {
			for i := range cells {
				hook.Int64Store(&cells[i], 1)
			}
		}
		spawn(read, write, write)
	}},
	{"locks in turn", 13500, explore.Config{Preemptions: -1}, func() {
		var mu [2]sync.Mutex
		turn := func() {
			for i := range 8 {
				hook.MutexLock(&mu[i%2])
				hook.MutexUnlock(&mu[i%2])
			}
		}
		spawn(turn, turn, func() {
			hook.MutexLock(&mu[0])
			hook.MutexUnlock(&mu[0])
		})
	}},
	{"loops of compare and swap", 4966, explore.Config{Preemptions: -1}, func() {
		var v atomic.Int64
		add := func(times int) func() {
			return func() {
				for range times {
					for n := hook.Int64Load(&v); !hook.Int64CompareAndSwap(&v, n, n+1); {
						n = hook.Int64Load(&v)
					}
				}
			}
		}
		spawn(add(2), add(2), add(1))
	}},
	{"values through a channel", 1680, explore.Config{Preemptions: -1}, func() {
		c := make(chan int, 2)
		send := func() {
			for k := range 3 {
				hook.To(c).Send(k)
			}
		}
		spawn(send, send, send, func() {
			for range 9 {
				hook.Recv(c)
			}
		})
	}},
	{"within two preemptions", 14370, explore.Config{Preemptions: 2}, func() {
		var v atomic.Int64
		add := func() {
			for range 20 {
				hook.Int64Add(&v, 1)
			}
		}
		spawn(add, add, add)
	}},
	{"within one preemption", 8520, explore.Config{Preemptions: 1}, func() {
		var v atomic.Int64
		add := func() {
			for range 60 {
				hook.Int64Add(&v, 1)
			}
		}
		spawn(add, add, add, add)
	}},
	{"choices of which few go on", 2361, explore.Config{Preemptions: -1}, func() {
		for range 40 {
			if explore.Choose(60) != 0 {
				return
			}
		}
	}},
	{"choices", 17920, explore.Config{Preemptions: -1}, func() {
		var v atomic.Int64
		spawn(func() {
			for range 4 {
				hook.Int64Store(&v, int64(explore.Choose(4)))
			}
		}, func() {
			for range 4 {
				hook.Int64Load(&v)
			}
		})
	}},
}

// The estimate is within a factor of 3 when a fifth is explored, and of 4 when a tenth is.
func TestEstimateOfWhatIsLeft(t *testing.T) {
	for _, p := range estimated {
		t.Run(p.name, func(t *testing.T) {
			cfg := p.cfg
			cfg.Progress = func(explore.Result, float64) {}
			whole := explore.Run(cfg, p.body)
			require.Equal(t, p.total, whole.Executions())
			require.Zero(t, whole.Left, "nothing is left")
			for percent, factor := range map[int64]float64{10: 4, 20: 3, 50: 3, 80: 3} {
				if cfg.Executions = p.total * percent / 100; cfg.Executions < 256 {
					continue
				}
				r := explore.Run(cfg, p.body)
				require.Equal(t, cfg.Executions, r.Executions())
				total := (float64(r.Executions()) + r.Left) / float64(p.total)
				t.Logf("%d %%: %.2f of all", percent, total)
				require.Greater(t, total, 1/factor, "at %d %%", percent)
				require.Less(t, total, factor, "at %d %%", percent)
			}
		})
	}
}

// A search of fewer executions says nothing, and so does one that nobody asks, or without a tree.
func TestNoEstimate(t *testing.T) {
	asked := explore.Config{
		Preemptions: -1, Executions: 200, Progress: func(explore.Result, float64) {},
	}
	require.Zero(t, explore.Run(asked, estimated[0].body).Left, "200 executions")
	asked.Executions = 300
	require.NotZero(t, explore.Run(asked, estimated[0].body).Left)
	silent := asked
	silent.Progress = nil
	require.Zero(t, explore.Run(silent, estimated[0].body).Left, "nobody asks")
	asked.Strategy = explore.Random
	require.Zero(t, explore.Run(asked, estimated[0].body).Left, "random schedules")
}

// The estimate of a tree that is larger than any number is one, so that it can be reported.
func TestEstimateOfATreeWithoutEndIsANumber(t *testing.T) {
	deep := explore.Config{
		Preemptions: -1, Executions: 300, MaxSteps: 10_000,
		Progress: func(explore.Result, float64) {},
	}
	r := explore.Run(deep, func() {
		for range 4000 {
			explore.Choose(2)
		}
	})
	require.Nil(t, r.Failure)
	require.Greater(t, r.Left, 1e100)
	require.Less(t, r.Left, math.Inf(1))
}
