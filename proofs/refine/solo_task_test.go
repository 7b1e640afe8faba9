package refine_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"unsafe"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/proofs/refine"
	"github.com/surewake/surewake/proofs/spec"
	"github.com/surewake/surewake/taskstate"
)

// A loneTask is one goroutine at the word of a task.
type loneTask struct {
	*refine.TaskCrowd
	x    *model.Exec
	word *taskstate.Word
	do   func()
	run  func()
}

// calls are what somebody may do who has an entry, the right to run, the handle or a reference.
type calls map[string]func(*loneTask)

var anybody = calls{"Load": (*loneTask).load, "Wake": (*loneTask).wake,
	"Cancel": (*loneTask).cancel, "Clone": (*loneTask).clone, "Claim": (*loneTask).claim}

// Every access of one goroutine that calls a method of taskstate, and may, is a transition of the
// table or changes nothing, among any number of others; and the method returns what the table says.
// A goroutine that may call in several ways does it in one of them, and is one of the others in the
// rest.
func TestOneAtATaskAmongAnyNumber(t *testing.T) {
	var all []*refine.Solo
	for _, who := range []struct {
		name, has string
		starts    func(l *loneTask, start map[string]int) []map[string]int
		may       []calls
	}{
		{"entry", "entries", as, []calls{anybody, {"ToRunning": (*loneTask).toRunning}}},
		{"runner", "runner", inShields, []calls{anybody, {"ToIdle": (*loneTask).toIdle,
			"Yield": (*loneTask).yield, "Complete": (*loneTask).complete,
			"EnterShield": (*loneTask).enter, "LeaveShield": (*loneTask).leave}}},
		{"handle", "handle", as, []calls{anybody, {"Join": (*loneTask).join,
			"Unjoin": (*loneTask).unjoin, "Detach": (*loneTask).detach,
			"Renew": (*loneTask).renew}}},
		{"handle and reference", "handle", withReference, []calls{{"Renew": (*loneTask).renew}}},
		{"holder", "holders", as, []calls{anybody, {"WakeDrop": (*loneTask).wakeDrop,
			"Drop": (*loneTask).drop}}},
		{"holder of many", "holders", withMany, []calls{{"Clone": (*loneTask).clone,
			"Claim": (*loneTask).claim}}},
		{"last", "last", as, []calls{anybody, {"Drop": (*loneTask).drop}}},
	} {
		for _, may := range who.may {
			for _, name := range slices.Sorted(maps.Keys(may)) {
				l := &loneTask{TaskCrowd: refine.NewTaskCrowd()}
				var starts []map[string]int
				for _, start := range l.Starts(who.has) {
					starts = append(starts, who.starts(l, start)...)
				}
				l.do = func() { may[name](l) }
				l.run = func() { l.Run(l.do) }
				t.Run(who.name+" "+name, func(t *testing.T) { l.check(t, starts) })
				all = append(all, l.Solo)
			}
		}
	}
	everyRuleOf(t, 240_000, all, func(rule string) string { return rule })
}

func (l *loneTask) check(t *testing.T, starts []map[string]int) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("the words are too short to tell addresses")
	}
	alone(t, l.Solo, func(x *model.Exec) {
		if refine.Explored() {
			l.body(x, starts[x.Choose(len(starts))])
		}
	})
}

func as(_ *loneTask, start map[string]int) []map[string]int { return []map[string]int{start} }

// inShields also has starts in more than one shield.
func inShields(_ *loneTask, start map[string]int) []map[string]int {
	all := []map[string]int{start}
	if start["shield"] == 0 {
		return all
	}
	for _, n := range []int{2, taskstate.MaxShield - 1, taskstate.MaxShield} {
		deep := maps.Clone(start)
		deep["shield"] = n
		all = append(all, deep)
	}
	return all
}

func withReference(_ *loneTask, start map[string]int) []map[string]int {
	start["holders_a0"]++
	start["refs"]++
	return []map[string]int{start}
}

// withMany has starts with so many references that there is room for one more whatever others do.
func withMany(l *loneTask, start map[string]int) []map[string]int {
	more := taskstate.MaxReferences - 1 - l.Highest(start, "refs")
	start["holders_a0"] += more
	start["refs"] += more
	return []map[string]int{start}
}

func (l *loneTask) body(x *model.Exec, start map[string]int) {
	word := taskstate.New(1)
	l.x, l.word = x, &word
	l.Begin(x.Choose, l.word, start)
	l.Refer(unsafe.Pointer(x), unsafe.Sizeof(*x))
	l.Refer(unsafe.Pointer(l), unsafe.Sizeof(*l))
	l.Refer(unsafe.Pointer(l.Solo), unsafe.Sizeof(*l.Solo))
	l.Refer(unsafe.Pointer(l.TaskCrowd), unsafe.Sizeof(*l.TaskCrowd))
	l.Refer(refine.FuncOf(l.run), 1)
	l.Refer(refine.FuncOf(l.do), 1)
	x.Go("me", l.run)
	x.Join()
}

// said holds what a method has returned against the rule that its last access was; if that was
// none, unchanged is what it must have returned, "" for that there must have been a rule.
func (l *loneTask) said(returned fmt.Stringer, unchanged string) {
	want := unchanged
	if l.Last() != "" {
		want = l.Outcome()
	}
	l.x.Assert(!l.Failed(), "%v is returned after a failed compare-and-swap", returned)
	l.x.Assert(returned.String() == want, "%v is returned, and the table, after %q, says %q: it "+
		"is in %v", returned, l.Last(), want, l.TaskCrowd)
}

// either returns the one or the other, as the table says.
func (l *loneTask) either(condition, yes, no string) string {
	if l.Holds(condition) {
		return yes
	}
	return no
}

func (l *loneTask) did(rule, what string) {
	l.x.Assert(!l.Failed(), "%s after a failed compare-and-swap", what)
	l.x.Assert(l.Last() == rule, "%s: the last access was %q, and the table is in %v", what,
		l.Last(), l.TaskCrowd)
}

func (l *loneTask) load() {
	s := l.word.Load()
	l.did("", "Load")
	for name, n := range map[string]int{"life": int(s.Lifecycle()), "notified": flag(s.Notified()),
		"cancelled": flag(s.Cancelled()), "join": flag(s.JoinInterest()),
		"detached": flag(s.Detached()), "shield": s.Shield(), "refs": s.References()} {
		l.x.Assert(l.Get(name) == n, "Load says %v: the table is in %v", s, l.TaskCrowd)
	}
}

func (l *loneTask) wake() {
	l.said(l.word.Wake(), l.either("life == 3", "WakeFinished", "none"))
}

func (l *loneTask) wakeDrop() { l.said(l.word.WakeDrop(), "none") }

func (l *loneTask) cancel() {
	l.said(l.word.Cancel(), l.either("life == 3", "CancelFinished",
		l.either("cancelled == 1", "CancelAlready", "none")))
}

func (l *loneTask) clone() {
	l.word.Clone()
	l.did("clone", "Clone")
}

func (l *loneTask) drop() { l.said(l.word.Drop(), "none") }

func (l *loneTask) toRunning() {
	now := l.word.ToRunning()
	l.began(now, "to_running", "stale")
	if now == taskstate.RunStale {
		l.drop()
	}
}

func (l *loneTask) claim() { l.began(l.word.Claim(), "claim", "") }

func (l *loneTask) began(now taskstate.RunOutcome, rule, not string) {
	if now == taskstate.RunStale {
		l.did(not, "RunStale")
		l.x.Assert(l.Holds("life != 0"), "RunStale: the table is in %v", l.TaskCrowd)
		return
	}
	l.did(rule, now.String())
	l.x.Assert((now == taskstate.RunCancelled) == l.Holds("told == 1"), "%v: the table is in %v",
		now, l.TaskCrowd)
}

func (l *loneTask) toIdle() { l.said(l.word.ToIdle(), "none") }

func (l *loneTask) yield() {
	l.word.Yield()
	l.did("yield", "Yield")
}

func (l *loneTask) complete() {
	if !l.Holds("shield == 0") {
		return
	}
	next := l.word.Complete()
	l.said(next, "none")
	if next == taskstate.CompleteWakeJoiner || next == taskstate.CompleteDiscard {
		l.drop()
	}
}

func (l *loneTask) enter() {
	if l.Holds("shield < deep") {
		told := l.word.EnterShield()
		l.did("enter", "EnterShield")
		l.x.Assert(told == l.Holds("cancelled == 1 && shield == 1"),
			"EnterShield is %v: the table is in %v", told, l.TaskCrowd)
	}
}

func (l *loneTask) leave() {
	if l.Holds("shield > 0") {
		left := l.word.LeaveShield()
		l.did("leave", "LeaveShield")
		want := l.either("shield > 0", "ShieldHeld",
			l.either("cancelled == 1", "ShieldCancelled", "ShieldLeft"))
		l.x.Assert(left.String() == want, "LeaveShield is %v: the table is in %v", left,
			l.TaskCrowd)
	}
}

// join comes back for the result, and drops the handle when it is there.
func (l *loneTask) join() {
	now := l.word.Join()
	l.said(now, l.either("life == 3", "JoinReady", "none"))
	if now == taskstate.JoinReady {
		l.drop()
	}
}

func (l *loneTask) unjoin() {
	if l.Holds("join == 1") {
		l.said(l.word.Unjoin(), l.either("life == 3", "JoinReady", "none"))
	}
}

func (l *loneTask) detach() {
	next := l.word.Detach()
	l.said(next, "none")
	if next == taskstate.DetachDiscard {
		l.drop()
	}
}

// renew is for all references that the goroutine has, of which one is the handle's.
func (l *loneTask) renew() {
	if l.word.Renew(2 + l.Get("holders_a0")) {
		l.did("renew", "Renew is true")
		l.x.Assert(l.Holds(spec.Task().Init), "the table does not begin in %v", l.TaskCrowd)
	} else {
		l.did("", "Renew is false")
		l.x.Assert(!l.Holds("life == 3 && detached == 0 && refs == 1 + holders_a0"),
			"Renew is false: the table is in %v", l.TaskCrowd)
	}
}
