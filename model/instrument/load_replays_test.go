package instrument

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A test that replays another one is listed with the tests of that one's kind, and is itself
// neither a check nor an ordinary test.
func TestReplaysAreThoseOfTheTestsThatAreListed(t *testing.T) {
	dir := newModule(t, `-- a_test.go --
package t

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func TestCheck(t *testing.T) { model.Check(t, nil) }

// A comment.
//
//surewake:replay TestCheck/a/b#2 1b
func TestOfCheck(t *testing.T) { model.Check(t, nil) }

func TestOrdinary(t *testing.T) {}

//surewake:replay TestOrdinary#2 0
func TestOfOrdinary(t *testing.T) {}

//surewake:replay TestGone 0
func TestOfNone(t *testing.T) {}

//surewake:replay TestOrdinary
func TestMalformed(t *testing.T) {}
`)
	for _, c := range []struct {
		tests          bool
		check, replays []string
	}{
		{false, []string{"TestCheck"}, []string{"TestOfCheck TestCheck/a/b#2 1b"}},
		{true, []string{"TestOrdinary"}, []string{"TestOfOrdinary TestOrdinary#2 0"}},
	} {
		set, err := Rewrite(t.Context(), Config{
			Dir: dir, Patterns: []string{"."}, Tests: c.tests, Cache: sharedCache(t),
		})
		if err != nil {
			t.Fatal(err)
		}
		p := set.Packages[0]
		if !slices.Equal(p.Checks, c.check) {
			t.Errorf("checks %v, want %v", p.Checks, c.check)
		}
		var fine, troubles []string
		for _, r := range p.Replays {
			if r.Trouble == "" {
				fine = append(fine, r.Name+" "+r.Check+" "+r.Schedule)
			} else {
				troubles = append(troubles, r.Name+" "+r.Trouble)
			}
		}
		if !slices.Equal(fine, c.replays) {
			t.Errorf("replays %v, want %v", fine, c.replays)
		}
		want := []string{
			`TestMalformed "//surewake:replay TestOrdinary": want //surewake:replay TEST SCHEDULE, ` +
				`as surewake replay -emit-test prints it`,
			"TestOfNone it replays a schedule of TestGone, and the package has no such test",
		}
		if !slices.Equal(troubles, want) {
			t.Errorf("troubles %v, want %v", troubles, want)
		}
	}
}

// A file that Replace takes away is neither listed nor built.
func TestAnAbsentFileIsNotThere(t *testing.T) {
	dir := newModule(t, `-- a_test.go --
package t

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func TestCheck(t *testing.T) { model.Check(t, func(*model.Exec) {}) }
-- empty_test.go --
`)
	cfg := Config{Dir: dir, Patterns: []string{"."}, Cache: sharedCache(t)}
	if _, err := Rewrite(t.Context(), cfg); err == nil {
		t.Error("a file without a package clause is no error")
	}
	cfg.Replace = map[string][]byte{filepath.Join(dir, "empty_test.go"): nil}
	set, err := Rewrite(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if out := buildAndRun(t, set, set.Packages[0].Path, false); !strings.Contains(out, "PASS") {
		t.Errorf("the test binary says %s", out)
	}
}
