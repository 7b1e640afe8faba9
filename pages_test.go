package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The pages of the parts show code of the example pool or of the package example, as it is there,
// where checks run it.
func TestPagesShowCodeThatIsChecked(t *testing.T) {
	begins := regexp.MustCompile(`^(func|type) `)
	for page, want := range map[string]int{
		"deque": 3, "fork": 5, "idle": 7, "injector": 2, "park": 2, "taskstate": 6,
	} {
		doc, err := os.ReadFile(page + "/doc.go")
		require.NoError(t, err)
		require.Contains(t, string(doc), "examples/pool")
		pool, err := os.ReadFile("examples/pool/pool.go")
		require.NoError(t, err)
		examples, err := os.ReadFile(page + "/example_test.go")
		require.NoError(t, err)
		text := string(pool) + string(examples)
		var block strings.Builder // what is indented, the rest as empty lines
		for line := range strings.Lines(string(doc)) {
			code, _ := strings.CutPrefix(line, "//\t")
			if code == line {
				code = "\n"
			}
			block.WriteString(code)
		}
		shown := 0
		for part := range strings.SplitSeq(block.String(), "\n\n") {
			if part = strings.TrimSpace(part); begins.MatchString(part) {
				shown++
				require.Contains(t, text, "\n"+part+"\n", page)
			}
		}
		require.Equal(t, want, shown, page)
	}
}

func TestTheREADMENamesThePool(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), "(examples/pool)")
}
