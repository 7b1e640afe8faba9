package refine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/surewake/surewake/proofs/spec"
)

// Driver binds the table of the driver to goroutines, of which the first are the workers. Each may
// set timers and claim workers. Deadlines are numbers up to most.
func Driver(workers int, actors []string, most int) Binding {
	b := driverBinding{workers: workers, table: spec.Driver()}
	for a := range actors {
		b.table = sawBy(b.table, a)
	}
	for _, r := range spec.Driver().Rules {
		if ofWhoSaw(r) { // each actor has its own
			b.table = b.table.Without(r.Name)
		}
	}
	return Binding{
		System: b.table, Actors: actors, Copies: b.copies(len(actors)), Package: "runtime",
		Silent: []string{"woke_F", "woke_S", "woke_L"}, Instances: b.instances, Params: most,
	}
}

// ShareDriver ties the table to the memory of a runtime: which worker is the driver, by its number
// from 1 on, or 0; the earliest deadline; and the bit of each worker.
func ShareDriver(m *Machine, workers int) {
	var driver []string
	for w := range workers {
		driver = append(driver, fmt.Sprintf("%d * (%s)", w+1, isDriver(w)))
	}
	m.Share("driver", "driver", strings.Join(driver, " + "))
	m.Share("next", "next", "next")
	for w := range workers {
		var bits []string
		for _, p := range driverParked {
			bits = append(bits, fmt.Sprintf("%s_b_w%d", p, w))
		}
		m.Share("word", fmt.Sprint("bit ", w), strings.Join(bits, " + "))
	}
}

var driverParked = []string{"F", "S", "N", "D", "L"}

// isDriver is 1 if a worker is the driver, else 0.
func isDriver(worker int) string {
	var places []string
	for _, v := range []string{"N_b", "N_c", "D_b", "D_c"} {
		places = append(places, fmt.Sprintf("%s_w%d", v, worker))
	}
	return strings.Join(places, " + ")
}

type driverBinding struct {
	workers int
	table   *spec.System
}

// sawBy gives an actor variables of its own in place of saw and late, and the rules for these: when
// the driver leaves, each actor who saw it is late.
func sawBy(table *spec.System, actor int) *spec.System {
	of := fmt.Sprint("_a", actor)
	own := strings.NewReplacer("saw", "saw"+of, "late", "late"+of)
	table.Vars = append(slices.Clone(table.Vars), own.Replace("saw"), own.Replace("late"))
	for _, r := range slices.Clone(table.Rules) {
		switch {
		case leaves(r):
			r.Do += own.Replace("; late += saw; saw = 0")
			table = table.With(r)
		case strings.Contains(r.Name, "_a"): // another actor's
		case ofWhoSaw(r):
			table = table.With(spec.Rule{
				Name: fmt.Sprintf("%s_a%d", r.Name, actor), Code: r.Code,
				When: own.Replace(r.When), Do: own.Replace(r.Do),
			})
		}
	}
	return table
}

func leaves(r spec.Rule) bool { return strings.HasPrefix(r.Name, "leave") }

// ofWhoSaw reports whether a rule is done by who saw the driver, or is about to.
func ofWhoSaw(r spec.Rule) bool {
	text := r.When + r.Do
	return !leaves(r) && (strings.Contains(text, "saw") || strings.Contains(text, "late"))
}

func (b *driverBinding) copies(actors int) map[string][]string {
	all := map[string][]string{}
	for w := range b.workers {
		for _, v := range append([]string{"R"}, parkedBy("_b", "_c")...) {
			all[v] = append(all[v], fmt.Sprintf("%s_w%d", v, w))
		}
	}
	for a := range actors {
		all["early"] = append(all["early"], fmt.Sprint("early_a", a))
	}
	return all
}

// parkedBy returns the places of a sleeping worker with stages.
func parkedBy(stages ...string) (names []string) {
	for _, p := range driverParked {
		for _, s := range stages {
			names = append(names, p+s)
		}
	}
	return names
}

// instances returns the ways in which an actor does a rule: claims are of any worker, all else is a
// worker's own, or that of who sets a timer. Whoever owes the driver a claim does nothing else
// before.
func (b *driverBinding) instances(r *spec.Rule, actor int) (all []Instance) {
	name, by, owned := strings.Cut(r.Name, "_a")
	if owned && by != fmt.Sprint(actor) {
		return nil
	}
	early := fmt.Sprint("early_a", actor)
	when := ""
	if !owned && name != "look_none" {
		when = fmt.Sprintf("%s + saw_a%d + late_a%d == 0", early, actor, actor)
	}
	add := func(worker int) {
		bind := map[string]string{"early": early}
		for v := range r.Effect() {
			if v == "R" || strings.HasSuffix(v, "_b") || strings.HasSuffix(v, "_c") {
				bind[v] = fmt.Sprintf("%s_w%d", v, worker)
			}
		}
		i := Instance{Bind: bind, When: when}
		if strings.HasPrefix(name, "become") {
			i.When = spec.And(i.When, b.nobodyDrives())
		}
		all = append(all, i)
	}
	claims := strings.HasPrefix(name, "claim") || strings.HasPrefix(name, "wake_") ||
		strings.HasPrefix(name, "look") || name == "ask"
	switch {
	case claims:
		for w := range b.workers {
			add(w)
		}
	case name == "set" || name == "publish_next":
		add(0)
	case actor < b.workers:
		add(actor)
	}
	return all
}

// nobodyDrives is the condition that none is the driver; a rule that makes one means, by the name
// of the place, its own.
func (b *driverBinding) nobodyDrives() string {
	var all []string
	for w := range b.workers {
		all = append(all, isDriver(w))
	}
	return strings.Join(all, " + ") + " == 0"
}
