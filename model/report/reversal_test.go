package report_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/report"
	"github.com/surewake/surewake/model/wire"
)

// The sentence names steps by the numbers and the names that the lanes have.
func TestReversalInWords(t *testing.T) {
	for _, c := range []struct {
		name  string
		trace wire.Trace
		at    wire.Reversal
		want  string
	}{
		{"two steps", stealing(), wire.Reversal{First: 3, Second: 5},
			"with step 6 (CompareAndSwap A.head at steal.go:25) before " +
				"step 4 (Load A.head at steal.go:21)"},
		{"who waits", deadlock(), wire.Reversal{First: 1, Second: 3},
			"with what first waits for (MutexLock b at locks.go:52) before " +
				"step 2 (MutexLock b at locks.go:51)"},
		{"a choice", stealing(), wire.Reversal{First: 2, Second: 2},
			"with another choice in step 3 (Load A.tail at steal.go:22)"},
		{"later", stealing(), wire.Reversal{First: 0, Second: wire.AfterAll},
			"with step 1 (Store A.tail at steal.go:40) after all that the other goroutines can do"},
		{"no such step", deadlock(), wire.Reversal{First: 2, Second: 0}, ""},
		{"nobody waits so", deadlock(), wire.Reversal{First: 0, Second: 5}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.trace.Reversal = &c.at
			require.Equal(t, c.want, report.Reversal(&c.trace, nil))
			lanes := report.Lanes(&c.trace, report.Options{})
			if c.want == "" {
				require.NotContains(t, lanes, "passes:")
			} else {
				require.Contains(t, lanes, " passes: "+c.want+"\n")
			}
		})
	}
	none := deadlock()
	require.Empty(t, report.Reversal(&none, nil))
}
