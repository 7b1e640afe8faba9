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
	for page, of := range map[string]struct {
		shown int
		file  string
	}{
		"deque":     {1, "examples/pool/pool.go"},
		"idle":      {5, "examples/pool/pool.go"},
		"injector":  {1, "examples/pool/pool.go"},
		"park":      {2, "park/example_test.go"},
		"taskstate": {5, "taskstate/example_test.go"},
	} {
		doc, err := os.ReadFile(page + "/doc.go")
		require.NoError(t, err)
		require.Contains(t, string(doc), "examples/pool")
		text, err := os.ReadFile(of.file)
		require.NoError(t, err)
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
				require.Contains(t, string(text), "\n"+part+"\n", page)
			}
		}
		require.Equal(t, of.shown, shown, page)
	}
}

func TestTheREADMENamesThePool(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), "(examples/pool)")
}
