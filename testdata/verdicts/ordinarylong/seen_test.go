// Package ordinarylong has tests with loops that note what they see, and so are taken for work: an
// execution in which nothing preempts them goes on up to the bound on steps.
package ordinarylong

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// verdict: bounded seen_test.go
func TestSeesTheLast(t *testing.T) {
	var x atomic.Int32
	go func() { x.Store(1); x.Store(2); x.Store(3) }()
	n := [4]int{}
	for {
		v := x.Load()
		n[v]++
		if v == 3 {
			break
		}
	}
}

// verdict: FAILED assertion failed: .*the first was not seen
func TestMissesTheFirst(t *testing.T) {
	var x atomic.Int32
	go func() { x.Store(1); x.Store(2) }()
	n := [3]int{}
	for {
		v := x.Load()
		n[v]++
		if v == 2 {
			break
		}
	}
	if n[1] == 0 {
		t.Fatal("the first was not seen")
	}
}

// verdict: FAILED assertion failed: .*the first was seen
func TestSeesTheFirst(t *testing.T) {
	var x atomic.Int32
	go func() { x.Store(1); x.Store(2) }()
	n := [3]int{}
	for {
		v := x.Load()
		n[v] = 1
		if v == 2 {
			break
		}
	}
	if n[1] == 1 {
		t.Fatal("the first was seen")
	}
}

// verdict: FAILED assertion failed: .*the first state was not seen
func TestCollectsStates(t *testing.T) {
	var state atomic.Int32
	go func() { state.Store(1); state.Store(2) }()
	seen := map[int32]bool{}
	for !seen[2] {
		seen[state.Load()] = true
		runtime.Gosched()
	}
	if !seen[1] {
		t.Fatal("the first state was not seen")
	}
}

// verdict: FAILED assertion failed: .*all were seen
func TestLogsUnderALock(t *testing.T) {
	var mu sync.Mutex
	n := 0
	go func() {
		for range 2 {
			mu.Lock()
			n++
			mu.Unlock()
		}
	}()
	var log []int
	for {
		mu.Lock()
		v := n
		mu.Unlock()
		if len(log) == 0 || log[len(log)-1] != v {
			log = append(log, v)
		}
		if v == 2 {
			break
		}
	}
	if len(log) == 3 {
		t.Fatal("all were seen")
	}
}
