package explore

import "strings"

// words has, for lines of checked code, what shows the atomic words that are used there. It is
// complete before the first execution.
var words = map[wordLine]func(v uint64) string{}

type wordLine struct {
	file string
	line int
}

// ShowWord says how lanes show the words that the file uses on that line. A word is shown so in all
// of an execution; of several lines, the first one counts.
func ShowWord(file string, line int, show func(v uint64) string) {
	words[wordLine{file, line}] = show
}

// A shownWord is an operation on a word in a picture: a CompareAndSwap with what it expects and
// what it puts there, or another one with its result.
type shownWord struct {
	step     int // in recorder.steps
	obj      int32
	cas      bool
	old, new uint64 // of others, new is the result
}

// nameWords shows words by name. It runs after the execution, since a String method is checked
// code: within one, its operations would be steps.
func (r *recorder) nameWords() {
	by := map[int32]func(uint64) string{}
	for _, w := range r.words {
		at := &r.steps[w.step]
		if show := words[wordLine{at.File, at.Line}]; show != nil && by[w.obj] == nil {
			by[w.obj] = show
		}
	}
	for _, w := range r.words {
		show := by[w.obj]
		if show == nil {
			continue
		}
		at := &r.steps[w.step]
		if w.cas {
			at.Value = named(show, w.old) + " -> " + named(show, w.new) +
				strings.TrimPrefix(at.Value, casText(w.old, w.new))
		} else {
			at.Value = named(show, w.new)
		}
	}
}

// named returns v as show prints it, in one line; as a number if it panics.
func named(show func(uint64) string, v uint64) (s string) {
	defer func() {
		if recover() != nil {
			s = hex(v)
		}
	}()
	return strings.Join(strings.Fields(show(v)), " ")
}
