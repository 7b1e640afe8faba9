package refine_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/surewake/surewake/proofs/refine"
	"github.com/surewake/surewake/proofs/spec"
)

// parkCast gives the table of park names: the wakers are those who owe a wake. The parker is one of them, too.
func parkCast(parker int, actors []string) refine.Cast {
	c := refine.Cast{System: spec.Park(), Actors: actors, Package: "park", Copies: map[string][]string{}}
	for a := range actors {
		c.Copies["owed"] = append(c.Copies["owed"], fmt.Sprint("owed_a", a))
	}
	c.Instances = func(r *spec.Rule, a int) []refine.Instance {
		kind, _, _ := strings.Cut(r.Name, "_")
		waker := slices.Contains([]string{"unpark", "wake"}, kind)
		if !waker && a != parker {
			return nil
		}
		i := refine.Instance{Bind: map[string]string{"owed": c.Copies["owed"][a]}}
		if kind != "wake" {
			i.When = c.Copies["owed"][a] + " == 0" // before anything else
		}
		return []refine.Instance{i}
	}
	return c
}
