package driver

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/instrument"
)

func TestTheMostUrgentTurnIsNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(1)
		require.NoError(t, turns.take(t.Context(), urgency{}))
		var mu sync.Mutex
		var order []int
		for i := range 5 {
			go func() {
				_ = turns.take(t.Context(), urgency{2 - i%3, i})
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				turns.give()
			}()
		}
		synctest.Wait()
		turns.give()
		synctest.Wait()
		require.Equal(t, []int{2, 1, 4, 0, 3}, order)
		require.Equal(t, 1, turns.free)
	})
}

// A turn is not lost to one who has given up waiting for it.
func TestTurnsAreNotLost(t *testing.T) {
	for range 200 {
		turns := newTurns(2)
		var all sync.WaitGroup
		for i := range 8 {
			ctx, cancel := context.WithCancel(t.Context())
			all.Go(func() {
				if turns.take(ctx, urgency{i}) == nil {
					turns.give()
				}
			})
			all.Go(cancel)
		}
		all.Wait()
		require.Equal(t, 2, turns.free)
		require.Empty(t, turns.waiting)
	}
}

func TestTheFirstPackageAndThenTheLargestOnesBegin(t *testing.T) {
	var tests []planned
	for _, name := range []string{"a", "a", "b", "c", "c", "c", "d", "d"} {
		tests = append(tests, planned{pkg: instrument.Package{Path: name}})
	}
	rank(tests)
	var ranks []string
	for _, t := range tests {
		ranks = append(ranks, fmt.Sprint(t.pkg.Path, t.rank, t.index))
	}
	require.Equal(t,
		[]string{"a0 0", "a0 1", "b3 2", "c1 3", "c1 4", "c1 5", "d2 6", "d2 7"}, ranks)
	require.Equal(t, urgency{toBuild, 1, 3}, tests[3].urgency(true))
	require.Equal(t, urgency{toRun, 1, 3}, tests[3].urgency(false))
	require.Equal(t, urgency{ofFirst, 1, 0}, tests[1].urgency(true))
}

// A givingUp context ends when a turn begins for who waits with it.
type givingUp struct {
	context.Context
	turns *turns
	ended bool
}

func (g *givingUp) Done() <-chan struct{} {
	g.turns.give()
	g.ended = true
	done := make(chan struct{})
	close(done)
	return done
}

func (g *givingUp) Err() error {
	if g.ended {
		return context.Canceled
	}
	return nil
}

func TestATurnThatBeginsForOneWhoGivesUpGoesOn(t *testing.T) {
	for range 100 { // the turn is taken, or given up, by chance
		turns := newTurns(1)
		require.NoError(t, turns.take(t.Context(), urgency{}))
		if turns.take(&givingUp{Context: t.Context(), turns: turns}, urgency{}) == nil {
			turns.give()
		}
		require.Equal(t, 1, turns.free)
		require.Empty(t, turns.waiting)
	}
}
