package trace

import (
	"slices"
	"strings"

	"github.com/surewake/surewake/proofs/refine"
	"github.com/surewake/surewake/proofs/spec"
)

// An idleTable is the table of idle: its steps, with the accesses that they are.
type idleTable struct {
	steps  []*idleStep
	unseen []string // bounds, and what a trace does not show: conditions on them are taken to hold
	parked []string
	inside map[string]string // by place of a worker: the call that it cannot end in
}

type idleStep struct {
	*spec.Step
	access refine.Access
	// seen says that it is an access, and not what the table says of callers.
	seen bool
}

// Accesses that the table leaves to callers.
var idleCode = map[string]string{"token": "park.Unpark: Swap", "woke": "park.take, park.leave"}

// again is the claim of a second Close, which is one like any other; not one of the first.
const again = "close_again"

func newIdleTable(a *spec.Agents) (*idleTable, error) {
	t := &idleTable{unseen: append(slices.Clone(a.Bounds), "q", "notifiers"), parked: a.Parked}
	steps, err := a.Steps()
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		code, own := idleCode[s.Name]
		if !own {
			code = s.Code
		}
		b := &idleStep{Step: s}
		if b.seen = own || operation(code); b.seen {
			if b.access, err = refine.ParseAccess(code, "idle"); err != nil {
				return nil, err
			}
		}
		t.steps = append(t.steps, b)
		if s.Name == "claim_one" { // a second Close claims as Claim does
			c := *s
			c.Name, c.Code, c.NotClose = again, "Close: And", &spec.Place{Name: "Open"}
			access, err := refine.ParseAccess(c.Code, "idle")
			if err != nil {
				return nil, err
			}
			t.steps = append(t.steps, &idleStep{&c, access, true})
		}
	}
	t.inside = t.calls()
	return t, nil
}

// calls finds the places of workers that are within one call: only its accesses lead out of them.
func (t *idleTable) calls() map[string]string {
	inside := map[string]string{}
	for _, s := range t.steps {
		if s.Worker != "i" || s.At == "" || s.To == "" {
			continue
		}
		function, _, _ := strings.Cut(s.Code, ": ")
		if before, ok := inside[s.At]; !s.seen || ok && before != function {
			function = ""
		}
		inside[s.At] = function
	}
	return inside
}

// operation reports whether the Code of a rule names an operation.
func operation(code string) bool {
	_, what, _ := strings.Cut(code, ": ")
	for _, o := range []string{"word.", "searching.", "closed."} {
		if strings.HasPrefix(what, o) {
			return true
		}
	}
	return false
}
