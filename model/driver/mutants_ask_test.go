package driver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The only check that is asked about a mutant has the time that it takes, also on a machine that is
// slow; a check that is not there is an error.
func TestTheOnlyCheckThatIsAskedGoesThroughAll(t *testing.T) {
	ask := func(check string) (MutantSummary, string) {
		var out strings.Builder
		sum, err := Mutants(t.Context(), Options{
			Patterns: []string{"../../testdata/late"}, Run: "^late$", Ask: check, Preemptions: -1,
		}, &out)
		require.NoError(t, err)
		return sum, out.String()
	}
	sum, said := ask("TestIsLate")
	require.Equal(t, MutantSummary{Mutants: 1, Killed: 1}, sum, said)
	require.Contains(t, said, "killed by TestIsLate")
	sum, said = ask("TestIsNone")
	require.Equal(t, MutantSummary{Mutants: 1, Broken: 1}, sum, said)
	require.Contains(t, said, "has no check TestIsNone")
}
