//go:build linux && (amd64 || arm64)

package runtime_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sw "github.com/surewake/surewake/runtime"
)

// A mistake is a row of docs/guides/misuse.md: a call, and what it is told.
type mistake struct {
	call string
	make func(m *mistakes) any // returns an error or the value of a panic
}

// mistakes is what the calls are made with: a task of rt, which has one worker, and its child h,
// which waits.
type mistakes struct {
	rt, closed, other *sw.Runtime
	cx                sw.Cx
	h, foreign        *sw.Handle[int]
	detached          *sw.Handle[int]
	foreignBatch      *sw.TaskBatch[int]
	foreignScope      *sw.TaskScope
	foreignTicker     *sw.Ticker
	waiting           sw.Cx // of h
	bubble            error // of New in a bubble
	bubbleDefault     any   // of Default in one
	pipe, file        *os.File
	ctx               context.Context
}

// refused is a mistake at which the call panics.
func refused(call string, does func(m *mistakes)) mistake {
	return mistake{call, func(m *mistakes) any { return panics(func() { does(m) }) }}
}

// blocking is refused in a blocking task of rt.
func blocking(call string, does func(m *mistakes)) mistake {
	return mistake{call, func(m *mistakes) any {
		told, _ := sw.SpawnBlocking(m.cx, func() (any, error) {
			return panics(func() { does(m) }), nil
		}).Join(m.cx)
		return told
	}}
}

// option is one that New returns an error for.
func option(call string, o sw.Option) mistake {
	return mistake{call, func(*mistakes) any {
		_, err := sw.New(o)
		return err
	}}
}

func allMistakes() []mistake {
	return slices.Concat(commonMistakes(), moreMistakes(), blockingMistakes())
}

func commonMistakes() []mistake {
	return []mistake{
		option("sw.New(nil)", nil),
		option("sw.New(sw.Workers(0))", sw.Workers(0)),
		option("sw.New(sw.InjectorBatch(0, sw.LocalRing))", sw.InjectorBatch(0, sw.LocalRing)),
		option("sw.New(sw.InjectorBatch(1, 9))", sw.InjectorBatch(1, 9)),
		option("sw.New(sw.IdleBatch(0))", sw.IdleBatch(0)),
		option("sw.New(sw.InjectorInterval(0, 8, 255))", sw.InjectorInterval(0, 8, 255)),
		option("sw.New(sw.InjectorInterval(1, 9, 8))", sw.InjectorInterval(1, 9, 8)),
		option("sw.New(sw.Ring(3))", sw.Ring(3)),
		option("sw.New(sw.LIFOCap(-1))", sw.LIFOCap(-1)),
		option("sw.New(sw.MaxTasks(0))", sw.MaxTasks(0)),
		option("sw.New(sw.TickBudget(0))", sw.TickBudget(0)),
		option("sw.New(sw.TaskBudget(0))", sw.TaskBudget(0)),
		option("sw.New(sw.InlineDepth(-1))", sw.InlineDepth(-1)),
		option("sw.New(sw.SpareCoroutines(0))", sw.SpareCoroutines(0)),
		option("sw.New(sw.Searches(0))", sw.Searches(0)),
		option("sw.New(sw.RescueInterval(-1))", sw.RescueInterval(-1)),
		option("sw.New(sw.BlockingThreads(0))", sw.BlockingThreads(0)),
		option("sw.New(sw.BlockingKeepAlive(-1))", sw.BlockingKeepAlive(-1)),
		option("sw.New(sw.Watchdog(time.Microsecond, report))",
			sw.Watchdog(time.Microsecond, func(sw.Alarm) {})),
		option("sw.New(sw.Watchdog(time.Second, nil))", sw.Watchdog(time.Second, nil)),
		option("sw.New(sw.OnPanic(nil))", sw.OnPanic(nil)),
		option("sw.New(sw.LogPanics(nil))", sw.LogPanics(nil)),
		option(`sw.New(sw.Labels("key"))`, sw.Labels("key")),

		refused("sw.Submit(nilRuntime, fn)", func(*mistakes) { sw.Submit(nil, answer) }),
		refused("sw.Submit(&sw.Runtime{}, fn)", func(*mistakes) {
			sw.Submit(&sw.Runtime{}, answer)
		}),
		refused("sw.Submit[int](rt, nil)", func(m *mistakes) { sw.Submit[int](m.rt, nil) }),
		refused("sw.Spawn(sw.Cx{}, fn)", func(*mistakes) { sw.Spawn(sw.Cx{}, answer) }),
		refused("h.Wait(nil)", func(m *mistakes) { _, _ = m.h.Wait(noContext) }),
		refused("nilHandle.Join(cx)", func(m *mistakes) {
			_, _ = (*sw.Handle[int])(nil).Join(m.cx)
		}),
		refused("new(sw.Channel[int]).TrySend(1)", func(*mistakes) {
			_ = new(sw.Channel[int]).TrySend(1)
		}),
		refused("new(sw.Semaphore).TryAcquire(1)", func(*mistakes) {
			new(sw.Semaphore).TryAcquire(1)
		}),
		refused("rt.Watch(nil)", func(m *mistakes) { _, _ = m.rt.Watch(nil) }),
		refused("rt.Conn(nil)", func(m *mistakes) { _, _ = m.rt.Conn(nil) }),

		{"sw.Submit(closed, fn).Wait(ctx)", func(m *mistakes) any {
			_, err := sw.Submit(m.closed, answer).Wait(m.ctx)
			return err
		}},
		{"sw.TrySubmit(closed, fn)", func(m *mistakes) any {
			_, err := sw.TrySubmit(m.closed, answer)
			return err
		}},
		{"closed.Close()", func(m *mistakes) any { return m.closed.Close() }},
		{"sw.TrySubmit(full, fn)", func(m *mistakes) any {
			full, err := sw.New(sw.Workers(1), sw.MaxTasks(1))
			if err != nil {
				return err
			}
			h := sw.Submit(full, forever)
			_, refusal := sw.TrySubmit(full, answer)
			h.Cancel()
			if err := full.Shutdown(m.ctx); err != nil {
				return err
			}
			return refusal
		}},
		{"closedChannel.TrySend(1)", func(*mistakes) any {
			c := sw.NewChannel[int](1)
			c.Close()
			return c.TrySend(1)
		}},

		refused("cx of a task that has ended: cx.Yield()", func(m *mistakes) {
			var ended sw.Cx
			_, _ = sw.Spawn(m.cx, func(cx sw.Cx) (int, error) {
				ended = cx //cxcheck:ignore it is refused
				return 0, nil
			}).Join(m.cx)
			ended.Yield()
		}),
		{"cx of the parent in its child: cx.Yield()", func(m *mistakes) any {
			var told any
			_, _ = sw.Spawn(m.cx, func(sw.Cx) (int, error) {
				told = panics(func() { m.cx.Yield() }) //cxcheck:ignore it is refused
				return 0, nil
			}).Join(m.cx)
			return told
		}},
		{"h of the task itself: h.Join(cx)", func(m *mistakes) any {
			ready := make(chan *sw.Handle[int], 1)
			var told any
			h := sw.Submit(m.rt, func(cx sw.Cx) (int, error) {
				told = panics(func() { _, _ = (<-ready).Join(cx) })
				return 0, nil
			})
			ready <- h
			_, _ = h.Join(m.cx)
			return told
		}},
		refused("detached.Join(cx)", func(m *mistakes) { _, _ = m.detached.Join(m.cx) }),
		refused("h of another runtime: h.Join(cx)", func(m *mistakes) {
			_, _ = m.foreign.Join(m.cx)
		}),
		refused("rt.Close() in a task of rt", func(m *mistakes) { _ = m.rt.Close() }),
		refused("rt.Shutdown(ctx) in a task of rt", func(m *mistakes) { _ = m.rt.Shutdown(m.ctx) }),
		blocking("rt.Close() in a blocking task of rt", func(m *mistakes) { _ = m.rt.Close() }),
		blocking("rt.Shutdown(ctx) in a blocking task of rt", func(m *mistakes) {
			_ = m.rt.Shutdown(m.ctx)
		}),

		refused("sw.SpawnIn(cx, nil, fn)", func(m *mistakes) { sw.SpawnIn(m.cx, nil, answer) }),
		refused("sw.SpawnIn(cx, over, fn)", func(m *mistakes) {
			var over *sw.TaskScope
			_ = sw.Scope(m.cx, func(_ sw.Cx, s *sw.TaskScope) error { over = s; return nil })
			sw.SpawnIn(m.cx, over, answer)
		}),
		refused("sw.SpawnBatch(cx, -1, fn)", func(m *mistakes) { sw.SpawnBatch(m.cx, -1, fib) }),
		refused("sw.SpawnBatch(cx, 2, fn).Handle(2)", func(m *mistakes) {
			b := sw.SpawnBatch(m.cx, 2, fib)
			_, _ = b.Join(m.cx)
			b.Handle(2)
		}),
		refused("again.Spawn(cx, fn); again.Spawn(cx, fn)", func(m *mistakes) {
			var again sw.Task[int]
			again.Spawn(m.cx, answer)
			again.Spawn(m.cx, answer)
		}),
		refused("again.Join(cx); again.Join(cx)", func(m *mistakes) {
			var again sw.Task[int]
			again.Spawn(m.cx, answer)
			_, _ = again.Join(m.cx)
			_, _ = again.Join(m.cx)
		}),
		{"again of another task: again.Join(cx)", func(m *mistakes) any {
			var again sw.Task[int]
			again.Spawn(m.cx, answer)
			told, _ := sw.Spawn(m.cx, func(cx sw.Cx) (any, error) {
				return panics(func() { _, _ = again.Join(cx) }), nil
			}).Join(m.cx)
			_, _ = again.Join(m.cx)
			return told
		}},
		refused("group.SetLimit(0)", func(m *mistakes) { sw.NewGroup(m.ctx, m.rt).SetLimit(0) }),
		refused("256 times within one another: cx.Shield(fn)", func(m *mistakes) {
			var shield func(deep int)
			shield = func(deep int) {
				if deep > 0 {
					m.cx.Shield(func() { shield(deep - 1) })
				}
			}
			shield(256)
		}),
		refused("f.Join(cx); f.Join(cx)", func(m *mistakes) {
			f := sw.Fork(m.cx, fibFork, 1)
			f.Join(m.cx)
			f.Join(m.cx)
		}),

		refused("mutex.Unlock()", func(*mistakes) { new(sw.Mutex).Unlock() }),
		refused("rwmutex.RUnlock()", func(*mistakes) { new(sw.RWMutex).RUnlock() }),
		refused("waitgroup.Add(-1)", func(*mistakes) { new(sw.WaitGroup).Add(-1) }),
		refused("new(sw.Cond).Wait(cx)", func(m *mistakes) { _ = new(sw.Cond).Wait(m.cx) }),
		refused("sw.NewCond(&mutex).Wait(cx)", func(m *mistakes) {
			_ = sw.NewCond(&sw.Mutex{}).Wait(m.cx)
		}),
		refused("oneshot.Send(1); oneshot.Send(2)", func(*mistakes) {
			var o sw.Oneshot[int]
			_ = o.Send(1)
			_ = o.Send(2)
		}),
		refused("sw.NewSemaphore(0)", func(*mistakes) { sw.NewSemaphore(0) }),
		refused("sw.NewSemaphore(3).Acquire(cx, 4)", func(m *mistakes) {
			_ = sw.NewSemaphore(3).Acquire(m.cx, 4)
		}),
		refused("sw.NewSemaphore(3).Release(1)", func(*mistakes) { sw.NewSemaphore(3).Release(1) }),
		refused("sw.NewChannel[int](-1)", func(*mistakes) { sw.NewChannel[int](-1) }),
		refused("sw.NewLimiter(0, 1)", func(*mistakes) { sw.NewLimiter(0, 1) }),
		refused("sw.NewLimiter(1, 4).WaitN(cx, 5)", func(m *mistakes) {
			_ = sw.NewLimiter(1, 4).WaitN(m.cx, 5)
		}),
		refused("cx.NewTicker(0, sw.Skip)", func(m *mistakes) { m.cx.NewTicker(0, sw.Skip) }),
		refused("new(sw.Nap).Over(cx, time.Second)", func(m *mistakes) {
			new(sw.Nap).Over(m.cx, time.Second)
		}),

		{"with sw.Debug, on another goroutine: sw.Spawn(cx, fn)", func(m *mistakes) any {
			_, err := debugged(m, func(_ *sw.Runtime, cx sw.Cx) any {
				told := make(chan any)
				go func() {
					told <- panics(func() { sw.Spawn(cx, answer) }) //cxcheck:ignore it is refused
				}()
				return <-told
			})
			return err
		}},
		{"with sw.Debug, on another goroutine: f.Join(cx)", func(m *mistakes) any {
			_, err := debugged(m, func(_ *sw.Runtime, cx sw.Cx) any {
				f := sw.Fork(cx, fibFork, 1)
				told := make(chan any)
				go func() {
					told <- panics(func() { f.Join(cx) }) //cxcheck:ignore it is refused
				}()
				return <-told
			})
			return err
		}},
		{"with sw.Debug, in a task of the runtime: h.Wait(ctx)", func(m *mistakes) any {
			_, err := debugged(m, func(_ *sw.Runtime, cx sw.Cx) any {
				h := sw.Spawn(cx, answer)
				return panics(func() { _, _ = h.Wait(m.ctx) })
			})
			return err
		}},
	}
}

// blockingMistakes are those of blockingCalls.
func blockingMistakes() (all []mistake) {
	for _, c := range blockingCalls() {
		call, ok := map[string]string{
			"SelectContext":            "sw.SelectContext(ctx, case)",
			"Channel.SendContext":      "channel.SendContext(ctx, 1)",
			"Channel.AllContext":       "for range channel.AllContext(ctx)",
			"Semaphore.AcquireContext": "semaphore.AcquireContext(ctx, 1)",
			"Limiter.WaitNContext":     "limiter.WaitNContext(ctx, 2)",
			"Group.Go":                 "group.Go(fn)",
			"Group.Wait":               "group.Wait()",
			"Run":                      "sw.Run(ctx, fn)",
		}[c.name]
		if !ok {
			if c.call != c.name || c.told != c.name {
				continue // is there, or is told as another one
			}
			of, method, _ := strings.Cut(c.name, ".")
			call = strings.ToLower(of) + "." + method + "(ctx)"
		}
		all = append(all, mistake{
			"with sw.Debug, in a task of the runtime: " + call,
			func(m *mistakes) any {
				_, err := debugged(m, func(rt *sw.Runtime, cx sw.Cx) any {
					s := &blockingScene{rt: rt, child: sw.Spawn(cx, forever), release: func() {}}
					blocks, _ := c.make(s)
					told := panics(func() { _ = blocks(m.ctx) })
					s.release()
					s.child.Cancel()
					return told
				})
				return err
			},
		})
	}
	return all
}

// debugged calls fn in a task of a runtime with Debug, and returns what it returns as an error.
func debugged(m *mistakes, fn func(rt *sw.Runtime, cx sw.Cx) any) (any, error) {
	rt, err := sw.New(sw.Workers(1), sw.Debug())
	if err != nil {
		return nil, err
	}
	told, err := sw.Submit(rt, func(cx sw.Cx) (any, error) { return fn(rt, cx), nil }).Wait(m.ctx)
	if err == nil {
		err = fmt.Errorf("%v", told)
	}
	if closed := rt.Close(); closed != nil {
		return nil, closed
	}
	return nil, err
}

// pageOfMisuses returns what each call of the page is told.
func pageOfMisuses(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../docs/guides/misuse.md")
	require.NoError(t, err)
	page := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([^`]+)` \\|$").
		FindAllStringSubmatch(string(text), -1) {
		require.NotContains(t, page, row[1])
		page[row[1]] = row[2]
	}
	return page
}

// The page of misuses has the calls of allMistakes and no others, each with what it is told.
func TestThePageOfMisusesIsTrue(t *testing.T) {
	page := pageOfMisuses(t)
	m := newMistakes(t)
	run(t, m.rt, func(cx sw.Cx) error {
		m.cx = cx //cxcheck:ignore the calls are made in this task
		m.h = sw.Spawn(cx, func(cx sw.Cx) (int, error) {
			m.waiting = cx //cxcheck:ignore it is refused
			return forever(cx)
		})
		cx.Yield()
		m.detached = sw.Spawn(cx, answer)
		m.detached.Detach()
		for _, c := range allMistakes() {
			got := onAnyMachine(fmt.Sprint(c.make(m)))
			t.Logf("| `%s` | `%s` |", c.call, got)
			if page[c.call] != got {
				t.Errorf("%s: %s\nthe page has: %s", c.call, got, page[c.call])
			}
			delete(page, c.call)
		}
		m.h.Cancel()
		return nil
	})
	require.Empty(t, page, "the page has calls that are not made")
}
