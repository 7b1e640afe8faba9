// Package stdlib says what the functions, methods and variables of the standard library have to do
// with state that several goroutines can reach. The checker rewrites no package of the standard
// library, so what one of them shares with others would go unseen: the rewriter asks here what
// becomes of a call.
//
// table.txt has every exported function, method and variable of the releases that are supported,
// by package and class. It is made from rules.txt, which is written by hand, and from what the
// installed release exports (gen.go); a test fails when a release exports what it does not have.
package stdlib

//go:generate go run gen.go

import (
	_ "embed"
	"strings"
	"sync"
)

// A Class says what a function, method or variable has to do with shared state.
type Class string

// The classes; rules.txt says what they mean.
const (
	Unknown Class = "" // not in the table: of a release that it was not made for
	Pure    Class = "pure"
	Reach   Class = "reach"
	Model   Class = "model"
	Env     Class = "env"
	Files   Class = "files"
	Process Class = "process"
	System  Class = "system"
	Random  Class = "random"
	Memory  Class = "memory"
	Global  Class = "global"
	Locked  Class = "locked"
	Methods Class = "methods"
	Clock   Class = "clock"
	Order   Class = "order"
	Own     Class = "own"
	Refuse  Class = "refuse"
)

// MapOrder is what is assumed where a map is visited. Go visits maps in any order; a check sees
// that of one run.
const MapOrder = "the order in which loops visit maps does not matter"

// assumed has, of each class whose calls are named in a verdict, what is assumed of them.
var assumed = map[Class]string{
	Unknown: "functions that the checker does not know share no state",
	Env:     "the order of changes to the environment does not matter",
	Files:   "the order of uses of files does not matter",
	Process: "other processes run by themselves, and do the same in every execution",
	System:  "the order of system calls does not matter",
	Random:  "random numbers do not matter",
	Memory:  "what the garbage collector frees does not matter",
	Global:  "the order of uses of variables of the standard library does not matter",
	Locked:  "the order of uses of objects with locks of their own does not matter",
	Methods: "methods that are called by reflection synchronize nothing",
	Clock:   "the real clock does not matter",
	Order:   MapOrder,
}

// Assumed is what a verdict assumes of the calls of a class that a check reaches, "" if nothing.
func (c Class) Assumed() string { return assumed[c] }

// Concurrent reports whether calls of the class matter only while several goroutines can run: what
// is assumed is their order, not what they give.
func (c Class) Concurrent() bool {
	switch c {
	case Env, Files, System, Global, Locked:
		return true
	}
	return false
}

//go:embed table.txt
var text string

var table = sync.OnceValue(func() map[string]Class {
	t := make(map[string]Class, 8192)
	for path, entries := range sections(text) {
		for class, names := range entries {
			for _, n := range names {
				t[path+"."+n] = class
			}
		}
	}
	return t
})

// sections reads a text in which lines at the margin head those that begin with a tab: a word, and
// the words after it.
func sections(text string) map[string]map[Class][]string {
	out := make(map[string]map[Class][]string)
	var head map[Class][]string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		rest, in := strings.CutPrefix(line, "\t")
		switch words := strings.Fields(rest); {
		case len(words) == 0 || words[0][0] == '#':
		case in:
			c := Class(words[0])
			head[c] = append(head[c], words[1:]...)
		default:
			head = make(map[Class][]string)
			out[line] = head
		}
	}
	return out
}

// Lookup gives the class of a function or variable, "os.Getenv", or of a method by the type that
// declares it, "log/slog.LevelVar.Set".
func Lookup(name string) Class { return table()[name] }
