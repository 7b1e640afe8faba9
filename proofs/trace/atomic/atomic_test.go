package atomic

import (
	"sync"
	real "sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Each operation does and returns what that of sync/atomic does.
func TestOperationsAreThoseOfSyncAtomic(t *testing.T) {
	values := []uint64{0, 1, 2, 6, 1 << 31, 1<<32 - 1, 1 << 63, 1<<64 - 1}
	for _, from := range values {
		for _, n := range values {
			var a Uint64
			var b real.Uint64
			a.Store(from)
			b.Store(from)
			require.Equal(t, b.Load(), a.Load())
			require.Equal(t, b.Or(n), a.Or(n))
			require.Equal(t, b.And(^n), a.And(^n))
			require.Equal(t, b.CompareAndSwap(n, from), a.CompareAndSwap(n, from))
			require.Equal(t, b.CompareAndSwap(b.Load(), n), a.CompareAndSwap(a.Load(), n))
			require.Equal(t, b.Load(), a.Load())

			var c Uint32
			var d real.Uint32
			c.Store(uint32(from))
			d.Store(uint32(from))
			require.Equal(t, d.CompareAndSwap(uint32(n), 7), c.CompareAndSwap(uint32(n), 7))
			require.Equal(t, d.Swap(uint32(n)), c.Swap(uint32(n)))
			require.Equal(t, d.Load(), c.Load())

			var e Int32
			var f real.Int32
			e.Store(int32(from))
			f.Store(int32(from))
			require.Equal(t, f.Add(int32(n)), e.Add(int32(n)))
			require.Equal(t, f.CompareAndSwap(int32(n), -1), e.CompareAndSwap(int32(n), -1))
			require.Equal(t, f.Load(), e.Load())
		}
	}
	var b Bool
	require.False(t, b.Load())
	b.Store(true)
	require.True(t, b.Load())
}

// The kernel is given the address of a Uint32, and padding counts on the sizes.
func TestTypesHaveTheirLayout(t *testing.T) {
	require.Equal(t, unsafe.Sizeof(real.Bool{}), unsafe.Sizeof(Bool{}))
	require.Equal(t, unsafe.Sizeof(real.Int32{}), unsafe.Sizeof(Int32{}))
	require.Equal(t, unsafe.Sizeof(real.Uint32{}), unsafe.Sizeof(Uint32{}))
	require.Equal(t, unsafe.Sizeof(real.Uint64{}), unsafe.Sizeof(Uint64{}))
	var x Uint32
	x.Store(7)
	require.EqualValues(t, 7, *(*uint32)(unsafe.Pointer(&x)))
}

// A goroutine keeps its number, and no two that live at the same time have the same.
func TestGoroutinesHaveTheirNumbers(t *testing.T) {
	const n = 100
	numbers := make([]uint64, n)
	var all, done sync.WaitGroup
	all.Add(n)
	for i := range numbers {
		done.Go(func() {
			numbers[i] = goroutine()
			all.Done()
			all.Wait()
			if goroutine() != numbers[i] {
				numbers[i] = 0
			}
		})
	}
	done.Wait()
	seen := map[uint64]bool{}
	for _, number := range numbers {
		require.NotZero(t, number)
		require.False(t, seen[number])
		seen[number] = true
	}
}
