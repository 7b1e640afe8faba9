package driver

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/surewake/surewake/model/instrument"
	"github.com/surewake/surewake/model/mutant"
)

// killersElsewhere returns patterns for the packages that mutants of the selected ones name, and
// that are not selected themselves.
func killersElsewhere(selected []instrument.Package, root string, more bool) ([]string, error) {
	var patterns []string
	for _, p := range selected {
		own, err := mutant.In(p.Dir, placeOf(p, root))
		if err != nil {
			return nil, err
		}
		for _, f := range own {
			m, err := f.Read()
			if err != nil || f.More && !more {
				continue // the error is printed when the mutant is judged
			}
			for _, k := range m.Killers {
				here := func(p instrument.Package) bool { return placeOf(p, root) == k.Place }
				if k.Place == "" || slices.ContainsFunc(selected, here) {
					continue
				}
				patterns = append(patterns, "./"+k.Place)
			}
		}
	}
	slices.Sort(patterns)
	return slices.Compact(patterns), nil
}

// findMutants returns the mutants of the selected packages, each once for everyone it names in one
// of the packages, and those of the module's other packages that name someone in a selected one.
// Those that are further examples of the same bugs are among them if more is set.
func findMutants(selected, packages []instrument.Package, root string, more bool) (
	all []candidate, err error,
) {
	module, err := mutant.Find(root)
	if err != nil {
		return nil, err
	}
	homes := map[string]bool{}
	for _, p := range selected {
		homes[placeOf(p, root)] = true
	}
	for _, p := range packages {
		place := placeOf(p, root)
		if homes[place] {
			own, err := mutant.In(p.Dir, place)
			if err != nil {
				return nil, err
			}
			for _, f := range own {
				if more || !f.More {
					all = append(all, candidatesOf(f, f.ID, p, place)...)
				}
			}
		}
		for _, f := range module {
			if f.Home != place && (more || !f.More) && (homes[place] || homes[f.Home]) {
				all = append(all, candidatesOf(f, f.Name(), p, place)...)
			}
		}
	}
	return all, nil
}

// candidatesOf returns one candidate for each killer that a mutant names in a package; for its own
// package at least one, unless it names killers elsewhere only.
func candidatesOf(f mutant.File, id string, p instrument.Package, place string) []candidate {
	m, err := f.Read()
	if err != nil { // it is printed when the mutant is judged in its own package
		m = &mutant.Mutant{}
	}
	var all []candidate
	for _, k := range m.Killers {
		if k.Place == place || k.Place == "" && f.Home == place {
			all = append(all, candidate{id: id, file: f, pkg: p, suspect: k.Name})
		}
	}
	if len(m.Killers) == 0 && f.Home == place {
		all = []candidate{{id: id, file: f, pkg: p}}
	}
	return all
}

// spread puts the first mutant of each hazard before the second ones, and so on: names begin with
// that of the hazard, a letter and a number, if there is one. Those that need a build of their own,
// as one of those who are asked does, come last: in the time for one, others are asked about many.
func spread(all []candidate, alone func(candidate) bool) {
	seen := map[string]int{}
	rank := map[string]int{} // by the path of the file
	for _, m := range all {
		if _, known := rank[m.file.Path]; known {
			continue
		}
		hazard := m.file.Home + "/" + hazardOf.FindString(m.file.ID)
		rank[m.file.Path] = seen[hazard]
		seen[hazard]++
	}
	last := map[string]int{}
	for _, m := range all {
		if alone(m) {
			last[m.file.Path] = 1
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(
			cmp.Compare(last[a.file.Path], last[b.file.Path]),
			cmp.Compare(rank[a.file.Path], rank[b.file.Path]),
		)
	})
}

var hazardOf = regexp.MustCompile(`^[A-Za-z]+[0-9]+`)
