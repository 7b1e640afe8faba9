package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/wire"
)

// What decides that an execution fails is named with the token of one that passes, which does when
// it is replayed: in checks and ordinary tests, in deadlocks, and where time passes early.
func TestWhatWouldHavePassedDoes(t *testing.T) {
	t.Parallel()
	const ordinary = "./testdata/verdicts/ordinarybuggy"
	passes := map[string]string{}
	for _, args := range [][]string{
		{"./testdata/readme", "./testdata/verdicts/histories"},
		{"-run", "^Test(TickerBesideLockUsers|ShortWatchdog)$", "./testdata/verdicts/time"},
		{"-test", "^Test(LockOrderMetrics|TimerIdle|ContextCauseLost|LazyPublishedEarly)$", ordinary},
		{"-test", "^TestJobsAreKept$", "./testdata/verdicts/ordinarysends"},
	} {
		rows, _ := surewake(t, ".", append([]string{"check", "-json"}, args...)...).Rows(t)
		require.NotEmpty(t, rows, args)
		for _, row := range rows {
			if row.Verdict != wire.Failed || row.Kind == wire.KindRace {
				assert.Empty(t, row.Passing, row.Name)
				continue
			}
			passes[row.Name] = row.Passes
			a := surewake(t, ".", "replay", "-race=false", row.Passing)
			assert.Equal(t, exitOK, a.Code, "%s", a)
			assert.Contains(t, a.Stdout, row.Name+": this execution passes")
			if strings.HasSuffix(row.Passes, "there is a data race") {
				a = surewake(t, ".", "replay", row.Passing)
				assert.Equal(t, exitFailed, a.Code, "%s", a)
				assert.Contains(t, a.Stdout, row.Name+": this execution does not fail as the "+
					"other one does, but in another way under the race detector")
			}
		}
	}
	require.Equal(t, map[string]string{
		"TestNeverOverdrawn": "with step 5 (Add a.balance at account_test.go:17) before " +
			"step 3 (Load a.balance at account_test.go:14)",
		"TestCounterOfTwoSteps": "with step 3 (Store n at histories_test.go:35) before " +
			"step 1 (Load n at histories_test.go:34)",
		"TestTickerBesideLockUsers": "with what user waits for (Lock mu at time_test.go:38) before " +
			"step 2 (Lock mu at time_test.go:27)",
		"TestShortWatchdog": "with step 2 (select: case <-time.After(10 * time.Millisecond) at " +
			"time_test.go:97) after all that the other goroutines can do",
		"TestLockOrderMetrics": "with what TestLockOrderMetrics.func2 waits for " +
			"(Lock g.mu at lock_order_metrics_test.go:33) before " +
			"step 4 (Lock g.mu at lock_order_metrics_test.go:21)",
		"TestTimerIdle": "with step 4 (Timer.Stop c.idle at timer_idle_test.go:31) before " +
			"step 3 (time.AfterFunc c.idle)",
		"TestContextCauseLost": "with step 11 (Lock f.mu at context_cause_lost_test.go:22) before " +
			"step 5 (Lock f.mu at context_cause_lost_test.go:22)",
		"TestJobsAreKept": "with step 11 (channel send p.jobs at sends_test.go:35) before " +
			"step 9 (close of a channel p.jobs at sends_test.go:43), but then there is a data race",
	}, passes)
}
