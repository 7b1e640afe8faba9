package instrument

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const checksArchive = `-- a.go --
package t

func Exported() int { return 1 }
-- a_test.go --
package t

import (
	"testing"

	"github.com/surewake/surewake/model"
	"example.com/t/helper"
)

var table = map[string]func(*testing.T){"x": throughTable}

func throughTable(t *testing.T) { model.Check(t, nil) }

type suite struct{}

func (suite) run(t *testing.T) { indirect(t) }

func (suite) TestOfSuite(t *testing.T) { indirect(t) }

func indirect(t *testing.T) { f := model.Check; f(t, nil) }

func TestDirect(t *testing.T)    { model.Check(t, func(*model.Exec) {}) }
func TestIndirect(t *testing.T)  { indirect(t) }
func TestMethod(t *testing.T)    { suite{}.run(t) }
func TestTable(t *testing.T)     { table["x"](t) }
func TestHelper(t *testing.T)    { helper.Run[int](t) }
func TestSubtest(t *testing.T)   { t.Run("a", func(t *testing.T) { indirect(t) }) }
func TestOrdinary(t *testing.T)  { var _ model.Exec; Exported() }
func Test_underscore(t *testing.T) { indirect(t) }
func Testlower(t *testing.T)     { indirect(t) }
func BenchmarkIt(b *testing.B)   { model.Check(b, nil) }
func TestMain(m *testing.M)      { indirect(nil); m.Run() }
-- x_test.go --
package t_test

import (
	"testing"

	. "github.com/surewake/surewake/model"
	"example.com/t"
)

func TestExternal(t *testing.T) { Check(t, nil) }
func TestPlain(tt *testing.T)   { t.Exported() }
-- helper/helper.go --
package helper

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func Run[T any](t *testing.T) { model.Check(t, nil) }
-- none/none_test.go --
package none

import "testing"

func TestNothing(t *testing.T) {}
`

func TestChecksAreTestsThatReachCheck(t *testing.T) {
	set := rewriteModule(t, newModule(t, checksArchive))
	var paths []string
	for _, p := range set.Packages {
		paths = append(paths, p.Path)
		var want []string
		if p.Path == "example.com/t" {
			want = []string{
				"TestDirect", "TestExternal", "TestHelper", "TestIndirect", "TestMethod",
				"TestSubtest", "TestTable", "Test_underscore",
			}
		}
		if !slices.Equal(p.Checks, want) {
			t.Errorf("%s has checks %v, want %v", p.Path, p.Checks, want)
		}
		if p.Tests != (p.Path != "example.com/t/helper") {
			t.Errorf("%s: Tests is %v", p.Path, p.Tests)
		}
		if !slices.Contains([]string{"t", "helper", "none"}, filepath.Base(p.Path)) || p.Dir == "" {
			t.Errorf("package %+v", p)
		}
	}
	want := []string{"example.com/t", "example.com/t/helper", "example.com/t/none"}
	if !slices.Equal(paths, want) {
		t.Errorf("packages %v, want %v", paths, want)
	}
}

// Source changes with every file that the binary is made of, and with nothing
// else.
func TestSourceIsThatOfTheBinary(t *testing.T) {
	archive := "-- hook_test.go --\npackage t\n\nimport _ \"" + hookPath + "\"\n-- b/b.go --\npackage b\n-- c/c.go --\npackage c\n-- a.go --\npackage t\n\nimport _ \"example.com/t/b\"\n" + okTest
	source := func(dir string, replace map[string][]byte) string {
		t.Helper()
		set, err := Rewrite(context.Background(), Config{
			Dir: dir, Patterns: []string{"."}, Cache: sharedCache(t), Replace: replace,
		})
		if err != nil {
			t.Fatal(err)
		}
		return set.Packages[0].Source
	}
	dir := newModule(t, archive)
	before := source(dir, nil)
	if len(before) != 8 {
		t.Errorf("source %q", before)
	}
	if s := source(freshModule(t, archive), nil); s != before {
		t.Error("another directory changes it")
	}
	for file, text := range map[string]string{
		"b/b.go":    "package b // changed\n",
		"a_test.go": "package t\n",
	} {
		if source(dir, map[string][]byte{filepath.Join(dir, file): []byte(text)}) == before {
			t.Errorf("%s does not change it", file)
		}
	}
	engine := filepath.Join(repoRoot(t), "model", "hook", "hook.go")
	text, err := os.ReadFile(engine)
	if err != nil {
		t.Fatal(err)
	}
	if source(dir, map[string][]byte{engine: append(text, "\n// changed\n"...)}) != before {
		t.Error("the checker's own text changes it")
	}
	other := filepath.Join(dir, "c/c.go")
	if source(dir, map[string][]byte{other: []byte("package c // changed\n")}) != before {
		t.Error("a package that is not imported changes it")
	}
}

// With Config.Tests the other tests are found, and hand themselves to the checker.
func TestOrdinaryTestsAreThoseThatDoNotReachCheck(t *testing.T) {
	set, err := Rewrite(context.Background(), Config{
		Dir: newModule(t, checksArchive), Patterns: []string{"./..."}, Tests: true,
		Cache: sharedCache(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string][]string)
	for _, p := range set.Packages {
		found[p.Path] = p.Checks
	}
	want := map[string][]string{
		"example.com/t":        {"TestOrdinary", "TestPlain"},
		"example.com/t/helper": nil,
		"example.com/t/none":   {"TestNothing"},
	}
	if !maps.EqualFunc(found, want, slices.Equal) {
		t.Errorf("ordinary tests: %v, want %v", found, want)
	}
	for file, want := range map[string]string{
		"a_test.go": `func TestOrdinary(t *testing.T)  { if sw_hook.Whole(t, TestOrdinary) { return }; var _`,
		"x_test.go": `func TestPlain(tt *testing.T)   { if sw_hook.Whole(tt, TestPlain) { return }; t.Exp`,
	} {
		text := rewrittenText(t, set, "example.com/t", file)
		if !strings.Contains(text, want) ||
			!strings.Contains(text, `import _ "github.com/surewake/surewake/model"`) {
			t.Errorf("%s:\n%s", file, text)
		}
		if strings.Count(text, ".Whole(") != 1 {
			t.Errorf("a check is handed on as an ordinary test:\n%s", text)
		}
	}
}

// A parameter that has no name gets one, and the test is compiled and runs as ever outside of the
// command.
func TestOrdinaryTestsNeedNoNamedParameter(t *testing.T) {
	set, err := Rewrite(context.Background(), Config{
		Dir: newModule(t, `-- a_test.go --
package t

import "testing"

func TestBlank(_ *testing.T) {}
func TestUnnamed(*testing.T) {
}
func TestRecursive(t *testing.T) { if false { TestRecursive(t) } }
`), Patterns: []string{"."}, Tests: true, Cache: sharedCache(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	text := rewrittenText(t, set, "example.com/t", "a_test.go")
	for _, want := range []string{
		"func TestBlank(sw_t *testing.T) { if sw_hook.Whole(sw_t, TestBlank) { return };}",
		"func TestUnnamed(sw_t *testing.T) { if sw_hook.Whole(sw_t, TestUnnamed) { return };\n}",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	out := buildAndRun(t, set, "example.com/t", false, "-test.v")
	if strings.Count(out, "--- PASS") != 3 {
		t.Error(out)
	}
}

// A test that calls Check by an interface, by reflection, or by what a variable has been assigned,
// is a check. Others are none.
func TestChecksBehindInterfacesAreFound(t *testing.T) {
	const head = "-- a.go --\npackage t\n-- a_test.go --\npackage t\n\nimport (\n\t\"reflect\"\n" +
		"\t\"testing\"\n\n\t\"github.com/surewake/surewake/model\"\n)\n\n" +
		"func TestZ(t *testing.T) { model.Check(t, func(*model.Exec) {}) }\n\n" +
		"var _ = reflect.ValueOf\n\ntype runs interface{ run(t *testing.T) }\n\n" +
		"type base struct{}\n\n" +
		"func (base) run(t *testing.T) { model.Check(t, func(*model.Exec) {}) }\n\n" +
		"func (base) other(t *testing.T) {}\n\n" +
		"func (b base) Exported(t *testing.T) { b.run(t) }\n\n" +
		"type suite struct{ *base }\n\n"
	for name, c := range map[string]struct {
		text  string
		check bool
	}{
		"table": {"var all = map[string]runs{\"a\": suite{}}\n\n" +
			"func TestA(t *testing.T) { for _, r := range all { r.run(t) } }\n", true},
		"parameter": {"func by(t *testing.T, r runs) { r.run(t) }\n\n" +
			"func TestA(t *testing.T) { by(t, new(suite)) }\n", true},
		"type parameter": {"func by[T runs](t *testing.T, r T) { r.run(t) }\n\n" +
			"func TestA(t *testing.T) { var s suite; by(t, s) }\n", true},
		"variable": {"var s [2]suite\n\nfunc by(t *testing.T, r runs) { r.run(t) }\n\n" +
			"func TestA(t *testing.T) { by(t, s[0]) }\n", true},
		"reflection": {"func TestA(t *testing.T) {\n" +
			"\treflect.ValueOf(suite{}).Method(0).Call(nil)\n}\n", true},
		"what is assigned": {"var all []func(*testing.T)\n\n" +
			"func init() { all = append(all, base{}.run) }\n\n" +
			"func TestA(t *testing.T) { all[0](t) }\n", true},
		"what is assigned in it": {"var all struct{ f map[int]func(*testing.T) }\n\n" +
			"func init() { (all.f)[1] = base{}.run }\n\n" +
			"func TestA(t *testing.T) { all.f[1](t) }\n", true},
		"a method that becomes a function": {"func TestA(t *testing.T) {\n" +
			"\treflect.ValueOf(base{}).Method(0).Interface().(func(*testing.T))(t)\n}\n", true},
		"a field": {"type holds struct{ s suite }\n\nfunc by(t *testing.T, r runs) { r.run(t) }\n\n" +
			"func TestA(t *testing.T) { var h holds; by(t, &h.s) }\n", true},
		"a result": {"func made() (r suite) { return }\n\nfunc by(t *testing.T, r runs) { r.run(t) }\n\n" +
			"func TestA(t *testing.T) { by(t, made()) }\n", true},
		"what another test assigns": {"var hook func(*testing.T)\n\n" +
			"func TestFirst(t *testing.T) { hook = base{}.run }\n\n" +
			"func TestA(t *testing.T) { hook(t) }\n", true},
		"a parameter": {"var hook func(*testing.T)\n\nfunc set(f func(*testing.T)) { hook = f }\n\n" +
			"func init() { set(base{}.run) }\n\nfunc TestA(t *testing.T) { hook(t) }\n", true},
		"a pointer": {"var hook func(*testing.T)\n\nfunc init() { p := &hook; *p = base{}.run }\n\n" +
			"func TestA(t *testing.T) { hook(t) }\n", true},
		"a registry": {"type registry struct{ all map[int]runs }\n\n" +
			"func (r *registry) add(v runs) { r.all[0] = v }\n\n" +
			"var all = &registry{map[int]runs{}}\n\nfunc init() { all.add(suite{}) }\n\n" +
			"func TestA(t *testing.T) { all.all[0].run(t) }\n", true},
		"another function": {"var hook func(testing.TB)\n\nfunc set(f func(testing.TB)) { hook = f }\n\n" +
			"func init() { set(func(testing.TB) {}) }\n\nfunc with(f func(*testing.T)) {}\n\n" +
			"func Other() { with(base{}.run) }\n\nfunc TestA(t *testing.T) { hook(t) }\n", false},
		"another method": {"func TestA(t *testing.T) { suite{}.other(t) }\n", false},
		"another interface": {"type others interface{ other(*testing.T) }\n\n" +
			"func by(t *testing.T, r others) { r.other(t) }\n\n" +
			"func TestA(t *testing.T) { by(t, suite{}) }\n", false},
	} {
		want := []string{"TestZ"}
		if c.check {
			want = []string{"TestA", "TestZ"}
		}
		got := lean(t, newModule(t, head+c.text), ".").Packages[0].Checks
		got = slices.DeleteFunc(got, func(name string) bool { return name == "TestFirst" })
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A test that might call what another one hands on, for all that is known, is explored as it is,
// too.
func TestOrdinaryTestsThatMightCheckAreExplored(t *testing.T) {
	set, err := Rewrite(context.Background(), Config{
		Dir: newModule(t, `-- a.go --
package t

var OnChange func()

func Set() {
	if OnChange != nil {
		OnChange()
	}
}
-- a_test.go --
package t

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func twice(f func()) { f(); f() }

func TestCheck(t *testing.T) { twice(func() { model.Check(t, func(*model.Exec) { Set() }) }) }

func TestOrdinary(t *testing.T) { Set() }
`), Patterns: []string{"."}, Tests: true, Cache: sharedCache(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := set.Packages[0].Checks; !slices.Equal(got, []string{"TestOrdinary"}) {
		t.Error(got)
	}
}
