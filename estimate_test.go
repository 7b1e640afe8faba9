package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/driver"
)

// The estimate of the executions that are left, for all checks of some packages that have at least
// 8,000: SUREWAKE_ESTIMATES="./deque ./fork" go test -v -run EstimateOfOwnChecks .
func TestEstimateOfOwnChecks(t *testing.T) {
	packages := strings.Fields(os.Getenv("SUREWAKE_ESTIMATES"))
	if len(packages) == 0 {
		t.Skip("takes minutes: SUREWAKE_ESTIMATES names the packages")
	}
	const least = 8000
	check := func(args ...string) map[string]driver.Row {
		got := map[string]driver.Row{}
		args = append([]string{"check", "-json", "-race=false"}, args...)
		rows, _ := surewake(t, ".", args...).Rows(t)
		for _, r := range rows {
			got[r.Package+" "+r.Name] = r
		}
		return got
	}
	executions := func(r driver.Row) int64 { return r.Complete + r.Deadlocked + r.Pruned }
	whole := check(packages...)
	within, all := map[int]int{}, 0
	for name, r := range whole {
		if executions(r) < least || strings.Contains(r.Bounded, "budget") {
			continue
		}
		all++
		pkg, test, _ := strings.Cut(name, " ")
		line := fmt.Sprintf("%-75s %7d", test, executions(r))
		for _, percent := range []int{10, 20, 50} {
			n := executions(r) * int64(percent) / 100
			pattern := "^" + strings.ReplaceAll(test, "/", "$/^") + "$"
			part, ok := check("-run", pattern, "-budget", fmt.Sprint(n, "x"), pkg)[name]
			require.True(t, ok, name)
			require.Positive(t, part.Left, name)
			times := (float64(executions(part)) + part.Left) / float64(executions(r))
			if math.Abs(math.Log(times)) < math.Log(3) {
				within[percent]++
			}
			line += fmt.Sprintf(" %6.2f", times)
		}
		t.Log(line)
	}
	require.NotZero(t, all)
	t.Logf("within a factor of 3, of %d, by percent explored: %v", all, within)
	for _, percent := range []int{20, 50} {
		require.GreaterOrEqual(t, float64(within[percent]), 0.8*float64(all), "at %d %%", percent)
	}
}
