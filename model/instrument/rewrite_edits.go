package instrument

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// edits collects changes to one text, in any order, and applies them at once.
//
// Changes nest as the expressions they belong to do, because the syntax tree
// is walked from the outside in: of two insertions in front of the same
// offset the earlier one is the outer, of two behind it the later one is the
// inner. What is inserted behind an expression therefore stands before what
// is inserted in front of the next one at the same offset.
type edits struct {
	list []edit
}

type edit struct {
	at, end int // replaced bytes; at == end for insertions
	rank    int // among edits at the same offset
	seq     int
	text    string
}

const (
	rankBehind  = iota // closes an expression that ends here
	rankFront          // opens an expression that starts here
	rankReplace        // replaces what starts here
)

func (e *edits) add(at, end, rank int, text string) {
	e.list = append(e.list, edit{at, end, rank, len(e.list), text})
}

// front inserts text in front of the expression that starts at offset at.
func (e *edits) front(at int, text string) { e.add(at, at, rankFront, text) }

// behind inserts text behind the expression that ends at offset at.
func (e *edits) behind(at int, text string) { e.add(at, at, rankBehind, text) }

// replace replaces the bytes from at to end. Replaced stretches never overlap,
// and nothing is inserted inside one.
func (e *edits) replace(at, end int, text string) { e.add(at, end, rankReplace, text) }

func (e *edits) empty() bool { return len(e.list) == 0 }

// apply returns src with the changes made.
func (e *edits) apply(src []byte) []byte {
	sort.Slice(e.list, func(i, j int) bool {
		a, b := e.list[i], e.list[j]
		if a.at != b.at {
			return a.at < b.at
		}
		if a.rank != b.rank {
			return a.rank < b.rank
		}
		if a.rank == rankBehind {
			return a.seq > b.seq
		}
		return a.seq < b.seq
	})
	var out bytes.Buffer
	done := 0
	for _, c := range e.list {
		if c.at < done {
			panic(fmt.Sprintf("instrument: edits overlap: %q in front of %q", c.text, src[c.at:min(c.at+40, len(src))]))
		}
		out.Write(src[done:c.at])
		out.WriteString(c.text)
		done = c.end
	}
	out.Write(src[done:])
	return out.Bytes()
}

// within returns the text of src between two offsets with the changes made that
// belong to the expression there.
func (e *edits) within(src []byte, from, to int) string {
	var sub edits
	for _, c := range e.list {
		starts := c.at > from || c.at == from && c.rank != rankBehind
		ends := c.end < to || c.end == to && (c.at < to || c.rank == rankBehind)
		if starts && ends {
			c.at, c.end = c.at-from, c.end-from
			sub.list = append(sub.list, c)
		}
	}
	return string(sub.apply(src[from:to]))
}

// newlines returns the newlines of a text that is dropped: they are kept, so
// that everything below stays on its line.
func newlines(dropped []byte) string {
	return strings.Repeat("\n", bytes.Count(dropped, []byte{'\n'}))
}
