package history_test

import (
	"testing"

	"github.com/surewake/surewake/model/history"
)

// BenchmarkKnown records eight operations of two threads and recognises the history, as nearly every execution of an
// exploration does.
func BenchmarkKnown(b *testing.B) {
	judge := history.NewJudge(counter)
	thread := 0
	h := judge.Recorder(history.Options{Thread: func() int { return thread }})
	b.ReportAllocs()
	for range b.N {
		h.Reset()
		for i := range 4 {
			thread = 0
			x := history.Call(h, add{1})
			thread = 1
			y := history.Call(h, add{1})
			history.Return(h, y, 2*i+1)
			thread = 0
			history.Return(h, x, 2*i+2)
		}
		if v := judge.Judge(h); v != nil {
			b.Fatal(v)
		}
	}
}

// BenchmarkNew hands each history to porcupine.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		judge := history.NewJudge(counter)
		h := judge.Recorder(history.Options{})
		for i := range 4 {
			x, y := history.Call(h, add{1}), history.Call(h, add{1})
			history.Return(h, y, 2*i+1)
			history.Return(h, x, 2*i+2)
		}
		if v := judge.Judge(h); v != nil {
			b.Fatal(v)
		}
	}
}

// BenchmarkKnownDeques is a check of a deque with one thief: three pushes, two pops, a steal, and draining.
func BenchmarkKnownDeques(b *testing.B) {
	judge := history.NewJudge(history.Deques(4))
	thread := 0
	h := judge.Recorder(history.Options{Thread: func() int { return thread }})
	list := with(pushes(3), steal(11, 14, a, a+1, 1), pop(12, 13, a, 3), popEmpty(15, 16, a), pop(17, 18, a+1, 2), popEmpty(19, 20, a+1))
	b.ReportAllocs()
	for range b.N {
		h.Reset()
		for i, e := range list {
			thread = e.Thread
			if i == 3 { // the pop lies within the steal
				id := history.Call(h, e.Op)
				thread = 0
				history.Return(h, history.Call(h, list[4].Op), list[4].Result)
				thread = 1
				history.Return(h, id, e.Result)
			} else if i != 4 {
				history.Return(h, history.Call(h, e.Op), e.Result)
			}
		}
		if v := judge.Judge(h); v != nil {
			b.Fatal(v)
		}
	}
}
