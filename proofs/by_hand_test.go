package proofs

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The list of README.md of what is copied by hand is what the rows say.
func TestReadmeNamesWhatIsCopiedByHand(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(text), "Still copied by hand")
	require.True(t, found)
	list, _, _ = strings.Cut(list, "\n## ")
	list, _, _ = strings.Cut(list, "\nThe tables ")
	named := map[string]bool{}
	part := ""
	for _, m := range regexp.MustCompile(`(?:([a-z]+)/)?\b([A-Z])(\d+)\b(?: to [A-Z](\d+))?`).
		FindAllStringSubmatch(list, -1) {
		if m[1] != "" {
			part = m[1]
		}
		last := m[3]
		if m[4] != "" {
			last = m[4]
		}
		for n := atoi(t, m[3]); n <= atoi(t, last); n++ {
			named[part+"/"+m[2]+strconv.Itoa(n)] = true
		}
	}
	for _, th := range Theorems() {
		tables, byHand := tablesOf(th.proof)
		require.Equal(t, byHand, named[th.ID], "%s: is it copied by hand, as README.md says?", th.ID)
		require.False(t, byHand && len(tables) > 0, th.ID)
		delete(named, th.ID)
	}
	require.Empty(t, named)
}

func atoi(t *testing.T, text string) int {
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}
