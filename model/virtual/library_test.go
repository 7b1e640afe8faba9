//go:build !race

package virtual

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/model/explore"
)

// outcomes explores the body and gives what it returned, in any execution.
func outcomes(t *testing.T, cfg explore.Config, body func() string) (
	map[string]bool, explore.Result,
) {
	t.Helper()
	all := map[string]bool{}
	var last string
	cfg.End = func() *explore.Failure { all[last] = true; return nil }
	res := explore.Run(cfg, func() { last = body() })
	require.Nil(t, res.Failure, "%v", res.Failure)
	require.Empty(t, res.Bounded)
	return all, res
}

var (
	reduced   = explore.Config{Preemptions: -1}
	unreduced = explore.Config{Preemptions: -1, Unreduced: true}
)

func together(fs ...func()) {
	for i, f := range fs {
		explore.Go(fmt.Sprint(i), f, true)
	}
	explore.Join()
}

func TestWhatChangesNothingInAMapCommutes(t *testing.T) {
	for name, row := range map[string]struct {
		f      func(m *Map)
		traces int64
	}{
		"the first of three stores":     {func(m *Map) { m.LoadOrStore("k", 1) }, 3},
		"three loads":                   {func(m *Map) { m.Load("k") }, 1},
		"three stores":                  {func(m *Map) { m.Store("k", 1) }, 6},
		"deletions of nothing":          {func(m *Map) { m.Delete("k") }, 1},
		"the first of three deletes":    {func(m *Map) { m.LoadAndDelete("there") }, 3},
		"a swap of another value":       {func(m *Map) { m.CompareAndSwap("there", 2, 3) }, 1},
		"the first of three swaps":      {func(m *Map) { m.CompareAndSwap("there", 1, 2) }, 3},
		"a deletion of another value":   {func(m *Map) { m.CompareAndDelete("there", 2) }, 1},
		"the first to delete the value": {func(m *Map) { m.CompareAndDelete("there", 1) }, 3},
		"three times the keys of the map": {
			func(m *Map) { m.Range(func(_, _ any) bool { return true }) }, 1,
		},
	} {
		_, res := outcomes(t, reduced, func() string {
			var real sync.Map
			real.Store("there", 1)
			m := mapOf(&real)
			f := func() { row.f(m) }
			together(f, f, f)
			return ""
		})
		require.Equal(t, row.traces, res.Complete, name)
		require.Zero(t, res.Pruned, name)
	}
}

// operations on a map or pool: each returns what it saw.
func mapOperation(m *Map, code, key, value int) string {
	switch code % 9 {
	case 0:
		m.Store(key, value)
		return "stored"
	case 1:
		return fmt.Sprint(m.LoadOrStore(key, value))
	case 2:
		return fmt.Sprint(m.LoadAndDelete(key))
	case 3:
		m.Delete(key)
		return "deleted"
	case 4:
		return fmt.Sprint(m.Swap(key, value))
	case 5:
		return fmt.Sprint(m.CompareAndSwap(key, value, value+1))
	case 6:
		return fmt.Sprint(m.CompareAndDelete(key, value))
	case 7:
		seen := map[any]any{}
		m.Range(func(k, v any) bool { seen[k] = v; return len(seen) < 2 })
		return fmt.Sprint(seen)
	}
	return fmt.Sprint(m.Load(key))
}

// What two or three goroutines see of a map and of a pool is the same with the reduction and
// without it.
func TestReductionLosesNoOutcomeOfMapsAndPools(t *testing.T) {
	for seed := range 150 {
		rng := rand.New(rand.NewSource(int64(seed)))
		n := 2 + rng.Intn(2)
		codes := make([][]int, n)
		for i := range codes {
			for range 1 + rng.Intn(4-n+1) {
				codes[i] = append(codes[i], rng.Intn(11), rng.Intn(2), rng.Intn(2))
			}
		}
		body := func() string {
			var realMap sync.Map
			realMap.Store(0, 0)
			var realPool sync.Pool
			m, p := mapOf(&realMap), poolOf(&realPool)
			saw := make([]string, n)
			fs := make([]func(), n)
			for i := range fs {
				fs[i] = func() {
					for c := codes[i]; len(c) > 0; c = c[3:] {
						switch c[0] {
						case 9:
							p.Put(c[2])
						case 10:
							saw[i] += fmt.Sprint(p.Get(), " ")
						default:
							saw[i] += mapOperation(m, c[0], c[1], c[2]) + " "
						}
					}
				}
			}
			together(fs...)
			return fmt.Sprint(saw, mapOperation(m, 8, 0, 0), mapOperation(m, 8, 1, 0))
		}
		all, _ := outcomes(t, unreduced, body)
		some, _ := outcomes(t, reduced, body)
		require.Equal(t, slices.Sorted(maps.Keys(all)), slices.Sorted(maps.Keys(some)),
			"seed %d: %v", seed, codes)
	}
}

// One goroutine sees of the model what it sees of sync.Map.
func TestMapIsThatOfTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		codes := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 20).Draw(t, "operations")
		keys := rapid.SliceOfN(rapid.IntRange(0, 2), 20, 20).Draw(t, "keys")
		values := rapid.SliceOfN(rapid.IntRange(0, 1), 20, 20).Draw(t, "values")
		var real, start sync.Map
		real.Store(1, 0)
		start.Store(1, 0)
		var want, got []string
		for i, c := range codes {
			want = append(want, realOperation(&real, c, keys[i], values[i]))
		}
		res := explore.Run(explore.Config{Preemptions: -1, Executions: 1}, func() {
			got = nil
			m := mapOf(&start)
			for i, c := range codes {
				if c == 9 {
					m.Clear()
					got = append(got, "cleared")
				} else if c == 7 {
					seen := map[any]any{}
					m.Range(func(k, v any) bool { seen[k] = v; return true })
					got = append(got, fmt.Sprint(seen))
				} else {
					got = append(got, mapOperation(m, c, keys[i], values[i]))
				}
			}
		})
		require.Nil(t, res.Failure)
		require.Equal(t, want, got)
		v, ok := start.Load(1)
		require.True(t, ok && v == 0, "the execution changed the real map")
	})
}

func realOperation(m *sync.Map, code, key, value int) string {
	switch code {
	case 0:
		m.Store(key, value)
		return "stored"
	case 1:
		return fmt.Sprint(m.LoadOrStore(key, value))
	case 2:
		return fmt.Sprint(m.LoadAndDelete(key))
	case 3:
		m.Delete(key)
		return "deleted"
	case 4:
		return fmt.Sprint(m.Swap(key, value))
	case 5:
		return fmt.Sprint(m.CompareAndSwap(key, value, value+1))
	case 6:
		return fmt.Sprint(m.CompareAndDelete(key, value))
	case 7:
		seen := map[any]any{}
		m.Range(func(k, v any) bool { seen[k] = v; return true })
		return fmt.Sprint(seen)
	case 9:
		m.Clear()
		return "cleared"
	}
	return fmt.Sprint(m.Load(key))
}

func TestRangeSeesWhatIsStoredMeanwhileOrNot(t *testing.T) {
	all, _ := outcomes(t, reduced, func() string {
		var real sync.Map
		m := mapOf(&real)
		n := 0
		together(func() { m.Store(1, 1); m.Store(2, 2) },
			func() { m.Range(func(_, _ any) bool { n++; return true }) })
		return fmt.Sprint(n)
	})
	require.Equal(t, map[string]bool{"0": true, "1": true, "2": true}, all)
}

// A key is stored after the visit of another one, in answer to it.
func TestRangeLooksAgainForEachKey(t *testing.T) {
	all, _ := outcomes(t, reduced, func() string {
		var real, other sync.Map
		real.Store(1, 1)
		m, visited := mapOf(&real), mapOf(&other)
		n := 0
		together(
			func() { m.Range(func(_, _ any) bool { n++; visited.Store(1, 1); return true }) },
			func() {
				if _, ok := visited.Load(1); ok {
					m.Store(2, 2)
				}
			})
		return fmt.Sprint(n)
	})
	require.Equal(t, map[string]bool{"1": true, "2": true}, all)
}

func TestPoolGivesAnyOfWhatWasPutLastOrNothing(t *testing.T) {
	all, res := outcomes(t, reduced, func() string {
		var real sync.Pool
		p := poolOf(&real)
		p.Put(nil)
		for i := range 4 {
			p.Put(i)
		}
		return fmt.Sprint(p.Get(), p.Get())
	})
	require.Contains(t, all, "3 2")
	require.Contains(t, all, "1 0")
	require.Contains(t, all, "<nil> <nil>")
	require.NotContains(t, all, "0 1", "more than three values were offered")
	bound := "sync.Pool.Get gives one of the 3 values put last, or none"
	require.Equal(t, []string{bound}, res.Assumed)
}

func poolOf(p *sync.Pool) *Pool { return PoolOf(unsafe.Pointer(p), new(unsafe.Pointer)) }

func mapOf(m *sync.Map) *Map {
	return MapOf(unsafe.Pointer(m), new(unsafe.Pointer), m.Range)
}
