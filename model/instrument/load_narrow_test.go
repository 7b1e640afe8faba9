package instrument

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func lean(t *testing.T, dir string, patterns ...string) *Set {
	t.Helper()
	set, err := Rewrite(context.Background(), Config{
		Dir: dir, Patterns: patterns, Lean: true, Cache: sharedCache(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

const manyTests = `-- a.go --
package t

func F() int { return 1 }
-- export_test.go --
package t

import "net/url"

var G = F

func escaped(s string) string { return url.PathEscape(s) }
-- a_test.go --
package t_test

import (
	"net/mail"
	"os"
	tst "testing"

	"example.com/t"
	"github.com/surewake/surewake/model"
)

type letter struct{ mail.Address }

func (letter) read(s *tst.T) { mail.ParseAddress("") }

var parse = mail.ParseAddress

var Version = os.Getenv("VERSION")

func TestPlain(s *tst.T) { new(letter).read(s); parse("") }

func TestCheck(s *tst.T) { helps(s) }

func helps(s *tst.T) { t.G(); model.Check(s, kind{}.body) }

type kind struct{}

func (kind) body(x *model.Exec) { mail := 1; x.Assert(mail == 1, "") }

func (kind) other() {}

// A model that is none.
func TestModel(s *tst.T) { model := struct{ Check func() }{func() {}}; model.Check() }

//surewake:replay TestPlain 0
func TestAgain(s *tst.T) {}

func BenchmarkF(b *tst.B) { for range b.N { t.F() } }
`

// Lines stay where they are, and what no check reaches goes, imports included.
func TestWhatNoCheckReachesIsLeftOut(t *testing.T) {
	set := lean(t, newModule(t, manyTests), ".")
	p := set.Packages[0]
	if !slices.Equal(p.Checks, []string{"TestCheck"}) || len(p.Replays) != 0 {
		t.Errorf("%v, %v", p.Checks, p.Replays)
	}
	text := func(name string) string {
		file := filepath.Join(p.Dir, name)
		text, err := set.text(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	got := text("a_test.go")
	for _, gone := range []string{"net/mail", "TestPlain(", "letter", "TestModel", "Benchmark"} {
		if strings.Contains(got, gone) {
			t.Errorf("%s is left", gone)
		}
	}
	whole := strings.Split(manyTests[strings.Index(manyTests, "-- a_test.go --\n")+16:], "\n")
	for i, line := range strings.Split(got, "\n") {
		line = strings.TrimRight(line, " \t")
		if line != "" && line != whole[i] {
			t.Errorf("line %d: %q, was %q", i+1, line, whole[i])
		}
	}
	for _, stays := range []string{"other()", "Version", "kind", "helps", "\"os\"", "TestAgain"} {
		if !strings.Contains(got, stays) {
			t.Errorf("%s is gone", stays)
		}
	}
	got = text("export_test.go")
	if strings.Contains(got, "url") || !strings.Contains(got, "G = F") {
		t.Error(got)
	}
	if deps := set.plain.testmain(set.plain.root(p.Path)).Deps; slices.Contains(deps, "net/mail") {
		t.Error("net/mail is part of the binary")
	}
	buildAndRun(t, set, p.Path, false)
}

// What files with the build tag race need stays, and a file of which nothing is left is none.
func TestFilesForTheRaceDetectorKeepWhatTheyNeed(t *testing.T) {
	needCgo(t)
	const files = `-- a.go --
package t
-- race_test.go --
//go:build race

package t

import "testing"

func TestRace(t *testing.T) { needed() }
-- norace_test.go --
//go:build !race

package t

import "testing"

func TestNoRace(t *testing.T) {}
-- b_test.go --
package t

func needed() {}
-- c_test.go --
package t

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func TestA(t *testing.T) { model.Check(t, func(*model.Exec) {}) }
`
	dir := newModule(t, files)
	set := lean(t, dir, ".")
	buildAndRun(t, set, "example.com/t", true)
	if p := set.plain.root("example.com/t"); slices.Contains(p.TestGoFiles, "norace_test.go") {
		t.Error(p.TestGoFiles)
	}
	if same, err := set.SameFiles(context.Background(), "example.com/t"); same || err != nil {
		t.Error("race_test.go is not seen: ", err)
	}
	const head = "-- race_test.go --"
	at := strings.Index(files, head)
	without := files[:at] + files[strings.Index(files, "-- norace"):]
	set = lean(t, newModule(t, without), ".")
	if same, err := set.SameFiles(context.Background(), "example.com/t"); !same || err != nil {
		t.Error("nothing is left that differs: ", err)
	}
}

// The source of a package is the whole of it, whatever is left out.
func TestSourceIsThatOfTheWhole(t *testing.T) {
	dir := newModule(t, manyTests)
	some, whole := lean(t, dir, ".").Packages[0], rewriteModule(t, dir).Packages[0]
	if some.Source != whole.Source {
		t.Errorf("%s, %s", some.Source, whole.Source)
	}
}

// A check may be behind other code; then any test may be one.
func TestChecksBehindOtherCodeAreFound(t *testing.T) {
	const rest = "\n-- b/b.go --\npackage b\n\nimport (\n\t\"testing\"\n\n" +
		"\t\"github.com/surewake/surewake/model\"\n)\n\nvar f = model.Check\n\n" +
		"func Run(t *testing.T) { f(t, func(*model.Exec) {}) }\n"
	for name, files := range map[string]string{
		"in an import": "-- a.go --\npackage t\n-- a_test.go --\npackage t\n\n" +
			"import (\n\t\"testing\"\n\n\tc \"example.com/t/b\"\n)\n\n" +
			"func TestA(t *testing.T) { c.Run(t) }\n" + rest,
		"in the package": "-- a.go --\npackage t\n\nimport \"example.com/t/b\"\n\n" +
			"var Run = b.Run\n-- a_test.go --\npackage t\n\nimport \"testing\"\n\n" +
			"func TestA(t *testing.T) { Run(t) }\n" + rest,
		"without a name": "-- a.go --\npackage t\n-- a_test.go --\npackage t\n\n" +
			"import (\n\t\"testing\"\n\n\t. \"github.com/surewake/surewake/model\"\n)\n\n" +
			"func TestA(t *testing.T) { Check(t, func(*Exec) {}) }\n" + rest,
		"in a variable elsewhere": "-- a.go --\npackage t\n-- b/b.go --\npackage b\n\n" +
			"import \"testing\"\n\nvar F func(*testing.T)\n\nfunc Run(t *testing.T) { F(t) }\n" +
			"-- a_test.go --\npackage t\n\nimport (\n\t\"testing\"\n\n\t\"example.com/t/b\"\n" +
			"\t\"github.com/surewake/surewake/model\"\n)\n\nfunc init() { b.F = check }\n\n" +
			"func check(t *testing.T) { model.Check(t, func(*model.Exec) {}) }\n\n" +
			"func TestA(t *testing.T) { b.Run(t) }\n",
		"in a method": "-- a.go --\npackage t\n\ntype T struct{}\n\nfunc New() T { return T{} }\n" +
			"-- a_test.go --\npackage t\n\nimport (\n\t\"testing\"\n\n" +
			"\t\"github.com/surewake/surewake/model\"\n)\n\n" +
			"func (T) run(t *testing.T) { model.Check(t, func(*model.Exec) {}) }\n\n" +
			"func TestA(t *testing.T) { New().run(t) }\n",
	} {
		// Beside a check that is plain to see: where there is none, nothing is left out.
		files += "-- z_test.go --\npackage t\n\nimport (\n\t\"testing\"\n\n" +
			"\t\"github.com/surewake/surewake/model\"\n)\n\n" +
			"func TestZ(t *testing.T) { model.Check(t, func(*model.Exec) {}) }\n"
		set := lean(t, newModule(t, files), ".")
		if got := set.Packages[0].Checks; !slices.Equal(got, []string{"TestA", "TestZ"}) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Tests that start their own binary, by a name that they may make up, stay as they are; so do those
// that look for flags.
func TestTestsThatStartThemselvesStay(t *testing.T) {
	const flags = `-- a.go --
package t
-- a_test.go --
package t

import (
	"flag"
	"testing"

	"github.com/surewake/surewake/model"
)

func init() { flag.Set("test.v", "true") }

func TestA(t *testing.T) { model.Check(t, func(*model.Exec) {}) }

func TestChild(t *testing.T) {}
`
	const files = `-- a.go --
package t
-- a_test.go --
package t

import (
	"os"
	"os/exec"
	"testing"

	"github.com/surewake/surewake/model"
)

func TestMain(m *testing.M) { exec.Command(os.Args[0], "-test.run=Child").Run(); m.Run() }

func TestA(t *testing.T) { model.Check(t, func(*model.Exec) {}) }

func TestChild(t *testing.T) {}
`
	for _, files := range []string{files, flags} {
		set := lean(t, newModule(t, files), ".")
		text, err := set.text(filepath.Join(set.Packages[0].Dir, "a_test.go"))
		if err != nil || !strings.Contains(string(text), "TestChild") {
			t.Errorf("%v\n%s", err, text)
		}
	}
}

// Where there is no check, or something does not compile, all is looked at.
func TestErrorsAreOfTheWhole(t *testing.T) {
	const broken = "-- b/b.go --\npackage b\n\nvar x int = \"\"\n"
	for name, files := range map[string]string{
		"no check": okTest + "-- a.go --\npackage t\n" + broken,
		"in a check": "-- a.go --\npackage t\n-- a_test.go --\npackage t\n\nimport (\n" +
			"\t\"testing\"\n\n\t\"github.com/surewake/surewake/model\"\n)\n\n" +
			"func TestA(t *testing.T) { model.Check(t, y) }\n" + broken,
	} {
		_, err := Rewrite(context.Background(), Config{
			Dir: newModule(t, files), Patterns: []string{"./..."}, Lean: true,
			Cache: sharedCache(t),
		})
		if err == nil || !strings.Contains(err.Error(), "b.go:3:13") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file of which nothing is left stays if it sets the behaviour of the binary.
func TestFilesThatSetTheBehaviourStay(t *testing.T) {
	for directive, stays := range map[string]bool{"//go:debug panicnil=1\n": true, "": false} {
		set := lean(t, newModule(t, "-- a.go --\npackage t\n-- a_test.go --\npackage t\n\nimport (\n"+
			"\t\"testing\"\n\n\t\"github.com/surewake/surewake/model\"\n)\n\n"+
			"func TestA(t *testing.T) { model.Check(t, func(*model.Exec) {}) }\n"+
			"-- b_test.go --\n"+directive+"\npackage t\n\nimport \"testing\"\n\n"+
			"func TestB(t *testing.T) {}\n"), ".")
		if gone := len(set.absent) > 0; gone == stays {
			t.Errorf("%q: gone: %v", directive, gone)
		}
		buildAndRun(t, set, set.Packages[0].Path, false)
	}
}
