package explore

import (
	"slices"
	"time"
)

// spinning watches a loop that the rewriter has proved to have no effect of its own from one
// iteration to the next, except on variables that Spin is given. If they have the same values at
// the head of an iteration as at the head of the next, and the thread only read in it, the next
// iteration begins in the same state, reads the same and does the same, and so would all that
// follow. So the thread waits until something that it read has changed. Schedules that differ only
// in the number of such iterations become one.
//
// A select with default that takes it is a read of the channels that it looks into: of how many
// values were sent and received, and of whether they are closed. Only a send, a receive or a close
// changes what it finds. What ends the wait is the first of these on any of the channels, needed or
// not: it may be one that leaves the select as it was, and then the thread waits again.
//
// If the thread read nothing by operations, it reads plain memory, whose changes are not seen. Nor
// are those of how many goroutines there are. Then it waits by the fair rule (thread_fair.go): when
// it is tired, each iteration waits until no other thread is enabled. If others write that memory
// it is a data race, which the race run finds.
type spinning struct {
	on      bool
	count   uint64 // activations of loops so far
	effects bool   // the iteration wrote
	looked  bool   // it read something whose changes are no events (Look)
	held    heldLocks
	watch   []watched

	// Of all loops that wait (thread_fair.go).

	laps  []*lap        // the loops that the thread is in, the innermost last; some may have ended
	turn  int32         // the last event while nothing else could run
	hurry time.Duration // by how much the clock moves when a tired thread looks at it or a timer
	waits bool          // a timeout has ended a wait of it since it was last rested
}

// begin begins an iteration of an exactLoop.
func (s *spinning) begin() {
	s.effects, s.looked, s.held, s.watch = false, false, s.held[:0], s.watch[:0]
}

// top returns the innermost loop.
func (s *spinning) top() *lap { return s.laps[len(s.laps)-1] }

// A loopRole says what an operation means to the loop iteration it is part of.
type loopRole uint8

// The roles. Reads are watched, an effect ends the watching of the iteration.
const (
	// An effect makes the iteration one that is run again without waiting. Reads are watched.
	loopByClass loopRole = iota // an effect if its class changes anything
	loopEffect
	loopLocks   // takes a lock
	loopUnlocks // releases one
	loopPolls   // a read if it takes default
)

func init() {
	ops[OpSpin] = operation{
		name: "spin: wait for a change",
		enabled: func(e *engine, t *thread) bool {
			return len(t.spin.watch) == 0 || e.firstChange(t) >= 0
		},
		wokenBy: (*engine).firstChange,
	}
}

// reset makes s that of a thread that has not entered a loop; its slices keep their memory.
func (s *spinning) reset() {
	*s = spinning{held: s.held[:0], watch: s.watch[:0], laps: s.laps[:0]}
}

// heldLocks are the locks that an iteration has taken and not released: their objects.
type heldLocks []int32

func (h *heldLocks) take(obj int32) { *h = append(*h, obj) }

// release reports false if the lock was taken before the iteration.
func (h *heldLocks) release(obj int32) bool {
	i := slices.Index(*h, obj)
	if i >= 0 {
		*h = slices.Delete(*h, i, i+1)
	}
	return i >= 0
}

type watched struct{ obj, event int32 }

// maxWatched bounds the reads of an iteration that are remembered. An iteration that reads more
// counts as one with an effect.
const maxWatched = 64

// SpinStart begins an activation of a loop and returns its number, which is unique among all
// threads, because a coroutine can move from one thread to another. It is neither one of the
// numbers below 1<<33 that rewritten code gives to Turn, nor one that ticks returns.
func SpinStart() uint64 {
	e := eng
	if e == nil || e.cfg.Before != nil {
		return 0
	}
	s := &e.cur.spin
	s.count++
	return s.count<<33 | uint64(e.cur.id)
}

// Spin is called at the head of each iteration of activation n. It returns when the iteration can
// have another result than the one before. state has the variables that an iteration carries to the
// next.
func Spin(n uint64, state ...any) {
	e := eng
	if e != nil && e.cfg.Before != nil {
		clear(state) // which are on the stack of the thread
		return
	}
	if e == nil || n == 0 {
		return
	}
	t := e.cur
	s := &t.spin
	if !s.on || s.top().loop != n {
		if e.quiet {
			e.enterLoop(t, n, exactLoop)
		} else {
			e.lapHead(t, n, exactLoop)
		}
		s.begin()
		s.top().carry(state)
		return
	}
	same := !s.top().carry(state)
	if same && !s.effects && len(s.held) == 0 {
		switch {
		case e.quiet:
			e.fail(KindLivelock, "%s repeats an iteration without effect, "+
				"and no other goroutine is left to change what it reads", t.name)
		case len(s.watch) > 0 && !s.looked:
			s.wait()
		case len(s.watch) == 0 && e.tired.has(t.id):
			s.pause()
		}
	}
	if !e.quiet {
		e.lapEnd(t)
	}
	s.begin()
}

// wait waits until something has changed that the iteration has read.
func (s *spinning) wait() {
	s.on = false
	Enter(nil, OpSpin)
	s.on = true
}

// pause is a scheduling point of a tired thread whose iteration has none.
func (s *spinning) pause() {
	s.watch = s.watch[:0]
	s.wait()
}

// Unseen says that the running thread may have effects that the engine does not see: the iteration
// of a loop that it is in changes something.
func Unseen() {
	if e := eng; e != nil {
		s := &e.cur.spin
		s.effects = true
		for _, l := range s.laps {
			l.progress = true
		}
	}
}

// Look says that the running thread has read something whose changes are no events.
func Look() {
	if e := eng; e != nil {
		e.cur.spin.looked = true
	}
}

// note records what an operation of class c, event d, means to the iteration of an exactLoop.
func (s *spinning) note(t *thread, c class, d int32) {
	if s.top().kind != exactLoop {
		return
	}
	role := ops[t.op].loop
	switch role {
	case loopLocks:
		s.held.take(t.obj)
	case loopUnlocks:
		before := !s.held.release(t.obj)
		s.effects = s.effects || before
	}
	switch {
	case role == loopEffect || role == loopByClass && c.changes():
		s.effects = true
	case role == loopPolls:
		s.notePoll(t, d)
	case t.obj >= 0:
		s.watchObject(t.obj, d)
	}
}

// notePoll is note for a select with default. It is a read if it took default, having looked for
// values and for room: then it watches each channel that it looked into. To look at a timer is more
// than that: time may have passed.
func (s *spinning) notePoll(t *thread, d int32) {
	s.effects = s.effects || t.chanOp.taken >= 0
	for i := range t.chanOp.acc {
		a := &t.chanOp.acc[i]
		looks := a.kind == accLookRecv || a.kind == accLookSend
		s.effects = s.effects || !looks
		s.watchObject(a.obj, d)
	}
}

// watchObject adds an object to those that the iteration read.
func (s *spinning) watchObject(obj, d int32) {
	if len(s.watch) == maxWatched {
		s.effects = true
		return
	}
	s.watch = append(s.watch, watched{obj, d})
}

// firstChange returns the first event that changed something that t read in its last iteration, -1
// if nothing has changed since.
func (e *engine) firstChange(t *thread) int32 {
	first := int32(-1)
	for _, w := range t.spin.watch {
		if ch := e.objs[w.obj].ch; ch != nil && ch.known {
			if f := e.chanChanged(t, w); f >= 0 && (first < 0 || f < first) {
				first = f
			}
			continue
		}
		first = e.firstChangeOf(&e.objs[w.obj], t, w.event, first)
		for _, i := range e.overlapping(w.obj) {
			first = e.firstChangeOf(&e.objs[i], t, w.event, first)
		}
	}
	return first
}

// firstChangeOf returns the first event after event d by which a thread other than t changed o, or
// first if that was earlier; -1 stands for none.
func (e *engine) firstChangeOf(o *object, t *thread, d, first int32) int32 {
	for f := e.lastChange(o.last); f > d; f = e.stack[f].changed {
		if q := &e.stack[f]; int(q.tid) != t.id && !q.fails && (first < 0 || f < first) {
			first = f
		}
	}
	return first
}
