package runtime_test

import (
	"context"
	"errors"
	"math/rand/v2"
	goruntime "runtime"
	"sync"
	"time"

	"github.com/surewake/surewake/runtime"
)

// spawn starts r, as one of the kinds of tasks that there are.
func (w *world) spawn(cx runtime.Cx, r *record, rng *rand.Rand) {
	seed := rng.Uint64()
	switch n := rng.IntN(20); {
	case n < 9:
		r.handle = runtime.Spawn(cx, w.play(r, seed))
	case n < 15:
		r.handle = runtime.SpawnWith(
			cx,
			func(cx runtime.Cx, play func(runtime.Cx) (int, error)) (int, error) {
				return play(cx)
			},
			w.play(r, seed),
		)
	case n < 16:
		r.handle = runtime.SpawnContext(r.context(rng), cx, w.play(r, seed))
	case n < 18:
		w.spawnFuture(cx, r, rand.New(rand.NewPCG(w.seed, seed)))
	case n < 19:
		r.parent = nil
		r.handle = runtime.SpawnBlockingContext(r.context(rng), cx, w.blockContext(r, seed))
	default:
		r.parent = nil
		r.handle = runtime.SpawnBlocking(cx, w.block(r, seed))
	}
}

// start is spawn from outside.
func (w *world) start(r *record, rng *rand.Rand) {
	seed := rng.Uint64()
	switch n := rng.IntN(20); {
	case n < 13:
		r.handle = runtime.Submit(r.house.rt, w.play(r, seed))
	case n < 15:
		r.handle = runtime.SubmitContext(r.context(rng), r.house.rt, w.play(r, seed))
	case n < 18:
		w.submitFuture(r, rand.New(rand.NewPCG(w.seed, seed)))
	case n < 19:
		r.handle = runtime.SubmitBlockingContext(r.context(rng), r.house.rt,
			w.blockContext(r, seed))
	default:
		r.handle = runtime.SubmitBlocking(r.house.rt, w.block(r, seed))
	}
}

// tryStart starts r from outside if it need not wait, and reports whether it has.
func (w *world) tryStart(r *record, rng *rand.Rand) bool {
	var err error
	r.handle, err = runtime.TrySubmit(r.house.rt, w.play(r, rng.Uint64()))
	switch {
	case err == nil:
		return true
	case err == runtime.ErrWouldWait && r.house.limit > 0:
	case err == runtime.ErrClosed && (r.house.closed.Load() || r.house.drained.Load()):
	default:
		w.fail("TrySubmit returned %v", err)
	}
	return false
}

// outcomeOf ends the function of a task in one of the ways that there are.
func (w *world) outcomeOf(r *record, rng *rand.Rand) (int, error) {
	switch n := rng.IntN(50); {
	case n < 3:
		r.err = errors.New("failed")
		r.outcome = failed
		return -r.id, r.err
	case n < 6:
		r.value = r
		r.outcome = panicked
		panic(r.value)
	case n < 8:
		w.exits.Add(1)
		r.outcome = exited
		goruntime.Goexit()
	}
	return r.returns()
}

// block returns the function of a blocking task.
func (w *world) block(r *record, seed uint64) func() (int, error) {
	return func() (int, error) {
		r.begin()
		rng := rand.New(rand.NewPCG(w.seed, seed))
		time.Sleep(time.Duration(rng.IntN(300)) * time.Microsecond)
		if other := r.house.any(rng); other != nil {
			w.peek(other)
		}
		return w.outcomeOf(r, rng)
	}
}

// blockContext returns the function of a blocking task with a context.
func (w *world) blockContext(
	r *record, seed uint64,
) func(ctx context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		if ctx.Value(recordKey{}) != r {
			w.fail("blocking task %d: its context has lost its values", r.id)
		}
		select {
		case <-ctx.Done():
			if !r.mayNotRun() {
				w.fail("blocking task %d: its context ended with %v", r.id, context.Cause(ctx))
			}
		case <-time.After(time.Duration(seed%300) * time.Microsecond):
		}
		return w.block(r, seed)()
	}
}

// batch returns records for a batch, and the function of its tasks.
func (w *world) batch(
	h *house,
	rng *rand.Rand,
	submitted bool,
) ([]*record, func(runtime.Cx, int) (int, error)) {
	seed, rank := rng.Uint64(), rng.Uint64()
	records := make([]*record, rng.IntN(40))
	for i := range records {
		records[i] = w.newRecord(h, rank, submitted)
	}
	return records, func(cx runtime.Cx, i int) (int, error) {
		return w.play(records[i], seed+uint64(i))(cx)
	}
}

// enrol publishes the tasks of a batch.
func (w *world) enrol(records []*record, b *runtime.TaskBatch[int]) {
	if b.Len() != len(records) {
		w.fail("a batch of %d tasks has %d", len(records), b.Len())
	}
	for i, h := range b.All() {
		if records[i].handle = h; b.Handle(i) != h {
			w.fail("a batch has two handles of task %d", i)
		}
		w.publish(records[i])
	}
}

func (p *player) batch() {
	if p.w.budget.Add(-40) < 0 {
		return
	}
	records, fn := p.w.batch(p.r.house, p.rng, false)
	b := runtime.SpawnBatch(p.cx, len(records), fn)
	p.w.enrol(records, b)
	if len(records) == 0 || records[0].rank <= p.r.rank {
		return
	}
	if p.rng.IntN(4) == 0 {
		for _, r := range records {
			r.cancelled.Store(true)
		}
		b.Cancel()
	}
	values, err := b.Join(p.cx)
	if values == nil {
		if !p.fail(err, "TaskBatch.Join") {
			p.w.fail("task %d: a batch has no results", p.r.id)
		}
		return
	}
	p.w.checkBatch(records, values, err)
}

func (w *world) checkBatch(records []*record, values []int, err error) {
	for i, r := range records {
		if r.outcome == returned && !r.deferred && values[i] != r.id ||
			err == nil && r.outcome != returned {
			w.fail(
				"task %d, number %d of a batch: outcome %d, its result is %d; "+
					"that of the batch is %v",
				r.id,
				i,
				r.outcome,
				values[i],
				err,
			)
		}
	}
}

func (o *outsider) batch(h *house) {
	if o.w.budget.Add(-40) < 0 {
		return
	}
	records, fn := o.w.batch(h, o.rng, true)
	b := runtime.SubmitBatch(h.rt, len(records), fn)
	o.w.enrol(records, b)
	if o.rng.IntN(2) == 0 {
		if values, err := b.Wait(context.Background()); len(values) != len(records) {
			o.w.fail("a batch of %d tasks has %d results and %v", len(records), len(values), err)
		} else {
			o.w.checkBatch(records, values, err)
		}
	}
}

// bells are wakers that somebody is to call some time.
type bells struct {
	lock sync.Mutex
	all  []runtime.Waker
}

func (b *bells) leave(w runtime.Waker) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.all = append(b.all, w)
}

// ring calls all, with cx if it is one.
func (b *bells) ring(cx runtime.Cx) {
	b.lock.Lock()
	all := b.all
	b.all = nil
	b.lock.Unlock()
	for _, w := range all {
		if cx == (runtime.Cx{}) {
			w.Wake()
		} else {
			w.WakeFrom(cx)
		}
	}
}

// lives starts tasks one after the other in the memory of one.
func (p *player) lives() {
	var t runtime.Task[int]
	for life := range 1 + p.rng.IntN(6) {
		seed := p.rng.Uint64()
		t.Spawn(p.cx, func(cx runtime.Cx) (int, error) {
			switch seed % 8 {
			case 0:
				cx.Yield()
			case 1:
				if err := cx.Sleep(20 * time.Microsecond); err != nil {
					return 0, err
				}
			case 2:
				return life, errOfChild
			}
			return life, nil
		})
		cancelled := seed>>8%4 == 0
		if cancelled {
			t.Cancel(p.cx)
		}
		if seed>>16%4 == 0 {
			p.cx.Yield()
		}
		value, err := t.Join(p.cx)
		switch {
		case err == nil && value == life:
		case err == errOfChild && value == life && seed%8 == 2:
		case cancelled && errors.Is(err, runtime.ErrCancelled):
		case p.r.house.closed.Load() && errors.Is(err, runtime.ErrClosed): // it has no shield
		default:
			p.fail(err, "Task.Join")
			if err == nil {
				p.w.fail("task %d: life %d of a Task returned %d", p.r.id, life, value)
			}
		}
	}
}
