package instrument

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	aCheck = `-- a_test.go --
package t

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func TestNothing(t *testing.T) { model.Check(t, func(*model.Exec) {}) }
`
	bareModule  = "-- go.mod --\nmodule example.com/t\n\ngo 1.25.0\n-- a.go --\npackage t\n"
	otherModule = "-- other/go.mod --\nmodule example.com/other\n\ngo 1.25.0\n" +
		"-- other/other.go --\npackage other\n"
)

// Where the module is not what the command expects, the message says what to do, and does not speak
// of packages that the user did not name.
func TestLayoutsOfModules(t *testing.T) {
	type row struct {
		name, files string
		config      Config
		want        string // with DIR for the directory
	}
	vendor := "-- vendor/modules.txt --\n"
	withoutModel := "# example.com/none v1.0.0\n## explicit; go 1.25.0\nexample.com/none\n" +
		"-- vendor/example.com/none/none.go --\npackage none\n"
	for _, r := range []row{
		{"no module", "-- a.go --\npackage t\n", Config{},
			`no go\.mod in DIR or above it.*-C DIRECTORY; go mod init`},
		{"modules are off", bareModule + okTest, Config{Env: []string{"GO111MODULE=off"}},
			`GO111MODULE=off: .*unset GO111MODULE`},
		{"a file", bareModule + okTest, Config{Patterns: []string{"./a.go"}},
			`\./a\.go is a file: name packages, by directory \(\./\.\)`},
		{"not required", bareModule + okTest, Config{},
			`no module here requires the checker.*go get -tool ` + regexp.QuoteMeta(rootPath) +
				`\n.*check -test \.`},
		{"imported and not required", bareModule + aCheck, Config{}, `go get -tool`},
		{"another module", bareModule + otherModule, Config{Patterns: []string{"./other"}},
			`it is in the module in DIR/other: name that by -C DIR/other`},
		{"all of another module", bareModule + otherModule,
			Config{Patterns: []string{"./other/..."}},
			`other is not in the module in DIR\nit is in the module in DIR/other: .*-C DIR/other`},
		{"outside", bareModule, Config{Patterns: []string{"../..."}},
			`^\.\. is in no module\nname packages of the module in DIR`},
		{"workspace without it", bareModule + otherModule + okTest +
			"-- go.work --\ngo 1.25.0\n\nuse ./other\n", Config{},
			`DIR/go\.work does not use the module in DIR\n.*go work use DIR, .*GOWORK=off`},
		{"workspace without it, ordinary tests", bareModule + otherModule + okTest +
			"-- go.work --\ngo 1.25.0\n\nuse ./other\n", Config{Tests: true},
			`DIR/go\.work does not use the module in DIR\n.*go work use DIR`},
		{"workspace of nothing", "-- go.work --\ngo 1.25.0\n-- a.go --\npackage t\n", Config{},
			`DIR/go\.work uses no module in DIR\n.*go work use -r DIR`},
		{"vendor is not made anew", goMod(t) + goSum(t) + "-- a.go --\npackage t\n" + vendor,
			Config{}, `inconsistent vendoring.*go mod vendor makes it anew; GOFLAGS=-mod=mod`},
		{"vendor without the checker",
			bareModule + "-- b.go --\npackage t\n\nimport _ \"example.com/none\"\n" + okTest +
				vendor + withoutModel,
			Config{Env: []string{"GOFLAGS=-mod=vendor"}},
			`vendor in DIR lacks .*go get -tool .*go mod vendor\n.*GOFLAGS=-mod=mod`},
	} {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			files := r.files
			if strings.Contains(files, withoutModel) {
				files = strings.Replace(files, "go 1.25.0\n",
					"go 1.25.0\n\nrequire example.com/none v1.0.0\n", 1)
			}
			writeFiles(t, dir, files)
			r.config.Dir, r.config.Cache = dir, filepath.Join(dir, "cache")
			r.config.Env = append(r.config.Env, "GOPROXY=off")
			if r.config.Patterns == nil {
				r.config.Patterns = []string{"./..."}
			}
			_, err = Rewrite(context.Background(), r.config)
			want := strings.ReplaceAll("(?s)"+r.want, "DIR/", regexp.QuoteMeta(dir)+"/")
			want = regexp.MustCompile(`\bDIR\b`).ReplaceAllString(want, regexp.QuoteMeta(dir))
			if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
				t.Errorf("%v\nwant %s", err, want)
			} else if strings.Contains(err.Error(), hookPath) {
				t.Errorf("speaks of a package that nobody named: %v", err)
			}
		})
	}
}
