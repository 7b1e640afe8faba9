package instrument

import (
	"os"
	"strings"
	"testing"
)

// A loop is marked exactly where the comment behind its head says so.
func TestSpinLoopsAreThoseWithoutEffect(t *testing.T) {
	archive, err := os.ReadFile("testdata/spin.txt")
	if err != nil {
		t.Fatal(err)
	}
	set := rewriteModule(t, newModule(t, string(archive)))
	text := rewrittenText(t, set, "example.com/t/spin", "spin.go")
	spins, others := 0, 0
	for i, line := range strings.Split(text, "\n") {
		marked := strings.Contains(line, "hook.SpinStart()") && strings.Contains(line, "hook.Spin(")
		switch {
		case strings.HasSuffix(line, "// spin"):
			spins++
			if !marked {
				t.Errorf("line %d is not marked: %s", i+1, line)
			}
		case strings.HasSuffix(line, "// no"):
			others++
			if marked {
				t.Errorf("line %d is marked: %s", i+1, line)
			}
		}
	}
	if spins != 22 || others != 49 {
		t.Errorf("%d and %d loops", spins, others)
	}
	if err := set.Build(t.Context(), "example.com/t/spin", false, t.TempDir()+"/bin"); err != nil {
		t.Errorf("Build: %v", err)
	}
}
