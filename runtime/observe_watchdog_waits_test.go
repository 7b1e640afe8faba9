package runtime_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// Circles of waits that anybody may end are no circles for Debug. When all tasks are in them, the
// watchdog tells of it, and names for each task what it waits for, and the line.
func TestWatchdogNamesWhatAnybodyMayEnd(t *testing.T) {
	for name, tasks := range map[string][2]waitsIn{
		"WaitGroup": waitsForTheGroup(),
		"Cond":      waitsForTheCondition(),
		"TryLock":   waitsForTheLock(),
		"RUnlock":   waitsForReaders(),
	} {
		t.Run(name, func(t *testing.T) {
			alarms := make(chan runtime.Alarm)
			over := make(chan struct{})
			defer close(over)
			rt := start(t, 2, runtime.Debug(),
				runtime.Watchdog(time.Millisecond, func(a runtime.Alarm) {
					select {
					case alarms <- a:
					case <-over:
					}
				}))
			want := make([]*regexp.Regexp, len(tasks))
			for i, name := range []string{"first", "second"} {
				runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					cx.SetName(name)
					return 0, tasks[i].does(cx)
				})
				atRest(t, rt)
				want[i] = regexp.MustCompile(`(?m)^task \d+ "` + name + `": waits in ` +
					tasks[i].call + `, .*observe_watchdog_waits_test\.go:[0-9]+, for `)
			}
			for {
				a := receive(t, alarms)
				require.Empty(t, a.Circle)
				if strings.Contains(a.Dump, "2 asleep") && strings.Contains(a.Dump, `"second"`) {
					require.Equal(t, -1, a.Worker)
					for _, w := range want {
						require.Regexp(t, w, a.String())
					}
					return // another one tells of the first alone
				}
			}
		})
	}
}

// A waitsIn is a task that waits in a call for ever.
type waitsIn struct {
	call string
	does func(runtime.Cx) error
}

// waitsForTheGroup are two tasks: the first holds what the second needs to be counted.
func waitsForTheGroup() [2]waitsIn {
	var m runtime.Mutex
	var g runtime.WaitGroup
	g.Add(1)
	return [2]waitsIn{
		{"WaitGroup.Wait", func(cx runtime.Cx) error {
			if err := m.Lock(cx); err != nil {
				return err
			}
			defer m.UnlockFrom(cx)
			return g.Wait(cx)
		}},
		{"Mutex.Lock", func(cx runtime.Cx) error {
			if err := m.Lock(cx); err != nil {
				return err
			}
			defer m.UnlockFrom(cx)
			g.DoneFrom(cx)
			return nil
		}},
	}
}

// waitsForTheCondition are two tasks, each of which would signal the other.
func waitsForTheCondition() [2]waitsIn {
	var m runtime.Mutex
	var bell runtime.Notify
	c := runtime.NewCond(&m)
	return [2]waitsIn{
		{"Cond.Wait", func(cx runtime.Cx) error {
			if err := m.Lock(cx); err != nil {
				return err
			}
			defer m.UnlockFrom(cx)
			err := c.Wait(cx)
			bell.SignalFrom(cx)
			return err
		}},
		{"Notify.Wait", func(cx runtime.Cx) error {
			err := bell.Wait(cx)
			c.SignalFrom(cx)
			return err
		}},
	}
}

// waitsForTheLock are two tasks that lock two mutexes in turn, which one has by TryLock.
func waitsForTheLock() [2]waitsIn {
	var a, b runtime.Mutex
	return [2]waitsIn{
		{"Mutex.Lock", func(cx runtime.Cx) error {
			a.TryLock()
			b.TryLock()
			return b.Lock(cx)
		}},
		{"Mutex.Lock", func(cx runtime.Cx) error { return a.Lock(cx) }},
	}
}

// waitsForReaders are two tasks: one that still reads, though nobody knows, and one that writes.
func waitsForReaders() [2]waitsIn {
	var m runtime.RWMutex
	var bell runtime.Notify
	return [2]waitsIn{
		{"Notify.Wait", func(cx runtime.Cx) error {
			for range 2 {
				if err := m.RLock(cx); err != nil {
					return err
				}
			}
			m.RUnlock()
			defer m.RUnlock()
			return bell.Wait(cx)
		}},
		{"RWMutex.Lock", func(cx runtime.Cx) error {
			if err := m.Lock(cx); err != nil {
				return err
			}
			defer m.UnlockFrom(cx)
			bell.SignalFrom(cx)
			return nil
		}},
	}
}
