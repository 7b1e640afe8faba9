package report

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/surewake/surewake/model/wire"
)

// SourceLines returns an Options.Source that reads files, each of them once.
func SourceLines() func(file string, line int) string {
	files := map[string][]string{}
	return func(file string, line int) string {
		lines, ok := files[file]
		if !ok {
			if text, err := os.ReadFile(file); err == nil {
				lines = strings.Split(string(text), "\n")
			}
			files[file] = lines
		}
		if line < 1 || line > len(lines) {
			return ""
		}
		return strings.TrimSpace(lines[line-1])
	}
}

// nameOf returns the name of a thread: the trace's, or else what a step says.
func nameOf(t *wire.Trace, thread int, given string) string {
	switch {
	case thread >= 0 && thread < len(t.Threads) && t.Threads[thread] != "":
		return clean(t.Threads[thread])
	case given != "":
		return clean(given)
	}
	return "T" + itoa(thread)
}

// what returns "Load head".
func what(op, object string) string {
	return clean(strings.TrimSpace(op + " " + object))
}

// place returns "ring.go:12".
func place(file string, line int) string {
	if file == "" {
		return ""
	}
	return base(file) + ":" + itoa(line)
}

// base returns "ring.go".
func base(file string) string {
	if file == "" {
		return ""
	}
	return clean(filepath.Base(file))
}
