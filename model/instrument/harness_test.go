package instrument

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repoRoot is the directory of this repository, which test modules replace
// the checker's module by.
func repoRoot(t testing.TB) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// sharedCache keeps copies under the same names from one run of the tests to
// the next, so that the build cache is of use.
func sharedCache(t testing.TB) string {
	t.Helper()
	return filepath.Join(os.TempDir(), "surewake-instrument-test")
}

// writeFiles writes an archive: each file begins with a line "-- name --", and
// "-- name -- no newline" begins one whose last line is not ended.
func writeFiles(t testing.TB, dir, archive string) {
	t.Helper()
	var name, end string
	var text []string
	flush := func() {
		if name == "" {
			return
		}
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		whole := strings.TrimSuffix(strings.Join(text, "\n"), "\n") + end
		if err := os.WriteFile(file, []byte(whole), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.SplitSeq(archive, "\n") {
		if rest, ok := strings.CutPrefix(line, "-- "); ok {
			if before, after, ok := strings.Cut(rest, " --"); ok {
				flush()
				name, text, end = before, nil, "\n"
				if after != "" {
					end = ""
				}
				continue
			}
		}
		text = append(text, line)
	}
	flush()
}

// newModule writes module example.com/t, which requires the checker's module.
// Equal modules lie in the same directory in every run, for the build cache's
// sake; nothing is written there afterwards.
func newModule(t testing.TB, archive string) string {
	t.Helper()
	archive = goMod(t) + goSum(t) + archive
	sum := sha256.Sum256([]byte(archive))
	dir := filepath.Join(sharedCache(t), "modules-under-test", hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		t.Fatal(err)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "tmp")
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, tmp, archive)
	if err := os.Rename(tmp, dir); err != nil {
		os.RemoveAll(tmp) // another run was faster
	}
	return dir
}

// freshModule is newModule in a directory of its own.
func freshModule(t testing.TB, archive string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, goMod(t)+goSum(t)+archive)
	return dir
}

func goSum(t testing.TB) string {
	t.Helper()
	sum, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	return "-- go.sum --\n" + string(sum)
}

// goMod requires what the repository does, and the repository.
func goMod(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod := strings.Replace(string(text), "module "+rootPath+"\n", "module example.com/t\n", 1)
	return "-- go.mod --\n" + mod + "\nrequire " + rootPath + " v0.0.0\n\n" +
		"replace " + rootPath + " => " + repoRoot(t) + "\n"
}

func rewriteModule(t testing.TB, dir string, patterns ...string) *Set {
	t.Helper()
	if patterns == nil {
		patterns = []string{"./..."}
	}
	set, err := Rewrite(context.Background(),
		Config{Dir: dir, Patterns: patterns, Cache: sharedCache(t)})
	if err != nil {
		t.Fatalf("Rewrite: %v", err)
	}
	return set
}

// buildAndRun builds the package's test binary and runs it; it returns what
// the binary prints.
func buildAndRun(t testing.TB, set *Set, pkg string, race bool, args ...string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "test.bin")
	if err := set.Build(context.Background(), pkg, race, bin); err != nil {
		t.Fatalf("Build: %v", err)
	}
	cmd := exec.Command(bin, args...)
	cmd.Dir = set.cfg.Dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", pkg, err, out)
	}
	return string(out)
}

// rewrittenText returns the copy of a file that go into the binary, or the
// original if it has none.
func rewrittenText(t testing.TB, set *Set, pkg string, file string) string {
	t.Helper()
	for name, text := range rewrittenFiles(t, set, pkg, false) {
		if filepath.Base(name) == file {
			return text
		}
	}
	t.Fatalf("%s has no rewritten file %s", pkg, file)
	return ""
}

// rewrittenFiles returns the original names and new texts of the files that
// the overlay for the package's binary replaces.
func rewrittenFiles(t testing.TB, set *Set, pkg string, race bool) map[string]string {
	t.Helper()
	p, err := set.plan(context.Background(), pkg, race)
	if err != nil {
		t.Fatalf("%s: %v", pkg, err)
	}
	var overlay struct{ Replace map[string]string }
	text, err := os.ReadFile(p.overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &overlay); err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for name, copied := range overlay.Replace {
		text, err := os.ReadFile(copied)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	return files
}
