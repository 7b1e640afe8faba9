package taskstate_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/taskstate"
)

// BenchmarkLife is all that a task costs which is run once and never waits: New, ToRunning,
// Complete. two-cas is the floor: two loads and the two compare-and-swaps that no such word does
// without.
func BenchmarkLife(b *testing.B) {
	var w taskstate.Word
	b.Run("word", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			w = taskstate.New(1)
			w.ToRunning()
			w.Complete()
		}
	})
	b.Run("two-cas", func(b *testing.B) {
		b.ReportAllocs()
		var x uint64
		for b.Loop() {
			x = 1
			atomic.CompareAndSwapUint64(&x, atomic.LoadUint64(&x), 2)
			atomic.CompareAndSwapUint64(&x, atomic.LoadUint64(&x), 3)
		}
	})
	b.Run("mutex", func(b *testing.B) { // the same as a struct under a lock
		b.ReportAllocs()
		var mu sync.Mutex
		var p plain
		for b.Loop() {
			p = plain{references: 1}
			mu.Lock()
			p.run()
			mu.Unlock()
			mu.Lock()
			p.complete()
			mu.Unlock()
		}
	})
}

// BenchmarkNew compares the words of new tasks that are left alone, initialized by New, and by an
// atomic store. What else a task consists of is stored in all three. Allocation is left out: it
// takes longer, and varies by more, than all of this.
func BenchmarkNew(b *testing.B) {
	type task struct {
		word   taskstate.Word
		atomic atomic.Uint64
		rest   [6]uintptr
	}
	all := new([16]task)
	batch := func(b *testing.B, tasks func(*[16]task)) {
		b.ReportAllocs()
		for b.Loop() {
			tasks(all)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*16), "ns/task")
	}
	b.Run("nothing", func(b *testing.B) {
		batch(b, func(all *[16]task) {
			for i := range all {
				all[i].rest[0], all[i].rest[1] = 1, 2
			}
		})
	})
	b.Run("New", func(b *testing.B) {
		batch(b, func(all *[16]task) {
			for i := range all {
				all[i].word = taskstate.New(2)
				all[i].rest[0], all[i].rest[1] = 1, 2
			}
		})
	})
	b.Run("atomic-store", func(b *testing.B) {
		batch(b, func(all *[16]task) {
			for i := range all {
				all[i].atomic.Store(2 << 40)
				all[i].rest[0], all[i].rest[1] = 1, 2
			}
		})
	})
}

// BenchmarkWakeAndRun is one round of a task that waits: Wake, ToRunning, ToIdle.
func BenchmarkWakeAndRun(b *testing.B) {
	b.ReportAllocs()
	w := taskstate.New(1)
	w.ToRunning()
	w.ToIdle()
	for b.Loop() {
		w.Wake()
		w.ToRunning()
		w.ToIdle()
	}
}

// BenchmarkYield is one round of a task that yields.
func BenchmarkYield(b *testing.B) {
	b.ReportAllocs()
	w := taskstate.New(1)
	for b.Loop() {
		w.ToRunning()
		w.Yield()
	}
}

// BenchmarkWakeNoted is a wake of a task that has been woken already, alone and by everybody at the
// same time.
func BenchmarkWakeNoted(b *testing.B) {
	for _, c := range []struct {
		name string
		run  bool
	}{{"SCHEDULED", false}, {"RUNNING", true}} {
		w := taskstate.New(1)
		if c.run {
			w.ToRunning()
		}
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w.Wake()
			}
		})
		b.Run(c.name+"-parallel", func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					w.Wake()
				}
			})
		})
	}
}

func BenchmarkCloneDrop(b *testing.B) {
	w := taskstate.New(1)
	b.Run("alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			w.Clone()
			w.Drop()
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				w.Clone()
				w.Drop()
			}
		})
	})
}

func BenchmarkShield(b *testing.B) {
	b.ReportAllocs()
	w := taskstate.New(1)
	w.ToRunning()
	for b.Loop() {
		w.EnterShield()
		w.LeaveShield()
	}
}

// BenchmarkJoin is the life of a task with a joiner that waits.
func BenchmarkJoin(b *testing.B) {
	b.ReportAllocs()
	var w taskstate.Word
	for b.Loop() {
		w = taskstate.New(2)
		w.Join()
		w.ToRunning()
		w.Complete()
		w.Drop()
		w.Drop()
	}
}
