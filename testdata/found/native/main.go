// Command native shows the bugs of model/FOUND.md in a plain Go program: it repeats each until it
// is there, and says how many rounds that took. It needs at least 2 cores.
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/Workiva/go-datastructures/batcher"
	"github.com/Workiva/go-datastructures/queue"
	"github.com/alphadose/haxmap"
)

// patience bounds the search for one bug.
const patience = 10 * time.Minute

func main() {
	absent := 0
	for _, bug := range []struct {
		name  string
		round func() bool // reports whether the bug showed
	}{
		{"haxmap: two calls of GetOrSet have stored", getOrSet},
		{"haxmap: two calls of GetOrCompute have computed", getOrCompute},
		{"haxmap: two calls of GetAndDel have deleted", getAndDel},
		{"haxmap: an entry is lost beside Del", setBesideDel},
		{"queue: Offer refuses with space", offer},
		{"queue: Len is negative", ringLength},
		{"batcher: Dispose does not return", dispose},
	} {
		began, rounds, shown := time.Now(), 0, false
		for !shown && time.Since(began) < patience {
			rounds++
			shown = bug.round()
		}
		if !shown {
			absent++
		}
		fmt.Printf("%-48s shown=%-5v rounds=%-9d %.1f s\n", bug.name, shown, rounds,
			time.Since(began).Seconds())
	}
	if absent > 0 {
		os.Exit(1)
	}
}

// together runs both at once, and counts how many of them report true.
func together(a, b func() bool) int32 {
	var ready, n atomic.Int32
	var both sync.WaitGroup
	for _, f := range []func() bool{a, b} {
		both.Go(func() {
			ready.Add(1)
			for spins := 0; ready.Load() < 2 && spins < 1000; spins++ {
			}
			if f() {
				n.Add(1)
			}
		})
	}
	both.Wait()
	return n.Load()
}

func getOrSet() bool {
	m := haxmap.New[int, int]()
	set := func() bool {
		_, loaded := m.GetOrSet(1, 1)
		return !loaded
	}
	return together(set, set) == 2
}

func getOrCompute() bool {
	m := haxmap.New[int, int]()
	var called atomic.Int32
	get := func() bool {
		m.GetOrCompute(1, func() int { return int(called.Add(1)) })
		return true
	}
	together(get, get)
	return called.Load() == 2
}

func getAndDel() bool {
	m := haxmap.New[int, int]()
	m.Set(1, 1)
	del := func() bool {
		_, ok := m.GetAndDel(1)
		return ok
	}
	return together(del, del) == 2
}

func setBesideDel() bool {
	m := haxmap.New[int, int]()
	m.SetHasher(func(key int) uintptr { return uintptr(key) })
	m.Set(1, 1)
	together(func() bool {
		m.Del(1)
		m.ForEach(func(int, int) bool { return true })
		return true
	}, func() bool {
		m.Set(2, 2)
		return true
	})
	found := false
	m.ForEach(func(key, _ int) bool {
		found = found || key == 2
		return true
	})
	return !found
}

func offer() bool {
	q := queue.NewRingBuffer(4)
	add := func() bool {
		added, _ := q.Offer(1)
		return added
	}
	return together(add, add) < 2
}

func ringLength() bool {
	q := queue.NewRingBuffer(2)
	negative := false
	together(func() bool {
		for range 1000 {
			q.Put(1)
			q.Get()
		}
		return true
	}, func() bool {
		for range 1000 {
			negative = negative || q.Len() > q.Cap()
		}
		return true
	})
	return negative
}

func dispose() bool {
	b, err := batcher.New(0, 1, 0, 1, nil)
	if err != nil {
		panic(err)
	}
	returned := make(chan struct{})
	go func() {
		together(func() bool {
			b.Dispose()
			return true
		}, func() bool {
			b.IsDisposed()
			return true
		})
		close(returned)
	}()
	select {
	case <-returned:
		return false
	case <-time.After(5 * time.Second):
		return true
	}
}
