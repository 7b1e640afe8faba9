// Work gives a runtime with many workers something to do: storms of spawns, timers, tasks from
// outside, a Close or a Shutdown in the midst of it. It is built so that it records.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/runtime"
)

func main() {
	workers := flag.Int("workers", 65, "how many workers a runtime has")
	length := flag.Duration("for", time.Second, "how long")
	seed := flag.Uint64("seed", 1, "of the random numbers")
	flag.Parse()
	kinds := []park.Kind{park.Default, park.Portable}
	begin := time.Now()
	for round := uint64(0); time.Since(begin) < *length; round++ {
		rng := rand.New(rand.NewPCG(*seed, round))
		if err := work(rng, *workers, kinds[round%2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func work(rng *rand.Rand, workers int, kind park.Kind) error {
	rt, err := runtime.New(runtime.Workers(workers), runtime.Parker(kind),
		runtime.RescueInterval(time.Duration(rng.IntN(3))*time.Millisecond),
		runtime.Seed(rng.Uint64()))
	if err != nil {
		return err
	}
	var outside sync.WaitGroup
	for range 1 + rng.IntN(6) {
		seed := rng.Uint64()
		outside.Go(func() { submit(rt, rand.New(rand.NewPCG(seed, 0))) })
	}
	if rng.IntN(3) == 0 { // those who submit see that it is closed
		time.Sleep(time.Duration(rng.IntN(10)) * time.Millisecond)
		err = rt.Close()
		outside.Wait()
		return err
	}
	outside.Wait()
	return rt.Shutdown(context.Background())
}

// submit starts tasks from outside; their errors say that the runtime was closed.
func submit(rt *runtime.Runtime, rng *rand.Rand) {
	for range 5 + rng.IntN(20) {
		width, nap := 1+rng.IntN(40), time.Duration(rng.IntN(300))*time.Microsecond
		h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return storm(cx, width, nap) })
		if rng.IntN(2) == 0 {
			_, _ = h.Wait(context.Background())
		}
		if rng.IntN(4) == 0 {
			time.Sleep(nap)
		}
	}
}

// storm starts many tasks, some of which sleep, and waits for them.
func storm(cx runtime.Cx, width int, nap time.Duration) (int, error) {
	var all []*runtime.Handle[int]
	for i := range width {
		all = append(all, runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
			switch i % 4 {
			case 0:
				return 1, cx.Sleep(nap)
			case 1:
				for start := time.Now(); time.Since(start) < nap/8; {
				}
			}
			return 1, nil
		}))
	}
	sum := 0
	for _, h := range all {
		n, err := h.Join(cx)
		if err != nil {
			return sum, err
		}
		sum += n
	}
	return sum, nil
}
