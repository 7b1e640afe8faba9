//go:build !race

package explore_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"pgregory.net/rapid"
)

// onSignal does an instruction on channels of signals, which have no room, and on those of values.
func (w *world) onSignal(in instr, who string) (last int32) {
	c, halt := w.ch[in.Var].c, w.signals[in.Var%2]
	v := in.Val*8 + int32(who[0]-'0')
	switch in.Op {
	case "halt":
		hook.Close(halt)
	case "halted":
		_, ok := hook.Recv2(halt)
		last = told(ok)
	case "is halted":
		last = told(polls(halt))
	case "beep":
		hook.To(halt).Send(struct{}{})
	case "beep or never":
		s := hook.NewSelection(2, false)
		select {
		case hook.SelectSend(&s, halt) <- struct{}{}:
			hook.SelectSent(&s)
		case <-hook.SelectRecv[int32](&s, nil):
		}
	case "beep or receive":
		s := hook.NewSelection(2, false)
		select {
		case hook.SelectSend(&s, halt) <- struct{}{}:
			hook.SelectSent(&s)
			last = 100
		case last = <-hook.SelectRecv(&s, c):
		}
	case "send or halted":
		s := hook.NewSelection(2, false)
		select {
		case hook.SelectSend(&s, c) <- v:
			hook.SelectSent(&s)
			last = 1
		case _, ok := <-hook.SelectRecv(&s, halt):
			last = 100 + told(ok)
		}
	case "receive or halted":
		s := hook.NewSelection(2, false)
		select {
		case last = <-hook.SelectRecv(&s, c):
		case _, ok := <-hook.SelectRecv(&s, halt):
			last = 100 + told(ok)
		}
	default:
		last = w.onWord(in)
	}
	return last
}

func told(ok bool) int32 {
	if ok {
		return 1
	}
	return 0
}

var kindPrograms = []struct {
	name string
	ops  []string
}{
	{"values that meet", []string{
		"send or halted", "send or halted", "receive or halted", "receive or halted", "halt",
		"halted", "is halted", "beep", "send",
	}},
	{"values for requests", []string{
		"give", "send", "recv", "recv", "halt", "halted", "halted", "is halted", "beep",
	}},
	{"signals that meet", []string{
		"beep or never", "beep or receive", "receive or halted", "halted", "send", "recv", "halt",
	}},
	{"both", []string{
		"beep or never", "beep or receive", "send or halted", "receive or halted", "halted", "beep",
		"send", "recv", "give", "either", "both", "poll", "offer", "halt", "is halted",
	}},
}

func TestReductionKeepsEveryOutcomeOfKindsOfChannels(t *testing.T) {
	for _, c := range kindPrograms {
		t.Run(c.name, func(t *testing.T) {
			gen := genProgram(c.ops, 4, 3)
			rapid.Check(t, func(t *rapid.T) { sameOutcomes(t, gen.Draw(t, "program"), 0) })
		})
	}
}

// That channels of one kind have queues, which they need not, changes nothing; but as other
// searches with rendezvous it has deadlocks that cannot be (TestRequestsMeanWhatQueuesMean).
func TestKindsMeanWhatQueuesMean(t *testing.T) {
	for _, c := range kindPrograms {
		t.Run(c.name, func(t *testing.T) {
			gen := genProgram(c.ops, 4, 3)
			rapid.Check(t, func(t *rapid.T) {
				p := gen.Draw(t, "program")
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
				complete, dead := outcomes(func() {
					rendezvousFirst[int32]()
					rendezvousFirst[struct{}]()
				})
				got, gotDead := outcomes(func() {})
				require.Equal(t, complete, got, "outcomes of\n%v", p)
				require.Subset(t, dead, gotDead, "outcomes of deadlocks of\n%v", p)
			})
		})
	}
}

// Goroutines that wait for a channel of signals to be closed are not ordered with one another, and
// selects that have it among their cases are not, because others send values in a select.
func TestSignalsBesideValuesOfSelects(t *testing.T) {
	for n := range int32(4) {
		count(t, fmt.Sprint(n, " wait, requests"), 1, 0, func() {
			halt, c := make(chan struct{}), make(chan int)
			var bodies []func()
			for range n {
				bodies = append(bodies, func() { hook.Recv(halt) })
			}
			spawn(append(bodies, func() { hook.Close(halt) },
				func() { gives(c, 1) }, func() { hook.Recv(c) })...)
		})
	}
	for n := range int32(3) {
		count(t, fmt.Sprint(n, " pairs of selects"), 1<<n, 0, func() {
			halt := make(chan struct{})
			var bodies []func()
			for range n {
				c := make(chan int)
				meet := func(send bool) func() {
					return func() {
						s := hook.NewSelection(2, false)
						if send {
							select {
							case hook.SelectSend(&s, c) <- 1:
								hook.SelectSent(&s)
							case <-hook.SelectRecv(&s, halt):
							}
							return
						}
						select {
						case <-hook.SelectRecv(&s, c):
						case <-hook.SelectRecv(&s, halt):
						}
					}
				}
				bodies = append(bodies, meet(true), meet(false))
			}
			spawn(bodies...)
		})
	}
}
