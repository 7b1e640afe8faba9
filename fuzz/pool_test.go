package fuzz_test

import (
	"slices"
	"sync"
	"testing"

	gofuzz "github.com/google/gofuzz"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/deque"
	"github.com/surewake/surewake/idle"
	"github.com/surewake/surewake/park"
)

// A job is what a worker runs: it begins the jobs that hang on it.
type job struct {
	Spawns []*job
	id     int
}

// A plan is what is given to a pool.
type plan struct {
	Workers  uint8
	Capacity uint8 // of each deque, as a power of two
	Wait     bool  // for the pool to be idle, before each job but the first
	Jobs     []*job
}

// draw makes a plan out of random bytes, and numbers its jobs.
func draw(f *gofuzz.Fuzzer) (p plan, jobs int) {
	f.NilChance(0.2).NumElements(0, 6).MaxDepth(12).Funcs(func(j *job, c gofuzz.Continue) {
		for range c.Intn(40) / 13 * c.Intn(4) { // few have many
			child := new(job)
			c.Fuzz(child)
			j.Spawns = append(j.Spawns, child)
		}
	}).Fuzz(&p)
	var number func([]*job) []*job
	number = func(js []*job) []*job {
		js = slices.DeleteFunc(js, func(j *job) bool { return j == nil })
		for _, j := range js {
			j.id = jobs
			jobs++
			j.Spawns = number(j.Spawns)
		}
		return js
	}
	p.Jobs = number(p.Jobs)
	return p, jobs
}

// pool is the scheduler of the package pages of deque, idle and park: workers with
// deques, and a slice for what comes from outside or overflows.
type pool struct {
	idle    *idle.Coordinator
	deques  []*deque.Deque[*job]
	parkers []park.Parker
	ended   sync.WaitGroup
	ran     [][]int // by worker: the jobs, in the order in which it ran them

	mu       sync.Mutex
	injected []*job // guarded by mu
}

func newPool(workers, capacity int) *pool {
	p := &pool{
		idle:    idle.New(workers),
		parkers: make([]park.Parker, workers),
		ran:     make([][]int, workers),
	}
	for range workers {
		p.deques = append(p.deques, deque.New[*job](capacity))
	}
	for i := range workers {
		p.ended.Go(func() { p.work(i) })
	}
	return p
}

func (p *pool) inject(jobs []*job) {
	p.mu.Lock()
	p.injected = append(p.injected, jobs...)
	p.mu.Unlock()
}

func (p *pool) submit(j *job) {
	p.inject([]*job{j})
	p.unpark(p.idle.Notify())
}

// close runs what is queued and what that spawns.
func (p *pool) close() {
	p.idle.Close(func(worker int) { p.parkers[worker].Unpark() })
	p.ended.Wait()
}

func (p *pool) unpark(worker int, ok bool) {
	if ok {
		p.parkers[worker].Unpark()
	}
}

func (p *pool) take(me int) (*job, bool) {
	if j, ok := p.deques[me].Pop(); ok {
		return j, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.injected) == 0 {
		return nil, false
	}
	j := p.injected[0]
	p.injected = p.injected[1:]
	return j, true
}

func (p *pool) steal(me int) (*job, bool) {
	for again := true; again; {
		again = false
		for i := range p.deques {
			if i == me {
				continue
			}
			j, result := p.deques[i].StealInto(p.deques[me])
			if result == deque.Stolen {
				return j, true
			}
			again = again || result == deque.Contended
		}
	}
	return p.take(me)
}

func (p *pool) queued() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	holds := func(d *deque.Deque[*job]) bool { return d.Len() > 0 }
	return len(p.injected) > 0 || slices.ContainsFunc(p.deques, holds)
}

func (p *pool) work(me int) {
	w := p.idle.Worker(me)
	for {
		j, ok := p.take(me)
		if !ok && w.Search() {
			j, ok = p.steal(me)
		}
		if ok {
			p.unpark(w.Found())
			p.run(me, j)
			continue
		}
		next := w.Publish()
		if next == idle.Recheck {
			if p.queued() {
				p.unpark(p.idle.Notify())
			}
			next = idle.AwaitToken
		}
		if next == idle.AwaitToken {
			p.parkers[me].Park()
			next = w.Woke(true)
		}
		if next == idle.Closed && !p.queued() {
			return
		}
	}
}

func (p *pool) run(me int, j *job) {
	p.ran[me] = append(p.ran[me], j.id)
	for _, c := range j.Spawns {
		p.deques[me].Push(c, p.inject)
		p.unpark(p.idle.Notify())
	}
}

// A pool made of deque, idle and park runs what a slice would run: each job once. No
// timeout wakes a worker, so that a lost wakeup is a test that does not end.
func poolRunsEachJobOnce(t require.TestingT, f *gofuzz.Fuzzer) {
	plan, jobs := draw(f)
	p := newPool(1+int(plan.Workers%6), 2<<(plan.Capacity%4))
	for _, j := range plan.Jobs {
		for plan.Wait && p.idle.Parked() < p.idle.Workers() {
			park.New(park.Default).ParkTimeout(1)
		}
		p.submit(j)
	}
	p.close()
	ran := slices.Concat(p.ran...)
	slices.Sort(ran)
	want := make([]int, jobs)
	for i := range want {
		want[i] = i
	}
	require.Equal(t, len(want), len(ran))
	require.Equal(t, want, append([]int{}, ran...))
}

func TestPoolRunsEachJobOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		poolRunsEachJobOnce(t, gofuzz.NewWithSeed(rapid.Int64().Draw(t, "seed")))
	})
}

func FuzzPool(f *testing.F) {
	f.Add([]byte("a pool"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 0 {
			poolRunsEachJobOnce(t, gofuzz.NewFromGoFuzz(data))
		}
	})
}
