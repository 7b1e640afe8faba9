package instrument

import (
	"archive/zip"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A user's module requires a released version of the checker's: it lies in the
// module cache, and its own packages are among those that are rewritten.
func TestReleasedChecker(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the checker from another place")
	}
	const version = "v0.1.0"
	proxy, modcache := t.TempDir(), t.TempDir()
	at := filepath.Join(proxy, filepath.FromSlash(rootPath), "@v")
	if err := os.MkdirAll(at, 0o777); err != nil {
		t.Fatal(err)
	}
	writeZip(t, filepath.Join(at, version+".zip"), rootPath+"@"+version+"/")
	gomod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		version + ".mod":  string(gomod),
		version + ".info": `{"Version":"` + version + `","Time":"2026-01-01T00:00:00Z"}`,
		"list":            version + "\n",
	} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	downloads := filepath.Join(strings.TrimSpace(string(out)), "cache", "download")
	env := []string{
		"GOMODCACHE=" + modcache,
		"GOFLAGS=-modcacherw -mod=mod", "GOSUMDB=off", "GONOSUMDB=*", "GOWORK=off",
		"GOPROXY=file://" + filepath.ToSlash(proxy) + ",file://" + filepath.ToSlash(downloads),
	}

	dir := t.TempDir()
	mod := strings.Replace(string(gomod), "module "+rootPath+"\n", "module example.com/t\n", 1)
	writeFiles(t, dir, "-- go.mod --\n"+mod+
		"\nrequire "+rootPath+" "+version+"\n"+goSum(t)+`-- a_test.go --
package t

import (
	"testing"

	"github.com/surewake/surewake/deque"
)

func TestDeque(t *testing.T) {
	d := deque.New[int](4)
	d.Push(3, nil)
	if v, ok := d.Pop(); v != 3 || !ok {
		t.Error(v, ok)
	}
}
`)
	set, err := Rewrite(context.Background(), Config{
		Dir: dir, Patterns: []string{"."}, Env: env, Cache: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	buildAndRun(t, set, "example.com/t", false)
	got := strings.Join(set.Rewritten("example.com/t"), " ")
	if got != "example.com/t "+rootPath+"/deque" {
		t.Errorf("registered: %s", got)
	}
}

// writeZip packs the repository's packages that are compiled here as a module.
func writeZip(t *testing.T, name, prefix string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	add := func(rel string) {
		text, err := os.ReadFile(filepath.Join("../..", rel))
		if err != nil {
			t.Fatal(err)
		}
		part, err := w.Create(prefix + filepath.ToSlash(rel))
		if err == nil {
			_, err = part.Write(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	add("go.mod")
	for _, top := range []string{"deque", "model"} {
		visit := func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == "testdata" {
				return fs.SkipDir
			}
			if err == nil && d.Type().IsRegular() && !strings.HasSuffix(path, "_test.go") {
				rel, err := filepath.Rel("../..", path)
				if err != nil {
					return err
				}
				add(rel)
			}
			return err
		}
		err := filepath.WalkDir(filepath.Join("../..", top), visit)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
