//go:build !race

package explore_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

// A select says which case it took, and which others it could have taken.
func TestASelectSaysWhichCasesAreReady(t *testing.T) {
	receive := func(cs ...chan int) {
		s := hook.NewSelection(len(cs), false)
		for _, c := range cs {
			hook.SelectRecv(&s, c)
		}
	}
	sendOrNot := func(c chan int) {
		s := hook.NewSelection(1, true)
		select {
		case hook.SelectSend(&s, c) <- 1:
			hook.SelectSent(&s)
		default:
		}
	}
	var a, b, none chan int // none is nil
	for _, test := range []struct {
		name string
		body func()
		want []string
	}{
		{"two are ready", func() {
			hook.To(a).Send(1)
			hook.To(b).Send(2)
			receive(none, a, b)
			receive(none, a, b)
		}, []string{"0tr", "0nt"}},
		{"default", func() { sendOrNot(a); sendOrNot(a) }, []string{"tn", "nt"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := explore.Run(explore.Config{Preemptions: -1, Record: true, Outer: true}, func() {
				a, b = make(chan int, 1), make(chan int, 1)
				spawn(test.body)
			})
			var got []string
			for _, s := range r.Trace {
				if s.Cases != "" {
					got = append(got, s.Cases)
				}
			}
			require.Equal(t, test.want, got)
		})
	}
}

// A partner who comes ends the wait of a select; what is ready later was no other choice. Both
// steps of the select are where it begins, which is where it is said to wait, too.
func TestASelectThatAPartnerFindsTookNothingElse(t *testing.T) {
	var begins, both, a, b, c, none chan int // none is nil
	r := explore.Run(explore.Config{Preemptions: -1, Record: true, Outer: true}, func() {
		begins, b = make(chan int, 1), make(chan int, 1)
		a, c, both = make(chan int), make(chan int), make(chan int)
		waits := func() {
			s := hook.NewSelection(4, false)
			select {
			case <-hook.SelectRecv(&s, a):
			case <-hook.SelectRecv(&s, b):
			case hook.SelectSend(&s, c) <- 0:
				hook.SelectSent(&s)
			case <-hook.SelectRecv(&s, none):
			}
		}
		spawn(func() {
			hook.Recv(begins)
			hook.To(a).Send(1)
			hook.To(b).Send(2)
			hook.To(a).Send(3)
		}, func() {
			s := hook.NewSelection(2, true) // one that sends and receives asks for queues
			select {
			case hook.SelectSend(&s, both) <- 0:
				hook.SelectSent(&s)
			case <-hook.SelectRecv(&s, both):
			default:
			}
			hook.To(begins).Send(0)
			waits()
			waits()
			waits()
			waits()
		})
	})
	require.NotNil(t, r.Failure)
	require.Equal(t, "nnt", r.Trace[0].Cases)
	var got []string
	line := 0
	for _, s := range r.Trace[1:] {
		if s.Cases == "" {
			got = append(got, strings.TrimRight(s.Name+" "+s.Op+" "+s.Note, " "))
			continue
		}
		got = append(got, s.Name+" "+s.Op+" "+s.Cases)
		require.Contains(t, []int{0, s.Line}, line)
		line = s.Line
	}
	require.Equal(t, []string{
		"t1 channel send", "t1 select nnn0",
		"t0 channel receive", "t0 channel send", "t0 channel send", "t0 channel send",
		"t1 select tnn0", "t1 select trn0", "t0 channel send", "t1 select goes on",
		"t1 select ntn0", "t1 select nnn0",
	}, got)
	require.Len(t, r.Failure.Blocked, 1)
	w := r.Failure.Blocked[0]
	require.Equal(t, "select nnn0 ", w.Op+" "+w.Cases+" "+w.Object)
	require.Equal(t, line, w.Line)
}

// A select that is no step leaves nothing behind: the next step is where it is.
func TestTheStepAfterASelectIsWhereItIs(t *testing.T) {
	var n atomic.Int32
	at := func(selects bool) (line int) {
		r := explore.Run(explore.Config{Preemptions: -1, Record: true}, func() {
			a, b := make(chan int, 1), make(chan int)
			a <- 1
			if selects {
				s := hook.NewSelection(2, false)
				select {
				case <-hook.SelectRecv(&s, a):
				case <-hook.SelectRecv(&s, b):
				}
			}
			explore.Go("t", func() { hook.Int32Add(&n, 1) }, true)
			hook.Int32Add(&n, 1)
			explore.Fail(explore.KindAssert, "end")
		})
		for _, s := range r.Trace {
			if s.Thread == 0 {
				return s.Line
			}
		}
		return 0
	}
	require.NotZero(t, at(false))
	require.Equal(t, at(false), at(true))
}

func TestWhoWaitsForANilChannelIsTold(t *testing.T) {
	var none chan int
	r := explore.Run(explore.Config{Preemptions: -1, Record: true, Outer: true}, func() {
		spawn(func() { hook.Recv(none) })
	})
	require.Equal(t, "a nil channel", r.Failure.Blocked[0].Note)
}
