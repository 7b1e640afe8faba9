package model

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/wire"
)

// buffer is what a helper is told.
type buffer struct{ bytes.Buffer }

func (*buffer) Close() error { return nil }

func treeAt(thread int) explore.Subtree {
	return explore.Subtree{Fixed: 1, Steps: []explore.Branch{{Thread: thread, Done: []int{thread}}}}
}

// reports makes h say r, as a line of its output.
func (d *division) reports(t *testing.T, h *helper, r helpReport) {
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var line bytes.Buffer
	require.NoError(t, wire.Message{Part: &wire.Part{Report: text}}.Write(&line))
	d.heard(h, bytes.TrimPrefix(line.Bytes(), []byte("\n")))
}

// Whatever helpers do, each execution is counted once and nothing that is left is forgotten.
func TestHelpersCountOnce(t *testing.T) {
	first, second := &buffer{}, &buffer{}
	a, b := &helper{in: first, ready: true}, &helper{in: second, ready: true}
	d := &division{helpers: []*helper{a, b}, wake: make(chan struct{}, 1)}
	d.queue = []explore.Subtree{treeAt(1)}
	d.handOut()
	require.True(t, a.busy)
	require.Contains(t, first.String(), `"Thread":1`)

	// What a gives away goes to b.
	d.reports(t, a, helpReport{
		Result: explore.Result{Complete: 3}, Rest: treeAt(2), Answer: true,
		Given: []explore.Subtree{treeAt(3), treeAt(4)},
	})
	require.Contains(t, second.String(), `"Thread":3`)
	require.Equal(t, []explore.Subtree{treeAt(4)}, d.queue)

	// b ends, and gets the next one, before this process has a result.
	d.reports(t, b, helpReport{Result: explore.Result{Complete: 10}, Done: true})
	require.Contains(t, second.String(), `"Thread":4`)
	d.ended(&explore.Result{Complete: 100})

	// a dies: what it had reported counts, and the rest is to be done.
	d.lost(a)
	require.EqualValues(t, 113, d.total.Complete)
	require.Equal(t, []explore.Subtree{treeAt(2)}, d.queue)

	d.reports(t, b, helpReport{Result: explore.Result{Complete: 1000}, Done: true})
	require.EqualValues(t, 1113, d.total.Complete)
}

// What is saved has all that is left, each part once, and counts what was found in the others.
func TestAllThatIsLeftIsSaved(t *testing.T) {
	a, b, c := &helper{in: &buffer{}, ready: true}, &helper{in: &buffer{}, ready: true}, &helper{}
	d := &division{helpers: []*helper{a, b, c}, wake: make(chan struct{}, 1)}
	d.queue = []explore.Subtree{treeAt(1), treeAt(2), treeAt(3)}
	d.handOut()
	saved := d.saved()
	require.True(t, saved.Given)
	require.Equal(t, []explore.Subtree{treeAt(3), treeAt(1), treeAt(2)}, saved.Queue)
	require.Zero(t, saved.Total.Complete)

	d.reports(t, a, helpReport{Result: explore.Result{Complete: 3}, Rest: treeAt(4)})
	d.reports(t, b, helpReport{Result: explore.Result{Complete: 10}, Rest: treeAt(5)})
	saved = d.saved()
	require.Equal(t, []explore.Subtree{treeAt(3), treeAt(4), treeAt(5)}, saved.Queue)
	require.EqualValues(t, 13, saved.Total.Complete)

	d.reports(t, a, helpReport{Result: explore.Result{Complete: 20}, Done: true}) // and begins 3
	d.reports(t, b, helpReport{Result: explore.Result{Complete: 100}, Done: true})
	saved = d.saved()
	require.Equal(t, []explore.Subtree{treeAt(3)}, saved.Queue)
	require.EqualValues(t, 120, saved.Total.Complete)
	require.EqualValues(t, 120, d.total.Complete, "it stays what it is")
}

// When the exploration starts again, what helpers found of the earlier one does not count.
func TestHelpersOfAnEarlierRound(t *testing.T) {
	in := &buffer{}
	a := &helper{in: in, ready: true}
	d := &division{helpers: []*helper{a}, wake: make(chan struct{}, 1)}
	d.queue = []explore.Subtree{treeAt(1), treeAt(2)}
	d.handOut()
	d.ended(&explore.Result{Complete: 5, Again: &explore.Subtree{Modes: "s"}})
	require.Equal(t, "s", d.startAgain().Modes)
	require.Contains(t, in.String(), `"Stop":true`)
	require.Empty(t, d.queue)
	d.queue = []explore.Subtree{treeAt(3)}
	d.reports(t, a, helpReport{Result: explore.Result{Complete: 7}, Done: true})
	require.Zero(t, d.total.Complete)
	require.Contains(t, in.String(), `"Thread":3`)
	d.reports(t, a, helpReport{Round: 1, Result: explore.Result{Complete: 9}, Done: true})
	require.EqualValues(t, 9, d.total.Complete)
}
