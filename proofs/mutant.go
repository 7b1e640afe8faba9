package proofs

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/surewake/surewake/model/mutant"
	"github.com/surewake/surewake/proofs/spec"
)

//go:embed mutants
var mutants embed.FS

//go:embed harmless
var harmless embed.FS

// A weakener is a proof of which mutants can be made: the same proof about a protocol that is
// edited. in is the place that the mutant's line "Killed by THEOREM in PLACE" names, or "".
type weakener interface {
	weaken(bug *mutant.Mutant, in string) (proof, error)
}

// mutantsOf returns the mutants in mutants/ that name a theorem, and the edits in harmless/ that
// do.
func mutantsOf(t *Theorem) []weakened {
	var all []weakened
	for _, file := range filesOf(mutants, "mutants") {
		for _, k := range file.bug.Killers {
			if k.Name == t.ID {
				all = append(all, file.about(t, k.Place))
			}
		}
	}
	for _, file := range filesOf(harmless, "harmless") {
		if slices.Contains(file.accepted, t.ID) {
			w := file.about(t, wholeFile)
			w.harmless = true
			all = append(all, w)
		}
	}
	return all
}

// wholeFile is the place of an edit that does no harm: nothing of the file fails.
const wholeFile = "*"

// A mutantFile is a file of mutants/ or harmless/.
type mutantFile struct {
	name     string
	bug      *mutant.Mutant
	accepted []string // the theorems that lines "Accepted by THEOREM" name
}

var acceptedBy = regexp.MustCompile(`(?m)^Accepted by (\S+)$`)

func filesOf(in embed.FS, dir string) (all []mutantFile) {
	names, err := fs.Glob(in, dir+"/*/*.mutant")
	if err != nil {
		panic(err) // the pattern is wrong
	}
	for _, name := range names {
		text, err := in.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded
		}
		bug, err := mutant.Parse(text)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", name, err)) // a test parses them all
		}
		file := mutantFile{name: name, bug: bug}
		for _, m := range acceptedBy.FindAllStringSubmatch(bug.What, -1) {
			file.accepted = append(file.accepted, m[1])
			bug.What = strings.TrimSpace(strings.Replace(bug.What, m[0], "", 1))
		}
		all = append(all, file)
	}
	return all
}

// about is the mutant of a theorem that the file makes.
func (f *mutantFile) about(t *Theorem, in string) weakened {
	w := weakened{id: strings.TrimSuffix(path.Base(f.name), ".mutant"), what: f.bug.What}
	var err error
	if w.proof, err = weaken(t.proof, f.bug, in); err != nil {
		why := fmt.Sprintf("%s does not apply: %v", f.name, err)
		w.proof = unmade{t.proof, &inapplicable{why}}
	}
	return w
}

func weaken(p proof, bug *mutant.Mutant, in string) (proof, error) {
	w, ok := p.(weakener)
	if !ok {
		return nil, fmt.Errorf("there are no mutants of a %s", p.method())
	}
	return w.weaken(bug, in)
}

// unmade is the proof of a mutant that could not be made.
type unmade struct {
	proof
	err error
}

func (u unmade) check(context.Context, *bench) error { return u.err }

// inapplicable is the error of a mutant whose edits do not fit the text.
type inapplicable struct{ why string }

func (i *inapplicable) Error() string { return i.why }

// edited returns the text of the file of a proof as a mutant edits it.
func edited(p proof, text string, bug *mutant.Mutant) (string, error) {
	return editedIn(path.Join("proofs", p.file()), text, bug)
}

// editedIn returns the text of a file, relative to the module, as a mutant edits it.
func editedIn(own, text string, bug *mutant.Mutant) (string, error) {
	files, err := bug.Apply(func(file string) ([]byte, error) {
		if file != own {
			return nil, fmt.Errorf("%s is not %s, which the theorem is about", file, own)
		}
		return []byte(text), nil
	})
	return string(files[own]), err
}

// onTable is a proof about a transition table, which mutants edit as text.
type onTable struct {
	proof
	name  string // of the table
	table *spec.System
	about func(*spec.System) proof
	// agents is the table that this one counts, nil if it is written down itself; count counts it.
	agents *spec.Agents
	count  func(*spec.Agents) (*spec.System, error)
	// parts of the claim, which a mutant may name after "in".
	parts map[string]func(*spec.System) proof
}

func on(name string, table *spec.System, about func(*spec.System) proof) onTable {
	return onTable{proof: about(table), name: name, table: table, about: about}
}

// onAgents is a proof about a table that counts agents. Mutants edit that of the agents.
func onAgents(agents *spec.Agents, count func(*spec.Agents) (*spec.System, error),
	about func(*spec.System) proof) onTable {
	table, err := count(agents)
	if err != nil {
		panic(err) // a mistake of this program
	}
	p := on(agents.Name, table, about)
	p.agents, p.count = agents, count
	return p
}

func (p onTable) tables() []string { return []string{p.name} }

func (p onTable) weaken(bug *mutant.Mutant, in string) (proof, error) {
	table, err := p.weakTable(bug)
	if err != nil {
		return nil, err
	}
	table.Samples = p.table.Samples
	if in == "" || in == wholeFile {
		return p.about(table), nil
	}
	part := p.parts[in]
	if part == nil {
		return nil, fmt.Errorf("the claim has no part %s", in)
	}
	return part(table), nil
}

// weakTable is the table as a mutant edits it.
func (p onTable) weakTable(bug *mutant.Mutant) (*spec.System, error) {
	if p.agents == nil {
		text, err := edited(p, p.table.Text(p.name), bug)
		if err != nil {
			return nil, err
		}
		return spec.Parse(text)
	}
	text, err := edited(p, p.agents.Text(), bug)
	if err != nil {
		return nil, err
	}
	agents, err := spec.ParseAgents(text)
	if err != nil {
		return nil, err
	}
	return p.count(agents)
}
