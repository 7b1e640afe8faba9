package park_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/park"
)

// Each benchmark runs both kinds, and a bare channel with room for one, in one run. The channel is
// what a program would use without this package; its Unpark, which gives up when the buffer is
// full, orders less.

type parker interface {
	Park()
	Unpark()
}

type bareChannel chan struct{}

func (c bareChannel) Park() { <-c }

func (c bareChannel) Unpark() {
	select {
	case c <- struct{}{}:
	default:
	}
}

func eachPeer(b *testing.B, bench func(b *testing.B, newParker func() parker)) {
	for _, k := range []park.Kind{park.Futex, park.Portable} {
		if k.Available() {
			b.Run(k.String(), func(b *testing.B) {
				b.ReportAllocs()
				bench(b, func() parker { return park.New(k) })
			})
		}
	}
	b.Run("bare-channel", func(b *testing.B) {
		b.ReportAllocs()
		bench(b, func() parker { return make(bareChannel, 1) })
	})
}

// BenchmarkTokenReady is an Unpark and the Park that takes its token at once.
func BenchmarkTokenReady(b *testing.B) {
	eachPeer(b, func(b *testing.B, newParker func() parker) {
		p := newParker()
		for b.Loop() {
			p.Unpark()
			p.Park()
		}
	})
}

// BenchmarkNobodyWaits is an Unpark that finds the token of the one before.
func BenchmarkNobodyWaits(b *testing.B) {
	eachPeer(b, func(b *testing.B, newParker func() parker) {
		p := newParker()
		for b.Loop() {
			p.Unpark()
		}
	})
}

// BenchmarkPingPong is a round of two that wake each other and sleep.
func BenchmarkPingPong(b *testing.B) {
	eachPeer(b, func(b *testing.B, newParker func() parker) {
		ping, pong := newParker(), newParker()
		var over atomic.Bool
		var wg sync.WaitGroup
		wg.Go(func() {
			for {
				ping.Park()
				if over.Load() {
					return
				}
				pong.Unpark()
			}
		})
		for b.Loop() {
			ping.Unpark()
			pong.Park()
		}
		over.Store(true)
		ping.Unpark()
		wg.Wait()
	})
}

// BenchmarkWakeToRun is the time from the call of Unpark until the woken goroutine runs, while the
// waker keeps its processor busy; and what the call costs the waker. Before each wake, the parker
// has slept for a time.
func BenchmarkWakeToRun(b *testing.B) {
	for _, slept := range []time.Duration{50 * time.Microsecond, time.Millisecond} {
		b.Run("slept-"+slept.String(), func(b *testing.B) {
			eachPeer(b, func(b *testing.B,
				newParker func() parker) {
				wakeToRun(b, newParker(), slept)
			})
		})
	}
}

func wakeToRun(b *testing.B, p parker, slept time.Duration) {
	start := time.Now()
	now := func() int64 { return int64(time.Since(start)) }
	var ran atomic.Int64
	var over atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			p.Park()
			ran.Store(now())
			if over.Load() {
				return
			}
		}
	})
	// so that allocations are the parker's
	latency, cost := make([]int64, 0, 1<<16), make([]int64, 0, 1<<16)
	for b.Loop() {
		for end := now() + int64(slept); now() < end; {
		}
		ran.Store(0)
		called := now()
		p.Unpark()
		returned := now()
		for ran.Load() == 0 {
		}
		latency = append(latency, ran.Load()-called)
		cost = append(cost, returned-called)
	}
	over.Store(true)
	p.Unpark()
	wg.Wait()

	slices.Sort(latency)
	slices.Sort(cost)
	report := func(name string, of []int64, percent int) {
		b.ReportMetric(float64(of[(len(of)-1)*percent/100])/1e3, name)
	}
	report("p50-µs", latency, 50)
	report("p99-µs", latency, 99)
	report("unpark-p50-µs", cost, 50)
	b.ReportMetric(0, "ns/op") // mostly the time slept
}
