package instrument

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

const okTest = `-- a_test.go --
package t

import "testing"

func TestNothing(t *testing.T) {}
`

// What does not build is reported by the original's file and line.
func TestErrorsNameTheOriginal(t *testing.T) {
	for _, row := range []struct{ name, files, want string }{
		{"syntax", "-- a.go --\npackage t\n\nfunc f( {\n", "a.go:3:9"},
		{"type", "-- a.go --\npackage t\n\nvar x int = \"\"\n", "a.go:3:13"},
		{"compiler only", "-- a.go --\npackage t\n\nfunc f()\n", "a.go:3:6: missing function body"},
		{"compiler only, big", "-- a.go --\npackage t\n\nvar x [1 << 60]int\n", "a.go:3:5"},
		{"unused import", "-- a.go --\npackage t\n\nimport \"sync\"\n",
			`a.go:3:8: "sync" imported and not used`},
		{"missing package", "-- a.go --\npackage t\n\nimport _ \"example.com/none\"\n",
			"example.com/none"},
		{"in a test", "-- a.go --\npackage t\n-- b_test.go --\npackage t\n\nvar x = y\n",
			"b_test.go:3:9: undefined: y"},
		{"in an external test",
			"-- a.go --\npackage t\n-- b_test.go --\npackage t_test\n\nvar x = y\n",
			"b_test.go:3:9: undefined: y"},
		{"below the checked package",
			"-- a.go --\npackage t\n\nimport _ \"example.com/t/b\"\n" +
				"-- b/b.go --\npackage b\n\nfunc f() { var n int }\n",
			"b.go:3:16: declared and not used: n"},
	} {
		dir := newModule(t, row.files+okTest)
		_, err := Rewrite(context.Background(),
			Config{Dir: dir, Patterns: []string{"."}, Cache: sharedCache(t)})
		var build *BuildError
		if !errors.As(err, &build) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", row.name, err, row.want)
		}
	}
}

// A package is compiled alone and with its tests, but what is wrong with it is said once.
func TestErrorsAreToldOnce(t *testing.T) {
	const a, b = "a.go:3:12: declared and not used: y\n", "b_test.go:5:1: cannot use\n\thave (int)\n"
	for said, want := range map[string]string{
		"# t\n" + a + "# t [t.test]\n" + a + b: "# t\n" + a + "# t [t.test]\n" + b,
		"# t [t.test]\n" + a + b + "# t\n" + a: "# t [t.test]\n" + a + b,
		a + b + "c.go:1:1: no\n\thave (int)\n": a + b + "c.go:1:1: no\n\thave (int)\n",
		"x: missing go.sum entry for y\n":      "x: missing go.sum entry for y\ngo mod tidy adds what go.sum lacks\n",
		"":                                     "",
	} {
		if got := toldOnce(said); got != want {
			t.Errorf("%q becomes %q, want %q", said, got, want)
		}
	}
}

func TestNothingToBuild(t *testing.T) {
	ctx := context.Background()
	dir := newModule(t, "-- a.go --\npackage t\n-- b/b.go --\npackage b\n")
	bin := filepath.Join(t.TempDir(), "bin")
	set := rewriteModule(t, dir)
	for _, row := range []struct{ pkg, want string }{
		{"example.com/t/b", "no test files"},
		{"example.com/t/c", "not among"},
	} {
		err := set.Build(ctx, row.pkg, false, bin)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", row.pkg, err, row.want)
		}
		if got := set.Rewritten(row.pkg); got != nil {
			t.Errorf("Rewritten(%s) = %v", row.pkg, got)
		}
	}
	rewrite := func(ctx context.Context, dir, pattern string) error {
		_, err := Rewrite(ctx, Config{Dir: dir, Patterns: []string{pattern}, Cache: sharedCache(t)})
		return err
	}
	if rewrite(ctx, dir, "./none") == nil {
		t.Error("a missing directory is no error")
	}
	if rewrite(ctx, filepath.Join(dir, "none"), ".") == nil {
		t.Error("a missing module is no error")
	}
	if rewrite(ctx, dir, "./a.go") == nil {
		t.Error("a file as a pattern is no error")
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if err := rewrite(canceled, dir, "."); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
