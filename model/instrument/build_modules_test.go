package instrument

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// registeredTest is a test that fails unless the packages registered.
const registeredTest = `
import (
	"testing"

	"github.com/surewake/surewake/model/hook"
)

func TestRegistered(t *testing.T) {
	for _, p := range want {
		if !hook.Registered(p) {
			t.Errorf("%s is not registered", p)
		}
	}
}
`

func wantRegistered(pkgs ...string) string {
	return registeredTest + "\nvar want = []string{\"" + strings.Join(pkgs, `", "`) + "\"}\n"
}

func goTool(t testing.TB, dir string, env []string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "PWD="+dir, "GOFLAGS=", "GOPROXY=off"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func checkRegistered(t testing.TB, set *Set, pkg string, want ...string) {
	t.Helper()
	got := slices.Sorted(slices.Values(set.Rewritten(pkg)))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("Rewritten(%s) = %v, want %v", pkg, got, want)
	}
	out := buildAndRun(t, set, pkg, false, "-test.v")
	if !strings.Contains(out, "--- PASS: TestRegistered") {
		t.Errorf("%s", out)
	}
}

const lockInSub = `-- sub/sub.go --
package sub

import "sync"

var mu sync.Mutex

func F() { mu.Lock(); mu.Unlock() }
`

// cached has the packages of the module cache that rapidTest needs.
var cached = []string{
	"github.com/stretchr/testify/assert", "github.com/stretchr/testify/assert/yaml", "github.com/stretchr/testify/internal/difflib",
	"github.com/stretchr/testify/internal/spew", "go.yaml.in/yaml/v3", "pgregory.net/rapid",
}

// Packages without anything to rewrite register too, variants compiled for
// tests under their plain paths.
func TestEveryPackageRegisters(t *testing.T) {
	archive := lockInSub + `-- empty/empty.go -- no newline
package empty
-- a.go --
package t

import (
	_ "example.com/t/empty"
	"example.com/t/sub"
)

func F() { sub.F() }
-- dep/dep.go --
package dep

import _ "example.com/t"
-- in_test.go --
package t

var Internal = F
-- x_test.go --
package t_test
` + strings.Replace(wantRegistered("example.com/t", "example.com/t_test", "example.com/t/sub", "example.com/t/empty", "example.com/t/dep"),
		"import (", "import (\n\t\"example.com/t\"\n\t_ \"example.com/t/dep\"", 1) + "\nfunc TestF(*testing.T) { t.Internal() }\n"
	set := rewriteModule(t, newModule(t, archive))
	checkRegistered(t, set, "example.com/t",
		"example.com/t", "example.com/t_test",
		"example.com/t/sub", "example.com/t/empty", "example.com/t/dep")
}

// A package of a module that a replace directive takes from a directory, both
// reached through symbolic links.
func TestSymbolicLinks(t *testing.T) {
	base := t.TempDir()
	real := filepath.Join(base, "real")
	writeFiles(t, base, strings.ReplaceAll(`-- other/go.mod --
module example.com/other

go 1.16
`+lockInSub+`
var c = make(chan int, 1)

func G() { c <- 1 } // refused by a generic function, which that language has not
`, "-- sub/", "-- other/"))
	archive := goSum(t) + goMod(t) + "\nrequire example.com/other v0.0.0\n\nreplace example.com/other => ../otherlink\n" + `-- a.go --
package t

import other "example.com/other"

func F() { other.F() }
-- a_test.go --
package t
` + wantRegistered("example.com/t", "example.com/other")
	writeFiles(t, real, archive)
	for from, to := range map[string]string{"link": "real", "otherlink": "other"} {
		if err := os.Symlink(to, filepath.Join(base, from)); err != nil {
			t.Skip(err)
		}
	}
	for _, dir := range []string{"real", "link"} {
		set := rewriteModule(t, filepath.Join(base, dir))
		if got := set.Packages[0].Dir; got != filepath.Join(base, dir) {
			t.Errorf("listed in %s as %s", dir, got)
		}
		checkRegistered(t, set, "example.com/t", "example.com/t", "example.com/other")
	}

	// A replaced file may be named by either way.
	for _, way := range []string{"real", "link"} {
		name := filepath.Join(base, way, "a.go")
		_, err := Rewrite(context.Background(), Config{
			Dir:      filepath.Join(base, "link"),
			Patterns: []string{"."},
			Cache:    sharedCache(t),
			Replace:  map[string][]byte{name: []byte("package t\n\nvar x = y\n")},
		})
		if err == nil || !strings.Contains(err.Error(), "a.go:3:9: undefined: y") {
			t.Errorf("replaced %s: %v", way, err)
		}
	}
}

const rapidTest = `-- a_test.go --
package t

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// This dependency is written in an older language than hook.
var _ = assert.Eventually

func TestProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { rapid.Int().Draw(t, "n") })
}
-- b_test.go --
package t
`

// A dependency in the module cache is copied: the go command ignores an
// overlay there.
func TestModuleCache(t *testing.T) {
	dir := newModule(t, rapidTest+wantRegistered(append(cached, "example.com/t")...))
	set := rewriteModule(t, dir)
	checkRegistered(t, set, "example.com/t", append(cached, "example.com/t")...)
	p, err := set.plan(context.Background(), "example.com/t", false)
	if err != nil || p.modfile == "" {
		t.Fatalf("plan %+v, %v", p, err)
	}
	text, err := os.ReadFile(p.modfile)
	if err != nil || !strings.Contains(string(text), "pgregory.net/rapid => "+sharedCache(t)) {
		t.Errorf("%s, %v", text, err)
	}
	_, dir, _ = strings.Cut(string(text), "pgregory.net/rapid => ")
	dir, _, _ = strings.Cut(dir, "\n")
	copied, err := os.ReadFile(filepath.Join(dir, "engine.go"))
	original := filepath.Join(set.goenv["GOMODCACHE"], "pgregory.net", "rapid@v1.3.0", "engine.go")
	if err != nil || !strings.HasPrefix(string(copied), "//line "+original+":1\n") {
		t.Errorf("the copy does not name the original %s: %.200s, %v", original, copied, err)
	}
	if strings.Contains(string(text), "gofuzz =>") {
		t.Error("a module that is not needed is copied")
	}
}

// With a vendor directory the overlay reaches everything.
func TestVendor(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the checker from another place")
	}
	dir := freshModule(t, rapidTest+wantRegistered(append(cached, "example.com/t")...))
	goTool(t, dir, []string{"GOFLAGS=-mod=mod"}, "mod", "tidy")
	goTool(t, dir, nil, "mod", "vendor")
	set := rewriteModule(t, dir, ".")
	checkRegistered(t, set, "example.com/t", append(cached, "example.com/t")...)
	p, err := set.plan(context.Background(), "example.com/t", false)
	if err != nil || p.modfile != "" {
		t.Errorf("plan %+v, %v", p, err)
	}
}

// In a workspace the other modules are used as they lie there, and the copies
// of the module cache's besides.
func TestWorkspace(t *testing.T) {
	base := t.TempDir()
	writeFiles(t, base, "-- go.work --\ngo 1.25.0\n\nuse ./one\n\nuse ./two\n"+strings.ReplaceAll(goMod(t), "-- go.mod --", "-- one/go.mod --")+
		strings.ReplaceAll(rapidTest, "-- ", "-- one/")+
		wantRegistered(append(cached, "example.com/t", "example.com/two")...)+
		"-- one/a.go --\npackage t\n\nimport _ \"example.com/two\"\n"+
		strings.Replace(goSum(t), "-- go.sum", "-- one/go.sum", 1)+
		"-- two/go.mod --\nmodule example.com/two\n\ngo 1.24\n-- two/two.go --\npackage two\n\nimport \"sync\"\n\nvar mu sync.Mutex\n\nfunc init() { mu.Lock() }\n")
	set := rewriteModule(t, filepath.Join(base, "one"))
	checkRegistered(t, set, "example.com/t", append(cached, "example.com/t", "example.com/two")...)
}

// Listing and building agree about tags, and about the tag that -race sets.
func TestTags(t *testing.T) {
	needCgo(t)
	dir := newModule(t, `-- a.go --
package t
-- special.go --
//go:build special

package t

import "sync"

var mu sync.Mutex

func init() { mu.Lock(); name += "special" }
-- name.go --
package t

var name string
-- race.go --
//go:build race

package t

import (
	"runtime"

	"example.com/t/conly"
	"example.com/t/raceonly"
)

func init() { raceonly.F(); name += "race"[conly.Zero()+runtime.RaceErrors():] }
-- conly/c.go --
package conly

// static int zero(void) { return 0; }
import "C"

func Zero() int { return int(C.zero()) }
-- raceonly/r.go --
package raceonly

import "sync"

var mu sync.Mutex

func F() { mu.Lock(); mu.Unlock() }
-- a_test.go --
package t

import "testing"

func TestName(t *testing.T) { t.Log("name is", name+".") }
`)
	for _, row := range []struct {
		tags, want string
		race       bool
		registered []string
	}{
		{"", "name is .", false, []string{"example.com/t"}},
		{"special,other", "name is special.", false, []string{"example.com/t"}},
		{"special", "name is racespecial.", true,
			[]string{"example.com/t", "example.com/t/raceonly"}},
	} {
		if row.race && testing.Short() {
			continue
		}
		set, err := Rewrite(context.Background(), Config{
			Dir: dir, Patterns: []string{"."}, Tags: row.tags, Cache: sharedCache(t),
		})
		if err != nil {
			t.Fatal(err)
		}
		out := buildAndRun(t, set, "example.com/t", row.race, "-test.v")
		if !strings.Contains(out, row.want) {
			t.Errorf("%+v: %s", row, out)
		}
		got := slices.Sorted(slices.Values(set.RewrittenMode("example.com/t", row.race)))
		if !slices.Equal(got, row.registered) {
			t.Errorf("%+v: registered %v", row, got)
		}
	}
}

// The standard library declares more for the race detector, which the listing as such does not say.
func TestTypesAreThoseOfTheBuild(t *testing.T) {
	needCgo(t)
	set := rewriteModule(t, newModule(t, `-- race.go --
//go:build race

package t

import "runtime"

var found = runtime.RaceErrors()
-- a_test.go --
package t

import "testing"

func TestA(t *testing.T) {}
`))
	for _, race := range []bool{false, true} {
		got := set.RewrittenMode("example.com/t", race)
		if !slices.Equal(got, []string{"example.com/t"}) {
			t.Errorf("race=%v: %v are rewritten", race, got)
		}
	}
}

// needCgo skips a test that needs cgo, as the race detector does, on a machine
// without a C compiler, unless everything must be tested there.
func needCgo(t *testing.T) {
	t.Helper()
	out, err := exec.Command("go", "env", "CGO_ENABLED").Output()
	switch {
	case err != nil:
		t.Fatal(err)
	case strings.TrimSpace(string(out)) == "1":
	case os.Getenv("CI") != "":
		t.Fatal("no C compiler")
	default:
		t.Skip("no C compiler")
	}
}

// What cannot be rewritten is refused: as the package under check at once, as
// a dependency when it is called.
func TestCgoAndAssembly(t *testing.T) {
	needCgo(t)
	dir := newModule(t, `-- c/c.go --
package c

// static int one(void) { return 1; }
import "C"

func One() int { return int(C.one()) }
-- c/c_test.go --
package c

import "testing"

func TestOne(t *testing.T) { One() }
-- asm/asm.go --
package asm

func One() int

func Two() int { return 2 * One() }
-- asm/asm_amd64.s --
TEXT ·One(SB), 4, $0-8
	MOVQ $1, ret+0(FP)
	RET
-- asm/asm_arm64.s --
TEXT ·One(SB), 4, $0-8
	MOVD $1, R0
	MOVD R0, ret+0(FP)
	RET
-- a_test.go --
package t

import (
	"testing"

	"example.com/t/asm"
	"example.com/t/c"
)

func TestSum(t *testing.T) {
	if n := c.One() + asm.One() + asm.Two(); n != 4 {
		t.Error(n)
	}
}
`)
	set := rewriteModule(t, dir)
	bin := filepath.Join(t.TempDir(), "bin")
	err := set.Build(context.Background(), "example.com/t/c", false, bin)
	if err == nil || !strings.Contains(err.Error(), "example.com/t/c cannot be checked: it uses cgo (c.go)") {
		t.Errorf("Build: %v", err)
	}
	buildAndRun(t, set, "example.com/t", false)
	text := rewrittenText(t, set, "example.com/t", "a_test.go")
	for _, want := range []string{
		`sw_hook.Refused(c.One, "a_test.go:11:10: c.One is in a package that is not rewritten: it uses cgo (c.go)")()`,
		`sw_hook.Refused(asm.One, "a_test.go:11:20: asm.One has no body in Go")()`,
		` + asm.Two()`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	text = rewrittenText(t, set, "example.com/t", "asm.go")
	if !strings.Contains(text, "2 * sw_hook.Refused(One, ") {
		t.Error(text)
	}
}

// A mutant's text is rewritten and built, and the tree is left alone.
func TestReplacedFiles(t *testing.T) {
	dir := newModule(t, "-- a.go --\npackage t\n\nfunc F() int { return 1 }\n-- a_test.go --\npackage t\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { t.Log(\"F is\", F()) }\n")
	set, err := Rewrite(context.Background(), Config{
		Dir: dir, Patterns: []string{"."}, Cache: sharedCache(t), Replace: map[string][]byte{
			filepath.Join(dir, "a.go"): []byte("package t\n\n" +
				"func F() int { go func() {}(); return 2 }\n"),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	out := buildAndRun(t, set, "example.com/t", false, "-test.v")
	if !strings.Contains(out, "F is 2") {
		t.Error(out)
	}
	text := rewrittenText(t, set, "example.com/t", "a.go")
	if !strings.Contains(text, "sw_hook.Go(func() {})") {
		t.Error(text)
	}
}
