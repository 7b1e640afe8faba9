package repaired

import (
	"sync"
	"testing"
)

type jobTable struct {
	mu   sync.Mutex
	jobs []*tableJob
}

type tableJob struct {
	mu   sync.Mutex
	done bool
}

// sweep returns how many jobs are still to be done.
func (b *jobTable) sweep() (open int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, job := range b.jobs {
		job.mu.Lock()
		if job.done {
			job.mu.Unlock()
			continue
		}
		open++
		job.mu.Unlock()
	}
	return open
}

func (j *tableJob) finish() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.done = true
}

// verdict: proved without assumptions
func TestUnlockContinue(t *testing.T) {
	b := &jobTable{jobs: []*tableJob{{}}}
	var both sync.WaitGroup
	both.Go(b.jobs[0].finish)
	both.Go(func() { b.sweep() })
	both.Wait()
	if n := b.sweep(); n != 0 {
		t.Errorf("%d jobs are open", n)
	}
}
