package runtime_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/surewake/surewake/runtime"
)

// BenchmarkAsEnded is the ends of 100 tasks as they come, beside goroutines that send their
// numbers.
func BenchmarkAsEnded(b *testing.B) {
	const n = 100
	b.Run("tasks", func(b *testing.B) {
		insideOf(b, 2, func(cx runtime.Cx) {
			handles := make([]*runtime.Handle[int], n)
			for b.Loop() {
				for i := range handles {
					handles[i] = runtime.Spawn(cx, returns(i))
				}
				for _, err := range runtime.AsEnded(cx, handles...) {
					if err != nil {
						b.Error(err)
					}
				}
			}
		})
		per(b, n, "task")
	})
	b.Run("goroutines", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ended := make(chan int, n)
			for i := range n {
				go func() { ended <- i }()
			}
			for range n {
				<-ended
			}
		}
		per(b, n, "task")
	})
}

// BenchmarkSort is a stable sort of random numbers, beside that of Go.
func BenchmarkSort(b *testing.B) {
	const n = 100_000
	random := make([]int, n)
	for i := range random {
		random[i] = rand.Int()
	}
	s := make([]int, n)
	b.Run("slices.SortStableFunc", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			copy(s, random)
			slices.SortStableFunc(s, cmp.Compare)
		}
	})
	b.Run("slices.Sort", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			copy(s, random)
			slices.Sort(s)
		}
	})
	for name, workers := range map[string]int{"1 worker": 1, "2 workers": 2} {
		b.Run(name, func(b *testing.B) {
			insideOf(b, workers, func(cx runtime.Cx) {
				for b.Loop() {
					copy(s, random)
					_ = runtime.Sort(cx, s)
				}
			})
		})
	}
}

// BenchmarkMap is Map of a short function, beside a loop and a goroutine for each of two halves.
func BenchmarkMap(b *testing.B) {
	in := make([]int, 10_000)
	square := func(_ runtime.Cx, i int) int { return i * i }
	b.Run("loop", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out := make([]int, len(in))
			for i, v := range in {
				out[i] = square(runtime.Cx{}, v)
			}
		}
	})
	b.Run("goroutines", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out, done := make([]int, len(in)), make(chan struct{})
			half := func(lo, hi int) {
				for i := lo; i < hi; i++ {
					out[i] = square(runtime.Cx{}, in[i])
				}
			}
			go func() { half(0, len(in)/2); close(done) }()
			half(len(in)/2, len(in))
			<-done
		}
	})
	b.Run("Map", func(b *testing.B) {
		insideOf(b, 2, func(cx runtime.Cx) {
			for b.Loop() {
				_, _ = runtime.Map(cx, in, square)
			}
		})
	})
}
