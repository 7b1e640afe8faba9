package refine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/surewake/surewake/proofs/spec"
)

// Parker binds the table of park to goroutines: actor number parker sleeps, and every actor, the
// parker included, may unpark. An actor that owes a wake does nothing else before it.
func Parker(parker int, actors []string) Binding {
	b := Binding{System: spec.Park(), Actors: actors, Package: "park",
		Copies: map[string][]string{}}
	for a := range actors {
		b.Copies["owed"] = append(b.Copies["owed"], fmt.Sprint("owed_a", a))
	}
	b.Instances = func(r *spec.Rule, a int) []Instance {
		kind, _, _ := strings.Cut(r.Name, "_")
		waker := slices.Contains([]string{"unpark", "wake"}, kind)
		if !waker && a != parker {
			return nil
		}
		owed := b.Copies["owed"][a]
		i := Instance{Bind: map[string]string{"owed": owed}}
		if kind != "wake" {
			i.When = owed + " == 0" // the wake first
		}
		return []Instance{i}
	}
	return b
}
