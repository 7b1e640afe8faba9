package proofs

import (
	"embed"
	"path"
	"slices"
	"sync"

	"github.com/surewake/surewake/model/mutant"
	"github.com/surewake/surewake/proofs/spec"
)

//go:embed coq/*.v spin/*.pml
var sources embed.FS

// made is a file of definitions that is made from a transition table. It is checked in, and a test
// makes it again and compares.
type made struct {
	file  string // relative to this directory
	table string // the name of the table
	from  string // its file, relative to this directory
	text  string // the table, as mutants edit it
	make  func(table string) (string, error)
	// vacuous returns an error if a step of the table is done in no state that is reached.
	vacuous func() error
}

// idleTable has the states and the steps of coq/Idle.v.
var idleTable = &made{
	file: "coq/IdleTable.v", table: "Idle", from: "spec/idle.go", text: spec.IdleAgents().Text(),
	make: func(text string) (string, error) {
		a, err := spec.ParseAgents(text)
		if err != nil {
			return "", err
		}
		return a.Coq()
	},
	vacuous: sync.OnceValue(spec.IdleAgents().Vacuous),
}

// taskTable has the states and the steps of coq/Task.v.
var taskTable = ofSystem("coq/TaskTable.v", "Task", "spec/task.go", spec.Task(),
	spec.TaskRefusals())

// ofSystem makes definitions from a table without names, and from conditions that the code refuses.
func ofSystem(file, name, from string, s *spec.System, refusals []spec.Rule) *made {
	all := *s
	all.Rules = slices.Concat(s.Rules, refusals)
	return &made{file: file, table: name, from: from, text: all.Text(name),
		make: func(text string) (string, error) {
			t, err := spec.Parse(text)
			if err != nil {
				return "", err
			}
			return t.Coq(name)
		},
		vacuous: sync.OnceValue(func() error { return s.Vacuous(nil) }),
	}
}

// madeFiles are all of them.
func madeFiles() []*made { return []*made{idleTable, taskTable} }

// edits reports whether a mutant is one of the table.
func (m *made) edits(bug *mutant.Mutant) bool {
	return m != nil && len(bug.Edits) > 0 && bug.Edits[0].File == path.Join("proofs", m.from)
}

// weaken returns the file as it is made from the table that a mutant edits.
func (m *made) weaken(bug *mutant.Mutant) (string, error) {
	table, err := editedIn(path.Join("proofs", m.from), m.text, bug)
	if err != nil {
		return "", err
	}
	return m.make(table)
}
