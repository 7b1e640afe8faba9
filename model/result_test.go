package model

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/wire"
)

// Whether the time was up while a shorter failure was looked for, and within which bounds one was
// found, is no part of a failure.
func TestAFailureSaysNothingOfItsSearch(t *testing.T) {
	c := &check{t: t, name: t.Name(), set: &wire.Settings{Preemptions: -1}, file: "a.go", line: 1}
	res := explore.Result{Complete: 3, Bounded: "at most 1 preemption", CutShort: true, Left: 8}
	r := c.result(explore.Config{}, res)
	require.Equal(t, wire.Bounded, r.Verdict)
	c.decide(&r, &explore.Failure{Kind: explore.KindAssert, Message: "wrong"}, nil)
	require.Equal(t, wire.Failed, r.Verdict)
	require.Empty(t, r.Bounded)
	require.False(t, r.Cut)
	require.Zero(t, r.Left)
}
