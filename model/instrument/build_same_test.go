package instrument

import (
	"context"
	"testing"
)

// Files that a build tag selects count, in whatever package of the binary they are.
func TestOtherFilesUnderTheRaceDetectorAreSeen(t *testing.T) {
	needCgo(t)
	const uses = "-- a_test.go --\npackage t\n\nimport (\n\t\"testing\"\n\n" +
		"\t\"example.com/t/b\"\n)\n\nfunc TestA(t *testing.T) { b.F() }\n"
	const plain = "-- b/b.go --\npackage b\n\nfunc F() {}\n"
	for _, row := range []struct {
		name, files string
		same        bool
	}{
		{"no tags", uses + plain, true},
		{"in a test", uses + plain + "-- race_test.go --\n//go:build race\n\npackage t\n", false},
		{"in what it imports", uses + plain + "-- b/race.go --\n//go:build race\n\npackage b\n",
			false},
		{"left out", uses + plain + "-- b/norace.go --\n//go:build !race\n\npackage b\n", false},
		{"elsewhere", uses + plain + "-- c/c.go --\npackage c\n" +
			"-- c/race.go --\n//go:build race\n\npackage c\n", true},
		{"the edge of the operating system", uses + "-- b/b.go --\npackage b\n\n" +
			"import \"golang.org/x/sys/unix\"\n\nfunc F() { unix.Getpid() }\n", true},
		{"how it was built", uses + "-- b/b.go --\npackage b\n\nimport \"runtime/debug\"\n\n" +
			"func F() { debug.ReadBuildInfo() }\n", false},
	} {
		set := rewriteModule(t, newModule(t, row.files))
		same, err := set.SameFiles(context.Background(), "example.com/t")
		if err != nil || same != row.same {
			t.Errorf("%s: %v, %v", row.name, same, err)
		}
	}
}
