package instrument

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// offline: nothing may be fetched that is not there.
var offline = []string{"GOPROXY=off"}

const ordinaryTest = `
import (
	"sync/atomic"
	"testing"

	"example.com/dep"
)

func TestAdd(t *testing.T) {
	var n atomic.Int64
	dep.Add(&n)
	t.Log("n is", n.Load())
}
`

// dependency is module example.com/dep, below dir.
func dependency(dir, sum string) string {
	return "-- " + dir + "/dep.go --\npackage dep\n\nimport \"sync/atomic\"\n\n" +
		"func Add(n *atomic.Int64) { n.Add(" + sum + ") }\n"
}

// tree returns the names and sizes of all files below dir.
func tree(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	files := make(map[string]int64)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				files[name] = info.Size()
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Ordinary tests are rewritten and built in modules that know nothing of the checker, with the code
// that the go command would take for them.
func TestModulesThatDoNotRequireTheChecker(t *testing.T) {
	const own = "module example.com/t\n\ngo 1.21\n\nrequire example.com/dep v0.0.0\n"
	depMod := func(dir string) string {
		return "-- " + dir + "/go.mod --\nmodule example.com/dep\n\ngo 1.20\n"
	}
	for _, c := range []struct{ name, archive, dir, n string }{
		{
			name: "replace", dir: "t", n: "1",
			archive: "-- t/go.mod --\n" + own + "\nreplace example.com/dep => ../dep\n" +
				depMod("dep") + dependency("dep", "1"),
		}, {
			name: "workspace", dir: "t", n: "2",
			archive: "-- go.work --\ngo 1.21\n\nuse (\n\t./t\n\t./dep\n)\n" +
				"-- t/go.mod --\n" + own + depMod("dep") + dependency("dep", "2"),
		}, {
			name: "workspace that replaces", dir: "t", n: "3",
			archive: "-- go.work --\ngo 1.21\n\nuse ./t\n\nreplace example.com/dep => ./dep\n" +
				"-- t/go.mod --\n" + own + depMod("dep") + dependency("dep", "3"),
		}, {
			name: "vendor", dir: "t", n: "4",
			archive: "-- t/go.mod --\n" + own +
				"-- t/vendor/modules.txt --\n# example.com/dep v0.0.0\n## explicit; go 1.20\n" +
				"example.com/dep\n" + dependency("t/vendor/example.com/dep", "4"),
		}, {
			name: "vendor that replaces", dir: "t", n: "5",
			archive: "-- t/go.mod --\n" + own + "\nreplace example.com/dep => ../dep\n" +
				"-- t/vendor/modules.txt --\n# example.com/dep v0.0.0 => ../dep\n" +
				"## explicit; go 1.20\nexample.com/dep\n# example.com/dep => ../dep\n" +
				dependency("t/vendor/example.com/dep", "5") +
				depMod("dep") + dependency("dep", "-5"),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			base, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			writeFiles(t, base, c.archive+"-- t/a_test.go --\npackage t\n"+ordinaryTest)
			before := tree(t, base)
			set, err := Rewrite(context.Background(), Config{
				Dir: filepath.Join(base, c.dir), Patterns: []string{"./..."}, Tests: true,
				Cache: sharedCache(t), Env: offline,
			})
			if err != nil {
				t.Fatal(err)
			}
			got := slices.Sorted(slices.Values(set.Rewritten("example.com/t")))
			if !slices.Equal(got, []string{"example.com/dep", "example.com/t"}) {
				t.Errorf("rewritten: %v", got)
			}
			if text := rewrittenText(t, set, "example.com/t", "dep.go"); !strings.Contains(
				text, "sw_hook.Int64Add(n, "+c.n+")") {
				t.Error(text)
			}
			if !testing.Short() {
				out := buildAndRun(t, set, "example.com/t", false, "-test.v")
				if !strings.Contains(out, "n is "+c.n+"\n") {
					t.Error(out)
				}
			}
			if !maps.Equal(before, tree(t, base)) {
				t.Error("the tree has changed")
			}
		})
	}
}

// A dependency in the module cache is the version that the module requires, and its sums count.
func TestDependenciesOfAModuleThatDoesNotRequireTheChecker(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, `-- go.mod --
module example.com/t

go 1.25.0

require pgregory.net/rapid v1.3.0
`+goSum(t)+`-- a_test.go --
package t

import (
	"testing"

	"pgregory.net/rapid"
)

func TestProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { rapid.Int().Draw(t, "n") })
}
`)
	set, err := Rewrite(context.Background(), Config{
		Dir: dir, Patterns: []string{"."}, Tests: true, Cache: sharedCache(t), Env: offline,
	})
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(slices.Values(set.Rewritten("example.com/t")))
	if !slices.Equal(got, []string{"example.com/t", "pgregory.net/rapid"}) {
		t.Errorf("rewritten: %v", got)
	}
	buildAndRun(t, set, "example.com/t", false)
}

// The language of a module is that of its go.mod, also if that is older than what the checker is
// written in, and its library does what it did then.
func TestModulesOfOlderLanguages(t *testing.T) {
	for _, language := range []string{"", "1.15", "1.18", "1.22.0"} {
		t.Run(language, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			perRound := language == "1.22.0"
			directive := "go " + language + "\n"
			if language == "" {
				directive = ""
			}
			files := "-- go.mod --\nmodule example.com/t\n\n" + directive + `
require github.com/stretchr/testify v1.12.1
` + goSum(t) + fmt.Sprintf(`-- a_test.go --
package t

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLanguage(t *testing.T) {
	var n atomic.Int64
	var loops []func() int
	for i := 0; i < 2; i++ {
		loops = append(loops, func() int { n.Add(1); return i })
	}
	assert.Equal(t, %v, loops[0]() != loops[1](), "a variable for each round")
	defer func() {
		assert.Equal(t, %v, recover() != nil, "panic(nil) is an error")
	}()
	panic(nil)
}
`, perRound, perRound)
			writeFiles(t, dir, files)
			// An old module needs the go.mod files of all that its dependencies require.
			list := exec.Command("go", "list", "-mod=mod", "-test", "-deps", ".")
			list.Dir = t.TempDir()
			writeFiles(t, list.Dir, files)
			if out, err := list.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			set, err := Rewrite(context.Background(), Config{
				Dir: dir, Patterns: []string{"."}, Tests: true, Cache: sharedCache(t), Env: offline,
			})
			if err != nil {
				t.Fatal(err)
			}
			buildAndRun(t, set, "example.com/t", false)
		})
	}
}

// A tidy module that requires the checker's module for a part alone does not name what the checker
// needs.
func TestModuleThatImportsAPart(t *testing.T) {
	dir, root := t.TempDir(), repoRoot(t)
	gomod := "module example.com/t\n\ngo 1.25.0\n\nrequire " + rootPath + " v0.0.0\n\nreplace " +
		rootPath + " => " + root + "\n"
	writeFiles(t, dir, "-- go.mod --\n"+gomod+goSum(t)+`-- a_test.go --
package t

import (
	"testing"

	"github.com/surewake/surewake/taskstate"
)

func TestTask(t *testing.T) {
	w := taskstate.New(3)
	w.Cancel()
}
`)
	set, err := Rewrite(context.Background(), Config{
		Dir: dir, Patterns: []string{"."}, Tests: true, Cache: sharedCache(t), Env: offline,
	})
	if err != nil {
		t.Fatal(err)
	}
	buildAndRun(t, set, "example.com/t", false)
	after, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || string(after) != gomod {
		t.Errorf("go.mod is now %s, %v", after, err)
	}
}

// What is wrong with the module itself is said as ever.
func TestErrorsOfAModuleThatDoesNotRequireTheChecker(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, "-- go.mod --\nmodule example.com/t\n\ngo 1.25.0\n"+
		"-- a_test.go --\npackage t\n\nimport _ \"example.com/absent\"\n")
	_, err := Rewrite(context.Background(), Config{
		Dir: dir, Patterns: []string{"."}, Tests: true, Cache: sharedCache(t), Env: offline,
	})
	if err == nil || !strings.Contains(err.Error(), "example.com/absent") {
		t.Errorf("%v", err)
	}
	writeFiles(t, dir, "-- a_test.go --\npackage t\n\nvar x = y\n")
	_, err = Rewrite(context.Background(), Config{
		Dir: dir, Patterns: []string{"."}, Tests: true, Cache: sharedCache(t), Env: offline,
	})
	if err == nil || !strings.Contains(err.Error(), "a_test.go:3:9: undefined: y") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.sum")); err == nil {
		t.Error("the tree has changed")
	}
}
