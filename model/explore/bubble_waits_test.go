//go:build !race

package explore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"pgregory.net/rapid"
)

// A queued is a model of channels and timers in a bubble that is made as Go's runtime is: who has
// to wait stands in the queues of its channels, and who comes takes the first one out. All orders
// of its steps give the outcomes of a program, by which the search is judged.
type queued struct {
	p       program
	threads []queuedThread
	chans   [3]queuedChan
	timers  [2]queuedTimer
	now     int32
	quiet   int // the thread that waits for quiet, or -1
	seen    []string
	failed  bool // nothing comes after it
}

type queuedThread struct {
	pc     int
	last   int32
	waits  bool
	awake  int32 // sleeps until then; 0: does not
	inside []queuedCase
}

// A queuedCase is one of those that a thread examines, in the order of the source.
type queuedCase struct {
	ch, timer int // -1 for none
	send      bool
	v         int32
}

type queuedChan struct {
	buffer       []int32
	closed       bool
	recvs, sends []int // who waits
}

type queuedTimer struct {
	armed, fired bool
	recvs        []int
}

func newQueued(p program) *queued {
	s := &queued{p: p, threads: make([]queuedThread, len(p)), quiet: -1}
	for i := range s.timers {
		s.timers[i].armed = true
	}
	for i := range p {
		s.skip(i)
	}
	return s
}

func (s *queued) clone() *queued {
	c := *s
	c.threads, c.seen = slices.Clone(s.threads), slices.Clone(s.seen)
	for i := range c.chans {
		ch := &c.chans[i]
		ch.buffer, ch.recvs, ch.sends =
			slices.Clone(ch.buffer), slices.Clone(ch.recvs), slices.Clone(ch.sends)
	}
	for i := range c.timers {
		c.timers[i].recvs = slices.Clone(c.timers[i].recvs)
	}
	return &c
}

func (s *queued) key() string {
	slices.Sort(s.seen)
	return fmt.Sprint(s.threads, s.chans, s.timers, s.now, s.quiet, s.seen, s.failed)
}

// skip goes past the instructions of thread i that it leaves out.
func (s *queued) skip(i int) {
	t := &s.threads[i]
	for t.pc < len(s.p[i]) && s.p[i][t.pc].Cond && t.last&1 == 0 {
		t.pc++
	}
}

// done ends the instruction of thread i.
func (s *queued) done(i int, last int32) {
	t := &s.threads[i]
	s.seen = append(s.seen, fmt.Sprint(i, ".", t.pc, "=", last))
	t.last, t.waits, t.awake, t.inside = last, false, 0, nil
	t.pc++
	s.skip(i)
	out := func(q []int) []int {
		return slices.DeleteFunc(q, func(w int) bool { return w == i })
	}
	for k := range s.chans {
		s.chans[k].recvs, s.chans[k].sends = out(s.chans[k].recvs), out(s.chans[k].sends)
	}
	for k := range s.timers {
		s.timers[k].recvs = out(s.timers[k].recvs)
	}
}

// panics ends it by a panic, which the program recovers from.
func (s *queued) panics(i int) {
	s.done(i, -1)
	s.threads[i].last = 1
}

// cases gives those of an instruction, and whether it has a default.
func (in instr) cases(i int) (cases []queuedCase, def bool) {
	v := in.Val*8 + int32(i)
	recv := func(ch int) queuedCase { return queuedCase{ch, -1, false, 0} }
	send := func(ch int) queuedCase { return queuedCase{ch, -1, true, v} }
	timer := queuedCase{-1, in.Var % 2, false, 0}
	next := (in.Var + 1) % 3
	switch in.Op {
	case "send":
		return []queuedCase{send(in.Var)}, false
	case "give":
		return []queuedCase{send(in.Var)}, false
	case "recv":
		return []queuedCase{recv(in.Var)}, false
	case "poll":
		return []queuedCase{recv(in.Var)}, true
	case "offer":
		return []queuedCase{send(in.Var)}, true
	case "either":
		return []queuedCase{recv(in.Var), recv(next)}, false
	case "both":
		return []queuedCase{send(in.Var), recv(next)}, in.Val == 1
	case "three":
		return []queuedCase{recv(in.Var), recv(next), send((in.Var + 2) % 3)}, false
	case "itself":
		return []queuedCase{send(in.Var), recv(in.Var)}, false
	case "await or expire":
		return []queuedCase{recv(in.Var), timer}, false
	case "expire":
		return []queuedCase{timer}, false
	case "expired":
		return []queuedCase{timer}, true
	}
	return nil, false
}

// took is the result of an instruction that sent.
func (in instr) took() int32 {
	if in.Op == "send" || in.Op == "give" {
		return 0
	}
	return 1
}

func (s *queued) ready(c queuedCase) bool {
	if c.timer >= 0 {
		return s.timers[c.timer].fired
	}
	ch := &s.chans[c.ch]
	if c.send {
		return ch.closed || len(ch.recvs) > 0 || len(ch.buffer) < c.ch
	}
	return ch.closed || len(ch.buffer) > 0 || len(ch.sends) > 0
}

// valueOf is what the thread w, which waits to send on ch, sends.
func (s *queued) valueOf(w, ch int) int32 {
	for _, c := range s.threads[w].inside {
		if c.ch == ch && c.send {
			return c.v
		}
	}
	panic("it does not send")
}

func (s *queued) wakeSender(w int) { s.done(w, s.p[w][s.threads[w].pc].took()) }

// take lets thread i take a case that is ready.
func (s *queued) take(i int, c queuedCase) {
	if c.timer >= 0 {
		s.timers[c.timer] = queuedTimer{recvs: s.timers[c.timer].recvs}
		s.done(i, int32(c.timer)+1)
		return
	}
	ch := &s.chans[c.ch]
	switch {
	case c.send && ch.closed:
		s.panics(i)
	case c.send && len(ch.recvs) > 0:
		s.done(ch.recvs[0], c.v)
		s.done(i, s.p[i][s.threads[i].pc].took())
	case c.send:
		ch.buffer = append(ch.buffer, c.v)
		s.done(i, s.p[i][s.threads[i].pc].took())
	case len(ch.buffer) > 0:
		v := ch.buffer[0]
		ch.buffer = ch.buffer[1:]
		if len(ch.sends) > 0 {
			w := ch.sends[0]
			ch.buffer = append(ch.buffer, s.valueOf(w, c.ch))
			s.wakeSender(w)
		}
		s.done(i, v)
	case len(ch.sends) > 0:
		w := ch.sends[0]
		v := s.valueOf(w, c.ch)
		s.wakeSender(w)
		s.done(i, v)
	default:
		s.done(i, 0)
	}
}

// steps gives the states after one step of thread i, none if it cannot go on.
func (s *queued) steps(i int) (out []*queued) {
	t := &s.threads[i]
	if t.pc == len(s.p[i]) || t.waits {
		return nil
	}
	then := func(f func(n *queued)) {
		n := s.clone()
		f(n)
		out = append(out, n)
	}
	in := s.p[i][t.pc]
	if t.awake > 0 {
		if t.awake <= s.now {
			then(func(n *queued) { n.done(i, 0) })
		}
		return out
	}
	if cases, def := in.cases(i); cases != nil {
		for _, c := range cases {
			if s.ready(c) {
				then(func(n *queued) { n.take(i, c) })
			}
		}
		switch {
		case out != nil:
		case def:
			then(func(n *queued) { n.done(i, 0) })
		default:
			then(func(n *queued) { n.wait(i, cases) })
		}
		return out
	}
	then(func(n *queued) {
		switch in.Op {
		case "sleep":
			if in.Val == 0 {
				n.done(i, 0)
			} else {
				n.threads[i].awake = n.now + in.Val
			}
		case "quiet":
			if n.quiet >= 0 {
				n.panics(i)
			} else {
				n.quiet, n.threads[i].waits = i, true
			}
		case "must not":
			n.failed = t.last&1 == 1
			n.threads[i].pc++
			n.skip(i)
		case "now":
			n.done(i, n.now)
		case "len":
			n.done(i, int32(len(n.chans[in.Var].buffer)))
		case "close":
			n.close(i, in.Var)
		case "stop":
			tm := &n.timers[in.Var%2]
			last := int32(0)
			if tm.armed {
				last = 1
			}
			*tm = queuedTimer{recvs: tm.recvs}
			n.done(i, last)
		default:
			panic(in.Op)
		}
	})
	return out
}

func (s *queued) wait(i int, cases []queuedCase) {
	s.threads[i].waits, s.threads[i].inside = true, cases
	for _, c := range cases {
		switch {
		case c.timer >= 0:
			s.timers[c.timer].recvs = append(s.timers[c.timer].recvs, i)
		case c.send:
			s.chans[c.ch].sends = append(s.chans[c.ch].sends, i)
		default:
			s.chans[c.ch].recvs = append(s.chans[c.ch].recvs, i)
		}
	}
}

func (s *queued) close(i, at int) {
	ch := &s.chans[at]
	if ch.closed {
		s.panics(i)
		return
	}
	ch.closed = true
	for len(ch.recvs) > 0 {
		s.done(ch.recvs[0], 0)
	}
	for len(ch.sends) > 0 {
		s.panics(ch.sends[0])
	}
	s.done(i, 0)
}

// next gives all states that come after s.
func (s *queued) next() (out []*queued) {
	if s.failed {
		return nil
	}
	for i := range s.threads {
		out = append(out, s.steps(i)...)
	}
	busy := out != nil
	for k := range s.timers {
		if tm := &s.timers[k]; tm.armed && !tm.fired && int32(k)+1 <= s.now {
			n := s.clone()
			if n.timers[k].fired = true; len(tm.recvs) > 0 {
				n.take(tm.recvs[0], queuedCase{ch: -1, timer: k})
				busy = true
			}
			out = append(out, n)
		}
	}
	if busy || slices.ContainsFunc(out, func(n *queued) bool { return n.quiet >= 0 }) {
		return out
	}
	if s.quiet >= 0 {
		n := s.clone()
		n.quiet = -1
		n.done(s.quiet, 0)
		return []*queued{n}
	}
	first := int32(0)
	before := func(when int32) {
		if when > s.now && (first == 0 || when < first) {
			first = when
		}
	}
	for i := range s.threads {
		before(s.threads[i].awake)
	}
	for k := range s.timers {
		if tm := &s.timers[k]; tm.armed && !tm.fired && len(tm.recvs) > 0 {
			before(int32(k) + 1)
		}
	}
	if first > 0 {
		n := s.clone()
		n.now = first
		for k := range n.timers { // nobody waits for those of before
			tm := &n.timers[k]
			tm.fired = tm.fired || tm.armed && int32(k)+1 < first
		}
		out = append(out, n)
	}
	return out
}

const failed = "failed"

// outcomes gives what the program may end with, nothing if there are too many states.
func (s *queued) outcomes() map[string]int {
	ends, known := map[string]int{}, map[string]bool{}
	todo := []*queued{s}
	for len(todo) > 0 && len(known) < 100_000 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if known[s.key()] {
			continue
		}
		known[s.key()] = true
		next := s.next()
		todo = append(todo, next...)
		switch {
		case s.failed:
			s.seen = []string{failed}
		case next != nil:
			continue
		}
		for i := range s.threads {
			if s.threads[i].pc < len(s.p[i]) && !s.failed {
				s.seen = append(s.seen, "deadlock: all goroutines in bubble are blocked")
				slices.Sort(s.seen)
				break
			}
		}
		ends[strings.Join(s.seen, " ")]++
	}
	if len(todo) > 0 {
		return nil
	}
	return ends
}

// runIn runs p in a bubble to which all channels belong.
func (p program) runInBubble(w *world) {
	w.deadlocks(func() {
		explore.RunBubble(func() {
			for i := range w.ch {
				explore.Bubbled(*(*unsafe.Pointer)(unsafe.Pointer(&w.ch[i].c)))
			}
			w.prepare()
			p.start(w, 0, len(p))
			explore.Join()
		})
	})
}

// asQueued holds the search against the model with queues.
func asQueued(t tester, p program, cfg explore.Config) {
	want := newQueued(p).outcomes()
	if want == nil {
		t.Skip("too large")
	}
	cfg.Preemptions, cfg.Executions = -1, 50_000
	seen := func(w *world) string {
		slices.Sort(w.seen)
		return strings.Join(w.seen, " ")
	}
	got, dead, res := exploredBy(t, p, p.runInBubble, cfg, seen)
	if res.CutShort {
		t.Skip("too large")
	}
	require.Empty(t, dead)
	if want[failed] > 0 {
		require.NotNil(t, res.Failure, "%v", p)
		return
	}
	require.Nil(t, res.Failure, "%v", p)
	require.Equal(t, keys(want), keys(got), "outcomes of\n%v", p)
	ends := 0
	for _, n := range got {
		ends += n
	}
	require.LessOrEqual(t, res.Complete, int64(ends))
}

func TestWhoWaitsInABubbleIsServedAsInGo(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  []string
	}{
		{"waits", []string{"send", "recv", "recv", "poll", "quiet", "quiet", "sleep", "len"}},
		{"room", []string{"send", "send", "recv", "offer", "quiet", "quiet", "sleep", "len"}},
		{"selects", []string{"send", "recv", "either", "either", "close", "quiet", "sleep"}},
		{"closes", []string{"send", "recv", "either", "close", "poll", "offer", "quiet", "len"}},
		{"failures", []string{
			"send", "recv", "either", "both", "must not", "len", "close", "quiet", "poll",
		}},
		{"timers", []string{
			"send", "await or expire", "expire", "expired", "sleep", "quiet", "stop", "now",
		}},
		{"meetings", []string{
			"send", "recv", "both", "either", "three", "itself", "give", "quiet", "sleep",
		}},
		{"everything", []string{
			"send", "recv", "either", "both", "poll", "offer", "close", "len", "quiet", "quiet",
			"sleep", "now", "await or expire", "expire", "expired", "give", "three",
			"itself",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			gen := genProgram(c.ops, 4, 4)
			rapid.Check(t, func(t *rapid.T) {
				asQueued(t, gen.Draw(t, "program"), explore.Config{})
			})
		})
	}
}

// Programs that told a broken search from a right one.
func TestWhoWaitsInAKeptBubbleIsServedAsInGo(t *testing.T) {
	for name, p := range map[string]program{
		"a select that ends by what came first": {
			{{Op: "either", Var: 1}},
			{{Op: "quiet"}, {Op: "send", Var: 1}, {Op: "send", Var: 2, Val: 1}},
		},
		"a value that is taken back": {
			{{Op: "recv", Var: 1}},
			{{Op: "sleep", Val: 1}, {Op: "send", Var: 1}, {Op: "poll", Var: 1}},
		},
		"room that is for another": {
			{{Op: "send", Var: 1}, {Op: "quiet"}, {Op: "recv", Var: 1}, {Op: "offer", Var: 1}},
			{{Op: "send", Var: 1, Val: 1}},
		},
		"two that have waited as long to receive": {
			{{Op: "recv", Var: 1}},
			{{Op: "recv", Var: 1}},
			{{Op: "quiet"}, {Op: "send", Var: 1}},
		},
		"two that have waited as long to send": {
			{{Op: "quiet"}, {Op: "recv"}},
			{{Op: "give"}},
			{{Op: "give", Val: 1}},
		},
		"one who has waited longer to receive": {
			{{Op: "recv", Var: 1}},
			{{Op: "sleep", Val: 1}, {Op: "recv", Var: 1}},
			{{Op: "sleep", Val: 2}, {Op: "send", Var: 1}},
		},
		"one who comes again after it was served": {
			{{Op: "recv", Var: 1}, {Op: "recv", Var: 1}},
			{
				{Op: "quiet"}, {Op: "send", Var: 1}, {Op: "send", Var: 1, Val: 1},
				{Op: "poll", Var: 1},
			},
		},
		"two that have waited as long for a timer": {
			{{Op: "expire"}},
			{{Op: "expire"}},
		},
		"a poll that finds nothing though one waits to send": {
			{{Op: "send", Var: 1}, {Op: "quiet"}, {Op: "recv", Var: 1}, {Op: "poll", Var: 1}},
			{{Op: "send", Var: 1, Val: 1}},
		},
		"an offer that finds no room though one waits to receive": {
			{{Op: "quiet"}, {Op: "send", Var: 1}, {Op: "offer", Var: 1}},
			{{Op: "recv", Var: 1}},
		},
		"a count without the value of one who waits": {
			{{Op: "send", Var: 1}, {Op: "quiet"}, {Op: "recv", Var: 1}, {Op: "len", Var: 1}},
			{{Op: "send", Var: 1, Val: 1}},
		},
		"a close before the value of one who waits": {
			{{Op: "send", Var: 1}, {Op: "quiet"}, {Op: "recv", Var: 1}, {Op: "close", Var: 1}},
			{{Op: "send", Var: 1, Val: 1}},
		},
		"a channel closed before one who waits to send has seen it": {
			{
				{Op: "send", Var: 1}, {Op: "quiet"}, {Op: "close", Var: 1}, {Op: "recv", Var: 1},
				{Op: "poll", Var: 1}, {Op: "offer", Var: 1},
			},
			{{Op: "send", Var: 1, Val: 1}},
		},
		"a channel closed again before one who waits to receive has seen it": {
			{{Op: "recv"}, {Op: "close"}},
			{{Op: "recv"}},
			{{Op: "quiet"}, {Op: "close"}},
		},
		"a select that waits for both sides of a channel, which is closed": {
			{{Op: "itself"}},
			{{Op: "quiet"}, {Op: "close"}},
		},
		"one who is met, and could have received": {
			{{Op: "recv", Var: 1}, {Op: "both", Cond: true}},
			{{Op: "quiet"}, {Op: "send", Var: 1}},
			{{Op: "either"}},
		},
		"one who is met before another channel is ready": {
			{{Op: "either"}},
			{{Op: "quiet"}, {Op: "give"}, {Op: "send", Var: 1}},
		},
		"one who is met before another channel has a value": {
			{{Op: "either"}},
			{{Op: "quiet"}, {Op: "give"}, {Op: "send", Var: 1}, {Op: "recv", Var: 1}},
		},
		"two that wait for one another": {
			{{Op: "send", Var: 1}, {Op: "recv", Var: 1}},
			{{Op: "either"}},
			{{Op: "give"}},
		},
		"two that wait for one another while the bubble is quiet": {
			{
				{Op: "send", Var: 1}, {Op: "recv", Var: 1}, {Op: "quiet"}, {Op: "poll"},
			},
			{{Op: "either"}},
			{{Op: "give", Val: 1}},
		},
		"one who gets a value for which two have waited, and a case of the other one": {
			{{Op: "quiet"}, {Op: "send", Var: 1}, {Op: "close", Var: 2}},
			{{Op: "recv", Var: 1}},
			{{Op: "either", Var: 1}},
		},
		"a timer for which another one waits": {
			{{Op: "sleep", Val: 1}, {Op: "expire"}},
			{{Op: "expire"}},
		},
		"a failure of one who counts what is for another": {
			{{Op: "quiet"}, {Op: "send", Var: 1}, {Op: "len", Var: 1}, {Op: "must not"}},
			{{Op: "recv", Var: 1}, {Op: "now"}},
		},
		"a failure beside one who counts what is for another": {
			{{Op: "quiet"}, {Op: "send", Var: 1}, {Op: "len", Var: 1}},
			{{Op: "recv", Var: 1}},
			{{Op: "send", Var: 2}, {Op: "len", Var: 2}, {Op: "sleep", Val: 1}, {Op: "len", Var: 2},
				{Op: "must not"}},
		},
	} {
		t.Run(name, func(t *testing.T) { asQueued(t, p, explore.Config{}) })
	}
}
