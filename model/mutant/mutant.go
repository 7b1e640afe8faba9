// Package mutant puts known bugs back into source text, to see that the checks object.
//
// A mutant is a text file, ID.mutant. It says what the bug is, who must notice it, and what is
// edited where:
//
//	A worker that did not search is not told to recheck.
//	Killed by TestWakesAreNotLost
//	Killed by TestSchedulerIsTheTable in proofs/refine
//
//	-- idle/worker.go: Worker.Publish --
//	  w.word.Or(w.bit)
//	+ searched := w.state == searching
//
//	  if !w.c.closed.Load() {
//	+ 	if !searched {
//	+ 		return AwaitToken
//	+ 	}
//
// A section names a file, relative to the root of the module, and one declaration in it (see
// [Apply]). It has one edit or several, which empty lines separate. An edit is the text to find,
// which is the lines that begin with a blank or with "-", and the text to put in its place, which
// is those that begin with a blank or with "+". There are no line numbers, and white space does not
// count: the text to find may be a part of a line or several lines, however they are indented, and
// must occur exactly once in the declaration.
//
// The container is that of golang.org/x/tools/txtar.
package mutant

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"
)

// A Mutant is one bug.
type Mutant struct {
	What    string // the bug, in prose
	Killers []Killer
	Edits   []Edit
}

// A Killer objects to a mutant: a line "Killed by Name in Place".
type Killer struct {
	Name string // of a test, a theorem
	// Place is where it is, if that is not where the mutant is: a package's directory, a lemma.
	Place string
}

// An Edit replaces Old by New in one declaration of a file.
type Edit struct {
	File string // with slashes, relative to the root of the module
	Decl string // the name of the declaration
	Old  string // the text to find
	New  string // the text to put in its place
	Line int    // of the edit in the mutant's file, from 1
}

const form = "-- FILE: DECLARATION --"

var (
	killedBy = regexp.MustCompile(`^Killed by (\S+)(?: in (\S+))?$`)
	section  = regexp.MustCompile(`^([^\s:]+): (\S.*)$`)
)

// Parse reads a mutant. Its errors begin with the line of the text that is wrong.
func Parse(text []byte) (*Mutant, error) {
	archive := txtar.Parse(text)
	m := &Mutant{}
	line := 1
	var prose []string
	for _, s := range strings.Split(string(archive.Comment), "\n") {
		switch k := killedBy.FindStringSubmatch(s); {
		case k != nil:
			m.Killers = append(m.Killers, Killer{Name: k[1], Place: k[2]})
		case strings.HasPrefix(s, "Killed by"):
			return nil, fmt.Errorf("line %d: want %q or %q, not %q",
				line, "Killed by NAME", "Killed by NAME in PLACE", s)
		default:
			prose = append(prose, s)
		}
		line++
	}
	m.What = strings.TrimSpace(strings.Join(prose, "\n"))
	if m.What == "" {
		return nil, errors.New("line 1: a mutant begins with a sentence that says what the bug is")
	}
	if len(archive.Files) == 0 {
		return nil, fmt.Errorf("no edits in it; an edit begins with a line %q", form)
	}
	line-- // the comment's last newline ends a line, it begins none
	for _, f := range archive.Files {
		s := section.FindStringSubmatch(f.Name)
		if s == nil {
			return nil, fmt.Errorf("line %d: want %q, not %q", line, form, "-- "+f.Name+" --")
		}
		if path.IsAbs(s[1]) || path.Clean(s[1]) != s[1] || strings.HasPrefix(s[1], "..") {
			return nil, fmt.Errorf(
				"line %d: file %q: want a path relative to the root of the module", line, s[1])
		}
		edits, err := parseEdits(string(f.Data), line+1)
		if err != nil {
			return nil, err
		}
		for _, e := range edits {
			e.File, e.Decl = s[1], s[2]
			m.Edits = append(m.Edits, e)
		}
		line += 1 + strings.Count(string(f.Data), "\n")
	}
	return m, nil
}

// parseEdits reads the edits of a section, whose first line has the given number.
func parseEdits(text string, line int) ([]Edit, error) {
	var edits []Edit
	first := line
	var old, new []string
	end := func() error {
		if old == nil && new == nil {
			return nil
		}
		e := Edit{Old: strings.Join(old, "\n"), New: strings.Join(new, "\n"), Line: first}
		switch {
		case strings.TrimSpace(e.Old) == "":
			return fmt.Errorf(
				"line %d: nothing to find: an insertion needs a line that stands beside it", first)
		case strings.Join(strings.Fields(e.Old), " ") == strings.Join(strings.Fields(e.New), " "):
			return fmt.Errorf("line %d: an edit that changes nothing", first)
		}
		edits = append(edits, e)
		old, new = nil, nil
		return nil
	}
	for _, s := range strings.Split(text, "\n") {
		if strings.TrimSpace(s) == "" {
			if err := end(); err != nil {
				return nil, err
			}
			line++
			continue
		}
		if old == nil && new == nil {
			first = line
		}
		rest := strings.TrimPrefix(s[1:], " ")
		switch s[0] {
		case '-':
			old = append(old, rest)
		case '+':
			new = append(new, rest)
		case ' ', '\t':
			old, new = append(old, rest), append(new, rest)
		default:
			return nil, fmt.Errorf("line %d: want a blank, %q or %q at the beginning of %q",
				line, "-", "+", s)
		}
		line++
	}
	if err := end(); err != nil {
		return nil, err
	}
	if edits == nil {
		return nil, fmt.Errorf("line %d: a section without an edit", first)
	}
	return edits, nil
}
