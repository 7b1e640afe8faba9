package maps

import (
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

// A hub sends to its channels in the order in which they came, in every execution.
//
// verdict: proved, 120 traces
func TestChannelsAsKeys(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type hub struct{ all map[chan int]string }
		h := hub{all: make(map[chan int]string)}
		var list []chan int
		for range 5 {
			c := make(chan int)
			h.all[c] = "last"
			list = append(list, c)
		}
		h.all[list[0]] = "first"
		var mu sync.Mutex
		for _, c := range list {
			x.Go("receiver", func() {
				<-c
				mu.Lock()
				defer mu.Unlock()
			})
		}
		for c := range h.all {
			c <- 1
		}
		x.Join()
	})
}

type node struct{ mu sync.Mutex }

// verdict: proved, 32 traces
func TestPointersAsKeys(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		counts := make(map[[1]*node]int)
		any := make(map[interface{}]bool)
		var list []*node
		for range 5 {
			n := &node{}
			counts[[1]*node{n}]++
			any[n], any[len(list)] = true, true
			list = append(list, n)
		}
		delete(any, list[0])
		any[list[0]] = true
		lock := func(n *node) {
			n.mu.Lock()
			defer n.mu.Unlock()
		}
		x.Go("counts", func() {
			for k := range counts {
				lock(k[0])
			}
		})
		for k := range any {
			if n, ok := k.(*node); ok {
				lock(n)
			}
		}
		x.Join()
	})
}

func add[M ~map[K]int, K comparable](m M, k K) { m[k] += 1 }

// verdict: proved, 32 traces
func TestKeysOfATypeParameter(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m := make(map[*node]int)
		var list []*node
		for range 5 {
			list = append(list, &node{})
			add(m, list[len(list)-1])
		}
		lock := func(n *node) {
			n.mu.Lock()
			defer n.mu.Unlock()
		}
		x.Go("list", func() {
			for _, n := range list {
				lock(n)
			}
		})
		for n, k := range m {
			x.Assert(k == 1, "%d", k)
			lock(n)
		}
		x.Join()
	})
}

// What cannot be a key is one for nobody.
//
// verdict: FAILED hash of unhashable type
func TestKeysThatCannotBeCompared(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		m := make(map[any]bool)
		m[[]int{}] = true
	})
}
