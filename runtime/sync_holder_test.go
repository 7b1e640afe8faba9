package runtime

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A tangle is tasks that begin one after the other, each when those before it wait or have ended,
// and what they share.
type tangle struct {
	mutex   [2]Mutex
	rw      RWMutex
	notify  Notify
	rt      *Runtime
	handles []*Handle[int]
}

// A tangled is the function of one of these tasks.
type tangled func(cx Cx, k *tangle) error

func locks(first, second int) tangled {
	return func(cx Cx, k *tangle) error {
		if err := k.mutex[first].Lock(cx); err != nil {
			return err
		}
		if err := k.notify.Wait(cx); err != nil {
			return err
		}
		return k.mutex[second].Lock(cx)
	}
}

func goesOn(cx Cx, k *tangle) error { k.notify.SignalFrom(cx); return nil }

// tangles are tasks that wait for ever, by what is told of them; if that is "", nothing is.
var tangles = []struct {
	name  string
	tasks []tangled
	want  string
}{
	{"join", []tangled{
		func(cx Cx, k *tangle) error {
			if err := k.mutex[0].Lock(cx); err != nil {
				return err
			}
			return errors.Join(k.notify.Wait(cx), k.join(cx, 1))
		},
		func(cx Cx, k *tangle) error { return k.mutex[0].Lock(cx) },
		goesOn,
	}, "A waits LINE/B waits LINE/the Mutex is held by A, which locked it LINE"},
	{"two locks", []tangled{locks(0, 1), locks(1, 0), goesOn, goesOn},
		"A waits LINE/the Mutex is held by B, which locked it LINE/" +
			"B waits LINE/the Mutex is held by A, which locked it LINE"},
	{"itself", []tangled{locks(0, 0), goesOn},
		"A waits LINE/the Mutex is held by A, which locked it LINE"},
	{"after a wait for a condition", []tangled{
		func(cx Cx, k *tangle) error {
			c := NewCond(&k.mutex[0])
			if err := c.L.Lock(cx); err != nil {
				return err
			}
			cx.Go(func(cx Cx) { _ = k.notify.Wait(cx); c.Signal() })
			return errors.Join(c.Wait(cx), c.L.Lock(cx))
		}, goesOn,
	}, "A waits LINE/the Mutex is held by A, which locked it LINE"},
	{"in a wait for a condition", []tangled{
		func(cx Cx, k *tangle) error {
			c := NewCond(&k.mutex[0])
			if err := c.L.Lock(cx); err != nil {
				return err
			}
			cx.Go(func(cx Cx) {
				_ = c.L.Lock(cx)
				defer c.L.Unlock() // after Close, or nothing ends the wait
				c.Signal()
				_ = k.join(cx, 0)
			})
			return c.Wait(cx)
		},
	}, `A waits LINE/the Mutex is held by \S+, which locked it LINE/\S+ waits LINE`},
	{"ended", []tangled{
		func(cx Cx, k *tangle) error { return k.mutex[0].Lock(cx) },
		func(cx Cx, k *tangle) error { return k.mutex[0].Lock(cx) },
		func(cx Cx, k *tangle) error { return k.mutex[0].Lock(cx) },
	}, "B waits LINE/the Mutex is held by A, which locked it LINE and has ended"},
	{"writer and reader", []tangled{
		func(cx Cx, k *tangle) error {
			return errors.Join(k.rw.RLock(cx), k.notify.Wait(cx), k.rw.RLock(cx))
		},
		func(cx Cx, k *tangle) error { return k.rw.Lock(cx) },
		goesOn,
	}, "A waits LINE/the RWMutex is held by A, which locked it LINE"},
	{"reader that joins", []tangled{
		func(cx Cx, k *tangle) error {
			return errors.Join(k.rw.RLock(cx), k.notify.Wait(cx), k.join(cx, 2))
		},
		func(cx Cx, k *tangle) error { // another reader
			return errors.Join(k.rw.RLock(cx), k.notify.Wait(cx), rUnlock(cx, k))
		},
		func(cx Cx, k *tangle) error { return k.rw.Lock(cx) },
		goesOn, goesOn,
	}, "A waits LINE/C waits LINE/the RWMutex is held by A, which locked it LINE"},
	{"writer", []tangled{
		func(cx Cx, k *tangle) error {
			return errors.Join(k.rw.Lock(cx), k.notify.Wait(cx), k.join(cx, 1))
		},
		func(cx Cx, k *tangle) error { return k.rw.RLock(cx) },
		goesOn,
	}, "A waits LINE/B waits LINE/the RWMutex is held by A, which locked it LINE"},
	{"context", []tangled{
		func(cx Cx, k *tangle) error {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			_, err := k.handles[1].JoinContext(cx, ctx)
			return err
		},
		func(cx Cx, k *tangle) error { return k.join(cx, 0) },
	}, "A waits LINE/B waits LINE"},
	{"blocking", []tangled{
		func(cx Cx, k *tangle) error {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			_, err := SpawnBlocking(cx, func() (int, error) {
				return k.handles[0].Wait(ctx)
			}).Join(cx)
			return err
		},
	}, `A waits LINE/\S+ waits LINE`},

	{"another task holds it, which can end", []tangled{
		func(cx Cx, k *tangle) error {
			return errors.Join(k.mutex[0].Lock(cx), k.notify.Wait(cx))
		},
		func(cx Cx, k *tangle) error { return k.mutex[0].Lock(cx) },
	}, ""},
	{"unlocked by another", []tangled{
		func(cx Cx, k *tangle) error {
			return errors.Join(k.mutex[0].Lock(cx), k.notify.Wait(cx), k.join(cx, 2))
		},
		func(_ Cx, k *tangle) error { k.mutex[0].Unlock(); k.mutex[0].TryLock(); return nil },
		func(cx Cx, k *tangle) error { return k.mutex[0].Lock(cx) },
		goesOn,
	}, ""},
	{"read lock given up", []tangled{
		func(cx Cx, k *tangle) error {
			return errors.Join(k.rw.RLock(cx), rUnlock(cx, k), k.notify.Wait(cx), k.join(cx, 2))
		},
		func(cx Cx, k *tangle) error { return k.rw.RLock(cx) },
		func(cx Cx, k *tangle) error { return k.rw.Lock(cx) },
		func(cx Cx, k *tangle) error { k.rw.RUnlock(); k.rw.TryRLock(); goesOn(cx, k); return nil },
	}, ""},
	{"deadline", []tangled{
		func(cx Cx, k *tangle) error {
			if err := k.mutex[0].Lock(cx); err != nil {
				return err
			}
			_, err := Timeout(cx, time.Hour, func(cx Cx) (int, error) { return 0, k.join(cx, 1) })
			return err
		},
		func(cx Cx, k *tangle) error { return k.mutex[0].Lock(cx) },
	}, ""},
}

func rUnlock(cx Cx, k *tangle) error { k.rw.RUnlockFrom(cx); return nil }

// join joins a task of the tangle.
func (k *tangle) join(cx Cx, i int) error {
	_, err := k.handles[i].Join(cx)
	return err
}

// start starts the tasks; they are named A, B, C.
func (k *tangle) start(t *testing.T, tasks []tangled) {
	t.Helper()
	gates := make([]Notify, len(tasks))
	for i, fn := range tasks {
		k.handles = append(k.handles, Submit(k.rt, func(cx Cx) (int, error) {
			cx.SetName(string(rune('A' + i)))
			if err := gates[i].Wait(cx); err != nil {
				return 0, err
			}
			return 0, fn(cx, k)
		}))
	}
	for i := range gates {
		k.rests(t)
		gates[i].Signal()
	}
	k.rests(t)
}

// rests waits until nothing runs but blocking tasks, which wait.
func (k *tangle) rests(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Microsecond) {
		if s := k.rt.Stats(); k.rt.Idle() && s.Injected+s.Queued+s.Ready == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("it does not come to rest")
		}
	}
}

// A watchdog tells, once, of tasks that wait in a circle which only somebody else could end, and a
// dump shows it, whether other tasks run or not. (runtime/R58)
func TestWatchdogTellsOfACircleThroughLocks(t *testing.T) {
	for _, c := range tangles {
		t.Run(c.name, func(t *testing.T) {
			rt, b := watched(t, 2, Debug())
			k := &tangle{rt: rt}
			k.start(t, c.tasks)
			if c.want != "" { // a blocking task may not have come to its wait
				require.Eventually(t, func() bool {
					lines, _ := rt.circles()
					return len(lines) > 0
				}, 10*time.Second, 50*time.Microsecond)
			}
			begun := make(chan struct{})
			busy := Submit(rt, func(cx Cx) (int, error) {
				close(begun)
				for cx.Err() == nil {
					cx.Yield()
				}
				return 0, nil
			})
			<-begun
			var told []Alarm
			for day := range 6 {
				b.alarms = nil
				b.lookAt(float64(day) / 2)
				for _, a := range b.alarms {
					if a.Circle != "" {
						told = append(told, a)
						require.Equal(t, 2, day)
					}
				}
			}
			busy.Cancel()
			_, err := busy.Wait(context.Background())
			require.NoError(t, err)
			lines, _ := rt.circles()
			if c.want == "" {
				require.Empty(t, told)
				require.Empty(t, lines)
				return
			}
			want := strings.NewReplacer("/", `\n\t`, "LINE", `in \S+:\d+`).Replace(c.want)
			require.Len(t, told, 1)
			require.Regexp(t, `^\n\t`+want+`$`, told[0].Circle)
			require.Equal(t, -1, told[0].Worker)
			require.Regexp(t, `^surewake: no task will end these waits, for 24h0m0s:\n\t`+
				want+`$`, told[0].String())
			require.Regexp(t, `\nno task will end these waits:\n\t`+want+`\n$`,
				told[0].Dump)
		})
	}
}

// An unlock that is refused, since nobody holds the lock in that way, forgets no holder.
func TestARefusedUnlockForgetsNoHolder(t *testing.T) {
	rt, err := New(Workers(1), Debug())
	require.NoError(t, err)
	_, err = Submit(rt, func(cx Cx) (int, error) {
		var m RWMutex
		refused := func(rule string, unlock func()) {
			require.PanicsWithValue(t, "surewake: RWMutex."+rule+" holds the RWMutex", unlock)
			require.Len(t, m.holders(), 1)
		}
		if err := m.RLock(cx); err != nil {
			return 0, err
		}
		refused("Unlock: no writer", m.Unlock)
		refused("UnlockFrom: no writer", func() { m.UnlockFrom(cx) })
		m.RUnlockFrom(cx)
		require.Empty(t, m.holders())
		if err := m.Lock(cx); err != nil {
			return 0, err
		}
		refused("RUnlock: no reader", m.RUnlock)
		refused("RUnlockFrom: no reader", func() { m.RUnlockFrom(cx) })
		m.UnlockFrom(cx)
		require.Empty(t, m.holders())
		return 0, nil
	}).Wait(t.Context())
	require.NoError(t, err)
	require.NoError(t, rt.Close())
}

// Readers that leave for others leave nothing noted of those: nobody knows which are left.
// (runtime/R58)
func TestAReaderWhomAnotherTaskUnlocksIsForgotten(t *testing.T) {
	rt, err := New(Workers(1), Debug())
	require.NoError(t, err)
	_, err = Submit(rt, func(cx Cx) (int, error) {
		var m RWMutex
		unlock := func(cx Cx) (int, error) { m.RUnlockFrom(cx); return 0, nil }
		for range 3 {
			require.NoError(t, m.RLock(cx))
			_, err := Spawn(cx, unlock).Join(cx)
			require.NoError(t, err)
			require.Empty(t, m.holders())
		}
		return 0, nil
	}).Wait(t.Context())
	require.NoError(t, err)
	require.NoError(t, rt.Close())
}
