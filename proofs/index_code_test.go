package proofs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/surewake/surewake/proofs/spec"
)

// Each transition says of which access it is. A function that was renamed or is gone is seen here;
// that it does what the transition says is for the reader.
func TestTransitionsNameFunctionsOfTheCode(t *testing.T) {
	tables := map[string][]*spec.System{
		"idle": {spec.Idle(), spec.IdleRuns(), spec.Close(), spec.Claim()}, "park": {spec.Park()},
		"deque": {spec.Deque()}, "fork": {spec.Fork()}, "taskstate": {spec.Task()},
		"runtime idle deque": {spec.Injector(), spec.InjectorRuns(), spec.Live()},
	}
	functions := regexp.MustCompile(`^([\w, ]+)(?:: |$)`)
	inWords := regexp.MustCompile(`^(the|a|by|futex) `) // done by the caller, or by the kernel
	for dirs, systems := range tables {
		declared := map[string]bool{}
		var files []string
		for _, dir := range strings.Fields(dirs) {
			in, err := filepath.Glob("../" + dir + "/*.go")
			if err != nil || in == nil {
				t.Fatal(dir, err)
			}
			files = append(files, in...)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?m)^func (?:\([^)]*\) )?(\w+)`).FindAllStringSubmatch(string(text), -1) {
				declared[m[1]] = true
			}
		}
		for _, s := range systems {
			for _, r := range s.Rules {
				m := functions.FindStringSubmatch(r.Code)
				if r.Code == "" {
					t.Errorf("%s: %s names no access", s.Name, r.Name)
				}
				if m == nil || inWords.MatchString(r.Code) {
					continue
				}
				for _, name := range strings.Split(m[1], ", ") {
					if !strings.Contains(name, " ") && !declared[name] {
						t.Errorf("%s: %s names %s, which %s does not have", s.Name, r.Name, name,
							dirs)
					}
				}
			}
		}
	}
}
