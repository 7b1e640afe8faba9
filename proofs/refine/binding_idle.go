package refine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/surewake/surewake/proofs/spec"
)

// A Loop says where a scheduler does what the table of idle leaves to callers. The texts are in the form of spec.Rule.Code.
type Loop struct {
	Push, Take string // what adds to the queue, and what takes from it
	Recheck    string // what looks at the queue behind Publish
	CloseDone  string // what comes after the return of Close; "" if nothing that is seen does
	Silent     []string
}

func (l Loop) code() map[string]string {
	code := map[string]string{"push": l.Push, "take": l.Take, "take_searching": l.Take, "woke": "park.take, park.leave"}
	if l.CloseDone != "" {
		code["close_done"] = l.CloseDone
	}
	for _, p := range parking {
		code["token_"+p] = "park.Unpark: Swap"
	}
	for _, s := range stages {
		code["recheck_none_"+s], code["recheck_work_"+s] = l.Recheck, l.Recheck
	}
	return code
}

var (
	parking = []string{"A", "C", "B", "P"}
	stages  = []string{"b", "c", "i", "t"}
)

// Idle gives the table of idle names: a worker's place is its own; a notifier is the goroutine that runs it, and a claim is of a
// worker and by a goroutine. Workers are the first of the actors.
func Idle(workers int, actors []string, loop Loop) Cast {
	table := spec.Idle()
	for _, r := range slices.Clone(table.Rules) { // there is no other queue here
		if strings.Contains(r.Name, "elsewhere") {
			table = table.Without(r.Name)
		}
	}
	// What a goroutine remembers: that it has called Close, for which alone it claims then; that Publish has seen closed.
	table.Vars = append(slices.Clone(table.Vars), "closer", "shut")
	table = table.With(spec.Rule{Name: "shut", Code: "Publish: closed.Load", When: "closed > 0 && shut == 0", Do: "shut = 1"})
	for _, r := range slices.Clone(table.Rules) {
		switch kind, _, _ := strings.Cut(r.Name, "_"); {
		case r.Name == "close":
			r.Do += "; closer = 1"
		case kind == "close":
			r.When, r.Do = spec.And(r.When, "closer == 1"), r.Do+"; closer = 1"
		case kind == "closed":
			r.When, r.Do = spec.And(r.When, "shut == 1"), r.Do+"; shut = 0"
		}
		table = table.With(r)
	}
	c := Cast{System: table, Actors: actors, Package: "idle", Code: loop.code(), Silent: loop.Silent, Copies: map[string][]string{}}
	own := func(v string, w int) string { return fmt.Sprintf("%s_w%d", v, w) }
	by := func(v string, a int) string { return fmt.Sprintf("%s_a%d", v, a) }
	byActor := func(v string) bool { return v == "m0" || v == "m1" || v == "closer" || v == "shut" }
	claims := func(v string) bool { return strings.HasSuffix(v, "_c") || strings.HasSuffix(v, "_i") }
	workerVar := func(v string) bool { return v == "R" || v == "S" || v == "F" || strings.Contains(v, "_") }
	busy := make([]string, len(actors)) // what an actor does before anything else
	for a := range actors {
		busy[a] = by("m0", a) + " + " + by("m1", a)
	}
	for _, v := range table.Vars {
		switch {
		case byActor(v):
			for a := range actors {
				c.Copies[v] = append(c.Copies[v], by(v, a))
			}
		case claims(v):
			for w := range workers {
				for a := range actors {
					c.Copies[v] = append(c.Copies[v], by(own(v, w), a))
					busy[a] += " + " + by(own(v, w), a)
				}
			}
		case workerVar(v):
			for w := range workers {
				c.Copies[v] = append(c.Copies[v], own(v, w))
			}
		}
	}
	c.Stays = []Stay{{Code: "park.Park, park.ParkTimeout", When: func(a int) string {
		if a >= workers {
			return ""
		}
		var places []string
		for _, s := range stages {
			for _, v := range c.Copies["P_"+s] {
				if v == own("P_"+s, a) || strings.HasPrefix(v, own("P_"+s, a)+"_") {
					places = append(places, v)
				}
			}
		}
		return strings.Join(places, " + ") + " == 1"
	}}}
	c.Instances = func(r *spec.Rule, a int) []Instance {
		kind, _, _ := strings.Cut(r.Name, "_")
		others := slices.Contains([]string{"push", "notify", "claim", "count", "token", "close"}, kind) // done to workers, or to nobody
		if !others && a >= workers {
			return nil
		}
		free := !slices.Contains([]string{"notify", "claim", "count", "token"}, kind) || strings.HasPrefix(r.Name, "claim_one")
		var all []Instance
		add := func(w, claimer int) {
			i := Instance{Bind: map[string]string{}}
			effect := r.Effect()
			for _, v := range table.Vars {
				// Of the places that a condition names, a worker means its own; a claimer may mean all workers'.
				if _, assigned := effect[v]; !assigned && (others || !spec.Mentions(r.When, v)) {
					continue
				}
				switch {
				case byActor(v):
					i.Bind[v] = by(v, a)
				case claims(v):
					i.Bind[v] = by(own(v, w), claimer)
				case workerVar(v):
					i.Bind[v] = own(v, w)
				}
			}
			if free {
				i.When = busy[a] + " == 0"
			}
			if !slices.ContainsFunc(all, func(j Instance) bool { return fmt.Sprint(i) == fmt.Sprint(j) }) {
				all = append(all, i)
			}
		}
		if others {
			for w := range workers {
				add(w, a)
			}
		} else {
			for claimer := range actors {
				add(a, claimer)
			}
		}
		return all
	}
	return c
}

// Parker gives the table of park names: the wakers are those who owe a wake. The parker is one of them, too.
func Parker(parker int, actors []string) Cast {
	c := Cast{System: spec.Park(), Actors: actors, Package: "park", Copies: map[string][]string{}}
	for a := range actors {
		c.Copies["owed"] = append(c.Copies["owed"], fmt.Sprint("owed_a", a))
	}
	c.Instances = func(r *spec.Rule, a int) []Instance {
		kind, _, _ := strings.Cut(r.Name, "_")
		waker := slices.Contains([]string{"unpark", "wake"}, kind)
		if !waker && a != parker {
			return nil
		}
		i := Instance{Bind: map[string]string{"owed": c.Copies["owed"][a]}}
		if kind != "wake" {
			i.When = c.Copies["owed"][a] + " == 0" // before anything else
		}
		return []Instance{i}
	}
	return c
}
