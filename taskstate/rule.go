package taskstate

import (
	"fmt"
	"slices"
)

// refused is the outcome of a transition that the state does not allow. No caller sees it: the
// method panics.
const refused = 0xff

// rules are what callers have to keep. A method that has refused a state panics with the first of
// its rules that the state breaks. The conditions repeat those of the transitions; a test compares
// them for every state.
var rules = []struct {
	text    string
	methods []string // nil: all
	broken  func(s State) bool
}{
	{
		"the last reference is gone, or there never was one", nil,
		func(s State) bool { return s.References() == 0 },
	},
	{
		"there are more references than Clone gives out: the word was overwritten", nil,
		func(s State) bool { return s.References() > MaxReferences },
	},
	{
		"no transition leads to this lifecycle: the word was overwritten", nil,
		func(s State) bool { return s.Lifecycle() > Complete },
	},
	{
		"only the runner of a RUNNING task may do this",
		[]string{"ToIdle", "Yield", "Complete", "EnterShield", "LeaveShield"},
		func(s State) bool { return s.Lifecycle() != Running },
	},
	{
		"a task leaves its shields before it completes", []string{"Complete"},
		func(s State) bool { return s.Shield() != 0 },
	},
	{
		"shields are nested too deep", []string{"EnterShield"},
		func(s State) bool { return s.Shield() == MaxShield },
	},
	{
		"the task is in no shield", []string{"LeaveShield"},
		func(s State) bool { return s.Shield() == 0 },
	},
	{
		"there are too many references", []string{"Clone", "Claim"},
		func(s State) bool { return s.References() == MaxReferences },
	},
	{
		"the last reference before COMPLETE is the task's own, which Complete drops",
		[]string{"Drop", "WakeDrop", "Detach"},
		func(s State) bool { return s.References() == 1 && s.Lifecycle() != Complete },
	},
	{
		"nobody has a handle of a detached task", []string{"Join", "Unjoin", "Detach"},
		State.Detached,
	},
	{
		"Join comes before Unjoin", []string{"Unjoin"},
		func(s State) bool { return !s.JoinInterest() },
	},
}

// broken returns the message of the panic of a method that has refused s.
//
//go:noinline
func (s State) broken(method string) string {
	for _, r := range rules {
		if (r.methods == nil || slices.Contains(r.methods, method)) && r.broken(s) {
			return fmt.Sprintf("taskstate: %s: %s (state: %v)", method, r.text, s)
		}
	}
	// A test shows that it does not happen.
	return fmt.Sprintf("taskstate: %s: refused, though no rule is broken (state: %v)", method, s)
}
