package modules

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/driver"
)

// Each check of testdata/found fails as its comment says. model/FOUND.md names them all.
func TestTheBugsThatWereFoundAreFound(t *testing.T) {
	const folder = "../../testdata/found"
	verdict := regexp.MustCompile(`(?m)^// verdict: FAILED (.+)\nfunc (Test\w+)\(`)
	page, err := os.ReadFile("../../model/FOUND.md")
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	require.NoError(t, err)
	want := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range verdict.FindAllStringSubmatch(string(text), -1) {
			want[m[2]] = m[1]
			require.Contains(t, string(page), "`"+m[2]+"`")
		}
	}
	require.NotEmpty(t, want)
	tokens := regexp.MustCompile(`(?m)^    (\.:(Test\w+):\S+)$`).FindAllStringSubmatch(string(page), -1)
	for _, token := range tokens {
		require.Contains(t, want, token[2])
	}
	require.Len(t, tokens, len(want), "each has a token")
	if !*run {
		t.Skip("needs modules of the registry; ci/modules.sh runs it")
	}
	cmd := exec.Command("go", "mod", "download")
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("the registry does not have the modules, or cannot be reached: %s", out)
	}
	command := build(t)
	out := output(t, command, folder, "check", "-json", "-test", ".", "-budget", "1m", ".")
	for _, line := range out[:len(out)-1] { // the last one is the summary
		var got driver.Row
		require.NoError(t, json.Unmarshal([]byte(line), &got), "%s", line)
		t.Logf("%s: %s after %d executions", got.Name, got.Verdict, got.Complete)
		assert.Equal(t, driver.Failed, got.Verdict, got.Name)
		assert.Regexp(t, "(?s)"+want[got.Name], got.Message, got.Name)
		delete(want, got.Name)
	}
	require.Empty(t, want, "the command says nothing of these")
	for _, token := range tokens {
		shown := strings.Join(output(t, command, folder, "replay", token[1]), "\n")
		assert.Contains(t, shown, "the failure shows again", token[1])
	}
}
