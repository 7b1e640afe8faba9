package deque_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/deque"
)

// Each benchmark runs the deque and its peers on the same work, in one run; see peers_test.go. Of
// the push+pop benchmarks, two-rmw is the floor: the two locked instructions that no such ring does
// without.

const benchSize = deque.DefaultCapacity

func BenchmarkPushPop(b *testing.B) {
	v := new(int)
	b.Run("two-rmw", func(b *testing.B) {
		b.ReportAllocs()
		var x, y atomic.Uint64
		for b.Loop() {
			x.Add(1)
			y.CompareAndSwap(0, 0)
		}
	})
	b.Run("deque-int", func(b *testing.B) {
		b.ReportAllocs()
		q := deque.New[int](benchSize)
		for b.Loop() {
			q.Push(1, nil)
			q.Pop()
		}
	})
	b.Run("deque", func(b *testing.B) {
		b.ReportAllocs()
		q := deque.New[*int](benchSize)
		for b.Loop() {
			q.Push(v, nil)
			q.Pop()
		}
	})
	// Direct calls for the peers too: through an interface, they would pay for it.
	b.Run("atomic-slots", func(b *testing.B) {
		b.ReportAllocs()
		q := newAtomicRing(benchSize)
		for b.Loop() {
			q.push(v)
			q.pop()
		}
	})
	b.Run("mutex", func(b *testing.B) {
		b.ReportAllocs()
		q := newMutexRing(benchSize)
		for b.Loop() {
			q.push(v)
			q.pop()
		}
	})
	b.Run("channel", func(b *testing.B) {
		b.ReportAllocs()
		q := newChannel(benchSize)
		for b.Loop() {
			q.push(v)
			q.pop()
		}
	})
}

// BenchmarkBurst128 pushes 128 and pops them. The time is that of one value.
func BenchmarkBurst128(b *testing.B) {
	everyPeer(b, burst[*ours], burst[*atomicRing], burst[*mutexRing], burst[*channel])
}

func burst[Q queue[Q]](b *testing.B, q, _ Q) {
	const n = 128
	v := new(int)
	for b.Loop() {
		for range n {
			q.push(v)
		}
		for range n {
			q.pop()
		}
	}
	perValue(b, n)
}

// BenchmarkPushBatch32 pushes 32 values, together or one by one, and pops them. The time is that of
// one value.
func BenchmarkPushBatch32(b *testing.B) {
	values := make([]*int, 32)
	for _, together := range []bool{true, false} {
		b.Run(map[bool]string{true: "together", false: "one by one"}[together], func(b *testing.B) {
			b.ReportAllocs()
			q := deque.New[*int](benchSize)
			for b.Loop() {
				if together {
					q.PushBatch(values)
				} else {
					for _, v := range values {
						q.Push(v, nil)
					}
				}
				for range values {
					q.Pop()
				}
			}
			perValue(b, len(values))
		})
	}
}

// BenchmarkStealHalf steals 128 of 256 and puts them back. The time is that of one value moved.
func BenchmarkStealHalf(b *testing.B) {
	everyPeer(b, half[*ours], half[*atomicRing], half[*mutexRing], half[*channel])
}

func half[Q queue[Q]](b *testing.B, p, q Q) {
	v := new(int)
	for range benchSize {
		p.push(v)
	}
	for b.Loop() {
		p.push(p.stealInto(q)) // 128 of 256, 127 of which go to q
		for range benchSize/2 - 1 {
			p.push(q.pop())
		}
	}
	perValue(b, benchSize/2)
}

// BenchmarkStealOne steals the only value.
func BenchmarkStealOne(b *testing.B) {
	everyPeer(b, one[*ours], one[*atomicRing], one[*mutexRing], one[*channel])
}

func one[Q queue[Q]](b *testing.B, p, q Q) {
	v := new(int)
	for b.Loop() {
		p.push(v)
		p.stealInto(q)
	}
}

// BenchmarkOverflow pushes without end: every 129th push takes 129 values out of the ring at once.
// The time is that of one push.
func BenchmarkOverflow(b *testing.B) {
	everyPeer(b, overflow[*ours], overflow[*atomicRing], overflow[*mutexRing], overflow[*channel])
}

func overflow[Q queue[Q]](b *testing.B, q, _ Q) {
	v := new(int)
	for b.Loop() {
		q.push(v)
	}
}

// BenchmarkOneThief and BenchmarkTwoThieves: the owner pushes bursts of 128 and pops them, while
// thieves take what they can. The time is that of one value pushed.
func BenchmarkOneThief(b *testing.B) { thieves(b, 1) }

func BenchmarkTwoThieves(b *testing.B) { thieves(b, 2) }

func thieves(b *testing.B, n int) {
	b.Run("deque", func(b *testing.B) { withThieves(b, n, newOurs) })
	b.Run("atomic-slots", func(b *testing.B) { withThieves(b, n, newAtomicRing) })
	b.Run("mutex", func(b *testing.B) { withThieves(b, n, newMutexRing) })
	b.Run("channel", func(b *testing.B) { withThieves(b, n, newChannel) })
}

func withThieves[Q queue[Q]](b *testing.B, n int, make func(int) Q) {
	const burst = 128
	b.ReportAllocs()
	q, v := make(benchSize), new(int)
	var stop atomic.Bool
	var stolen atomic.Int64
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			mine, taken := make(benchSize), int64(0)
			for !stop.Load() {
				if q.stealInto(mine) == nil {
					runtime.Gosched()
					continue
				}
				for taken++; mine.pop() != nil; taken++ {
				}
			}
			stolen.Add(taken)
		})
	}
	for b.Loop() {
		for range burst {
			q.push(v)
		}
		for range burst {
			if q.pop() == nil {
				break
			}
		}
	}
	stop.Store(true)
	wg.Wait()
	b.ReportMetric(float64(stolen.Load())/float64(b.N*burst), "stolen/op")
	perValue(b, burst)
}

func everyPeer(b *testing.B, a func(b *testing.B, p, q *ours),
	c func(b *testing.B, p, q *atomicRing),
	d func(b *testing.B, p, q *mutexRing), e func(b *testing.B, p, q *channel)) {
	b.Run("deque", func(b *testing.B) {
		b.ReportAllocs()
		a(b, newOurs(benchSize),
			newOurs(benchSize))
	})
	b.Run("atomic-slots", func(b *testing.B) {
		b.ReportAllocs()
		c(b, newAtomicRing(benchSize),
			newAtomicRing(benchSize))
	})
	b.Run("mutex", func(b *testing.B) {
		b.ReportAllocs()
		d(b, newMutexRing(benchSize),
			newMutexRing(benchSize))
	})
	b.Run("channel", func(b *testing.B) {
		b.ReportAllocs()
		e(b, newChannel(benchSize),
			newChannel(benchSize))
	})
}

// perValue reports the time of one value instead of that of an iteration.
func perValue(b *testing.B, values int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*values), "ns/op")
}
