package readers

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Delve does with a schedule what the guide shows: it stops at the lines of the source, in the
// execution that fails, with the values that the variables have there.
func TestDelveRunsTheGuide(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/guides/debugger.md"))
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)\n```dlv\n(.*?)\n```\n").FindSubmatch(page)
	require.NotNil(t, block)
	var commands, shown []string
	for line := range strings.SplitSeq(string(block[1]), "\n") {
		if c, ok := strings.CutPrefix(line, "(dlv) "); ok {
			commands = append(commands, c)
		} else {
			shown = append(shown, line)
		}
	}
	require.Greater(t, len(commands), 5)
	require.Greater(t, len(shown), 5)

	files := map[string]string{}
	for _, name := range []string{"tickets.go", "tickets_test.go"} {
		text, err := os.ReadFile(filepath.Join(root, "testdata/verdicts/ordinarytickets", name))
		require.NoError(t, err)
		files[name] = string(text)
	}
	dir := newModule(t, files)
	var row struct{ Token string }
	out := surewake(t, dir, 1, "check", "-json", "-race=false", "-test", "TestTake", ".")
	require.NoError(t, json.NewDecoder(strings.NewReader(out)).Decode(&row))
	binary := filepath.Join(t.TempDir(), "take it.test")
	start := surewake(t, dir, 0, "replay", row.Token, "-debug", binary)
	require.Equal(t, 1, strings.Count(start, "\n"))

	script := filepath.Join(t.TempDir(), "commands")
	text := "config show-location-expr false\n" + strings.Join(commands, "\n") + "\nexit\n"
	require.NoError(t, os.WriteFile(script, []byte(text), 0o666))
	tool, err := exec.Command("go", "tool", "-n", "dlv").Output()
	require.NoError(t, err)
	dlv := strings.TrimSpace(string(tool))
	start = strings.Replace(start, " dlv exec ", " '"+dlv+"' exec --init '"+script+
		"' --allow-non-terminal-interactive=true ", 1)
	cmd := exec.CommandContext(t.Context(), "bash", "-c", start)
	cmd.Env = append(os.Environ(), "TERM=dumb", "NO_COLOR=1", "HOME="+t.TempDir(),
		"GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", said)
	rest := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(string(said), "")
	for _, line := range shown {
		if !strings.ContainsAny(line, ":=") {
			line = "\n" + line + "\n" // a value is a line of its own
		}
		at := strings.Index(rest, line)
		require.GreaterOrEqual(t, at, 0, "%q, in this order, in\n%s", line, said)
		rest = rest[at+len(line)-1:]
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}
