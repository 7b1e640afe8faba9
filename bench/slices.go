package main

import (
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	ours "github.com/surewake/surewake/runtime"
)

// elements are those of a loop of this file, each a microsecond of work.
const elements = 1000

func work(int) float64 { return steps(stepsPerMicrosecond) }

// sliceRows are loops over slices and sequences, whose results are kept or added up.
func sliceRows() []row {
	const us = time.Microsecond
	return []row{
		{"map", "the results of 1,000 calls of 1 µs, by a slice", us, mapLoops},
		{"map-seq", "the same by a sequence", us, mapSeqs},
		{"reduce-seq", "their sum, by a sequence", us, reduceSeqs},
		{"for-err", "1,000 calls of 1 µs that may fail", us, fallible},
	}
}

func mapLoops() ([]contender, func()) {
	in := make([]int, elements)
	out := make([]float64, elements)
	all, done := besidePlain("Map", func(cx ours.Cx) {
		expect(len(must(ours.Map(cx, in, func(_ ours.Cx, n int) float64 { return work(n) }))),
			elements)
	}, func() {
		for i, n := range in {
			out[i] = work(n)
		}
	})
	return append(all, contender{name: "2 goroutines, a half each", peer: true, ops: 1,
		round: outside(func() {
			var both sync.WaitGroup
			for half := range 2 {
				both.Go(func() {
					for i := half * elements / 2; i < (half+1)*elements/2; i++ {
						out[i] = work(in[i])
					}
				})
			}
			both.Wait()
		})}), done
}

func mapSeqs() ([]contender, func()) {
	seq := slices.Values(make([]int, elements))
	out := make([]float64, elements)
	all, done := besidePlain("MapSeq", func(cx ours.Cx) {
		expect(len(must(ours.MapSeq(cx, seq, func(_ ours.Cx, n int) float64 { return work(n) }))),
			elements)
	}, func() {
		i := 0
		for n := range seq {
			out[i] = work(n)
			i++
		}
	})
	return append(all, contender{name: channelOfValues, peer: true, ops: 1,
		round: outside(func() { throughChannel(seq, func(i int, x float64) { out[i] = x }) })}), done
}

func reduceSeqs() ([]contender, func()) {
	seq := slices.Values(make([]int, elements))
	total := 0.0
	all, done := besidePlain("ReduceSeq", func(cx ours.Cx) {
		total += must(ours.ReduceSeq(cx, seq,
			func(_ ours.Cx, n int) float64 { return work(n) },
			func(a, b float64) float64 { return a + b }))
	}, func() {
		for n := range seq {
			total += work(n)
		}
	})
	var mu sync.Mutex
	return append(all, contender{name: channelOfValues, peer: true, ops: 1,
		round: outside(func() {
			throughChannel(seq, func(_ int, x float64) {
				mu.Lock()
				total += x
				mu.Unlock()
			})
		})}), done
}

const channelOfValues = "2 goroutines, a channel of the values"

// throughChannel gives the values of a sequence to two goroutines, and what comes of them to put.
func throughChannel(seq func(func(int) bool), put func(i int, x float64)) {
	type numbered struct{ i, n int }
	values := make(chan numbered, 64)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			for v := range values {
				put(v.i, work(v.n))
			}
		})
	}
	i := 0
	for n := range seq {
		values <- numbered{i, n}
		i++
	}
	close(values)
	both.Wait()
}

func fallible() ([]contender, func()) {
	out := make([]float64, elements)
	all, done := besidePlain("ForErr", func(cx ours.Cx) {
		expectNo(ours.ForErr(cx, 0, elements, func(_ ours.Cx, i int) error {
			out[i] = work(i)
			return nil
		}))
	}, func() {
		for i := range out {
			out[i] = work(i)
		}
	})
	return append(all, contender{name: "errgroup, at most 2 at a time", peer: true, ops: 1,
		round: outside(func() {
			var g errgroup.Group
			g.SetLimit(2)
			for i := range out {
				g.Go(func() error { out[i] = work(i); return nil })
			}
			expectNo(g.Wait())
		})}), done
}
