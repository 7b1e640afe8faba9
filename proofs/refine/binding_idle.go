package refine

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/surewake/surewake/proofs/spec"
)

// A Loop names the accesses that the table of idle leaves to its callers: those to the queue and
// after Close. The texts have the form of spec.Rule.Code.
type Loop struct {
	Push, Take string   // adds to the queue; takes from it
	Recheck    string   // looks at the queue after Publish
	CloseDone  string   // comes after Close has returned; "" if no access shows it
	Silent     []string // rules without an access, see Binding.Silent
	// Elsewhere says that there are other queues, whose accesses are not followed: anybody may push
	// to them and notify, and a searcher, or a worker that rechecks, may find something there, at
	// any time. Most is how many tasks one access to the queue adds or takes then.
	Elsewhere bool
	Most      int
	// Words has, for each worker, the word of the bitmap that its bit is in, from 0 on; nil is one
	// word for all. With it word k is the object "word" and k, and a notifier is followed through
	// the words, as in the steps m_pass, m_end and m_claim of coq/Idle.v.
	Words []int
}

func (l Loop) code() map[string]string {
	code := map[string]string{
		"push": l.Push, "take": l.Take, "take_searching": l.Take, "woke": "park.take, park.leave",
	}
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

// Idle binds the table of idle to goroutines, of which the first are the workers. A worker's place
// is the worker's own; a notifier is the goroutine that runs it; a claim is one of a worker by a
// goroutine.
func Idle(workers int, actors []string, loop Loop) Binding {
	table, silent := oneQueue(spec.Idle()), loop.Silent
	if loop.Elsewhere {
		table, silent = manyQueues(spec.Idle(), silent)
	}
	code := loop.code()
	if loop.Words != nil {
		table = manyWords(table, loop.Words, code)
	}
	i := idleBinding{workers: workers, actors: actors, table: rememberingClose(table),
		words: loop.Words}
	b := Binding{System: i.table, Actors: actors, Package: "idle", Code: code,
		Silent: silent, Params: loop.Most}
	i.copies = i.copy()
	b.Copies = i.copies
	b.Preconditions = []Precondition{{Code: "park.Park, park.ParkTimeout", When: i.mayPark}}
	b.Instances = i.instances
	return b
}

// oneQueue leaves out the rules about other queues: a test has one.
func oneQueue(table *spec.System) *spec.System {
	for _, r := range slices.Clone(table.Rules) {
		if strings.Contains(r.Name, "elsewhere") {
			table = table.Without(r.Name)
		}
	}
	return table
}

// manyQueues has the queue that is followed take and give several tasks at a time, and the others
// do what they like, without an access. A worker that has found something in another queue does not
// look at this one any more, which is one of the table's two rechecks that notify.
func manyQueues(table *spec.System, silent []string) (*spec.System, []string) {
	table.Params = []string{"n"}
	for _, r := range slices.Clone(table.Rules) {
		elsewhere := strings.Contains(r.Name, "elsewhere")
		switch {
		case r.Name == "push":
			r.When, r.Do = "n >= 1 && left >= n", "left -= n; q += n; m0++"
		case r.Name == "take":
			r.When, r.Do = "R > 0 && n >= 1 && q >= n", "q -= n"
		case r.Name == "take_searching":
			r.When, r.Do = "S > 0 && n >= 1 && q >= n", "S--; F++; q -= n"
		case elsewhere && kindOf(r.Name) == "recheck":
			r.When = strings.Replace(r.When, " && q == 0", "", 1)
		}
		table = table.With(r)
		if elsewhere {
			silent = append(slices.Clone(silent), r.Name)
		}
	}
	return table, silent
}

// manyWords has a notifier read one word after the other: past is how many it has read as zero.
// Which bits are in which word is for noBit.
func manyWords(table *spec.System, words []int, code map[string]string) *spec.System {
	table.Vars = append(slices.Clone(table.Vars), "past")
	last := slices.Max(words)
	for k := range last {
		table = table.With(spec.Rule{
			Name: fmt.Sprint("pass_", k), Code: fmt.Sprintf("claim: word%d.Load", k),
			When: fmt.Sprintf("m1 > 0 && past == %d", k), Do: fmt.Sprintf("past = %d", k+1),
		})
	}
	for _, r := range slices.Clone(table.Rules) {
		switch {
		case r.Name == "claim_none":
			r.When, r.Do = fmt.Sprintf("m1 > 0 && past == %d", last), "m1--; past = 0"
			code[r.Name] = fmt.Sprintf("claim: word%d.Load", last)
		case kindOf(r.Name) == "claim" && !strings.HasPrefix(r.Name, "claim_one"):
			r.Do += "; past = 0"
		}
		if _, own := code[r.Name]; !own && strings.Contains(r.Code, ": word.") {
			code[r.Name] = strings.Replace(r.Code, ": word.", ": ", 1)
		}
		table = table.With(r)
	}
	return table
}

// rememberingClose adds what a goroutine knows of Close: closer, that it has called it and claims
// for that only; shut, that its Publish has seen closed.
func rememberingClose(table *spec.System) *spec.System {
	table.Vars = append(slices.Clone(table.Vars), "closer", "shut")
	table = table.With(spec.Rule{
		Name: "shut", Code: "Publish: closed.Load", When: "closed > 0 && shut == 0", Do: "shut = 1",
	})
	for _, r := range slices.Clone(table.Rules) {
		switch kind := kindOf(r.Name); {
		case r.Name == "close":
			r.Do += "; closer = 1"
		case strings.HasPrefix(r.Name, "claim_one"):
			// By a second Close, in coq/Idle.v as here a claim like any other.
			table = table.With(spec.Rule{
				Name: strings.Replace(r.Name, "claim_one", "close_again", 1), Code: "Close: And",
				When: spec.And("closed > 0", r.When), Do: r.Do,
			})
		case kind == "close":
			r.When, r.Do = spec.And(r.When, "closer == 1"), r.Do+"; closer = 1"
		case kind == "closed":
			r.When, r.Do = spec.And(r.When, "shut == 1"), r.Do+"; shut = 0"
		}
		table = table.With(r)
	}
	return table
}

// kindOf returns a rule's name up to the first underscore.
func kindOf(rule string) string {
	kind, _, _ := strings.Cut(rule, "_")
	return kind
}

// An idleBinding makes the copies of the variables of idle's table, and the instances of its rules.
type idleBinding struct {
	workers int
	actors  []string
	table   *spec.System
	words   []int // see Loop
	copies  map[string][]string
}

// A variable of the table belongs to a goroutine (byActor), to a worker and the goroutine that
// claims it (byClaim), to a worker (byWorker), or to nobody (common).
type belonging int

const (
	common belonging = iota
	byActor
	byClaim
	byWorker
)

func belongingOf(v string) belonging {
	switch {
	case v == "m0" || v == "m1" || v == "past" || v == "closer" || v == "shut":
		return byActor
	case strings.HasSuffix(v, "_c") || strings.HasSuffix(v, "_i"):
		return byClaim
	case v == "R" || v == "S" || v == "F" || strings.Contains(v, "_"):
		return byWorker
	}
	return common
}

// copyOf names the copy of a variable for a worker and an actor, each where it belongs to one; it
// is "" for a common variable.
func copyOf(v string, worker, actor int) string {
	switch belongingOf(v) {
	case byActor:
		return fmt.Sprintf("%s_a%d", v, actor)
	case byClaim:
		return fmt.Sprintf("%s_w%d_a%d", v, worker, actor)
	case byWorker:
		return fmt.Sprintf("%s_w%d", v, worker)
	}
	return ""
}

// copy lists the copies of every variable.
func (b *idleBinding) copy() map[string][]string {
	copies := map[string][]string{}
	for _, v := range b.table.Vars {
		for w := range b.workers {
			for a := range b.actors {
				name := copyOf(v, w, a)
				if name != "" && !slices.Contains(copies[v], name) {
					copies[v] = append(copies[v], name)
				}
			}
		}
	}
	return copies
}

// mayPark is the condition under which an actor calls Park: it is a worker, in place P.
func (b *idleBinding) mayPark(actor int) string {
	if actor >= b.workers {
		return ""
	}
	var places []string
	for _, s := range stages {
		own := fmt.Sprintf("P_%s_w%d", s, actor)
		for _, v := range b.copies["P_"+s] {
			if v == own || strings.HasPrefix(v, own+"_") {
				places = append(places, v)
			}
		}
	}
	return strings.Join(places, " + ") + " == 1"
}

// free is the condition under which an actor has no notification and no claim to go on with.
func (b *idleBinding) free(actor int) string {
	open := []string{copyOf("m0", 0, actor), copyOf("m1", 0, actor)}
	for _, v := range b.table.Vars {
		if belongingOf(v) != byClaim {
			continue
		}
		for w := range b.workers {
			open = append(open, copyOf(v, w, actor))
		}
	}
	return strings.Join(open, " + ") + " == 0"
}

// instances returns the ways in which an actor does a rule. A rule is done to any worker (toOthers)
// or by a worker to itself.
func (b *idleBinding) instances(r *spec.Rule, actor int) []Instance {
	kind := kindOf(r.Name)
	toOthers := slices.Contains([]string{"push", "notify", "pass", "claim", "count", "token",
		"close"}, kind)
	if !toOthers && actor >= b.workers {
		return nil
	}
	// These go on with a notification; everything else waits until it is over.
	goesOn := slices.Contains([]string{"notify", "pass", "claim", "count", "token"}, kind) &&
		!strings.HasPrefix(r.Name, "claim_one")
	var all []Instance
	add := func(worker, claimer int) {
		i := Instance{Bind: b.bind(r, toOthers, worker, actor, claimer)}
		if !goesOn {
			i.When = b.free(actor)
		} else if kind == "pass" || r.Name == "claim_none" {
			i.When = b.noBit(r)
		}
		if !slices.ContainsFunc(all, func(j Instance) bool { return reflect.DeepEqual(i, j) }) {
			all = append(all, i)
		}
	}
	if toOthers {
		for w := range b.workers {
			add(w, actor)
		}
	} else {
		for claimer := range b.actors {
			add(actor, claimer)
		}
	}
	return all
}

// noBit is the condition that the word is zero that a notifier passes; "" if there is one word.
func (b *idleBinding) noBit(r *spec.Rule) string {
	if b.words == nil {
		return ""
	}
	passed := slices.Max(b.words)
	if n, ok := strings.CutPrefix(r.Name, "pass_"); ok {
		passed, _ = strconv.Atoi(n)
	}
	bits := []string{"0"}
	for w, word := range b.words {
		for _, p := range parking {
			if word == passed {
				bits = append(bits, copyOf(p+"_b", w, 0))
			}
		}
	}
	return strings.Join(bits, " + ") + " == 0"
}

// bind gives the copies that a rule means: all that it assigns; of those that only its condition
// names, a worker means its own, and a claimer may mean those of all workers.
func (b *idleBinding) bind(r *spec.Rule, toOthers bool, worker, actor,
	claimer int) map[string]string {
	bound := map[string]string{}
	effect := r.Effect()
	for _, v := range b.table.Vars {
		if _, assigned := effect[v]; !assigned && (toOthers || !spec.Mentions(r.When, v)) {
			continue
		}
		a := actor
		if belongingOf(v) == byClaim {
			a = claimer
		}
		if name := copyOf(v, worker, a); name != "" {
			bound[v] = name
		}
	}
	return bound
}
