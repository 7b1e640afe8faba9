package runtime_test

import (
	"cmp"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A part of a loop that another worker runs is named after the function that was given to the loop,
// not after one of package fork.
func TestDumpNamesThePartsOfALoopByItsFunction(t *testing.T) {
	in := make([]int, 20_000)
	for i := range in {
		in[i] = -i
	}
	for name, loop := range map[string]func(cx runtime.Cx, look func()){
		"For": func(cx runtime.Cx, look func()) {
			_ = runtime.For(cx, 0, len(in), func(runtime.Cx, int) { look() })
		},
		"Range": func(cx runtime.Cx, look func()) {
			_ = runtime.Range(cx, 0, len(in), func(runtime.Cx, int, int) { look() })
		},
		"Map": func(cx runtime.Cx, look func()) {
			_, _ = runtime.Map(cx, in, func(runtime.Cx, int) int { look(); return 1 })
		},
		"Reduce": func(cx runtime.Cx, look func()) {
			_, _ = runtime.Reduce(cx, 0, len(in),
				func(runtime.Cx, int, int) int { look(); return 1 },
				func(a, b int) int { return a + b })
		},
		"ForEach": func(cx runtime.Cx, look func()) {
			_ = runtime.ForEach(cx, slices.Values(in), func(runtime.Cx, int) { look() })
		},
		"SortFunc": func(cx runtime.Cx, look func()) {
			_ = runtime.SortFunc(cx, slices.Clone(in), func(a, b int) int {
				look()
				return cmp.Compare(a, b)
			})
		},
	} {
		rt := start(t, 2, runtime.Debug())
		var lock sync.Mutex
		found := ""
		until := time.Now().Add(stuckAfter)
		look := func() {
			lock.Lock()
			defer lock.Unlock()
			if found != "" || time.Now().After(until) {
				return
			}
			fork := regexp.MustCompile(`task \d+ (\S+): .*, a fork of task`)
			if all := fork.FindStringSubmatch(dumped(t, rt)); all != nil {
				found = all[1]
				return
			}
			time.Sleep(20 * time.Microsecond) // so that there is something to take
		}
		for found == "" && time.Now().Before(until) {
			run(t, rt, func(cx runtime.Cx) error { loop(cx, look); return nil })
		}
		require.Contains(t, found, "TestDumpNamesThePartsOfALoopByItsFunction", name)
	}
}
