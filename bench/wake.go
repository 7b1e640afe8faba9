package main

import (
	"context"
	"sync/atomic"
	"time"

	ours "github.com/surewake/surewake/runtime"
)

var epoch = time.Now()

// spin keeps the processor busy, long enough for a worker to fall asleep.
func spin() {
	for end := time.Now().Add(300 * time.Microsecond); time.Now().Before(end); {
	}
}

// await spins until somebody has run, and returns how long that took from begin.
func await(ran *atomic.Int64, begin time.Duration) time.Duration {
	for ran.Load() == 0 {
	}
	return time.Duration(ran.Swap(0)) - begin
}

// wakeToRun is how long it takes until work runs that was given to somebody asleep by somebody who
// goes on with his own.
func wakeToRun() ([]contender, func()) {
	rt := start(ours.Workers(2))
	var ran atomic.Int64
	run := func(ours.Cx) (int, error) { ran.Store(int64(time.Since(epoch))); return 0, nil }
	token := make(chan struct{}, 1)
	go func() {
		for range token {
			ran.Store(int64(time.Since(epoch)))
		}
	}()
	inTask := func() time.Duration {
		return must(ours.Submit(rt, func(cx ours.Cx) (time.Duration, error) {
			spin()
			other := ours.Spawn(cx, run)
			begin := time.Since(epoch)
			next := ours.Spawn(cx,
				empty) // takes the place of the other, which a sleeper is woken for
			took := await(&ran, begin)
			must(other.Join(cx))
			must(next.Join(cx))
			return took, nil
		}).Wait(context.Background()))
	}
	all := []contender{
		{name: "Spawn, the waker is a task", ops: 1, round: inTask},
		{name: "Submit, the waker is outside", ops: 1, round: func() time.Duration {
			spin()
			begin := time.Since(epoch)
			h := ours.Submit(rt, run)
			took := await(&ran, begin)
			must(h.Wait(context.Background()))
			return took
		}},
		{name: "channel", peer: true, ops: 1, round: func() time.Duration {
			spin()
			begin := time.Since(epoch)
			token <- struct{}{}
			return await(&ran, begin)
		}},
	}
	bare, stop := bareFutex(&ran)
	return append(all, bare...), func() {
		rt.Close()
		close(token)
		stop()
	}
}
