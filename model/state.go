package model

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

// Package variables are part of an execution. Those that the test of a check
// can change are made anew for each execution, in its main thread,
// before the body: all are set to zero, then the initialisers and init
// functions that make them run, packages in Go's order. So a default pool, a
// cache or a sync.Once is fresh, and goroutines that initialisation begins are
// threads of the execution.
//
// Between executions, and for what a test does before and after Check, the
// variables are those of the process. What the test changed in them before
// Check (a configured limit, a registered driver) is meant for the executions
// too: such a variable keeps its value instead of being made anew, together
// with all that share memory with it, or may. What is changed is found by
// comparing its memory with what that was when packages had been initialised
// (state_memory.go), and by initialising the packages once more outside of an
// execution, as the second time may give something else (state_shape.go). Steps
// that cannot be repeated show there: they panic, or come to what is not modelled.
//
// A variable that is kept is put back before each execution, with all its
// memory. If an execution changes something of it that is not put back, the
// check names it as an assumption.
type packageState struct {
	packages []packageVars
	refused  string // why nothing can be checked
	begun    int    // executions
	kept     []*packageVar
	values   explore.Memories // of those kept that were put back, themselves
	watched  []*packageVar
	hidesOld bool // a variable that is watched was changed before, and hides something
	env      environment
	changed  map[string][]string // kept variables that executions changed, by why they are kept

	began   time.Time
	looking time.Duration // that it took to look what executions have changed
	looks   int           // how many there were
	seldom  bool          // not behind each that may have changed something
}

type packageVars struct {
	path  string
	vars  []*packageVar
	steps []*packageStep
}

type packageVar struct {
	name  string
	value reflect.Value
	saved reflect.Value // of the process
	why   string        // executions begin with that, and why; "" if they make their own
	early bool          // it has that value while packages are initialised, too
	shape uint64        // of the process's value
	init  uint64        // hash of its memory when packages had been initialised
	mem   *memory       // of the process's value
	dirty bool          // an execution has changed its memory
}

type packageStep struct {
	order int
	where string
	run   func()
	why   string // it is not repeated
	sets  []string
	with  []string // the variables that it sets or changes
	vars  []*packageVar

	starts bool // it may begin goroutines
	done   bool // all that it does is to set variables that are kept
}

// settle finds the steps that have nothing to do, as their variables have their values already.
func (s *packageState) settle() {
	for _, p := range s.packages {
		early := make(map[string]bool)
		for _, v := range p.vars {
			early[strings.TrimPrefix(v.name, p.path+".")] = v.early
		}
		for _, step := range p.steps {
			step.done = len(step.sets) > 0 && !slices.ContainsFunc(step.sets,
				func(name string) bool { return !early[name] })
		}
	}
}

// openPackageState prepares executions of a check.
func openPackageState(check string) *packageState {
	s := &packageState{env: environmentNow()}
	held, running := explore.Withheld()
	if running > 0 {
		s.refused = fmt.Sprintf("%d goroutine(s) which the initialisation of a package began run on "+
			"while the test does: it waited for one of them, and such goroutines are not modelled", running)
		return s
	}
	parts := hook.States(check)
	for _, p := range parts {
		if q := s.open(p, held); len(q.vars)+len(q.steps) > 0 {
			s.packages = append(s.packages, q)
		}
	}
	s.join()
	s.watch(parts)
	s.each(func(v *packageVar) {
		v.saved = copied(v.value)
		v.shape = shapeOf(v.value)
		v.mem = memoryOf(v.value, v.why != "")
	})
	if s.refused == "" {
		s.probe(held)
	}
	return s
}

func (s *packageState) open(p *hook.Package, held int) packageVars {
	q := packageVars{path: p.Path}
	for _, part := range p.Parts {
		if part.Watched {
			continue
		}
		if part.Run != nil {
			step := &packageStep{
				order: part.Order, where: part.Where, run: part.Run, sets: part.Sets,
				with: part.With, starts: part.Starts,
			}
			q.steps = append(q.steps, step)
			continue
		}
		v := &packageVar{
			name:  p.Path + "." + part.Name,
			value: reflect.ValueOf(part.Pointer).Elem(),
		}
		v.init = atInit[part.Pointer]
		q.vars = append(q.vars, v)
		if part.Kept != "" {
			s.keep(v, part.Kept)
			v.early = true
		}
		if part.Lost && held > 0 {
			s.refused = fmt.Sprintf("package variable %s (%s) belongs to goroutines that are begun while "+
				"its package is initialised, and that cannot be repeated for each execution: %s",
				v.name, part.Where, part.Kept)
		}
	}
	slices.SortFunc(q.steps, func(a, b *packageStep) int { return a.order - b.order })
	return q
}

// join finds the variables that steps set together.
func (s *packageState) join() {
	byName := make(map[string]*packageVar)
	s.each(func(v *packageVar) { byName[v.name] = v })
	for i := range s.packages {
		for _, step := range s.packages[i].steps {
			for _, name := range step.with {
				if v := byName[name]; v != nil {
					step.vars = append(step.vars, v)
				}
			}
		}
	}
}

func (s *packageState) keep(v *packageVar, why string) {
	v.why = why
	s.kept = append(s.kept, v)
}

// changedBefore reports whether v is not as it was when packages had been initialised.
func (v *packageVar) changedBefore() bool { return v.init != 0 && v.init != v.mem.hash }

// isLarge reports whether the memory of v is put back only once an execution has changed it.
func (v *packageVar) isLarge() bool { return v.mem.values > largeValues }

// watch finds the variables that take no part in executions, as nothing is known to change them.
func (s *packageState) watch(packages []*hook.Package) {
	takesPart := make(map[any]bool)
	for _, p := range packages {
		for _, part := range p.Parts {
			takesPart[part.Pointer] = takesPart[part.Pointer] || !part.Watched
		}
	}
	values := 0 // that are looked at
	for _, p := range packages {
		for _, part := range p.Parts {
			if part.Watched && !takesPart[part.Pointer] && values < shapeNodes {
				v := &packageVar{name: p.Path + "." + part.Name, why: "taken to be unchanging",
					value: reflect.ValueOf(part.Pointer).Elem()}
				v.saved = copied(v.value)
				v.mem = memoryOf(v.value, true)
				values += v.mem.values
				v.init = atInit[part.Pointer]
				s.hidesOld = s.hidesOld || v.mem.hides && v.changedBefore()
				s.watched = append(s.watched, v)
			}
		}
	}
}

// check finds out whether executions have changed what is taken to be unchanging. From then on it
// is put back. What comes to light right behind the execution that has changed it has had no
// effect: seen says that it would have come to light behind the others.
func (s *packageState) check(seen bool) {
	s.watched = slices.DeleteFunc(s.watched, func(v *packageVar) bool {
		changed := v.mem.hasChanged(v.value)
		if changed {
			s.keep(v, v.why)
			s.noteUnless(seen, v.why, v.name)
		}
		return changed
	})
	s.checkLarge()
	if !s.env.changed && s.env.differs() {
		s.env.changed = true
		s.noteUnless(seen, "taken to be unchanging", "the environment")
	}
}

// checkLarge is check for large kept memory.
func (s *packageState) checkLarge() {
	for _, v := range s.kept {
		if v.isLarge() && !v.dirty && v.mem.hasChanged(v.value) {
			v.dirty = true
			s.noteUnless(!s.seldom, v.why, v.name)
		}
	}
}

// What is looked at behind each execution may take so long, and then a part of the time.
const (
	freeLooking = 100 * time.Millisecond
	freeLooks   = 16
	lookingPart = 4
)

// lookBack looks at what the last execution may have changed. All is looked at behind the first
// execution, the second, the fourth, and so on, and behind each that used what outlives it, such as
// the environment; large kept memory behind each. If that takes long, some executions are left out,
// and the check says so.
func (s *packageState) lookBack() {
	uses, power := explore.Outlived(), s.begun&(s.begun-1) == 0
	var large []string
	for _, v := range s.kept {
		if v.isLarge() && !v.dirty {
			large = append(large, v.name)
		}
	}
	if s.begun == 0 || !uses && !power && large == nil {
		return
	}
	begin := time.Now()
	few := s.looks < freeLooks || s.looking < freeLooking ||
		s.looking < begin.Sub(s.began)/lookingPart
	switch {
	case power || uses && few:
		s.check(!s.seldom && (uses || s.begun == 1))
	case few:
		s.checkLarge()
	default:
		s.seldom = true
		const why = "what executions do to it is not looked at behind each"
		if uses {
			s.noteName(why, "the environment or the library")
		}
		for _, name := range large {
			s.noteName(why, name)
		}
	}
	s.looks++
	s.looking += time.Since(begin)
}

// look notes which kept variables executions have changed.
func (s *packageState) look() {
	for _, v := range s.kept {
		unseen := v.mem.unseen || v.mem.hides && (v.changedBefore() ||
			v.why == changedBefore || v.why == hook.CalledBefore || v.why == keptTogether)
		if unseen && s.begun > 1 || v.mem.hasChanged(v.value) {
			s.note(v)
		}
	}
	for _, v := range s.watched {
		if v.mem.hides && v.changedBefore() && s.begun > 1 {
			s.note(v)
		}
	}
}

func (s *packageState) note(v *packageVar) { s.noteName(v.why, v.name) }

// noteUnless notes what another execution than the last one may have changed.
func (s *packageState) noteUnless(seen bool, why, name string) {
	if !seen && s.begun > 1 {
		s.noteName(why, name)
	}
}

func (s *packageState) noteName(why, name string) {
	if slices.Contains(s.changed[why], name) {
		return
	}
	if s.changed == nil {
		s.changed = map[string][]string{}
	}
	s.changed[why] = append(s.changed[why], name)
}

// assumptions says what executions have left to those after them.
func (s *packageState) assumptions() []string {
	s.close()
	s.look()
	var list []string
	for _, why := range slices.Sorted(maps.Keys(s.changed)) {
		slices.Sort(s.changed[why])
		list = append(list, fmt.Sprintf("executions may depend on what those before them did to "+
			"%s (not made anew: %s)", strings.Join(s.changed[why], ", "), why))
	}
	return list
}

// each calls f for every variable.
func (s *packageState) each(f func(*packageVar)) {
	for i := range s.packages {
		for _, v := range s.packages[i].vars {
			f(v)
		}
	}
}

// close gives the process its variables back.
func (s *packageState) close() {
	s.check(!s.seldom && (explore.Outlived() || s.begun <= 1))
	s.giveBack()
}

func (s *packageState) giveBack() {
	s.each(func(v *packageVar) { v.value.Set(v.saved) })
	s.putBack()
}

// putBack gives kept variables the memory that they begin with.
func (s *packageState) putBack() {
	for _, v := range s.kept[s.values.Len():] {
		s.values.Add(bytesOf(v.value), bytesOf(v.saved))
	}
	s.values.Restore(func(i int) { s.kept[i].value.Set(s.kept[i].saved) })
	for _, v := range s.kept {
		if v.dirty || !v.isLarge() {
			v.mem.putBack()
		}
	}
	if s.env.changed {
		s.env.putBack()
	}
}

// The environment of the process is watched, too.
type environment struct {
	saved   []string
	dir     string // the working directory, "" if unknown
	changed bool
}

func environmentNow() environment {
	dir, _ := os.Getwd()
	return environment{saved: os.Environ(), dir: dir}
}

func (e *environment) differs() bool {
	now := environmentNow()
	return now.dir != e.dir || !slices.Equal(now.saved, e.saved)
}

func (e *environment) putBack() {
	if e.dir != "" {
		_ = os.Chdir(e.dir)
	}
	os.Clearenv()
	for _, entry := range e.saved {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			_ = os.Setenv(name, value) // it was there
		}
	}
}

// renew gives an execution variables of its own.
func (s *packageState) renew() {
	if s.begun == 0 {
		s.began = time.Now()
	}
	s.lookBack()
	s.makeAnew(func(step *packageStep) {
		if step.why == "" {
			step.run()
		}
	})
	if s.begun++; s.begun == 2 {
		s.look()
	}
	explore.Outlived() // what initialisation does is not done by an execution
}

// makeAnew sets the variables that are not kept to zero, and runs the steps. These see what was set
// before the check no more than they did when the process began.
func (s *packageState) makeAnew(run func(*packageStep)) {
	s.putBack()
	runs := slices.ContainsFunc(s.packages, func(p packageVars) bool { return len(p.steps) > 0 })
	s.each(func(v *packageVar) {
		if v.why == "" || runs && !v.early {
			v.value.SetZero()
		}
	})
	if !runs {
		return
	}
	for i := range s.packages {
		for _, step := range s.packages[i].steps {
			if !step.done {
				run(step)
			}
		}
	}
	s.putBack()
}

// probe finds the variables that are not as initialisation makes them, and the
// steps that cannot be repeated.
func (s *packageState) probe(held int) {
	var failed *packageStep
	begun := explore.Probe(func() {
		s.makeAnew(func(step *packageStep) {
			if step.try(); step.why != "" {
				failed = step
			}
		})
	})
	if _, running := explore.Withheld(); running > 0 {
		s.refused = "the initialisation of a package waits for goroutines that it begins: not modelled"
	}
	if failed != nil && begun < held {
		s.refused = fmt.Sprintf("the initialisation at %s cannot be repeated for each execution (%s), "+
			"and goroutines are begun while packages are initialised", failed.where, failed.why)
	}
	var differ []*packageVar
	s.each(func(v *packageVar) {
		if v.why == "" && (v.changedBefore() || shapeOf(v.value) != v.shape) {
			differ = append(differ, v)
		}
	})
	s.giveBack()
	for _, v := range differ {
		s.keep(v, s.reason(v))
		v.early = v.why != changedBefore
	}
	// What shares memory with a kept variable goes with it, and what the test has put into one of
	// the library; so does all that may, if that has something in it that is not seen.
	for _, k := range s.watched {
		s.each(func(v *packageVar) {
			if v.why == "" && k.changedBefore() && v.mem.shares(k.mem) {
				s.keep(v, changedBefore)
			}
		})
	}
	hides := s.hidesOld
	for i := 0; i < len(s.kept); i++ {
		k := s.kept[i]
		hides = hides || k.mem.hides
		s.each(func(v *packageVar) {
			if v.why == "" && v.mem.shares(k.mem) {
				s.keep(v, k.why)
				v.early = k.early
			}
		})
		s.keepTogether(k, held)
		if hides && held == 0 && i == len(s.kept)-1 {
			s.each(func(v *packageVar) {
				if v.why == "" && v.mem.leads() && !v.mem.hides && !v.mem.bound {
					s.keep(v, "what another variable hides may lead to it")
					v.early = true
				}
			})
		}
		k.mem = memoryOf(k.value, true)
	}
	s.settle()
}

// keepTogether keeps what a step sets or changes together with k, if one may lead to the other in a
// way that is not seen: by the variables of a closure that both use. Goroutines that hold what is
// kept cannot be repeated.
func (s *packageState) keepTogether(k *packageVar, held int) {
	for i := range s.packages {
		for _, step := range s.packages[i].steps {
			if !slices.Contains(step.vars, k) {
				continue
			}
			if step.starts && held > 0 && (k.mem.leads() || k.mem.hides) {
				s.refused = fmt.Sprintf("goroutines that are begun at %s while the package is initialised "+
					"may work on package variable %s, which keeps its value (%s): they cannot be repeated "+
					"for each execution", step.where, k.name, k.why)
			}
			for _, v := range step.vars {
				if v.why == "" && (v.mem.hides || k.mem.hides && v.mem.leads()) {
					s.keep(v, keptTogether)
					v.early = k.early
				}
			}
		}
	}
}

// keptTogether is why a variable is kept that hides what may be another's that is kept.
const keptTogether = "it is set together with another that is kept"

const changedBefore = "changed before the check"

// reason says why a variable is not as initialisation makes it.
func (s *packageState) reason(v *packageVar) string {
	for i := range s.packages {
		if !slices.Contains(s.packages[i].vars, v) {
			continue
		}
		for _, step := range s.packages[i].steps {
			if step.why != "" {
				return "the initialisation at " + step.where + " cannot be repeated: " + step.why
			}
		}
	}
	return changedBefore
}

// try runs a step outside of an execution, and notes why it cannot be repeated.
func (s *packageStep) try() {
	done := false
	defer func() {
		if p := recover(); p != nil {
			why, ok := hook.NotRepeated(p)
			if !ok {
				why = fmt.Sprintf("panic: %v", p)
			}
			s.why = why
		} else if !done {
			s.why = "it leaves its goroutine"
		}
	}()
	s.run()
	done = true
}
