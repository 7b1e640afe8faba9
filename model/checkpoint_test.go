package model

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/explore"
)

// The searches of a check that have ended are those of the earlier process, in their order; the
// next one goes on, once.
func TestWhatHasEndedIsNotSearchedAgain(t *testing.T) {
	first := explore.Result{Complete: 7, Timed: true}
	saved := &savedCheck{Ended: []explore.Result{first}, State: &explore.State{}}
	c := &check{saved: saved}
	got, ok := c.takeEnded()
	require.True(t, ok)
	require.Equal(t, first, got)
	c.ended = append(c.ended, got)
	_, ok = c.takeEnded()
	require.False(t, ok)
	require.Same(t, saved, c.takeSearch())
	require.Nil(t, c.takeSearch())
	_, ok = c.takeEnded()
	require.False(t, ok)
}

// A search that was astray begins anew, with what an ordinary test knows of its executions.
func TestASearchThatIsAstrayBeginsAnew(t *testing.T) {
	require.False(t, isAstray(&explore.Result{}))
	require.False(t, isAstray(&explore.Result{Failure: &explore.Failure{Kind: explore.KindAssert}}))
	require.True(t, isAstray(&explore.Result{
		Failure: &explore.Failure{Kind: explore.KindNondeterminism},
	}))
	c := &check{whole: &whole{test: "TestX", complete: 7, times: map[string]int64{"TestX/a": 7}}}
	c.beginAnew()
	require.Equal(t, &whole{test: "TestX", times: map[string]int64{}}, c.whole)
}
