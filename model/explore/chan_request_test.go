//go:build !race

package explore_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"pgregory.net/rapid"
)

// observe notes the first steps of sends and receives on unbuffered channels: their order is that
// of the values, and not that of the second steps.
func (w *world) observe(s *explore.Step) error {
	for i := range w.ch {
		c := &w.ch[i]
		if *(*unsafe.Pointer)(unsafe.Pointer(&c.c)) != s.Address {
			continue
		}
		switch {
		case s.Op == explore.OpPost && !c.closed:
			c.sent(s.Name)
			w.posted[s.Name] = true
		case s.Op == explore.OpRequest:
			c.recvs = append(c.recvs, s.Name)
			w.posted[s.Name] = true
		}
	}
	return nil
}

// hasPosted reports whether the instruction that has ended began with such a step.
func (w *world) hasPosted(who string) bool {
	name := "T" + who[:1]
	defer delete(w.posted, name)
	return w.posted[name]
}

// sendsBySelect keeps selects from receiving on the channel without room.
func sendsBySelect(p program) program {
	for _, th := range p {
		for i := range th {
			switch in := &th[i]; in.Op {
			case "both":
				in.Var = min(in.Var, 1)
			case "either":
				in.Var = 1
			case "poll", "await or expire":
				in.Var = max(in.Var, 1)
			}
		}
	}
	return p
}

// In searches with requests, selects send on a channel without room, or receive from it, and each
// trace is explored once. Not so if a select receives from one that is closed: if it looked at a
// value that close takes back, it does not depend on close, but it does if it looked afterwards.
func TestReductionKeepsEveryTraceOfRequests(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  []string
	}{
		{"values to selects", []string{"send", "send", "recv", "either", "poll"}},
		{"values", []string{"give", "give", "recv"}},
		{"beside senders", []string{"send", "give", "recv", "recv", "offer"}},
		{"with closing", []string{"send", "give", "recv", "recv", "close", "store", "load"}},
		{"with other cases", []string{"send", "recv", "recv", "both", "both", "give", "either"}},
		{"everything", []string{
			"send", "recv", "both", "offer", "give", "either", "poll", "close", "len",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			gen := genProgram(c.ops, 4, 4)
			rapid.Check(t, func(t *rapid.T) {
				p := gen.Draw(t, "program")
				if !strings.Contains(c.name, "to selects") {
					p = sendsBySelect(p)
				}
				sameTracesOfRequests(t, p)
			})
		})
	}
}

// Programs that a search with requests would get wrong with one of its rules left out.
func TestReductionOfKeptProgramsWithRequests(t *testing.T) {
	t.Run("an offer that a request comes before, beside a sender", func(t *testing.T) {
		sameTracesOfRequests(t, program{
			{{Op: "offer"}, {Op: "send", Cond: true}},
			{{Op: "send", Var: 1}, {Op: "send"}},
			{{Op: "recv"}},
		})
	})
	t.Run("a value that is taken back, or received before", func(t *testing.T) {
		sameTracesOfRequests(t, program{{{Op: "send"}}, {{Op: "close"}}, {{Op: "recv"}}})
	})
	t.Run("a poll that a value comes before, beside a receiver", func(t *testing.T) {
		sameTracesOfRequests(t, program{
			{{Op: "poll"}, {Op: "recv", Cond: true}},
			{{Op: "send", Var: 1}, {Op: "recv"}},
			{{Op: "send"}},
		})
	})
}

// sameTracesOfRequests is sameChanTraces for a search that has requests from the start.
func sameTracesOfRequests(t tester, p program) {
	sameChanTracesBy(t, p, func(w *world) {
		requestsFirst()
		p.run(w)
	}, !p.has("close") || !p.has("both", "either", "poll"))
}

// requestsFirst makes a search one with requests before a program has begun.
func requestsFirst() {
	s := hook.NewSelection(1, true)
	select {
	case hook.SelectSend(&s, make(chan int32)) <- 0:
		panic("nobody receives")
	default:
	}
}

// rendezvousFirst makes a search one with rendezvous before a program has begun.
func rendezvousFirst[T any]() {
	c := make(chan T)
	s := hook.NewSelection(2, true)
	var v T
	select {
	case hook.SelectSend(&s, c) <- v:
		panic("nobody receives")
	case <-hook.SelectRecv(&s, c):
		panic("nobody sends")
	default:
	}
}

// What can happen in a search with requests is what can happen if all that wait have queues, as in
// Go's runtime. But if selects also receive from a channel with room, a search with rendezvous has
// deadlocks that cannot be: a value for which a select waits is taken by somebody else, after a
// partner has come that did not find the select because of that value. And where a timer fires, one
// with requests does not tell a select that has begun to wait from one that is late.
func TestRequestsMeanWhatQueuesMean(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  []string
		same string
	}{
		{"values", []string{"send", "give", "give", "recv", "recv", "offer"}, "both"},
		{"closing", []string{"send", "give", "recv", "recv", "offer", "close"}, "both"},
		{"polls", []string{"send", "recv", "poll", "poll", "close", "load", "store"}, "both"},
		{"other cases", []string{
			"send", "recv", "recv", "both", "both", "offer", "either", "close",
		}, "complete"},
		{"values to selects", []string{
			"send", "send", "recv", "either", "either", "poll", "close",
		}, "complete"},
		{"timers", []string{
			"send", "recv", "recv", "give", "both", "await or expire", "expire", "sleep", "now",
		}, "none is lost"},
	} {
		t.Run(c.name, func(t *testing.T) {
			gen := genProgram(c.ops, 4, 3)
			rapid.Check(t, func(t *rapid.T) {
				p := gen.Draw(t, "program")
				if c.name != "values to selects" && c.name != "polls" {
					p = sendsBySelect(p)
				}
				outcomes := func(first func()) (complete, dead []string) {
					cfg := explore.Config{Preemptions: -1, Executions: 20_000}
					run := func(w *world) {
						first()
						p.run(w)
					}
					all, allDead, res := exploredBy(t, p, run, cfg, (*world).outcome)
					if res.Bounded != "" {
						t.Skip("too large")
					}
					return keys(all), keys(allDead)
				}
				complete, dead := outcomes(rendezvousFirst[int32])
				got, gotDead := outcomes(requestsFirst)
				switch c.same {
				case "none is lost":
					require.Subset(t, got, complete, "outcomes of\n%v", p)
					return
				case "complete":
					require.Subset(t, dead, gotDead, "outcomes of deadlocks of\n%v", p)
				case "both":
					require.Equal(t, dead, gotDead, "outcomes of deadlocks of\n%v", p)
				}
				require.Equal(t, complete, got, "outcomes of\n%v", p)
			})
		})
	}
}
