//go:build !race

package explore_test

import (
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
		}, []string{"ntr", "nnt"}},
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
