package runtime_test

import (
	"fmt"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/runtime"
)

// Every option is validated, with the value and the range in the error.
func TestOptionsOutOfRangeAreRefused(t *testing.T) {
	for _, c := range []struct {
		option runtime.Option
		want   string
	}{
		{nil, "surewake: New: an option is nil"},
		{runtime.Workers(0), "surewake: Workers(0): must be 1 to 65536"},
		{runtime.Workers(-1), "surewake: Workers(-1): must be 1 to 65536"},
		{runtime.Workers(65537), "surewake: Workers(65537): must be 1 to 65536"},
		{runtime.Parker(park.Kind(77)),
			fmt.Sprintf("surewake: Parker(%v): not available on %s",
				park.Kind(77), goruntime.GOOS)},
		{runtime.InjectorBatch(0, runtime.LocalRing),
			"surewake: InjectorBatch(0, _): must be 1 to 256"},
		{runtime.InjectorBatch(257, runtime.LocalRing),
			"surewake: InjectorBatch(257, _): must be 1 to 256"},
		{runtime.InjectorBatch(1, 9),
			"surewake: InjectorBatch(_, 9): must be LocalRing or PrivateBuffer"},
		{runtime.IdleBatch(0), "surewake: IdleBatch(0): must be 1 to 32768"},
		{runtime.IdleBatch(32769), "surewake: IdleBatch(32769): must be 1 to 32768"},
		{runtime.InjectorInterval(0, 8, 255),
			"surewake: InjectorInterval(0s, _, _): must be 1ns to 1h"},
		{runtime.InjectorInterval(2*time.Hour, 8, 255),
			"surewake: InjectorInterval(2h0m0s, _, _): must be 1ns to 1h"},
		{runtime.InjectorInterval(1, 0, 255), "surewake: InjectorInterval(_, 0, 255): must be " +
			"1 to 1000000, the first not above the second"},
		{runtime.InjectorInterval(1, 9, 8), "surewake: InjectorInterval(_, 9, 8): must be " +
			"1 to 1000000, the first not above the second"},
		{runtime.InjectorInterval(1, 9, 1_000_001), "surewake: InjectorInterval(_, 9, 1000001): " +
			"must be 1 to 1000000, the first not above the second"},
		{runtime.Ring(1), "surewake: Ring(1): must be a power of two from 2 to 32768"},
		{runtime.Ring(3), "surewake: Ring(3): must be a power of two from 2 to 32768"},
		{runtime.Ring(65536), "surewake: Ring(65536): must be a power of two from 2 to 32768"},
		{runtime.LIFOCap(-1), "surewake: LIFOCap(-1): must be 0 to 1000000"},
		{runtime.MaxTasks(0), "surewake: MaxTasks(0): must be 1 to 2147483647"},
		{runtime.MaxTasks(-1), "surewake: MaxTasks(-1): must be 1 to 2147483647"},
		{runtime.TickBudget(0), "surewake: TickBudget(0): must be 1 to 1000000"},
		{runtime.TaskBudget(0), "surewake: TaskBudget(0): must be 1 to 1000000"},
		{runtime.InlineDepth(-1), "surewake: InlineDepth(-1): must be 0 to 100000"},
		{runtime.SpareCoroutines(0), "surewake: SpareCoroutines(0): must be 1 to 100000"},
		{runtime.Searches(0), "surewake: Searches(0): must be 1 to 1000"},
		{runtime.RescueInterval(-1), "surewake: RescueInterval(-1ns): must be 0 or more"},
		{runtime.OnPanic(nil), "surewake: OnPanic: nil function"},
		{runtime.Watchdog(time.Microsecond, func(runtime.Alarm) {}),
			"surewake: Watchdog(1µs, _): must be 1ms to 24h0m0s"},
		{runtime.Watchdog(25*time.Hour, func(runtime.Alarm) {}),
			"surewake: Watchdog(25h0m0s, _): must be 1ms to 24h0m0s"},
		{runtime.Watchdog(time.Second, nil), "surewake: Watchdog: nil function"},
		{runtime.BlockingThreads(0), "surewake: BlockingThreads(0): must be 1 to 1000000"},
		{runtime.BlockingKeepAlive(-time.Second),
			"surewake: BlockingKeepAlive(-1s): must be 0 or more"},
	} {
		rt, err := runtime.New(c.option)
		require.EqualError(t, err, c.want)
		require.Nil(t, rt)
	}
}

func TestEveryOptionWorks(t *testing.T) {
	rt := start(
		t,
		2,
		runtime.Parker(park.Portable),
		runtime.InjectorBatch(7, runtime.PrivateBuffer),
		runtime.IdleBatch(9),
		runtime.InjectorInterval(time.Second, 1, 2),
		runtime.Ring(4),
		runtime.LIFOCap(0),
		runtime.TickBudget(1),
		runtime.TaskBudget(1),
		runtime.InlineDepth(1),
		runtime.SpareCoroutines(1),
		runtime.Searches(1),
		runtime.RescueInterval(time.Millisecond),
		runtime.Seed(7),
		runtime.OnPanic(func(*runtime.PanicError) {}),
		runtime.BlockingThreads(1),
		runtime.BlockingKeepAlive(time.Millisecond),
		runtime.Watchdog(time.Hour, func(runtime.Alarm) {}),
		runtime.Debug(),
	)
	v, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return fib(cx, 12) }))
	require.NoError(t, err)
	require.Equal(t, 144, v)
}
