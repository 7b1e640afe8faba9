package commandtest

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/driver"
)

// bounded has the checks that are too large to exhaust, nearly all of them because two workers of
// the runtime look for work at once: they run under a bound that they state.
var bounded = regexp.MustCompile(`^(` +
	`TestWiderSchedulersAreTheTable/\d.*` +
	`|.*/(no_preemption|one_preemption|(two|three)_preemptions)` +
	`|TestTwoWorkersAndADescriptor|TestCancelMeetsReadiness` +
	`|TestTokenAndEventComeTogether|TestScopeEndsAfterItsChildren` +
	`|TestWhatAShieldHasStartedEndsAfterIt|TestLateWakeOfTheLastLife` +
	`|TestSelectOfATimer/goroutine` +
	`|TestEachQueueIsTheTable/workers_\d_submitters_\d` +
	`|(TestParkPathIsTheTable|TestTheSleepOfThePoolIsTheTable)/workers_` +
	`(1_submitters_2|2_submitters_\d)` +
	`)$`)

// EveryCheckIsProved runs the checks of packages of this project, whose root is given, the widest
// ones too. All but those of bounded are proved: every schedule was run, and each was judged by the
// race detector.
func EveryCheckIsProved(t *testing.T, command, root string, args ...string) {
	t.Helper()
	begin := time.Now()
	cmd := exec.Command(command, append([]string{"check", "-json", "-tags", "wide"}, args...)...)
	var said strings.Builder
	cmd.Dir, cmd.Stderr = root, &said
	out, err := cmd.Output()
	require.NoError(t, err, "%s%s", notProved(string(out)), &said)
	rows, sum := Rows(t, string(out))
	require.NotEmpty(t, rows)
	require.Empty(t, sum.Skipped)
	races := CanRace(t)
	for _, r := range rows {
		t.Logf(
			"%s %s: %s, %d complete, %.1f s", r.Package, r.Name, r.Verdict, r.Complete, r.Seconds,
		)
		if !races {
			require.Equal(t, driver.Bounded, r.Verdict, "%+v", r)
			require.Contains(t, r.Bounded, "races not checked", "%+v", r)
			require.Equal(t, "not checked", r.Races, "%+v", r)
			continue
		}
		if bounded.MatchString(r.Name) {
			require.Equal(t, driver.Bounded, r.Verdict, "%+v: proved by now? then say so", r)
			require.NotEmpty(t, r.Bounded, "%+v", r)
		} else {
			require.Equal(t, driver.Proved, r.Verdict, "%+v", r)
		}
		require.Equal(t, "none", r.Races, "%+v", r)
		require.Positive(t, r.Complete, "%+v", r)
		for _, a := range r.Assumptions {
			require.NotContains(t, a, "those before them", "%+v", r)
		}
	}
	require.Equal(t, sum.Checks, sum.Proved+sum.Bounded)
	t.Logf("%d checks in %.0f s", sum.Checks, time.Since(begin).Seconds())
}

// notProved returns the lines of output that are no verdict of a check which stands.
func notProved(out string) string {
	var left strings.Builder
	for line := range strings.Lines(out) {
		if !strings.Contains(line, `"verdict":"proved"`) &&
			!strings.Contains(line, `"verdict":"bounded"`) {
			left.WriteString(line)
		}
	}
	return left.String()
}
