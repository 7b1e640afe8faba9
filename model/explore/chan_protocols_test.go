package explore

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/wire"
)

// A replay has the rendezvous and the requests of the search that found its schedule, for either
// kind of channels.
func TestScheduleSaysWhatIsDoneToEachKindOfChannels(t *testing.T) {
	schedule := []wire.Decision{{Thread: 1}, {Thread: 2}}
	for code := range perChanKind * perChanKind {
		var of, to engine
		for k, v := 0, code; k < chanKinds; k, v = k+1, v/perChanKind {
			of.rendezvous[k], of.requests[k] = v%perChanKind == 2, v%perChanKind == 1
		}
		of.res.Failure = &Failure{Schedule: schedule}
		of.markRendezvous()
		to.cfg.Replay = wire.Deviations(of.res.Failure.Schedule)
		require.Len(t, marks(to.cfg.Replay), min(1, code))
		to.cutRendezvous()
		require.Equal(t, of.rendezvous, to.rendezvous)
		require.Equal(t, of.requests, to.requests)
		require.Equal(t, wire.Deviations(schedule), to.cfg.Replay)
	}
}
