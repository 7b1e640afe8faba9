package instrument

import (
	"context"
	"testing"
	"time"
	"os"
	"path/filepath"
)

func TestRepo(t *testing.T) {
	start := time.Now()
	pat := "./deque"
	if p := os.Getenv("XPAT"); p != "" { pat = p }
	set, err := Rewrite(context.Background(), Config{Dir: repoRoot(t), Patterns: []string{pat}, Cache: sharedCache(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v %+v", time.Since(start), set.Packages)
	start = time.Now()
	t.Log(set.Rewritten(set.Packages[0].Path), time.Since(start))
	for _, race := range []bool{false, true} {
	start = time.Now()
	if err := set.Build(context.Background(), set.Packages[0].Path, race, "/tmp/ins/deque.bin"); err != nil {
		t.Fatal(err)
	}
	t.Log(time.Since(start))
	}
	for n, x := range rewrittenFiles(t, set, set.Packages[0].Path) {
		if os.Getenv("DUMP") == filepath.Base(n) { os.WriteFile("/tmp/ins/dump.go", []byte(x), 0o666) }
	}
}
