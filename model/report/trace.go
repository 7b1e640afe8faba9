package report

import (
	"os"
	"path/filepath"
	"strings"
)

// Step is one step of an execution: one operation of one thread.
type Step struct {
	Thread  int    // from 0
	Name    string // of the thread; may be empty where Trace.Threads has it
	Op      string // "Load", "CompareAndSwap", "MutexLock"
	Object  string // what it works on: "head", or "#2" where no name is known
	Value   string // what went in and came out: "3 -> true"
	File    string // of the source line that was executed
	Line    int
	Func    string // the function of that line, as the runtime names it
	Note    string // anything else to say; its own line
	Preempt bool   // the thread of the step before could have gone on
}

// Blocked is a thread that waits for ever at the end of an execution.
type Blocked struct {
	Thread int
	Name   string
	Op     string // what it waits in: "MutexLock"
	Object string
	File   string
	Line   int
	Note   string // for example who holds the lock
}

// Trace is an execution to be printed.
type Trace struct {
	Threads []string // names by number; steps may name more
	Steps   []Step
	Message string    // what failed; empty for an execution that is right
	Blocked []Blocked // threads that cannot go on
}

// Options of a printed trace. The zero value is good for a terminal.
type Options struct {
	// Width in columns, at least 60; 0 means 110. Lines of a message are never cut.
	Width int

	// Source returns the text of a source line, or "" where it is not known, to be shown beneath the steps of that
	// line. Nil shows none. See SourceLines.
	Source func(file string, line int) string
}

const (
	defaultWidth = 110
	minWidth     = 60
	maxLanes     = 4  // more threads than that are listed below one another
	minLane      = 26 // and so they are when the lanes would be narrower than that
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

// name returns the name of a thread: the trace's, or else what a step says.
func (t *Trace) name(thread int, given string) string {
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

// shortFunc turns "github.com/a/deque.(*Deque[...]).Push.func1" into "Deque.Push.func1".
func shortFunc(name string) string {
	// The brackets of an instance may hold paths of their own.
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		default:
			if depth == 0 {
				b.WriteRune(r)
			}
		}
	}
	s := b.String()
	s = s[strings.LastIndexByte(s, '/')+1:]
	_, rest, ok := strings.Cut(s, ".")
	if !ok {
		rest = s
	}
	return clean(strings.NewReplacer("(*", "", "(", "", ")", "").Replace(rest))
}
