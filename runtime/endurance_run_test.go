package runtime_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/runtime"
)

// A lone call is a Run: a runtime of its own, which ends with its tasks or with its context. Each
// of its tasks is to end exactly once, and none goes on when Run has returned.
type loneCall struct {
	w       *world
	stopped atomic.Bool // its context has ended, or is about to

	running atomic.Int64 // functions that have begun and not ended

	lock  sync.Mutex
	tasks []*loneTask
}

type loneTask struct {
	id     int
	handle *runtime.Handle[int]
	runs   atomic.Int64
}

var errLone = errors.New("the function of Run has failed")

// runAlone makes the call, and looks at what it leaves.
func (w *world) runAlone(rng *rand.Rand) {
	c := &loneCall{w: w}
	ctx, stop := context.WithCancelCause(context.WithValue(context.Background(), recordKey{}, c))
	defer stop(nil)
	if rng.IntN(2) == 0 {
		timer := time.AfterFunc(time.Duration(rng.IntN(2000))*time.Microsecond, func() {
			c.stopped.Store(true)
			stop(errStopped)
		})
		defer timer.Stop()
	}
	seed, end := rng.Uint64(), rng.IntN(4)
	options := []runtime.Option{runtime.Workers(1 + rng.IntN(4)), runtime.Ring(2),
		runtime.Seed(rng.Uint64())}
	v, err := runtime.Run(ctx, func(cx runtime.Cx) (int, error) {
		if cx.Context().Value(recordKey{}) != c {
			w.fail("the context of Run has lost its values")
		}
		c.grow(cx, rand.New(rand.NewPCG(w.seed, seed)), 3)
		switch end {
		case 0:
			return -1, errLone
		case 1:
			panic(errLone)
		case 2:
			_ = cx.Shutdown() // waits for all others, or ends with the context
		}
		return 1, nil
	}, options...)
	var p *runtime.PanicError
	switch {
	case err == nil && v == 1 && end >= 2:
	case err == errLone && v == -1 && end == 0:
	case errors.As(err, &p) && p.Value == errLone && end == 1:
	case errors.Is(err, runtime.ErrCancelled) && errors.Is(err, errStopped) &&
		c.stopped.Load() && v == 0:
	default:
		w.fail("Run returned %d, %v; stopped %v, end %d", v, err, c.stopped.Load(), end)
	}
	c.check()
}

// grow starts tasks, which start others up to a depth.
func (c *loneCall) grow(cx runtime.Cx, rng *rand.Rand, depth int) {
	for range rng.IntN(6) {
		seed, task := rng.Uint64(), c.add()
		work := func(cx runtime.Cx) (int, error) {
			task.runs.Add(1)
			c.running.Add(1)
			defer c.running.Add(-1)
			rng := rand.New(rand.NewPCG(c.w.seed, seed))
			switch rng.IntN(4) {
			case 0:
				_ = cx.Sleep(time.Duration(rng.IntN(300)) * time.Microsecond)
			case 1:
				cx.Yield()
			}
			if depth > 0 {
				c.grow(cx, rng, depth-1)
			}
			return task.id, nil
		}
		if rng.IntN(4) == 0 {
			task.handle = runtime.SpawnBlocking(cx, func() (int, error) {
				task.runs.Add(1)
				c.running.Add(1)
				defer c.running.Add(-1)
				time.Sleep(time.Duration(seed%300) * time.Microsecond)
				return task.id, nil
			})
		} else {
			task.handle = runtime.Spawn(cx, work)
		}
		if rng.IntN(3) == 0 {
			_, _ = task.handle.Join(cx)
		}
	}
}

func (c *loneCall) add() *loneTask {
	c.lock.Lock()
	defer c.lock.Unlock()
	task := &loneTask{id: len(c.tasks) + 1}
	c.tasks = append(c.tasks, task)
	return task
}

// check looks at all tasks when Run has returned.
func (c *loneCall) check() {
	if n := c.running.Load(); n != 0 {
		c.w.fail("%d tasks run when Run has returned", n)
	}
	for _, task := range c.tasks {
		v, err, ended := task.handle.TryJoin()
		runs := task.runs.Load()
		switch stopped := errors.Is(err, runtime.ErrClosed) ||
			errors.Is(err, runtime.ErrCancelled); {
		case ended && err == nil && v == task.id && runs == 1:
		case ended && stopped && c.stopped.Load() && v == 0 && runs == 0:
		default:
			c.w.fail("task %d of a Run: ended %v, ran %d times, its result is %d, %v; stopped %v",
				task.id, ended, runs, v, err, c.stopped.Load())
		}
	}
}

// runByDefault starts tasks of the default runtime, which outlives every round, and waits for them.
func (w *world) runByDefault(rng *rand.Rand) {
	rt := runtime.Default()
	handles := make([]*runtime.Handle[int], rng.IntN(30))
	runs := make([]int, len(handles)) // each is its task's
	pause := time.Duration(rng.IntN(100)) * time.Microsecond
	for i := range handles {
		handles[i] = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			runs[i]++
			if i%4 == 0 {
				_ = cx.Sleep(pause)
			}
			v, err := runtime.Spawn(cx, returns(i)).Join(cx)
			return v, err
		})
	}
	if rng.IntN(4) == 0 {
		v, err := runtime.Run(context.Background(), func(runtime.Cx) (int, error) {
			// A task of one runtime waits for one of another as a goroutine does.
			return runtime.Submit(rt, returns(5)).Wait(context.Background())
		}, runtime.Workers(1))
		if v != 5 || err != nil {
			w.fail("a Run that waits for the default runtime returned %d, %v", v, err)
		}
	}
	for i, h := range handles {
		if v, err := h.Wait(context.Background()); v != i || err != nil || runs[i] != 1 {
			w.fail("task %d of the default runtime ran %d times: %d, %v", i, runs[i], v, err)
		}
	}
}
