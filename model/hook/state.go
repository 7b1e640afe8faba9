package hook

// Rewritten packages tell here which of their variables, and which steps of
// their initialisation, are part of each execution (model/instrument chooses
// them, model makes them anew).

// A Part is a variable of a package, or a step of its initialisation.
type Part struct {
	Name, Where string
	Pointer     any    // to the variable; nil for a step
	Kept        string // why the variable keeps its value, "" if it does not
	Lost        bool   // what keeps its value needs goroutines that are no threads of the execution
	Order       int    // of a step in its package
	Run         func()
}

// A Package is what one package has told.
type Package struct {
	Path  string
	Parts []Part
}

// states is in the order in which Go initialised the packages.
var states []*Package

// States returns what rewritten packages have told, in the order in which Go
// initialised them. The caller must not change it.
func States() []*Package { return states }

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

// LostVariable is KeptVariable for one whose initialisation begins goroutines.
func LostVariable(name, where string, p any, why string) Part {
	return Part{Name: name, Where: where, Pointer: p, Kept: why, Lost: true}
}

// Step is an initialiser, or an init function.
func Step(order int, where string, run func()) Part {
	return Part{Where: where, Order: order, Run: run}
}

// notRepeated leaves a step that is run once more, outside of executions, where
// it comes to what would be refused inside one.
type notRepeated string

// NotRepeated gives the text of such a panic.
func NotRepeated(p any) (string, bool) {
	n, ok := p.(notRepeated)
	return string(n), ok
}
