package refine

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/surewake/surewake/model"
)

// access is what the Code of a rule says, if it has one of these forms, in which a comma and what
// follows it is for the reader:
//
//	Publish: word.Or, not a searcher      the function, the object, the operation
//	Push, room: head.Load                 one of several functions
//	unpark: park.Unpark                   no operation: any, on any object of the table, in
//	ToIdle: IdleWaits                       the function
//	take: CompareAndSwap                  any object of the table
//	push: lock.Lock                       a step of a mutex, which is an object, too
//	Unpark: futex wake, 1 woken           its result
//	futex wait: the kernel compares       a step of the futex, wherever it is called
//
// A function may have a package in front, as in park.Unpark, and arguments after it, as in
// Woke(true), which are for the reader.
type access struct {
	functions []string // "package.function", of which one must be on the stack; none: anywhere
	object    string   // "" for any
	op        string   // the beginning of its name; "" for any
	result    int      // -1 for any
}

var (
	functionName = regexp.MustCompile(`^(?:\w+\.)?[A-Za-z]\w*$`)
	operation    = regexp.MustCompile(`^(?:(\w+)\.)?` +
		`(Load|Store|Swap|Add|And|Or|CompareAndSwap|Lock|Unlock)\b`)
	futexStep = regexp.MustCompile(`^futex (?:wait|wake)`)
	woken     = regexp.MustCompile(`, (\d+) woken`)
	arguments = regexp.MustCompile(`\([^)]*\)`)
)

func parseAccess(code, pkg string) (access, error) {
	a := access{result: -1}
	if step := futexStep.FindString(code); step != "" {
		a.op = step
		return a, nil
	}
	head, rest, _ := strings.Cut(code, ": ")
	for _, name := range strings.Split(arguments.ReplaceAllString(head, ""), ", ") {
		if !functionName.MatchString(name) {
			return a, fmt.Errorf("%q names no access", code)
		}
		if !strings.Contains(name, ".") {
			name = pkg + "." + name
		}
		a.functions = append(a.functions, name)
	}
	if m := operation.FindStringSubmatch(rest); m != nil {
		a.object, a.op = m[1], m[2]
	} else if a.op = futexStep.FindString(rest); a.op != "" {
		if m := woken.FindStringSubmatch(rest); m != nil {
			a.result, _ = strconv.Atoi(m[1])
		}
	}
	return a, nil
}

// is reports whether a step is this access. The step is on an object of the table.
func (a *access) is(object string, s *model.Step, functions []string) bool {
	return (a.result < 0 || uint64(a.result) == s.Result) &&
		a.names(object, s.Op.String(), functions)
}

// names reports whether an operation on an object, with these functions on the stack, is this
// access.
func (a *access) names(object, op string, functions []string) bool {
	if a.object != "" && a.object != object || !strings.HasPrefix(op, a.op) {
		return false
	}
	if a.functions == nil {
		return true
	}
	for _, f := range a.functions {
		if slices.Contains(functions, f) {
			return true
		}
	}
	return false
}

// functionsOf returns the functions on the stack of a step, as "package.function". For a method
// there is one name with that of its type, and one with its own; a function literal has those of
// the functions around it.
func functionsOf(s *model.Step) []string {
	var names []string
	for _, f := range s.Frames() {
		names = append(names, namesOf(f.Func)...)
	}
	return names
}

// namesOf takes "example.com/a/b.(*T[...]).F.func1" to b.T, b.F and b.func1.
func namesOf(function string) []string {
	pkg, rest, _ := strings.Cut(function[strings.LastIndexByte(function, '/')+1:], ".")
	rest = strings.NewReplacer("(*", "", ")", "").Replace(typeArguments.ReplaceAllString(rest, ""))
	names := strings.Split(rest, ".")
	for i := range names {
		names[i] = pkg + "." + names[i]
	}
	return names
}

var typeArguments = regexp.MustCompile(`\[[^\]]*\]`)

// An Access is an access as the Code of a rule names it, for what has seen one elsewhere than in an
// execution under the checker.
type Access struct{ access access }

// ParseAccess reads the Code of a rule; functions without a package are those of pkg. The error
// says that it names no access.
func ParseAccess(code, pkg string) (Access, error) {
	a, err := parseAccess(code, pkg)
	return Access{a}, err
}

// Is reports whether an operation on an object, with these functions on the stack, is the access.
func (a *Access) Is(object, op string, functions []string) bool {
	return a.access.names(object, op, functions)
}

// FunctionNames returns the names by which the Code of a rule may mean a function of a stack.
func FunctionNames(function string) []string { return namesOf(function) }
