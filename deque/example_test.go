package deque_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/surewake/surewake/deque"
)

// A task here is to count a range of numbers: a large one splits itself.
type task struct{ from, to int }

// shared is the queue that all workers have in common: it takes what overflows, and what comes from
// outside.
type shared struct {
	mu    sync.Mutex
	tasks []task
}

func (s *shared) put(batch []task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks = append(s.tasks, batch...) // copies: the batch is valid during the call only
}

func (s *shared) take() (task, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tasks) == 0 {
		return task{}, false
	}
	t := s.tasks[0]
	s.tasks = s.tasks[1:]
	return t, true
}

type worker struct {
	id     int
	local  *deque.Deque[task]
	shared *shared
	queues []deque.Stealer[task] // of all workers
}

// find is for workers that never sleep. One that does must be a searcher of package idle before it
// steals: see the package documentation.
func (w *worker) find() (task, bool) {
	if t, ok := w.local.Pop(); ok {
		return t, true
	}
	if t, ok := w.shared.take(); ok {
		return t, true
	}
	for i := 1; i < len(w.queues); i++ {
		victim := w.queues[(w.id+i)%len(w.queues)]
		if t, result := victim.StealInto(w.local); result == deque.Stolen {
			return t, true // and the rest of the half is in w.local
		}
	}
	return task{}, false
}

// Workers that never sleep split a task into smaller ones until all numbers are counted.
func Example() {
	const numbers = 100_000
	s := &shared{tasks: []task{{0, numbers}}}
	workers, queues := make([]*worker, 4), make([]deque.Stealer[task], 4)
	for i := range workers {
		local := deque.New[task](deque.DefaultCapacity)
		workers[i], queues[i] = &worker{i, local, s, queues}, local.Stealer()
	}
	var counted atomic.Int64
	var wg sync.WaitGroup
	for _, w := range workers {
		wg.Go(func() {
			for counted.Load() < numbers {
				t, ok := w.find()
				if !ok {
					runtime.Gosched()
					continue
				}
				if t.to-t.from <= 10 {
					counted.Add(int64(t.to - t.from))
					continue
				}
				middle := (t.from + t.to) / 2
				w.local.Push(task{t.from, middle}, s.put)
				w.local.Push(task{middle, t.to}, s.put)
			}
		})
	}
	wg.Wait()
	fmt.Println(counted.Load())
	// Output: 100000
}

// A full ring hands its older half and the new value to the callback, in one batch.
func ExampleDeque_Push() {
	d := deque.New[int](4)
	for i := 1; i <= 5; i++ {
		d.Push(i, func(batch []int) { fmt.Println("overflow:", batch) })
	}
	fmt.Println("queued:", d.Len())
	// Output:
	// overflow: [1 2 5]
	// queued: 2
}

// A worker that takes several tasks from a shared queue puts them where others can steal them, in
// one go.
func ExampleDeque_PushBatch() {
	d := deque.New[int](4)
	d.Push(1, nil)
	batch := []int{2, 3, 4, 5}
	n := d.PushBatch(batch)
	fmt.Println("queued:", d.Len(), "left:", batch[n:])
	// Output:
	// queued: 4 left: [5]
}

func ExampleDeque_Pop() {
	d := deque.New[string](4)
	d.Push("first", nil)
	d.Push("second", nil)
	fmt.Println(d.Pop())
	fmt.Println(d.Pop())
	_, ok := d.Pop()
	fmt.Println(ok)
	// Output:
	// first true
	// second true
	// false
}

// Values that overflow or are stolen are not counted.
func ExampleDeque_Len() {
	d, thief := deque.New[int](8), deque.New[int](8)
	d.PushBatch([]int{1, 2, 3})
	fmt.Println(d.Len(), "of", d.Cap())
	d.StealInto(thief)
	fmt.Println(d.Len(), "and", thief.Len())
	// Output:
	// 3 of 8
	// 1 and 1
}

// A thief needs a deque of its own: one value is returned, the others of the half go there.
func ExampleDeque_StealInto() {
	local := deque.New[string](4) // the owner's
	local.PushBatch([]string{"a", "b", "c", "d"})
	victim := local.Stealer()      // what thieves get
	mine := deque.New[string](256) // a thief's own
	v, result := victim.StealInto(mine)
	fmt.Println(result, v, "and", mine.Len(), "more,", victim.Len(), "left")
	v, result = deque.New[string](4).StealInto(mine)
	fmt.Printf("%v %q\n", result, v)
	// Output:
	// Stolen a and 1 more, 2 left
	// Empty ""
}

// The owner keeps the deque, and others get its Stealer: Push and Pop are not among its methods.
func ExampleDeque_Stealer() {
	mine := deque.New[string](4)
	given := make(chan deque.Stealer[string], 1)
	given <- mine.Stealer()
	mine.PushBatch([]string{"first", "second", "third"})

	var wg sync.WaitGroup
	wg.Go(func() {
		theirs, victim := deque.New[string](4), <-given
		v, result := victim.StealInto(theirs)
		fmt.Println(result, v, "and", theirs.Len(), "more,", victim.Len(), "left")
	})
	wg.Wait()
	fmt.Println(mine.Pop())
	// Output:
	// Stolen first and 1 more, 1 left
	// third true
}
