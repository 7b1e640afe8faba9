package model_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/model/history"
)

// In an ordinary go test a body runs on real goroutines, many times.
func TestStressRunsTheBodyOften(t *testing.T) {
	var runs, choices atomic.Int64
	model.Check(t, func(x *model.Exec) {
		runs.Add(1)
		if x.Choose(2) == 1 {
			choices.Add(1)
		}
		var n atomic.Int64
		x.Go("a", func() {
			x.Go("nested", func() { n.Add(1) })
			x.Join() // waits for its own only
			n.Add(1)
		})
		x.Go("b", func() { n.Add(1); x.Logf("not drawn here") })
		x.Join()
		require.EqualValues(x, 3, n.Load())
	})
	require.Greater(t, runs.Load(), int64(10))
	require.NotZero(t, choices.Load())
	require.Less(t, choices.Load(), runs.Load())
}

// recorder is a testing.TB that notes a failure instead of failing.
type recorder struct {
	testing.TB
	fatal string
}

func (r *recorder) Helper()      {}
func (r *recorder) Name() string { return "recorded" }
func (r *recorder) Failed() bool { return false }
func (r *recorder) Fatalf(format string, args ...any) {
	r.fatal = format
	panic(r)
}

func TestStressReportsAFailure(t *testing.T) {
	r := &recorder{TB: t}
	require.PanicsWithValue(t, r, func() {
		model.Check(r, func(x *model.Exec) {
			x.Go("fails", func() { x.Assert(false, "always") })
			x.Join()
		})
	})
	require.NotEmpty(t, r.fatal)
}

func TestStressJudgesTheHistory(t *testing.T) {
	type op struct{ add int }
	counter := history.Spec[int, op, int]{
		Name: "counter",
		Init: func() int { return 0 },
		Step: func(s int, o op, result int) (int, bool) { return s + o.add, result == s+o.add },
	}
	body := func(add func(n *atomic.Int64) int) func(x *model.Exec) {
		return func(x *model.Exec) {
			var n atomic.Int64
			for range 2 {
				x.Go(
					"adder",
					func() { history.Do(x.History(), op{1}, func() int { return add(&n) }) },
				)
			}
			x.Join()
		}
	}
	model.Check(t, body(func(n *atomic.Int64) int { return int(n.Add(1)) }), model.Spec(counter))
	r := &recorder{TB: t}
	require.Panics(t, func() {
		model.Check(r, body(func(*atomic.Int64) int { return 1 }), model.Spec(counter))
	})
	require.NotEmpty(t, r.fatal)
}

func TestBadOptionsAreRefused(t *testing.T) {
	for _, bad := range []func(){
		func() { model.Check(t, nil) },
		func() { model.Preemptions(-1) },
		func() { model.Executions(0) },
		func() { model.Duration(-1) },
		func() { model.MaxSteps(0) },
		func() { model.MaxGoroutines(0) },
		func() { model.Timeouts(-1) },
	} {
		if !panics(bad) {
			t.Error("accepted")
		}
	}
}

func TestChooseOfNothing(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		if !panics(func() { x.Choose(0) }) || !panics(func() { x.Choose(1025) }) {
			x.Assert(false, "accepted")
		}
	})
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return
}
