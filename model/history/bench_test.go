package history_test

import (
	"testing"

	"github.com/surewake/surewake/model/history"
)

// BenchmarkKnown records eight operations of two threads and recognises the history, as nearly
// every execution of an exploration does.
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
