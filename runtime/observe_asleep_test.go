package runtime_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// An anAlarm is an alarm, and when it was told.
type anAlarm struct {
	alarm runtime.Alarm
	after time.Duration
}

// toldIn runs body in a bubble, with a runtime of two workers with Debug, and returns what that has
// told until body returned.
func toldIn(
	t *testing.T, body func(rt *runtime.Runtime), options ...runtime.Option,
) (all []anAlarm) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var lock sync.Mutex // the runtime calls one at a time, without an order that Go knows of
		begin := time.Now()
		options := append([]runtime.Option{
			runtime.Workers(2), runtime.Debug(), runtime.Alarms(func(a runtime.Alarm) {
				lock.Lock()
				defer lock.Unlock()
				all = append(all, anAlarm{a, time.Since(begin)})
			}),
		}, options...)
		rt, err := runtime.New(options...)
		require.NoError(t, err)
		body(rt)
		synctest.Wait()
		require.NoError(t, rt.Close())
	})
	return all
}

// rescue is more than the driver sleeps once after all have fallen asleep, to look at the slots.
const rescue = time.Second

func waitsForABell(cx runtime.Cx) (int, error) {
	var bell runtime.Notify
	return 0, bell.Wait(cx)
}

// Debug tells once that all workers sleep and tasks are left, and where they wait. (runtime/R61)
func TestDebugTellsThatNothingGoesOn(t *testing.T) {
	all := toldIn(t, func(rt *runtime.Runtime) {
		runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			cx.SetName("first")
			s := runtime.NewSemaphore(1)
			return 0, errors.Join(s.Acquire(cx, 1), s.Acquire(cx, 1))
		})
		runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			cx.SetName("second")
			return waitsForABell(cx)
		})
		time.Sleep(time.Hour)
	})
	require.Len(t, all, 1)
	require.Equal(t, 10*time.Second, all[0].after.Truncate(rescue))
	text := all[0].alarm.String()
	require.Contains(t, text, "surewake: tasks wait for each other or for the outside, for 10")
	require.Regexp(t, `(?m)^task 1 "first": waits in Semaphore.Acquire, `+
		`.*observe_asleep_test\.go:\d+, for 10`, text)
	require.Regexp(t, `(?m)^task 2 "second": waits in Notify.Wait, `+
		`.*observe_asleep_test\.go:\d+, for 10`, text)
}

// What has been woken, from outside or by a timer, is told of after it has gone to sleep again, not
// while it goes on, and when that has lasted twice as long as when it was told before.
// (runtime/R61)
func TestDebugTellsOfTheLastSleep(t *testing.T) {
	all := toldIn(t, func(rt *runtime.Runtime) {
		c := runtime.NewChannel[int](0)
		runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			for {
				if _, err := c.Receive(cx); err != nil {
					return 0, err
				}
				for range 7 { // timers
					if err := cx.Sleep(9 * time.Second); err != nil {
						return 0, err
					}
				}
			}
		})
		time.Sleep(9 * time.Second)
		require.NoError(t, c.SendContext(context.Background(), 1))
		time.Sleep(2 * time.Minute)
		require.NoError(t, c.SendContext(context.Background(), 1))
		time.Sleep(time.Hour)
	})
	var after []time.Duration
	for _, one := range all {
		after = append(after, one.after.Truncate(rescue))
		require.Contains(t, one.alarm.Dump, "Channel.Receive")
	}
	require.Equal(t, []time.Duration{
		(9 + 7*9 + 10) * time.Second,
		(9 + 120 + 7*9 + 20) * time.Second,
	}, after)
}

// Who is fed again and again from outside is told of a few times, not each time. (runtime/R61)
func TestDebugTellsSeldomOfWhoIsFed(t *testing.T) {
	all := toldIn(t, func(rt *runtime.Runtime) {
		c := runtime.NewChannel[int](0)
		runtime.Submit(rt, func(cx runtime.Cx) (n int, err error) {
			for range c.All(cx) {
				n++
			}
			return n, nil
		})
		for range 1000 {
			time.Sleep(11 * time.Second)
			require.NoError(t, c.SendContext(context.Background(), 1))
		}
		time.Sleep(30 * time.Second)
	})
	require.Len(t, all, 2)
	require.Equal(t, 10*time.Second, all[0].after.Truncate(rescue))
	require.Equal(t, 11_020*time.Second, all[1].after.Truncate(rescue))
}

// The end of a blocking task for which nobody waits wakes no worker. (runtime/R61)
func TestDebugTellsAfterABlockingTask(t *testing.T) {
	all := toldIn(t, func(rt *runtime.Runtime) {
		runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			runtime.SpawnBlocking(cx, func() (int, error) {
				time.Sleep(time.Minute)
				return 0, nil
			}).Detach()
			return waitsForABell(cx)
		})
		time.Sleep(time.Hour)
	})
	require.Len(t, all, 1)
	require.Equal(t, 70*time.Second, all[0].after.Truncate(rescue))
}

// Who sleeps may be woken by what the runtime knows of; and a runtime that nobody uses has nothing
// to tell.
func TestDebugTellsNothingOfThoseThatMayGoOn(t *testing.T) {
	for name, task := range map[string]func(cx runtime.Cx) (int, error){
		"nothing": func(runtime.Cx) (int, error) { return 0, nil },
		"timer":   func(cx runtime.Cx) (int, error) { return 0, cx.Sleep(time.Minute) },
		"blocking": func(cx runtime.Cx) (int, error) {
			return runtime.SpawnBlocking(cx, sleepsAMinute).Join(cx)
		},
		"Go channel": func(cx runtime.Cx) (int, error) {
			_, _, err := runtime.Receive(cx, time.After(time.Minute))
			return 0, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Empty(t, toldIn(t, func(rt *runtime.Runtime) {
				_, err := runtime.Submit(rt, task).Wait(context.Background())
				require.NoError(t, err)
				time.Sleep(time.Hour)
			}))
		})
	}
}

func sleepsAMinute() (int, error) {
	time.Sleep(time.Minute)
	return 0, nil
}

// A Watchdog is told in place of Debug.
func TestWatchdogIsToldInPlaceOfDebug(t *testing.T) {
	watched := 0
	all := toldIn(t, func(rt *runtime.Runtime) {
		runtime.Submit(rt, waitsForABell)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Equal(t, 1, watched)
	}, runtime.Watchdog(time.Minute, func(a runtime.Alarm) {
		require.True(t, strings.HasPrefix(a.String(), "surewake: tasks wait"))
		watched++
	}))
	require.Empty(t, all)
}
