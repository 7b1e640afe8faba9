package driver

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/surewake/surewake/model/instrument"
)

// A Coverage says what the executions of all checks together have reached, of the packages of the
// main module that are part of a check.
type Coverage struct {
	Statements int         `json:"statements"`
	Reached    int         `json:"reached"`
	Unreached  []Unreached `json:"unreached"` // by file
}

// Unreached has the lines of a file with statements that no execution reached.
type Unreached struct {
	File  string  `json:"file"` // in the form of Row.File
	Lines []Lines `json:"lines"`
}

// Lines are the lines from First to Last.
type Lines struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// A collector adds up what the plain runs have reached. The race runs have the same schedules.
type collector struct {
	mu    sync.Mutex
	files map[string]*coveredFile // by instrument.CoveredFile.Name
}

type coveredFile struct {
	instrument.CoveredFile
	marks []byte // 1 for each block that was reached
}

// add adds what one process has reached of the files in its binary.
func (c *collector) add(files []instrument.CoveredFile, reached []map[string][]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range files {
		if c.files[f.Name] == nil {
			if c.files == nil {
				c.files = map[string]*coveredFile{}
			}
			c.files[f.Name] = &coveredFile{f, make([]byte, len(f.Blocks))}
		}
		all := c.files[f.Name].marks
		for _, marks := range reached {
			for i, m := range marks[f.Name] {
				all[i] |= m
			}
		}
	}
}

// sorted returns the files by name.
func (c *collector) sorted() []*coveredFile {
	var files []*coveredFile
	for _, f := range c.files {
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b *coveredFile) int { return cmp.Compare(a.Name, b.Name) })
	return files
}

// profile writes what go tool cover reads.
func (c *collector) profile(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "mode: set")
	for _, f := range c.sorted() {
		for _, i := range f.order() {
			at := f.Blocks[i]
			fmt.Fprintf(b, "%s:%d.%d,%d.%d %d %d\n", f.Name,
				at.StartLine, at.StartCol, at.EndLine, at.EndCol, at.Stmts, f.marks[i])
		}
	}
	return b.Flush()
}

// order returns the indices of the blocks in the order of the text.
func (f *coveredFile) order() []int {
	order := make([]int, len(f.Blocks))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := f.Blocks[i], f.Blocks[j]
		return cmp.Or(cmp.Compare(a.StartLine, b.StartLine), cmp.Compare(a.StartCol, b.StartCol))
	})
	return order
}

// coverage sums up; relative gives the names of files.
func (c *collector) coverage(relative func(file string) string) *Coverage {
	sum := &Coverage{Unreached: []Unreached{}}
	for _, f := range c.sorted() {
		var lines []Lines
		adjacent := false // the block before is not reached either
		for _, i := range f.order() {
			b := f.Blocks[i]
			sum.Statements += b.Stmts
			if f.marks[i] != 0 {
				sum.Reached += b.Stmts
				adjacent = false
				continue
			}
			if adjacent {
				last := &lines[len(lines)-1].Last
				*last = max(*last, b.Last)
			} else {
				lines = append(lines, Lines{b.First, b.Last})
			}
			adjacent = true
		}
		if lines != nil {
			sum.Unreached = append(sum.Unreached, Unreached{relative(f.Path), lines})
		}
	}
	return sum
}

// How much of what was not reached is printed for people.
const (
	mostUnreachedFiles = 20
	mostUnreachedLines = 12
)

// text prints the coverage for people, with a line for each file that has unreached statements.
func (c *Coverage) text() string {
	if c.Statements == 0 {
		return "the checks reach no package of the main module: there is nothing to cover\n"
	}
	if c.Reached == c.Statements {
		return fmt.Sprintf("executions reached all %d statements\n", c.Statements)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "executions reached %d of %d statements; not those of\n",
		c.Reached, c.Statements)
	for i, u := range c.Unreached {
		if i == mostUnreachedFiles {
			fmt.Fprintf(&b, "    and of %d more files\n", len(c.Unreached)-i)
			break
		}
		fmt.Fprintf(&b, "    %s:%s\n", u.File, someLines(u.Lines))
	}
	return b.String()
}

// someLines lists lines as 3-5,9.
func someLines(all []Lines) string {
	var parts []string
	for i, l := range all {
		if i == mostUnreachedLines {
			return strings.Join(parts, ",") + fmt.Sprintf(" and %d more places", len(all)-i)
		}
		if l.First == l.Last {
			parts = append(parts, fmt.Sprint(l.First))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", l.First, l.Last))
		}
	}
	return strings.Join(parts, ",")
}

// A profileFile is the file that Options.CoverProfile names. It is opened before anything runs, so
// that a name that cannot be written costs nothing.
type profileFile struct{ file *os.File }

func (o *Options) openProfile() (*profileFile, error) {
	if o.CoverProfile == "" {
		return nil, nil
	}
	name := o.CoverProfile
	if !filepath.IsAbs(name) {
		name = filepath.Join(o.Dir, name)
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, usagef("coverprofile %s: %v", o.CoverProfile, err)
	}
	return &profileFile{file}, nil
}

// write writes the profile.
func (p *profileFile) write(c *collector) error {
	err := c.profile(p.file)
	if closing := p.file.Close(); err == nil {
		err = closing
	}
	return err
}

// abandon removes the file: there is nothing to write.
func (p *profileFile) abandon() {
	if p != nil {
		p.file.Close()
		os.Remove(p.file.Name())
	}
}
