package taskstate_test

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/surewake/surewake/taskstate"
)

// A plain is what a word means, written down as a struct. Its transitions say once more, and
// without bits, what those of a word do; the property test, the fuzz targets and the tables hold
// the two against one another.
type plain struct {
	lifecycle                               taskstate.Lifecycle
	notified, cancelled, interest, detached bool
	shield, references                      int
	reserved                                uint64 // where it stands in the word
}

const reservedBits = 0xf000ffff

// state is the bit table of the documentation.
func (p plain) state() taskstate.State {
	s := uint64(p.references)<<40 | uint64(p.shield)<<32 | uint64(p.lifecycle)<<16 | p.reserved
	for i, flag := range []bool{p.notified, p.cancelled, p.interest, p.detached} {
		if flag {
			s |= 1 << (24 + i)
		}
	}
	return taskstate.State(s)
}

// plainOf is what the accessors say of s.
func plainOf(s taskstate.State) plain {
	return plain{
		s.Lifecycle(), s.Notified(), s.Cancelled(), s.JoinInterest(), s.Detached(),
		s.Shield(), s.References(), uint64(s) & reservedBits,
	}
}

func (p plain) String() string {
	words := []string{p.lifecycle.String()}
	for _, f := range []struct {
		set  bool
		name string
	}{
		{p.notified, "notified"}, {p.cancelled, "cancelled"}, {p.interest, "join-interest"},
		{p.detached, "detached"},
		{p.shield > 0, fmt.Sprintf("shield=%d", p.shield)},
		{true, fmt.Sprintf("references=%d", p.references)},
		{p.reserved > 0, fmt.Sprintf("reserved=0x%x", p.reserved)},
	} {
		if f.set {
			words = append(words, f.name)
		}
	}
	return strings.Join(words, " ")
}

// The rules as the panics name them.
const (
	ruleGone     = "the last reference is gone, or there never was one"
	ruleOver     = "there are more references than Clone gives out: the word was overwritten"
	ruleUnknown  = "no transition leads to this lifecycle: the word was overwritten"
	ruleRunner   = "only the runner of a RUNNING task may do this"
	ruleShielded = "a task leaves its shields before it completes"
	ruleDeep     = "shields are nested too deep"
	ruleNoShield = "the task is in no shield"
	ruleTooMany  = "there are too many references"
	ruleOwn      = "the last reference before COMPLETE is the task's own, which Complete drops"
	ruleDetached = "nobody has a handle of a detached task"
	ruleJoin     = "Join comes before Unjoin"
)

// An operation is a transition of a word and of a plain. Of the plain, it returns the outcome, or
// the rule that forbids it.
type operation struct {
	name  string
	word  func(*taskstate.Word) any
	plain func(*plain) (outcome any, rule string)
}

var operations = []operation{
	{"Wake", func(w *taskstate.Word) any { return w.Wake() },
		func(p *plain) (any, string) { return p.wake(), "" }},
	{"WakeDrop", func(w *taskstate.Word) any { return w.WakeDrop() }, func(p *plain) (any, string) {
		if p.references--; p.references > 0 {
			return p.wake(), ""
		}
		return taskstate.WakeRelease, p.unless(taskstate.Complete, ruleOwn)
	}},
	{"ToRunning", func(w *taskstate.Word) any { return w.ToRunning() },
		func(p *plain) (any, string) { return p.run(), "" }},
	{"Claim", func(w *taskstate.Word) any { return w.Claim() }, func(p *plain) (any, string) {
		outcome := p.run()
		if outcome == taskstate.RunStale {
			return outcome, ""
		}
		p.references++
		return outcome, p.tooMany()
	}},
	{"ToIdle", func(w *taskstate.Word) any { return w.ToIdle() }, func(p *plain) (any, string) {
		rule := p.unless(taskstate.Running, ruleRunner)
		if p.notified {
			p.lifecycle, p.notified = taskstate.Scheduled, false
			return taskstate.IdleEnqueue, rule
		}
		p.lifecycle = taskstate.Idle
		return taskstate.IdleWaits, rule
	}},
	{"Yield", func(w *taskstate.Word) any { w.Yield(); return nil }, func(p *plain) (any, string) {
		rule := p.unless(taskstate.Running, ruleRunner)
		p.lifecycle, p.notified = taskstate.Scheduled, false
		return nil, rule
	}},
	{"Complete", func(w *taskstate.Word) any { return w.Complete() }, (*plain).complete},
	{"Renew", func(w *taskstate.Word) any { return w.Renew(3) }, func(p *plain) (any, string) {
		if p.lifecycle != taskstate.Complete || p.detached || p.references != 2 {
			return false, ""
		}
		*p = plain{references: 3, reserved: p.reserved}
		return true, ""
	}},
	{"Cancel", func(w *taskstate.Word) any { return w.Cancel() }, func(p *plain) (any, string) {
		switch {
		case p.lifecycle == taskstate.Complete:
			return taskstate.CancelFinished, ""
		case p.cancelled:
			return taskstate.CancelAlready, ""
		}
		p.cancelled = true
		if p.shield > 0 {
			return taskstate.CancelDeferred, ""
		}
		if p.wake() == taskstate.WakeEnqueue {
			return taskstate.CancelEnqueue, ""
		}
		return taskstate.CancelNoted, ""
	}},
	{"EnterShield", func(w *taskstate.Word) any { return w.EnterShield() },
		func(p *plain) (any, string) {
			rule := p.unless(taskstate.Running, ruleRunner)
			told := p.cancelled && p.shield == 0
			if p.shield++; p.shield > 255 && rule == "" {
				rule = ruleDeep
			}
			return told, rule
		}},
	{"LeaveShield", func(w *taskstate.Word) any { return w.LeaveShield() },
		func(p *plain) (any, string) {
			rule := p.unless(taskstate.Running, ruleRunner)
			if p.shield--; p.shield < 0 && rule == "" {
				rule = ruleNoShield
			}
			switch {
			case p.shield > 0:
				return taskstate.ShieldHeld, rule
			case p.cancelled:
				p.notified = true
				return taskstate.ShieldCancelled, rule
			}
			return taskstate.ShieldLeft, rule
		}},
	{"Join", func(w *taskstate.Word) any { return w.Join() }, func(p *plain) (any, string) {
		if p.detached {
			return nil, ruleDetached
		}
		if p.lifecycle == taskstate.Complete {
			return taskstate.JoinReady, ""
		}
		p.interest = true
		return taskstate.JoinWait, ""
	}},
	{"Unjoin", func(w *taskstate.Word) any { return w.Unjoin() }, func(p *plain) (any, string) {
		switch {
		case p.detached:
			return nil, ruleDetached
		case p.lifecycle == taskstate.Complete:
			return taskstate.JoinReady, ""
		case !p.interest:
			return nil, ruleJoin
		}
		p.interest = false
		return taskstate.JoinWithdrawn, ""
	}},
	{"Detach", func(w *taskstate.Word) any { return w.Detach() }, (*plain).detach},
	{"Clone", func(w *taskstate.Word) any { w.Clone(); return nil }, func(p *plain) (any, string) {
		p.references++
		return nil, p.tooMany()
	}},
	{"Drop", func(w *taskstate.Word) any { return w.Drop() }, func(p *plain) (any, string) {
		if p.references--; p.references > 0 {
			return taskstate.DropKept, ""
		}
		return taskstate.DropRelease, p.unless(taskstate.Complete, ruleOwn)
	}},
}

// unusable returns the rule that forbids everything.
func (p plain) unusable() string {
	switch {
	case p.references == 0:
		return ruleGone
	case p.references > 1<<23:
		return ruleOver
	case p.lifecycle > taskstate.Complete:
		return ruleUnknown
	}
	return ""
}

func (p plain) unless(l taskstate.Lifecycle, rule string) string {
	if p.lifecycle == l {
		return ""
	}
	return rule
}

func (p plain) tooMany() string {
	if p.references > 1<<23 {
		return ruleTooMany
	}
	return ""
}

func (p *plain) wake() taskstate.WakeOutcome {
	switch p.lifecycle {
	case taskstate.Idle:
		p.lifecycle, p.notified = taskstate.Scheduled, false
		return taskstate.WakeEnqueue
	case taskstate.Running:
		p.notified = true
	case taskstate.Complete:
		return taskstate.WakeFinished
	}
	return taskstate.WakeNoted
}

func (p *plain) run() taskstate.RunOutcome {
	if p.lifecycle != taskstate.Scheduled {
		return taskstate.RunStale
	}
	p.lifecycle, p.notified = taskstate.Running, false
	if p.cancelled && p.shield == 0 {
		return taskstate.RunCancelled
	}
	return taskstate.RunPoll
}

func (p *plain) complete() (any, string) {
	rule := p.unless(taskstate.Running, ruleRunner)
	if rule == "" && p.shield > 0 {
		rule = ruleShielded
	}
	p.lifecycle, p.notified = taskstate.Complete, false
	if p.interest {
		return taskstate.CompleteWakeJoiner, rule
	}
	if p.references > 1 && p.detached {
		return taskstate.CompleteDiscard, rule
	}
	if p.references--; p.references == 0 {
		return taskstate.CompleteRelease, rule
	}
	return taskstate.CompleteDone, rule
}

func (p *plain) detach() (any, string) {
	was := *p
	p.detached = true
	switch {
	case was.references == 1 && was.lifecycle != taskstate.Complete:
		return nil, ruleOwn
	case was.detached:
		return nil, ruleDetached
	case was.lifecycle != taskstate.Complete:
		p.interest = false
		p.references--
		return taskstate.DetachDone, ""
	case was.references == 1:
		p.references--
		return taskstate.DetachRelease, ""
	}
	return taskstate.DetachDiscard, ""
}

// hold performs one operation on both, and returns what differs. A panic must name the rule, and
// leave the word as it was.
func (o operation) hold(w *taskstate.Word, p *plain) error {
	before := *p
	rule := p.unusable()
	var want any
	if rule == "" {
		want, rule = o.plain(p)
	}
	if rule != "" {
		want, *p = fmt.Sprintf("taskstate: %s: %s (state: %v)", o.name, rule, before), before
	}
	got := o.call(w)
	if got != want {
		return fmt.Errorf("%s of %v: got %T %v, want %T %v", o.name, before, got, got, want, want)
	}
	if s := w.Load(); s != p.state() {
		return fmt.Errorf("%s of %v: got %v, want %v", o.name, before, s, p)
	}
	return nil
}

// call returns the outcome, or what the panic says.
func (o operation) call(w *taskstate.Word) (got any) {
	defer func() {
		if r := recover(); r != nil {
			if reflect.TypeOf(r).Kind() == reflect.String {
				got = r
				return
			}
			panic(r)
		}
	}()
	return o.word(w)
}
