//go:build !race

package explore_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"github.com/surewake/surewake/model/wire"
)

// A select sends to an unbuffered channel only in its second round, which is nil in the first. What
// the search for such programs finds fails in the same way when it is replayed.
func TestScheduleWithRequestsIsReplayed(t *testing.T) {
	failsAgain(t, func(out chan int) { hook.Recv(out) })
}

// Likewise if a select receives there.
func TestScheduleWithRendezvousIsReplayed(t *testing.T) {
	failsAgain(t, func(out chan int) {
		s := hook.NewSelection(2, false)
		select {
		case <-hook.SelectRecv(&s, out):
		case <-hook.SelectRecv[int](&s, nil):
		}
	})
}

func failsAgain(t *testing.T, receive func(chan int)) {
	body := func() {
		in, out := make(chan int), make(chan int)
		spawn(func() {
			var send chan int
			for range 3 {
				s := hook.NewSelection(2, false)
				select {
				case v := <-hook.SelectRecv(&s, in):
					send = out
					if v == 2 {
						explore.Fail(explore.KindAssert, "two")
					}
				case hook.SelectSend(&s, send) <- 0:
					hook.SelectSent(&s)
				}
			}
		}, func() {
			hook.To(in).Send(1)
			hook.To(in).Send(2)
		}, func() { receive(out) })
	}
	found := all(body).Failure
	require.Equal(t, explore.KindAssert, found.Kind)
	again := explore.Run(explore.Config{
		Preemptions: -1, Record: true, Replay: wire.Deviations(found.Schedule),
	}, body)
	require.NotNil(t, again.Failure)
	require.Empty(t, again.Unfit)
	require.Equal(t, explore.KindAssert, again.Failure.Kind, again.Failure.Message)
	require.Equal(t, found.Schedule, again.Failure.Schedule)
}
