package main

import (
	"context"
	"math"
	"testing"

	"golang.org/x/time/rate"

	ours "github.com/surewake/surewake/runtime"
)

// BenchmarkLimiter is a permit of a rate limiter beside golang.org/x/time/rate: one that is there,
// one that is refused, and a call that would wait, and need not.
func BenchmarkLimiter(b *testing.B) {
	const many = math.MaxInt32
	allow := func(name string, allows func() bool, want bool) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if allows() != want {
					b.Fatal("the wrong answer")
				}
			}
		})
	}
	allow("allowed/ours", ours.NewLimiter(1e9, many).Allow, true)
	allow("allowed/rate", rate.NewLimiter(1e9, many).Allow, true)
	empty, peer := ours.NewLimiter(1e-9, 1), rate.NewLimiter(1e-9, 1)
	empty.Allow()
	peer.Allow()
	allow("refused/ours", empty.Allow, false)
	allow("refused/rate", peer.Allow, false)
	b.Run("wait/ours", func(b *testing.B) {
		b.ReportAllocs()
		rt := start()
		defer shutdown(rt)
		l := ours.NewLimiter(1e9, many)
		inside(rt, func(cx ours.Cx) {
			for b.Loop() {
				expectNo(l.Wait(cx))
			}
		})()
	})
	b.Run("wait/rate", func(b *testing.B) {
		b.ReportAllocs()
		l := rate.NewLimiter(1e9, many)
		for b.Loop() {
			expectNo(l.Wait(context.Background()))
		}
	})
}
