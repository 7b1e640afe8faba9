package hook

import (
	"strconv"
	"strings"
)

// Rewritten packages tell here which of their variables, and which steps of
// their initialisation, are part of each execution (model/instrument chooses
// them, model makes them anew).

// A Part is a variable of a package, or a step of its initialisation.
type Part struct {
	Name, Where string
	Pointer     any    // to the variable; nil for a step
	Kept        string // why the variable keeps its value, "" if it does not
	Watched     bool   // nothing is known to change the variable
	Lost        bool   // what keeps its value needs goroutines that are no threads of the execution
	Order       int    // of a step in its package
	Run         func()
	Sets        []string // the variables that a step sets, if it does nothing else
	With        []string // those that it sets or changes, as path.name
	Starts      bool     // it may begin goroutines
}

// A Package is what one package has told.
type Package struct {
	Path  string
	Parts []Part
}

// states is in the order in which Go initialised the packages.
var states []*Package

// leftOut has, by test, the parts that its executions do without.
var leftOut = make(map[string]map[string]bool)

// LeftOut notes that the executions of checks in some tests do without some of the parts, which the
// binary has because of other tests. Names are separated by spaces; a variable is named
// "path.name", a step "path#order".
func LeftOut(tests, parts string) bool {
	out := make(map[string]bool)
	for part := range strings.FieldsSeq(parts) {
		out[part] = true
	}
	for test := range strings.FieldsSeq(tests) {
		leftOut[test] = out
	}
	return true
}

// States returns what takes part in the executions of a check, in the order in which Go initialised
// the packages.
func States(check string) []*Package {
	test := check
	if i := strings.IndexAny(check, "/#"); i >= 0 {
		test = check[:i]
	}
	out := leftOut[test]
	var of []*Package
	for _, p := range states {
		q := &Package{Path: p.Path}
		for _, part := range p.Parts {
			if part.Watched || !out[part.id(p.Path)] {
				q.Parts = append(q.Parts, part)
			}
		}
		if len(q.Parts) > 0 {
			of = append(of, q)
		}
	}
	return of
}

// id is how LeftOut names a part of the package at path.
func (p *Part) id(path string) string {
	if p.Run != nil {
		return path + "#" + strconv.Itoa(p.Order)
	}
	return path + "." + p.Name
}

// State notes parts of the package at path. The files of a package call it one
// by one, while Go initialises the package.
func State(path string, parts ...Part) bool {
	for _, p := range states {
		if p.Path == path {
			p.Parts = append(p.Parts, parts...)
			return true
		}
	}
	states = append(states, &Package{path, parts})
	return true
}

// Variable is a variable that is made anew for each execution.
func Variable(name, where string, p any) Part { return Part{Name: name, Where: where, Pointer: p} }

// KeptVariable is a variable that executions can change and that keeps its
// value.
func KeptVariable(name, where string, p any, why string) Part {
	return Part{Name: name, Where: where, Pointer: p, Kept: why}
}

// CalledBefore is why a variable is kept that holds closures which TestMain may have called: what
// their variables hold is not seen, and not put back.
const CalledBefore = "TestMain may have called a closure in it"

// LostVariable is KeptVariable for one whose initialisation begins goroutines.
func LostVariable(name, where string, p any, why string) Part {
	return Part{Name: name, Where: where, Pointer: p, Kept: why, Lost: true}
}

// Watched is a variable that executions share, as nothing is known to change it or what it leads
// to.
func Watched(name, where string, p any) Part {
	return Part{Name: name, Where: where, Pointer: p, Watched: true}
}

// Step is an initialiser, or an init function. sets has the names of the variables of an
// initialiser that changes no others.
func Step(order int, where string, run func(), sets ...string) Part {
	return Part{Where: where, Order: order, Run: run, Sets: sets}
}

// Setting adds to a step which variables it sets or changes, separated by spaces.
func (p Part) Setting(variables string) Part {
	p.With = strings.Fields(variables)
	return p
}

// Starting is Setting for a step that may begin goroutines.
func (p Part) Starting(variables string) Part {
	p.Starts = true
	return p.Setting(variables)
}

// notRepeated leaves a step that is run once more, outside of executions, where
// it comes to what would be refused inside one.
type notRepeated string

// OnInitialised notes what the initialisation of packages has made.
var OnInitialised func()

// Initialised is called when all packages are initialised, before anything else: at the end of the
// initialisation of each package that has tests, the last of which counts.
func Initialised() {
	if OnInitialised != nil {
		OnInitialised()
	}
}

// NotRepeated gives the text of such a panic.
func NotRepeated(p any) (string, bool) {
	n, ok := p.(notRepeated)
	return string(n), ok
}
