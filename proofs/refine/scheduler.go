package refine

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/surewake/surewake/idle"
	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/park"
)

// A Scheduler follows the executions of workers that sleep as package idle says: in the table of
// idle and, for each worker, in that of park. One goroutine at a time may use it.
type Scheduler struct {
	Idle    *Machine
	Parkers []*Machine // those of the workers, by number
}

// NewScheduler returns a Scheduler for a binding that [Idle] has made for as many workers.
func NewScheduler(workers int, b Binding) *Scheduler {
	s := &Scheduler{Idle: NewMachine(b)}
	s.Idle.Share("searching", "searching", "searching")
	s.Idle.Share("closed", "closed", "either(closed > 0, 1, 0)")
	s.Idle.Share("queue", "queued", "q")
	for w := range workers {
		of := func(stage string) string {
			var names []string
			for _, p := range parking {
				names = append(names, fmt.Sprintf("%s_%s_w%d", p, stage, w))
			}
			return strings.Join(names, " + ")
		}
		s.Idle.Share("word", fmt.Sprint("bit ", w), of("b"))
		s.Idle.Share(fmt.Sprint("parker ", w), fmt.Sprint("token ", w), of("t"))
		s.Parkers = append(s.Parkers, NewMachine(Parker(w, b.Actors)))
		s.Parkers[w].Share("word", "word", "word")
	}
	return s
}

// Begin begins an execution, as Machine.Begin does. The workers that are not asleep are running;
// state has what else is not 0. queue is the memory that shows others how many tasks are queued,
// and queued reads it. objects and read are what the caller shares besides, after what NewScheduler
// has shared.
func (s *Scheduler) Begin(c *idle.Coordinator, parkers []*park.Parker, state map[string]int,
	asleep func(worker int) bool,
	queue unsafe.Pointer, queued func() int, objects []Object, read ...func() int) {
	searching, closed, word := Field(c, "searching"), Field(c, "closed"), Field(c, "words", 0)
	objects = append([]Object{{"searching", searching}, {"closed", closed}, {"word", word},
		{"queue", queue}}, objects...)
	shared := []func() int{
		func() int { return int(int32(Read32(searching))) },
		func() int { return int(Read32(closed)) },
		queued,
	}
	for i, p := range parkers {
		place := "R"
		if asleep(i) {
			place = "P_b"
		}
		state[fmt.Sprintf("%s_w%d", place, i)] = 1
		parker := Field(p, "word")
		objects = append(objects, Object{Name: fmt.Sprint("parker ", i), Address: parker})
		shared = append(shared,
			func() int { return int(Read64(word) >> i & 1) },
			func() int { return isToken(Read32(parker)) })
		s.Parkers[i].Begin(map[string]int{"left": 99}, []Object{{"word", parker}},
			func() int { return int(Read32(parker)) })
	}
	s.Idle.Begin(state, objects, append(shared, read...)...)
}

func isToken(word uint32) int {
	if word == 1 {
		return 1
	}
	return 0
}

// Step is an observer for model.Observe. The error says why the step is none of the tables'.
func (s *Scheduler) Step(step *model.Step) error {
	err := s.Idle.Step(step)
	for _, p := range s.Parkers {
		if e := p.Step(step); err == nil {
			err = e
		}
	}
	return err
}

// Over reports whether everything that was begun may be at its end: all workers run, and nobody has
// yet to notify or to wake.
func (s *Scheduler) Over() bool {
	over := s.Idle.May(fmt.Sprint("R == ", len(s.Parkers)))
	for _, p := range s.Parkers {
		over = over && p.May("owed == 0")
	}
	return over
}
