package refine_test

import (
	"testing"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/proofs/refine"
	"github.com/surewake/surewake/taskstate"
)

// A job is a task in an execution.
type job struct {
	word taskstate.Word
	// polls are what the polls to come want, of which there is one at a time.
	polls []verdict
}

// verdict is what a poll wants.
type verdict int

const (
	waits verdict = iota
	again
	done
	shielded // waits, after it was in two shields
)

// run is what the holder of an entry does, until it has none.
func (j *job) run() {
	for next := true; next; {
		next = j.turn(j.word.ToRunning())
	}
}

// turn is a poll; it is true if there is an entry now.
func (j *job) turn(now taskstate.RunOutcome) bool {
	if now == taskstate.RunStale {
		j.word.Drop()
		return false
	}
	want := j.polls[0]
	if len(j.polls) > 1 {
		j.polls = j.polls[1:]
	}
	if now == taskstate.RunCancelled {
		want = done
	}
	if want == shielded {
		j.word.EnterShield()
		j.word.EnterShield()
		j.word.LeaveShield()
		j.word.LeaveShield()
		want = waits
	}
	switch want {
	case waits:
		return j.word.ToIdle() == taskstate.IdleEnqueue
	case again:
		j.word.Yield()
		return true
	}
	switch j.word.Complete() {
	case taskstate.CompleteWakeJoiner, taskstate.CompleteDiscard:
		j.word.Drop()
	}
	return false
}

func (j *job) wake() {
	if j.word.Wake() == taskstate.WakeEnqueue {
		j.run()
	}
}

func (j *job) wakeDrop() {
	if j.word.WakeDrop() == taskstate.WakeEnqueue {
		j.run()
	}
}

func (j *job) cancel() {
	if j.word.Cancel() == taskstate.CancelEnqueue {
		j.run()
	}
}

// claim is what a joiner does that runs its target; the entry that it makes, if any, it runs as
// well.
func (j *job) claim() {
	if now := j.word.Claim(); now != taskstate.RunStale && j.turn(now) {
		j.run()
	}
}

// joinAndDrop is the end of a handle if the result is there.
func (j *job) joinAndDrop() {
	j.word.Join()
	if j.word.Join() == taskstate.JoinReady {
		j.word.Drop()
	}
}

func (j *job) detach() {
	if j.word.Detach() == taskstate.DetachDiscard {
		j.word.Drop()
	}
}

// The accesses of taskstate to the word are transitions of the table.
func TestTaskIsTheTable(t *testing.T) {
	var all []*refine.Machine
	for _, c := range []struct {
		name string
		// the last of them is for all to come, and for one that is told to end it is done
		polls   []verdict
		holder  func(*job) // the holder of a reference
		handler func(*job) // the holder of the handle
	}{
		{"woken, and dropped", []verdict{waits, done}, (*job).wakeDrop, (*job).detach},
		{"woken twice", []verdict{waits}, (*job).wake, (*job).wake},
		{"yields", []verdict{again, waits}, (*job).wake, func(*job) {}},
		{"cloned", []verdict{done}, func(j *job) { j.word.Clone(); j.wakeDrop(); j.word.Drop() },
			func(*job) {}},
		{"joined", []verdict{done}, func(j *job) { j.word.Drop() }, (*job).joinAndDrop},
		{"joined and woken", []verdict{done}, (*job).wakeDrop, (*job).joinAndDrop},
		{"joined in vain", []verdict{done}, func(j *job) { j.wakeDrop() }, func(j *job) {
			if j.word.Join() == taskstate.JoinWait {
				j.word.Unjoin()
			}
		}},
		{"detached by a joiner", []verdict{done}, func(*job) {},
			func(j *job) { j.word.Join(); j.detach() }},
		{"claimed", []verdict{waits, done}, (*job).wakeDrop, (*job).claim},
		{"cancelled", []verdict{waits}, (*job).cancel, (*job).detach},
		{"cancelled twice", []verdict{waits}, (*job).cancel, (*job).cancel},
		{"in a shield", []verdict{shielded}, (*job).cancel, func(*job) {}},
	} {
		actors := []string{"runner", "holder", "handle"}
		m := refine.NewMachine(refine.Task(actors))
		refine.ShareTask(m)
		t.Run(c.name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				j := &job{word: taskstate.New(3), polls: c.polls}
				bits := refine.Field(&j.word, "bits")
				m.Begin(map[string]int{"refs": 3, "most": 99, "deep": taskstate.MaxShield,
					"entries_a0": 1, "holders_a1": 1, "handle_a2": 1},
					[]refine.Object{{"word", bits}}, refine.ReadTask(bits)...)
				x.Go(actors[0], j.run)
				x.Go(actors[1], func() { c.holder(j) })
				x.Go(actors[2], func() { c.handler(j) })
				x.Join()
				x.Assert(m.May("entries + runner + last == 0"),
					"somebody has not done what it was told to")
			}, model.Observe(m.Step))
		})
		all = append(all, m)
	}
	everyRule(t, 20_000, all)
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
