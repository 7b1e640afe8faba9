package stdlib

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/stdlib/api"
)

func TestTableHasWhatThisReleaseExports(t *testing.T) {
	all, err := api.Installed()
	require.NoError(t, err)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	require.NoError(t, all.Recorded(strings.TrimSpace(string(root))))
	var missing []string
	n := 0
	for _, path := range all.Paths() {
		for _, name := range all.Names(path) {
			n++
			if Lookup(path+"."+name) == Unknown {
				missing = append(missing, path+"."+name)
			}
		}
	}
	require.Empty(t, missing[:min(len(missing), 20)],
		"%d are missing: add rules to rules.txt, and run go generate", len(missing))
	require.Greater(t, n, 6000, "the standard library exports more than was found")
}

func TestEveryClassIsKnownAndInUse(t *testing.T) {
	used := make(map[Class]int)
	for _, c := range table() {
		used[c]++
	}
	known := []Class{
		Pure, Reach, Model, Env, Files, Process, System, Random, Memory, Global, Locked, Methods,
		Clock, Order, Own, Refuse,
	}
	for _, c := range known {
		require.Positive(t, used[c], "%s", c)
		delete(used, c)
	}
	require.Empty(t, used)
}

func TestSharedStateIsNamedOrRefused(t *testing.T) {
	for name, want := range map[string]Class{
		"fmt.Sprintf":                    Reach,
		"strings.Builder.WriteString":    Reach,
		"sync.Mutex.Lock":                Model,
		"os.Setenv":                      Env,
		"os.Getenv":                      Pure,
		"os.File.Write":                  Files,
		"log/slog.LevelVar.Set":          Locked,
		"log/slog.SetDefault":            Global,
		"math/rand.Intn":                 Random,
		"math/rand.Rand.Intn":            Reach,
		"math/rand/v2.N":                 Random,
		"crypto/rand.Reader":             Random,
		"weak.Pointer.Value":             Memory,
		"text/template.Template.Execute": Methods,
		"testing.common.Log":             Pure,
		"testing.common.Setenv":          Env,
		"net/http.Client.Do":             Refuse,
		"net/http.Header.Set":            Reach,
		"net/http/httptest.NewServer":    Refuse,
		"io.Pipe":                        Model,
		"net.Conn.Read":                  Own,
		"net.TCPConn.Read":               Refuse,
		"io.Reader.Read":                 Reach,
		"syscall.Mmap":                   System,
		"runtime.RaceAcquire":            Pure, // of the race detector's build only
		"runtime.RaceDisable":            Refuse,
		"nowhere.Thing":                  Unknown,
	} {
		require.Equal(t, want, Lookup(name), name)
	}
	require.True(t, Files.Concurrent() && Locked.Concurrent(), "one goroutine alone has an order")
	require.False(t, Process.Concurrent(), "another process differs without others, too")
	require.False(t, Random.Concurrent() || Memory.Concurrent(), "they differ without others, too")
	require.NotEmpty(t, Unknown.Assumed(), "a function of a later release would go unseen")
	for c := range assumed {
		require.NotContains(t, []Class{Pure, Reach, Model, Own, Refuse}, c)
	}
}

// The table is sorted and has no name twice, so that a change shows as what it is.
func TestTableHasEachNameOnce(t *testing.T) {
	seen := make(map[string]bool)
	path, before := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		require.LessOrEqual(t, len(strings.ReplaceAll(line, "\t", "        ")), 100, line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		if !strings.HasPrefix(line, "\t") {
			require.Less(t, before, line)
			path, before = line, line
			continue
		}
		for _, name := range strings.Fields(line)[1:] {
			require.False(t, seen[path+"."+name], "%s.%s", path, name)
			seen[path+"."+name] = true
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		sections(text)
	}
}
