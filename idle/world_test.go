package idle_test

import (
	"runtime"
	"strconv"
	"sync/atomic"

	"github.com/surewake/surewake/idle"
	"github.com/surewake/surewake/model"
)

// A world is a small scheduler around a Coordinator, made for the checker: a queue that is one
// atomic word, and parkers whose only state is the token. Everything in it is either atomic or one
// goroutine's.
type world struct {
	x *model.Exec
	c *idle.Coordinator

	// numbers gives the workers' numbers in the Coordinator, far apart if several words are wanted.
	numbers []int
	// tasks is how many there are; queue counts the tasks pushed (upper half) and taken (lower
	// half).
	tasks int64
	queue atomic.Int64
	// tokens by number.
	tokens []atomic.Bool
	// over is set when the last task has been taken, unless closes: then the Coordinator is closed.
	over   atomic.Bool
	closes bool
	// closers close at any time, beside the workers.
	closers int
	// timeouts is how many sleeps of a worker may end without a token; the worker's own.
	timeouts []int
	// long is how many tasks, the first ones taken, run until no task is queued.
	long int64
	// asleep is how many workers, the last ones, are asleep at the beginning.
	asleep int
	// search has workers ask to be searchers before they look.
	search bool
}

const pushed = 1 << 32

func newWorld(x *model.Exec, tasks int, numbers ...int) *world {
	last := numbers[len(numbers)-1]
	return &world{x: x, c: idle.New(last + 1), numbers: numbers, tasks: int64(tasks),
		tokens: make([]atomic.Bool, last+1), timeouts: make([]int, last+1)}
}

// budget hands out n timeouts, to any of the workers or to nobody.
func (w *world) budget(n int) {
	for range n {
		i := w.x.Choose(len(w.numbers) + 1)
		if i == len(w.numbers) {
			return
		}
		w.timeouts[w.numbers[i]]++
	}
}

// run starts the workers and as many submitters, and looks at what they leave behind.
func (w *world) run(submitters, tasks int) {
	first := len(w.numbers) - w.asleep
	for _, me := range w.numbers[first:] {
		w.c.Worker(me).Publish()
	}
	for i, me := range w.numbers {
		w.x.Go("worker "+strconv.Itoa(i), func() {
			if i < first || w.sleep(me) {
				w.work(me)
			}
		})
	}
	for range w.closers {
		w.x.Go("closer", func() {
			w.c.Close(func(worker int) { w.unpark(worker, true) })
		})
	}
	for i := range submitters {
		w.x.Go("submitter "+strconv.Itoa(i), func() {
			for range tasks {
				w.submit()
			}
		})
	}
	w.x.Join()
	w.x.Assert(!w.queued(), "a task is left")
	w.atRest()
}

// atRest fails unless each worker that sleeps has its bit or a token, and the others none, and
// searching counts the tokens.
func (w *world) atRest() {
	tokens := 0
	for i := range w.tokens {
		if w.tokens[i].Load() {
			tokens++
		}
	}
	w.x.Assert(w.c.Searching() == tokens, "searching is %d at the end, with %d tokens left",
		w.c.Searching(), tokens)
	asleep := len(w.numbers)
	if w.closes {
		asleep = 0
	}
	w.x.Assert(w.c.Parked()+tokens == asleep, "%d bits and %d tokens are left at the end",
		w.c.Parked(), tokens)
}

func (w *world) submit() {
	w.queue.Add(pushed)
	w.unpark(w.c.Notify())
}

// unpark gives a worker its token.
func (w *world) unpark(worker int, ok bool) {
	if ok {
		w.x.Assert(!w.tokens[worker].Swap(true), "worker %d gets a second token", worker)
	}
}

// park waits for the token and takes it; it is false if everything is over. The loop waits for a
// change under the checker.
func (w *world) park(me int) bool {
	for !w.tokens[me].CompareAndSwap(true, false) {
		if !w.closes && w.over.Load() {
			return false
		}
		runtime.Gosched()
	}
	return true
}

func (w *world) queued() bool {
	q := w.queue.Load()
	return q>>32 != q&(pushed-1)
}

// take returns which task it took.
func (w *world) take() (task int64, ok bool) {
	for q := w.queue.Load(); q>>32 != q&(pushed-1); q = w.queue.Load() {
		if w.queue.CompareAndSwap(q, q+1) {
			return q & (pushed - 1), true
		}
	}
	return 0, false
}

// work is the loop of a worker.
func (w *world) work(me int) {
	worker := w.c.Worker(me)
	for {
		if w.search {
			worker.Search()
		}
		if task, ok := w.take(); ok {
			w.unpark(worker.Found())
			w.execute(task)
			continue
		}
		switch worker.Publish() {
		case idle.Recheck:
			if w.queued() {
				w.unpark(w.c.Notify())
			}
			if !w.sleep(me) {
				return
			}
		case idle.AwaitToken:
			if !w.awaitToken(me) {
				return
			}
		case idle.Closed:
			return
		}
	}
}

// sleep is the part of the loop after Publish; it is false if everything is over.
func (w *world) sleep(me int) bool {
	if w.timeouts[me] == 0 || w.x.Choose(2) == 0 {
		return w.awaitToken(me)
	}
	w.timeouts[me]--
	token := w.tokens[me].CompareAndSwap(true, false) // one that came before the timeout is taken
	return w.c.Worker(me).Woke(token) != idle.AwaitToken || w.awaitToken(me)
}

func (w *world) awaitToken(me int) bool {
	if !w.park(me) {
		return false
	}
	w.x.Assert(w.c.Worker(me).Woke(true) == idle.Searching, "a worker with a token is no searcher")
	return true
}

// execute runs a task; the last one ends everything.
func (w *world) execute(task int64) {
	if task < w.long {
		for w.queued() {
			runtime.Gosched()
		}
	}
	if task == w.tasks-1 {
		if w.closes {
			w.c.Close(func(worker int) { w.unpark(worker, true) })
		} else {
			w.over.Store(true)
		}
	}
}
