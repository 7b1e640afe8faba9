package instrument

import "testing"
import "os"
import "strings"
import "path/filepath"

func TestSmoke(t *testing.T) {
	files, _ := filepath.Glob("testdata/constructs/*.go")
	var b strings.Builder
	for _, f := range files {
		text, _ := os.ReadFile(f)
		b.WriteString("-- " + filepath.Base(f) + " --\n" + string(text))
	}
	dir := newModule(t, b.String())
	set := rewriteModule(t, dir)
	t.Logf("%+v", set.Packages)
	for n, x := range rewrittenFiles(t, set, "example.com/t") {
		if os.Getenv("DUMP") == filepath.Base(n) { os.WriteFile("/tmp/ins/dump.go", []byte(x), 0o666) }
	}
	for _, s := range survivors(t, set, "example.com/t") { t.Error(s) }
	t.Log(buildAndRun(t, set, "example.com/t", false))
}
