package races

import (
	"iter"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

func numbers(yield func(int) bool) {
	for i := 0; yield(i); i++ {
	}
}

// A coroutine goes from one goroutine to another and nothing orders that but
// the counter, when all of one comes before all of the other: a race in four
// schedules of six.
func TestPullMovesUnordered(t *testing.T) {
	check(t, func(x *model.Exec) {
		var counter atomic.Int32
		next, _ := iter.Pull(numbers)
		for _, name := range []string{"a", "b"} {
			x.Go(name, func() {
				counter.Add(1)
				next()
				counter.Add(1)
			})
		}
		x.Join()
	})
}

// Nor does anything order what comes after the atomic store: the second next
// of the one with the only next of the other.
func TestPullHandedOverTooEarly(t *testing.T) {
	check(t, func(x *model.Exec) {
		var ready atomic.Bool
		next, _ := iter.Pull(numbers)
		x.Go("giver", func() {
			next()
			ready.Store(true)
			next()
		})
		x.Go("taker", func() {
			if ready.Load() {
				next()
			}
		})
		x.Join()
	})
}

// The second enters behind the first, but nothing keeps it out until the first
// has left: a race if it finds the flag set.
func TestPullNotLeft(t *testing.T) {
	check(t, func(x *model.Exec) {
		var inside atomic.Bool
		next, _ := iter.Pull(func(yield func(int) bool) {
			inside.Store(true)
			yield(1)
		})
		x.Go("first", func() { next() })
		x.Go("second", func() {
			if inside.Load() {
				next()
			}
		})
		x.Join()
	})
}

// So it is at the end of a coroutine, and for a yield from outside.
func TestPullNotEnded(t *testing.T) {
	check(t, func(x *model.Exec) {
		var leaked atomic.Pointer[func(int) bool]
		next, _ := iter.Pull(func(yield func(int) bool) { leaked.Store(&yield) })
		x.Go("first", func() { next() })
		x.Go("second", func() {
			if yield := leaked.Load(); yield != nil {
				(*yield)(1)
			}
		})
		x.Join()
	})
}

// Calls of next behind the end, and of stop, are in the race too.
func TestPullEndedUnordered(t *testing.T) {
	check(t, func(x *model.Exec) {
		next, _ := iter.Pull(func(func(int) bool) {})
		next()
		x.Go("a", func() { next() })
		x.Go("b", func() { next() })
		x.Join()
	})
}

func TestPullStoppedUnordered(t *testing.T) {
	check(t, func(x *model.Exec) {
		next, stop := iter.Pull2(func(func(int, int) bool) {})
		x.Go("a", func() { next() })
		x.Go("b", func() { stop() })
		x.Join()
	})
}

// Two coroutines of two goroutines order nothing.
func TestPullsOfTwo(t *testing.T) {
	check(t, func(x *model.Exec) {
		plain := new(int)
		for _, name := range []string{"a", "b"} {
			x.Go(name, func() {
				next, stop := iter.Pull(func(yield func(int) bool) {
					*plain++
					yield(*plain)
				})
				next()
				stop()
			})
		}
		x.Join()
	})
}

// A coroutine made by one goroutine and begun by another: what the maker did
// afterwards is not ordered.
func TestPullBegunByAnother(t *testing.T) {
	check(t, func(x *model.Exec) {
		var box atomic.Pointer[func() (int, bool)]
		plain := new(int)
		x.Go("maker", func() {
			next, _ := iter.Pull(func(yield func(int) bool) { *plain++ })
			box.Store(&next)
			*plain++
		})
		x.Go("user", func() {
			if next := box.Load(); next != nil {
				(*next)()
			}
		})
		x.Join()
	})
}

// What is done before next, in the coroutine, and after next returns is in
// order, whichever goroutines do it, when they are.
func TestCleanPull(t *testing.T) {
	check(t, func(x *model.Exec) {
		var mu sync.Mutex
		plain := 0
		next, stop := iter.Pull(func(yield func(*int) bool) {
			defer func() { plain++ }()
			for {
				plain++
				if !yield(&plain) {
					return
				}
			}
		})
		step := func() {
			for range 2 {
				mu.Lock()
				plain++
				p, _ := next()
				*p++
				mu.Unlock()
			}
		}
		x.Go("a", step)
		x.Go("b", step)
		x.Join()
		stop()
		x.Assert(plain == 13, "%d", plain)
	})
}

func TestCleanPullHandedOver(t *testing.T) {
	check(t, func(x *model.Exec) {
		var ready atomic.Bool
		plain := 0
		next, _ := iter.Pull(func(outer func(int) bool) {
			next, _ := iter.Pull(func(yield func(int) bool) {
				for {
					plain++
					outer(plain) // suspends both
					plain++
					yield(plain)
				}
			})
			for {
				next()
			}
		})
		x.Go("giver", func() {
			next()
			ready.Store(true)
		})
		x.Go("taker", func() {
			if ready.Load() {
				next()
				plain++
			}
		})
		x.Join()
	})
}

// Coroutines that are left suspended are torn down behind all that was done.
func TestCleanPullLeft(t *testing.T) {
	check(t, func(x *model.Exec) {
		var n atomic.Int32
		reused.n = 0
		left := make([]int, 2)
		for i := range left {
			x.Go("", func() {
				next, _ := iter.Pull(func(yield func(int) bool) {
					defer func() { left[1-i]++; reused.n++ }()
					n.Add(1)
					yield(1)
				})
				next()
				left[i]++
				n.Add(1)
			})
		}
		x.Join()
		x.Assert(left[0]+left[1] == 2, "%v", left)
	})
}

// Coroutines that have nothing to do with one another, in two goroutines.
func TestCleanPullsApart(t *testing.T) {
	check(t, func(x *model.Exec) {
		sums := make([]int, 2)
		for i := range sums {
			x.Go("", func() {
				for range 3 {
					next, stop := iter.Pull(numbers)
					next()
					v, _ := next()
					sums[i] += v
					stop()
				}
			})
		}
		x.Join()
		x.Assert(sums[0] == 3 && sums[1] == 3, "%v", sums)
	})
}
