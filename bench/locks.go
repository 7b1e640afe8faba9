package main

import (
	goruntime "runtime"
	"sync"
	"time"

	ours "github.com/surewake/surewake/runtime"
)

// lockRows are those of locks and of Cond.
func lockRows() []row {
	const ns = time.Nanosecond
	return []row{
		{"lock-free", "lock and unlock, by one that nobody disturbs", ns, freeLocks},
		{"lock-shared", "lock, 20 steps of work, unlock, by 4 at a time, each", ns, sharedLocks},
		{"lock-held", "a lock that is held during a yield, by 4 at a time, each", ns, heldLocks},
		{"cond", "two that wait for each other by a Cond, a wait", ns, conds},
	}
}

func freeLocks() ([]contender, func()) {
	const n = 1000
	rt := start()
	var mutex ours.Mutex
	var rw ours.RWMutex
	var goMutex sync.Mutex
	var goRW sync.RWMutex
	counter := 0
	return []contender{
		{name: "Mutex", ops: n, round: inside(rt, func(cx ours.Cx) {
			for range n {
				expectNo(mutex.Lock(cx))
				counter++
				mutex.UnlockFrom(cx)
			}
		})},
		{name: "RWMutex, RLock", ops: n, round: inside(rt, func(cx ours.Cx) {
			for range n {
				expectNo(rw.RLock(cx))
				counter++
				rw.RUnlockFrom(cx)
			}
		})},
		{name: "RWMutex, Lock", ops: n, round: inside(rt, func(cx ours.Cx) {
			for range n {
				expectNo(rw.Lock(cx))
				counter++
				rw.UnlockFrom(cx)
			}
		})},
		{name: "sync.Mutex", peer: true, ops: n, round: outside(func() {
			for range n {
				goMutex.Lock()
				counter++
				goMutex.Unlock()
			}
		})},
		{name: "sync.RWMutex, RLock", peer: true, ops: n, round: outside(func() {
			for range n {
				goRW.RLock()
				counter++
				goRW.RUnlock()
			}
		})},
		{name: "sync.RWMutex, Lock", peer: true, ops: n, round: outside(func() {
			for range n {
				goRW.Lock()
				counter++
				goRW.Unlock()
			}
		})},
	}, closing(rt)
}

// A guarded is a number and what protects it.
type guarded struct {
	number  float64
	mutex   ours.Mutex
	rw      ours.RWMutex
	goMutex sync.Mutex
	goRW    sync.RWMutex
}

// change is the work of who holds the lock alone, look that of a reader.
func (g *guarded) change() { g.number = g.number*0.5 + steps(20) }

func (g *guarded) look() {
	if steps(20)+g.number < 0 {
		panic("a wrong number")
	}
}

// sharedLocks are locks that each of four wants all the time, with two workers or processors. Of
// the calls of an RWMutex, one in 16 is that of a writer.
func sharedLocks() ([]contender, func()) {
	const each, ways, writes = 2500, 4, 16
	rt := start()
	g := new(guarded)
	return []contender{
		{name: "Mutex", ops: each * ways, round: insideTogether(rt, ways, func(cx ours.Cx) {
			for range each {
				expectNo(g.mutex.Lock(cx))
				g.change()
				g.mutex.UnlockFrom(cx)
			}
		})},
		{name: "RWMutex, 1 of 16 writes", ops: each * ways,
			round: insideTogether(rt, ways, func(cx ours.Cx) {
				for i := range each {
					if i%writes == 0 {
						expectNo(g.rw.Lock(cx))
						g.change()
						g.rw.UnlockFrom(cx)
						continue
					}
					expectNo(g.rw.RLock(cx))
					g.look()
					g.rw.RUnlockFrom(cx)
				}
			})},
		{name: "sync.Mutex", peer: true, ops: each * ways, round: outsideTogether(ways, func() {
			for range each {
				g.goMutex.Lock()
				g.change()
				g.goMutex.Unlock()
			}
		})},
		{name: "sync.RWMutex, 1 of 16 writes", peer: true, ops: each * ways,
			round: outsideTogether(ways, func() {
				for i := range each {
					if i%writes == 0 {
						g.goRW.Lock()
						g.change()
						g.goRW.Unlock()
						continue
					}
					g.goRW.RLock()
					g.look()
					g.goRW.RUnlock()
				}
			})},
	}, closing(rt)
}

// heldLocks are those of holders who let others run before they unlock, so that a call mostly
// waits.
func heldLocks() ([]contender, func()) {
	const each, ways = 250, 4
	rt := start()
	g := new(guarded)
	return []contender{
		{name: "Mutex, Yield", ops: each * ways, round: insideTogether(rt, ways, func(cx ours.Cx) {
			for range each {
				expectNo(g.mutex.Lock(cx))
				cx.Yield()
				g.mutex.UnlockFrom(cx)
			}
		})},
		{name: "sync.Mutex, Gosched", peer: true, ops: each * ways,
			round: outsideTogether(ways, func() {
				for range each {
					g.goMutex.Lock()
					goruntime.Gosched()
					g.goMutex.Unlock()
				}
			})},
	}, closing(rt)
}

// conds is two that take turns: each waits until the other one has had its turn.
func conds() ([]contender, func()) {
	const n = 500
	one, two := start(ours.Workers(1)), start(ours.Workers(2))
	tasks := func(name string, rt *ours.Runtime) contender {
		return contender{name: name, ops: 2 * n, round: inside(rt, func(cx ours.Cx) {
			c := ours.NewCond(new(ours.Mutex))
			turn := 0
			turns := func(cx ours.Cx, mine int) (int, error) {
				for range n {
					expectNo(c.L.Lock(cx))
					for turn != mine {
						expectNo(c.Wait(cx))
					}
					turn = 1 - mine
					c.SignalFrom(cx)
					c.L.UnlockFrom(cx)
				}
				return 0, nil
			}
			other := ours.SpawnWith(cx, turns, 1)
			must(turns(cx, 0))
			must(other.Join(cx))
		})}
	}
	return []contender{
		tasks("Cond, Mutex, 2 workers", two),
		tasks("Cond, Mutex, 1 worker", one),
		{name: "sync.Cond, sync.Mutex", peer: true, ops: 2 * n, round: outside(func() {
			c := sync.NewCond(new(sync.Mutex))
			turn := 0
			turns := func(mine int) {
				for range n {
					c.L.Lock()
					for turn != mine {
						c.Wait()
					}
					turn = 1 - mine
					c.Signal()
					c.L.Unlock()
				}
			}
			done := make(chan struct{})
			go func() { turns(1); close(done) }()
			turns(0)
			<-done
		})},
	}, closing(one, two)
}
