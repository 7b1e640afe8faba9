package driver

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// Turns lets no more than a number of builds and processes work at once, and of those that wait the
// most urgent one first. All tests wait for a turn from the beginning, so the order decides when
// the first verdict comes, and whether somebody still works alone at the end.
type turns struct {
	mu      sync.Mutex
	free    int
	waiting []*turn // in the order in which they came
}

type turn struct {
	urgency urgency
	begun   chan struct{}
}

// urgency says which of two turns comes first: that with the smaller numbers.
type urgency [3]int

// What urgency begins with.
const (
	ofFirst = iota // what leads to the first row, which is the first to be shown
	toBuild        // a package that waits for its binary has nothing to do
	toRun
)

func newTurns(n int) *turns { return &turns{free: n} }

// take waits for a turn, or for the end of the context.
func (t *turns) take(ctx context.Context, u urgency) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.mu.Unlock()
		return nil
	}
	own := &turn{u, make(chan struct{})}
	t.waiting = append(t.waiting, own)
	t.mu.Unlock()
	select {
	case <-own.begun:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	at := slices.Index(t.waiting, own)
	if at >= 0 {
		t.waiting = slices.Delete(t.waiting, at, at+1)
	}
	t.mu.Unlock()
	if at < 0 { // it had begun
		t.give()
	}
	return ctx.Err()
}

// give ends a turn.
func (t *turns) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 {
		t.free++
		return
	}
	next := slices.MinFunc(t.waiting, func(a, b *turn) int {
		return slices.Compare(a.urgency[:], b.urgency[:])
	})
	t.waiting = slices.DeleteFunc(t.waiting, func(w *turn) bool { return w == next })
	close(next.begun)
}

// rank sets the order of the packages: that of the first test is the first; of the others those
// with many tests take longest, and begin early.
func rank(tests []planned) {
	count := map[string]int{}
	var paths []string
	for i := range tests {
		path := tests[i].pkg.Path
		if count[path] == 0 {
			paths = append(paths, path)
		}
		count[path]++
	}
	if len(paths) > 0 {
		slices.SortStableFunc(paths[1:], func(a, b string) int {
			return cmp.Compare(count[b], count[a])
		})
	}
	for i := range tests {
		tests[i].index, tests[i].rank = i, slices.Index(paths, tests[i].pkg.Path)
	}
}

// urgency returns that of building a test's binary, or of running it.
func (t *planned) urgency(building bool) urgency {
	switch {
	case t.rank == 0:
		return urgency{ofFirst, t.index}
	case building:
		return urgency{toBuild, t.rank, t.index}
	}
	return urgency{toRun, t.rank, t.index}
}
