package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// A Replay is a test that stands for a schedule of another one, as a line of its comment says:
//
//	//surewake:replay TestLockOrder/three 3b2a
//
// It is not explored itself.
type Replay struct {
	Name     string // of the test
	Check    string // the other one, with its subtest
	Schedule string // as in a token
	Trouble  string // why there is nothing to replay; "" if there is
	File     string // of the comment
	Line     int
}

// ReplayDirective begins that line.
const ReplayDirective = "//surewake:replay"

// Test is the function of the other test.
func (r *Replay) Test() string {
	test, _, _ := strings.Cut(r.Check, "/")
	test, _, _ = strings.Cut(test, "#")
	return test
}

// replayOf reads the comment of a test, nil if it stands for itself.
func replayOf(fset *token.FileSet, d *ast.FuncDecl) *Replay {
	if d.Doc == nil {
		return nil
	}
	for _, c := range d.Doc.List {
		fields := strings.Fields(c.Text)
		if len(fields) == 0 || fields[0] != ReplayDirective {
			continue
		}
		at := fset.Position(c.Pos())
		r := &Replay{Name: d.Name.Name, File: at.Filename, Line: at.Line}
		if len(fields) != 3 {
			r.Trouble = fmt.Sprintf("%q: want %s TEST SCHEDULE, "+
				"as surewake replay -emit-test prints it", c.Text, ReplayDirective)
			return r
		}
		r.Check, r.Schedule = fields[1], fields[2]
		return r
	}
	return nil
}

// replaysOf picks from all replays of a package those of the tests in names. One of which nobody
// can tell the kind is in trouble, and is returned with whatever was asked for.
func replaysOf(all []Replay, names, others []string) (picked []Replay) {
	for _, r := range all {
		known := slices.Contains(names, r.Test())
		switch {
		case !known && r.Trouble == "" && slices.Contains(others, r.Test()):
			continue
		case !known && r.Trouble == "":
			r.Trouble = fmt.Sprintf("it replays a schedule of %s, and the package has no such test",
				r.Test())
		}
		picked = append(picked, r)
	}
	slices.SortFunc(picked, func(a, b Replay) int { return strings.Compare(a.Name, b.Name) })
	return picked
}
