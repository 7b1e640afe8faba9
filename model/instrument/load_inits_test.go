package instrument

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An import that only left-out tests mention stays without a name, if what its packages do when
// they are initialised may be noticed.
func TestImportsThatSomebodyNoticesStay(t *testing.T) {
	const check = `-- a.go --
package t

import "image"

func Decode() { image.Decode(nil) }
-- a_test.go --
package t

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func TestA(t *testing.T) { model.Check(t, func(*model.Exec) {}) }
-- shared/shared.go --
package shared

import "net/http"

var Limit = 2

func Set(n int) int { Limit = n; return n }

func New(string) int { return Set(1) }

var H = http.NotFound
`
	const shared = "import \"example.com/t/shared\"\n\n"
	for _, c := range []struct {
		name  string
		text  string // of the package p
		stays bool
	}{
		{"nothing", "", false},
		{"a table", "import \"strings\"\n\nvar F = strings.ToUpper(\"x\")\n\n" +
			"func init() { F += F }\n", false},
		{"what is not called", shared + "func G() { shared.Limit = 1 }\n\n" +
			"var F = func() { G() }\n", false},
		{"its own methods", "type T struct{}\n\nfunc (T) m() {}\n\n" +
			"var F = func() T { return T{} }\n\nfunc init() { F().m() }\n", false},
		{"an assignment", shared + "func init() { shared.Limit = 1 }\n", true},
		{"a call", shared + "var F = shared.Set(1)\n", true},
		{"a function", shared + "func G() { shared.Set(1) }\n\nfunc init() { G() }\n", true},
		{"a variable", shared + "var F = shared.Set\n\nfunc init() { F(1) }\n", true},
		{"a method", shared + "type T struct{}\n\nfunc (T) m() { shared.Set(1) }\n\n" +
			"func New() T { return T{} }\n\nfunc init() { New().m() }\n", true},
		{"an interface", "import \"fmt\"\n" + shared + "type T struct{}\n\n" +
			"func (T) String() string { shared.Set(1); return \"\" }\n\n" +
			"var F = fmt.Sprint(T{})\n", true},
		{"its library", "import \"os\"\n\nfunc init() { os.Setenv(\"A\", \"B\") }\n", true},
		{"the time", "import \"time\"\n\nfunc init() { time.Local = time.UTC }\n", true},
		{"a goroutine", "func init() { go func() {}() }\n", true},
		{"a package that looks like another", "import errors \"example.com/t/shared\"\n\n" +
			"var F = errors.New(\"\")\n", true},
		{"a method of a template", "import (\n\t\"io\"\n\t\"text/template\"\n)\n" + shared +
			"type T struct{}\n\nfunc (T) Foo() string { shared.Set(1); return \"\" }\n\n" +
			"func init() {\n\ttemplate.Must(template.New(\"\").Parse(\"{{.Foo}}\"))." +
			"Execute(io.Discard, T{})\n}\n", true},
		{"a method that reflection makes a function", "import \"reflect\"\n" + shared +
			"type T struct{}\n\nfunc (T) Foo() { shared.Set(1) }\n\n" +
			"func init() { reflect.ValueOf(T{}).Method(0).Interface().(func())() }\n", true},
		{"the time, by a pointer", "import \"time\"\n\n" +
			"func init() { p := &time.Local; *p = time.UTC }\n", true},
		{"a function that looks like another", shared + "func new(int) int { return shared.Set(1) }\n\n" +
			"var F = new(1)\n", true},
		{"a flag", "import \"flag\"\n\nvar F = flag.Bool(\"p.f\", true, \"\")\n", false},
		{"a registration", "import \"image/png\"\n\nvar F = png.Encode\n", true},
		{"one that nobody sees", "import \"expvar\"\n\nvar F = expvar.Get\n", false},
	} {
		files := check + "-- p/p.go --\npackage p\n\n" + c.text + "\nfunc P() {}\n" +
			"-- b_test.go --\npackage t_test\n\nimport (\n\t\"testing\"\n\n" +
			"\tp \"example.com/t/p\"\n)\n\nfunc TestB(t *testing.T) { p.P() }\n"
		set := lean(t, newModule(t, files), ".")
		p := set.Packages[0]
		if !slices.Equal(p.Checks, []string{"TestA"}) {
			t.Error(c.name, p.Checks)
		}
		deps := set.plain.testmain(set.plain.root(p.Path)).Deps
		if slices.Contains(deps, "example.com/t/p") != c.stays {
			t.Errorf("%s: in the binary: %v", c.name, !c.stays)
		}
		if !c.stays {
			continue
		}
		text, err := set.text(filepath.Join(p.Dir, "b_test.go"))
		if err != nil || !strings.Contains(string(text), "\n\t_ \"example.com/t/p\"\n") {
			t.Errorf("%s: %v\n%s", c.name, err, text)
		}
		if c.name == "a registration" { // as others it compiles
			buildAndRun(t, set, p.Path, false)
		}
	}
}

// Where code that is no test looks for flags, what registers them stays.
func TestFlagsThatAreLookedForStay(t *testing.T) {
	for name, looks := range map[string]string{
		"by name":         "import \"flag\"\n\nvar F = flag.Lookup\n",
		"by another name": "import f \"flag\"\n\nvar F = f.VisitAll\n",
		"not at all":      "import \"flag\"\n\nvar F = flag.Int\n",
	} {
		set := lean(t, newModule(t, "-- a.go --\npackage t\n\n"+looks+`
-- a_test.go --
package t

import (
	"testing"

	"github.com/surewake/surewake/model"
	"example.com/t/p"
)

func TestA(t *testing.T) { model.Check(t, func(*model.Exec) {}) }

func TestB(t *testing.T) { p.P() }
-- p/p.go --
package p

import "flag"

var F = flag.Bool("p.f", true, "")

func P() {}
`), ".")
		deps := set.plain.testmain(set.plain.root("example.com/t")).Deps
		if slices.Contains(deps, "example.com/t/p") != (name != "not at all") {
			t.Error(name)
		}
	}
}

// Methods that are declared by another name of a type belong to it.
func TestMethodsOfAliasesStay(t *testing.T) {
	const files = `-- a.go --
package t

type T struct{}
-- a_test.go --
package t

import (
	"testing"

	"github.com/surewake/surewake/model"
)

type alias = T

func (alias) String() string { return "t" }

func TestA(t *testing.T) { model.Check(t, func(*model.Exec) {}) }
`
	set := lean(t, newModule(t, files), ".")
	text, err := set.text(filepath.Join(set.Packages[0].Dir, "a_test.go"))
	if err != nil || !strings.Contains(string(text), "String()") {
		t.Errorf("%v\n%s", err, text)
	}
}
