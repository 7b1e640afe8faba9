//go:build !race

package explore_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

// A pointer has one name in an execution, by its first appearance; another one has another.
func TestPointersHaveOneNameEach(t *testing.T) {
	many := make([]int64, 5000)
	named := 0
	explore.Run(explore.Config{Preemptions: -1, Record: true, Outer: true}, func() {
		for range 2 {
			for i := range many {
				p := unsafe.Pointer(&many[i])
				require.Equal(t, fmt.Sprint("&", i+1), explore.PointerName(p))
				named++
			}
		}
	})
	require.NotZero(t, named)
}

// Operations of one stack have one place, those of other stacks their own.
func TestStepsHaveTheirPlaces(t *testing.T) {
	var n atomic.Int32
	one := func() { hook.Int32Add(&n, 1) }
	other := func() { hook.Int32Add(&n, 2) }
	r := explore.Run(explore.Config{Preemptions: -1, Record: true, Outer: true}, func() {
		spawn(func() {
			for range 100 {
				one()
				other()
			}
		}, one)
	})
	places := map[string]int{}
	for _, s := range r.Trace {
		if strings.Contains(s.Op, "Add") {
			places[fmt.Sprint(s.Func, s.Line)]++
		}
	}
	require.Len(t, places, 2, "%v", places)
}
