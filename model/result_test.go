package model

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/wire"
)

// Only a budget of time ends two runs at different places.
func TestWhatAnotherRunRepeats(t *testing.T) {
	var o options
	whole, counted := explore.Result{}, explore.Result{CutShort: true, Counted: true}
	late := explore.Result{CutShort: true}
	require.True(t, o.repeated(&whole))
	require.True(t, o.repeated(&counted))
	require.False(t, o.repeated(&late))
	for _, c := range []struct {
		first, second explore.Result
		want          bool
	}{
		{whole, whole, true}, {whole, counted, true}, {counted, counted, true},
		{whole, late, false}, {late, counted, false}, {counted, late, false},
	} {
		merged := both(c.first, c.second)
		require.Equal(t, c.want, o.repeated(&merged), "%+v", c)
	}
	Before(func(*Step) {})(&o)
	require.False(t, o.repeated(&whole))
	o = options{}
	Observe(func(*Step) error { return nil })(&o)
	require.False(t, o.repeated(&whole))
}

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
