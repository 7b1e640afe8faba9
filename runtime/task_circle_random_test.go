package runtime_test

import (
	"context"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A web is tasks that join each other, lock, and wait in many other ways, at random, and so in
// circles of all kinds.
type web struct {
	rt      *runtime.Runtime
	group   *runtime.Group
	handles [8]*runtime.Handle[int]
	mutexes [3]runtime.Mutex
	rw      runtime.RWMutex
}

// webWaits are what a task of the web does with another one.
var webWaits = []func(cx runtime.Cx, w *web, i int){
	func(cx runtime.Cx, w *web, i int) { _, _ = w.handles[i].Join(cx) },
	func(cx runtime.Cx, w *web, i int) {
		next := w.handles[(i+1)%len(w.handles)]
		_, _ = runtime.Next(cx, w.handles[i], next)
	},
	func(cx runtime.Cx, w *web, i int) {
		_ = w.group.Spawn(cx, func(cx runtime.Cx) error {
			_, err := w.handles[i].Join(cx)
			return err
		})
	},
	func(cx runtime.Cx, w *web, i int) {
		_, _ = runtime.SpawnBlocking(cx, func() (int, error) {
			ctx, stop := context.WithTimeout(context.Background(), 5*time.Millisecond)
			defer stop()
			return w.handles[i].Wait(ctx)
		}).Join(cx)
	},
	func(cx runtime.Cx, w *web, i int) {
		_, _ = runtime.Timeout(cx, time.Millisecond,
			func(cx runtime.Cx) (int, error) { return w.handles[i].Join(cx) })
	},
	func(cx runtime.Cx, w *web, i int) {
		f := runtime.Fork(cx, func(cx runtime.Cx, i int) error {
			_, err := w.handles[i].Join(cx)
			return err
		}, i)
		cx.Yield()
		_ = f.Join(cx)
	},
	func(cx runtime.Cx, w *web, i int) {
		if m := &w.mutexes[i%len(w.mutexes)]; m.Lock(cx) == nil {
			defer m.Unlock()
			_, _ = w.handles[i].Join(cx)
		}
	},
	func(cx runtime.Cx, w *web, i int) {
		if w.rw.RLock(cx) == nil {
			defer w.rw.RUnlockFrom(cx)
			_, _ = w.handles[i].Join(cx)
		}
	},
}

// Whatever tasks wait for, in circles or not: they may be looked at meanwhile, Close ends them all,
// and nothing stays noted of them. (runtime/R57, runtime/R58)
func TestDebugOutlastsRandomCircles(t *testing.T) {
	for round := range uint64(100) {
		random := rand.New(rand.NewPCG(round, 1))
		rt := start(t, 1+int(round%3), runtime.Debug(), runtime.BlockingThreads(2),
			runtime.Watchdog(2*time.Millisecond, func(runtime.Alarm) {}))
		w := &web{rt: rt, group: runtime.NewGroup(context.Background(), rt)}
		w.group.SetLimit(2)
		gate, release := begun()
		for me := range w.handles {
			var plan [4][2]int
			for i := range plan {
				plan[i] = [2]int{random.IntN(len(webWaits)), random.IntN(len(w.handles))}
			}
			w.handles[me] = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				if err := gate(cx); err != nil {
					return 0, err
				}
				for _, p := range plan {
					if p[1] != me {
						webWaits[p[0]](cx, w, p[1])
					}
				}
				return 0, nil
			})
		}
		release()
		time.Sleep(3 * time.Millisecond)
		require.NoError(t, rt.Dump(io.Discard))
		closes(t, rt)
		waits, parts := runtime.JoinNotes(rt)
		require.Zero(t, waits)
		require.Zero(t, parts)
	}
}
