package history_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/model/history"
)

func TestEqualHistoriesAreJudgedOnce(t *testing.T) {
	judge := history.NewJudge(counter)
	thread := 0
	h := judge.Recorder(history.Options{Thread: func() int { return thread }})
	call := func(on int) int { thread = on; return history.Call(h, add{1}) }
	ret := func(on, id, result int) { thread = on; history.Return(h, id, result) }

	x, y := call(0), call(1)
	ret(0, x, 1)
	ret(1, y, 2)
	require.Nil(t, judge.Judge(h))
	h.Reset()
	// The order among calls, and among returns, says nothing.
	y, x = call(1), call(0)
	ret(1, y, 2)
	ret(0, x, 1)
	require.Nil(t, judge.Judge(h))
	require.EqualValues(t, 2, judge.Seen)
	require.EqualValues(t, 1, judge.Distinct)

	h.Reset()
	// But here one returned before the other was called.
	y = call(1)
	ret(1, y, 2)
	x = call(0)
	ret(0, x, 1)
	v := judge.Judge(h)
	require.NotNil(t, v)
	require.Same(t, v, judge.Judge(h), "a wrong history is judged once too")
	require.EqualValues(t, 4, judge.Seen)
	require.EqualValues(t, 2, judge.Distinct)
}

func TestNoAllocationForAKnownHistory(t *testing.T) {
	judge := history.NewJudge(counter)
	h := judge.Recorder(history.Options{Thread: func() int { return 0 }})
	once := func() {
		h.Reset()
		for i := range 8 {
			history.Return(h, history.Call(h, add{1}), i+1)
		}
		if judge.Judge(h) != nil {
			t.Fatal("wrong")
		}
	}
	once()
	require.Zero(t, testing.AllocsPerRun(100, once))
}

// The tree of known histories agrees with judging each history anew, whatever it has seen before.
func TestKnownHistoriesKeepTheirVerdict(t *testing.T) {
	shared := history.NewJudge(counter)
	rapid.Check(t, func(t *rapid.T) {
		current := 0
		opts := history.Options{Thread: func() int { return current }}
		fresh := history.NewJudge(counter)
		h := shared.Recorder(opts)
		g := fresh.Recorder(opts)
		threads := rapid.IntRange(1, 3).Draw(t, "threads")
		open := make([]int, threads)
		for i := range open {
			open[i] = -1
		}
		step := func(i int) {
			current = i
			if open[i] < 0 {
				op := add{rapid.IntRange(1, 2).Draw(t, "add")}
				open[i] = history.Call(h, op)
				history.Call(g, op)
				return
			}
			result := rapid.IntRange(1, 3).Draw(t, "result")
			history.Return(h, open[i], result)
			history.Return(g, open[i], result)
			open[i] = -1
		}
		for range rapid.IntRange(0, 10).Draw(t, "steps") {
			step(rapid.IntRange(0, threads-1).Draw(t, "thread"))
		}
		for i := range open {
			if open[i] >= 0 {
				step(i)
			}
		}
		require.Equal(t, fresh.Judge(g) == nil, shared.Judge(h) == nil)
	})
}

func TestOpenOperationIsAViolation(t *testing.T) {
	judge := history.NewJudge(counter)
	h := judge.Recorder(history.Options{ThreadName: func(int) string { return "adder" }})
	history.Call(h, add{1})
	require.Equal(t, 1, h.Open())
	v := judge.Judge(h)
	require.ErrorContains(t, v, "never returned: adder: Add(1)")
	require.Contains(t, v.Table, "adder   Add(1)     never      1           ├─┈")
	require.Error(t, v.WriteHTML(&bytes.Buffer{}))
}

func TestViolationPage(t *testing.T) {
	v := history.Check(
		counter, history.Operation[add, int]{Call: 1, Return: 2, Op: add{1}, Result: 7},
	)
	require.NotNil(t, v)
	path := filepath.Join(t.TempDir(), "v.html")
	require.NoError(t, v.WriteHTMLFile(path))
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(page, []byte("<!doctype html>")))
	require.True(t, bytes.Contains(page, []byte(`Add(1) -\u003e 7`)))
	require.Error(t, v.WriteHTMLFile(filepath.Join(t.TempDir(), "no", "such", "directory")))
}

func TestWrongUseIsSaid(t *testing.T) {
	judge := history.NewJudge(counter)
	h := judge.Recorder(history.Options{})
	require.PanicsWithValue(
		t,
		"history: operation of type string in a recorder of history_test.add: "+
			"does the check name the right specification?",
		func() { history.Call(h, "Add") },
	)
	id := history.Call(h, add{1})
	require.PanicsWithValue(t, "history: result of type string in a recorder of int: "+
		"does the check name the right specification?", func() { history.Return(h, id, "1") })
	history.Return(h, id, 1)
	require.PanicsWithValue(
		t, "history: Return for operation 0, which has returned already",
		func() { history.Return(h, id, 1) },
	)
	require.PanicsWithValue(
		t, "history: Return for operation 9, which was never called",
		func() { history.Return(h, 9, 1) },
	)
	require.Panics(t, func() { history.NewJudge(history.Spec[int, add, int]{}) })
	require.Panics(
		t, func() { history.NewJudge(history.Spec[int, add, int]{Init: func() int { return 0 }}) },
	)
	other := history.Spec[int, string, int]{
		Init: counter.Init,
		Step: func(s int, _ string, _ int) (int, bool) { return s, true },
	}
	require.Panics(t, func() { history.NewJudge(other).Judge(h) })
}

func TestSlowJudgingIsUndecided(t *testing.T) {
	slow := counter
	slow.Timeout = time.Millisecond
	slow.Step = func(s int, o add, result int) (int, bool) {
		time.Sleep(10 * time.Millisecond)
		return s + o.n, true
	}
	v := history.Check(slow, history.Operation[add, int]{Call: 1, Return: 2, Op: add{1}, Result: 1})
	require.NotNil(t, v)
	require.Contains(t, v.Reason, "not judged within 1ms")
	require.True(t, v.Undecided)
	require.Contains(t, v.String(), "is undecided")
}

// A specification that allows several results: a counter that may lose an update when two overlap.
func TestNondeterministicSpec(t *testing.T) {
	lossy := counter
	lossy.Step = nil
	lossy.Steps = func(s int, a history.Action[add, int]) []int {
		var next []int
		for _, n := range []int{s, s + a.Op.n} {
			if n == a.Result {
				next = append(next, n)
			}
		}
		return next
	}
	op := func(call, ret, result int) history.Operation[add, int] {
		return history.Operation[add, int]{
			Thread: call,
			Call:   call,
			Return: ret,
			Op:     add{1},
			Result: result,
		}
	}
	require.Nil(t, history.Check(lossy, op(1, 2, 1), op(3, 4, 1), op(5, 6, 2)))
	require.NotNil(t, history.Check(lossy, op(1, 2, 1), op(3, 4, 3)))
}

func TestInstants(t *testing.T) {
	var seen []history.Kind
	judge := history.NewJudge(counter)
	var h *history.Recorder
	h = judge.Recorder(history.Options{Instant: func(k history.Kind) {
		seen = append(seen, k)
		require.Equal(t, 1-int(k), 1-h.Open(), "before it is recorded")
	}})
	history.Do(h, add{1}, func() int { return 1 })
	require.Equal(t, []history.Kind{history.CallInstant, history.ReturnInstant}, seen)
}

func TestConcurrentRecorder(t *testing.T) {
	judge := history.NewJudge(counter)
	h := judge.Recorder(history.Options{Concurrent: true})
	for range 200 {
		h.Reset()
		var n atomic.Int64
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				for range 3 {
					history.Do(h, add{1}, func() int { return int(n.Add(1)) })
				}
			})
		}
		group.Wait()
		require.Equal(t, 9, h.Len())
		require.Nil(t, judge.Judge(h))
	}
}

func TestLongTablesHaveNoBars(t *testing.T) {
	var list []history.Operation[add, int]
	for i := range 40 {
		list = append(
			list,
			history.Operation[add, int]{Call: 2 * i, Return: 2*i + 1, Op: add{1}, Result: i + 1},
		)
	}
	list[39].Result = 0
	v := history.Check(counter, list...)
	require.NotNil(t, v)
	require.NotContains(t, v.Table, "├")
	require.Len(t, strings.Split(strings.TrimSpace(v.Table), "\n"), 41)
}
