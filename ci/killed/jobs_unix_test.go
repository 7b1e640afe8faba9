//go:build unix

package killed

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Several processes share a check and count what one counts.
func TestJobs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, c := range [][]string{
		{"-race=false", "-run=Adds|Selects"},
		{"-run=Small|Times"},
	} {
		counts := func(jobs string) map[string][2]int64 {
			args := append([]string{"check", "-json", jobs}, c...)
			args = append(args, "./testdata/jobs")
			rows, _ := surewake(t, args...).Rows(t)
			got := map[string][2]int64{}
			for _, r := range rows {
				require.NotContains(t, []string{"FAILED", "undecided"}, r.Verdict, r.Message)
				got[r.Name] = [2]int64{r.Complete, r.Deadlocked}
			}
			return got
		}
		want := counts("-jobs=1")
		require.Len(t, want, 2)
		require.Equal(t, want, counts("-jobs=3"))
	}
}

// A failure that another process finds is shown as that of one process is.
func TestJobsFindAFailure(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	rows, _ := surewake(t, "check", "-json", "-race=false", "-jobs=2",
		"-run=LateFailure|Budget", "./testdata/jobs").Rows(t)
	require.Len(t, rows, 2)
	late, budget := rows[0], rows[1]
	if late.Name != "TestLateFailure" {
		late, budget = budget, late
	}
	require.Equal(t, "FAILED", late.Verdict)
	require.Contains(t, late.Message, "the first came last")
	r := surewake(t, "replay", late.Token)
	require.Contains(t, r.Stdout, "the first came last")
	require.Equal(t, "bounded", budget.Verdict)
	require.Contains(t, budget.Bounded, "budget of 3s")
}

// What a helper had not done when it was killed is done by another one.
func TestJobsGoOnWhenAHelperIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("looks for processes in /proc")
	}
	ctx, stop := context.WithCancel(context.Background())
	killed := make(chan int)
	go func() {
		n := 0
		for ctx.Err() == nil {
			time.Sleep(300 * time.Millisecond)
			for _, pid := range descendants(os.Getpid(), helps) {
				if n < 5 && syscall.Kill(pid, syscall.SIGKILL) == nil {
					n++
				}
			}
		}
		killed <- n
	}()
	rows, _ := surewake(t, "check", "-json", "-race=false", "-jobs=2", "-run=Adds",
		"./testdata/jobs").Rows(t)
	stop()
	require.Len(t, rows, 1)
	require.EqualValues(t, 756_756, rows[0].Complete, rows[0].Message)
	require.NotZero(t, <-killed)
}

func parentOf(pid int) (parent int) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	var state string
	_, _ = fmt.Sscan(rest, &state, &parent)
	return parent
}
