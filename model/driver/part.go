package driver

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Part selects every Of-th of the mutants, from the K-th on, counted from 1. The zero Part
// selects all. The parts 1 to Of together are all, and each has some of every package that has so
// many.
type Part struct{ K, Of int }

const partForm = "want K/N, the K-th of N parts, with 1 <= K <= N"

func (p Part) String() string {
	if p.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", p.K, p.Of)
}

// Set makes *Part a flag.Value.
func (p *Part) Set(s string) error {
	index, of, found := strings.Cut(s, "/")
	k, err := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if !found || err != nil || err2 != nil || k < 1 || k > n {
		return errors.New(partForm) // the flag package names the value itself
	}
	*p = Part{k, n}
	return nil
}

// of returns the selected ones of all.
func (p Part) of(all []candidate) (selected []candidate) {
	if p.Of == 0 {
		return all
	}
	for i, m := range all {
		if i%p.Of == p.K-1 {
			selected = append(selected, m)
		}
	}
	return selected
}
