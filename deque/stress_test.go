package deque_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/deque"
)

// item is a value that says where it came from. It is wider than a word, so that a torn read would
// show.
type item struct {
	owner, seq int
	check      int
}

func newItem(owner, seq int) item { return item{owner, seq, owner ^ ^seq} }

// A ledger counts how often each item was taken.
type ledger [][]atomic.Int32

func newLedger(owners, items int) ledger {
	l := make(ledger, owners)
	for i := range l {
		l[i] = make([]atomic.Int32, items)
	}
	return l
}

func (l ledger) take(t testing.TB, v item) {
	if v != newItem(v.owner, v.seq) {
		t.Errorf("torn value %+v", v)
		return
	}
	if l[v.owner][v.seq].Add(1) != 1 {
		t.Errorf("value %d of owner %d was taken twice", v.seq, v.owner)
	}
}

func (l ledger) requireAllOnce(t testing.TB) {
	for owner := range l {
		for seq := range l[owner] {
			require.EqualValues(t, 1, l[owner][seq].Load(), "value %d of owner %d", seq, owner)
		}
	}
}

// stressItems is how many values each owner of a stress test pushes.
func stressItems() int {
	if testing.Short() {
		return 10_000
	}
	return 100_000
}

// One owner and some thieves: every value is taken once, and each side, the owner's pops, each
// thief and the overflow while nobody steals, sees the values in the order of the pushes.
func TestOneOwnerAndThievesTakeEveryValueOnceInOrder(t *testing.T) {
	for _, size := range []int{2, 4, 256} {
		for _, thieves := range []int{1, 2, 4} {
			items := stressItems() / 4
			d := deque.NewAt[item](size, -uint32(items/2)) // wraps half-way
			l := newLedger(1, items)
			var done atomic.Bool
			var wg sync.WaitGroup

			// order returns a function that fails if it is not called with rising items.
			order := func(who string) func(item) {
				last := -1
				return func(v item) {
					if v.seq <= last {
						t.Errorf("%s took %d after %d", who, v.seq, last)
					}
					last = v.seq
					l.take(t, v)
				}
			}
			for range thieves {
				wg.Go(func() {
					mine := deque.New[item](4)
					took := order("a thief")
					for {
						over := done.Load() && d.Len() == 0
						v, result := d.StealInto(mine)
						if result == deque.Stolen {
							took(v)
							for _, v := range popAll(mine) {
								took(v)
							}
							continue
						}
						if over || t.Failed() {
							return
						}
						runtime.Gosched()
					}
				})
			}
			popped := order("the owner")
			for i := range items {
				d.Push(newItem(0, i), func(batch []item) {
					for _, v := range batch {
						l.take(t, v)
					}
				})
				if rand.IntN(3) == 0 {
					if v, ok := d.Pop(); ok {
						popped(v)
					}
				}
			}
			done.Store(true)
			wg.Wait()
			require.Empty(t, popAll(d))
			l.requireAllOnce(t)
			requireClosed(t, d)
		}
	}
}

// Workers that all push, pop, steal from one another and have somebody steal what they stole: every
// value is taken once.
func TestWorkersStealingFromOneAnotherTakeEveryValueOnce(t *testing.T) {
	const workers = 4
	for _, size := range []int{2, 4, 32} {
		items := stressItems() / workers
		l := newLedger(workers, items)
		var left atomic.Int64
		left.Store(int64(workers * items))
		all := make([]*deque.Deque[item], workers)
		for i := range all {
			all[i] = deque.NewAt[item](size, -uint32(items/3))
		}
		take := func(v item) {
			l.take(t, v)
			left.Add(-1)
		}
		stop := watch(t, &left)
		var wg sync.WaitGroup
		for me := range workers {
			wg.Go(func() {
				mine := all[me]
				r := rand.New(rand.NewPCG(1, uint64(me)))
				pushed := 0
				for left.Load() > 0 {
					if n := min(r.IntN(2*size), items-pushed); n > 0 {
						for range n {
							mine.Push(newItem(me, pushed), func(batch []item) {
								for _, v := range batch {
									take(v)
								}
							})
							pushed++
						}
					}
					for range r.IntN(size) {
						v, ok := mine.Pop()
						if !ok {
							break
						}
						take(v)
					}
					victim := all[(me+1+r.IntN(workers-1))%workers]
					if n := mine.Len(); n > size {
						t.Errorf("Len is %d of %d", n, size)
					}
					if v, result := victim.StealInto(mine); result == deque.Stolen {
						take(v)
					} else {
						runtime.Gosched()
					}
					if pushed == items && r.IntN(2) == 0 {
						for _, v := range popAll(mine) {
							take(v)
						}
					}
					if t.Failed() {
						return
					}
				}
			})
		}
		wg.Wait()
		stop()
		l.requireAllOnce(t)
		requireClosed(t, all...)
	}
}

// watch makes t fail if n stands still for some seconds: a value lost would be waited for in vain.
func watch(t testing.TB, n *atomic.Int64) (stop func()) {
	const patience = 5 * time.Second
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for last := int64(-1); ; {
			select {
			case <-done:
				return
			case <-time.After(patience):
			}
			now := n.Load()
			if now == last {
				t.Errorf("%d values did not come out", now)
				return
			}
			last = now
		}
	}()
	return func() { close(done); <-ended }
}

// requireClosed fails if a steal is still open: no steal would ever succeed again.
func requireClosed(t testing.TB, deques ...*deque.Deque[item]) {
	for _, d := range deques {
		steal, real, _ := d.Indices()
		require.Equal(t, real, steal, "a steal has not ended")
	}
}

// A deque that always holds a value is found empty by nobody, whoever takes the others.
func TestNobodyFindsADequeEmptyThatNeverIs(t *testing.T) {
	d := deque.New[int](8)
	fill(t, d, 1, 6)
	// The owner leaves 6 in it, or 4 after an overflow; the thief halves that, and waits until the
	// owner has made up for it.
	var stop atomic.Bool
	var wg sync.WaitGroup
	stole, filled := make(chan bool), make(chan bool)
	wg.Go(func() {
		defer close(stole)
		mine := deque.New[int](8)
		for !stop.Load() {
			if n := d.Len(); n == 0 || n > 8 {
				t.Errorf("Len is %d", n)
				return
			}
			_, result := d.StealInto(mine)
			if result == deque.Empty {
				t.Error("Empty, though the deque never was")
				return
			}
			popAll(mine)
			if result == deque.Stolen {
				stole <- true
				<-filled
			}
		}
	})
	for range stressItems() {
		select {
		case <-stole: // or closed
			for d.Len() < 6 {
				d.Push(0, func([]int) {})
			}
			if !t.Failed() {
				filled <- true
			}
		default:
			d.Push(0, func([]int) {})
			d.Pop()
		}
	}
	stop.Store(true)
	for range stole {
		filled <- true
	}
	wg.Wait()
}

// Contended is told only to one of several: a thief that is alone with a deque is never contended.
func TestALoneThiefIsNeverContended(t *testing.T) {
	d, thief := deque.New[int](8), deque.New[int](8)
	for i := range 10_000 {
		for range i % 9 {
			d.Push(i, func([]int) {})
		}
		queued := d.Len()
		_, result := d.StealInto(thief)
		if queued == 0 {
			require.Equal(t, deque.Empty, result)
		} else {
			require.Equal(t, deque.Stolen, result)
		}
		popAll(thief)
	}
}
