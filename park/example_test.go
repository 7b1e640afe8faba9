package park_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/surewake/surewake/park"
)

// A queue is anything that producers fill and one consumer empties.
type queue struct {
	mu     sync.Mutex
	values []int
	over   bool
}

func (q *queue) put(v int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.values = append(q.values, v)
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
}

func (q *queue) take() (int, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.values) == 0 {
		return 0, false
	}
	v := q.values[0]
	q.values = q.values[1:]
	return v, true
}

// closed reports whether nothing is left and nothing will come.
func (q *queue) closed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.over && len(q.values) == 0
}

// The loop of the package documentation: no value is left behind while the consumer sleeps.
func Example() {
	var (
		p     park.Parker
		queue queue
	)
	produce := func(v int) {
		queue.put(v) // first make it visible,
		p.Unpark()   // then wake
	}

	var producers, consumer sync.WaitGroup
	sum := 0
	consumer.Go(func() {
		for {
			v, ok := queue.take()
			switch {
			case ok:
				sum += v
			case queue.closed():
				return
			default:
				p.Park() // a token is a reason to look again, not a promise to find something
			}
		}
	})
	for i := range 4 {
		producers.Go(func() {
			for v := range 1000 {
				produce(1000*i + v)
			}
		})
	}
	producers.Wait()
	queue.close()
	p.Unpark() // closing is something to see, too
	consumer.Wait()
	fmt.Println(sum)
	// Output: 7998000
}

// An Unpark before the Park is remembered; two are one.
func ExampleParker() {
	var p park.Parker
	p.Unpark()
	p.Unpark()
	p.Park()
	fmt.Println(p.ParkTimeout(time.Millisecond))
	// Output: false
}

// What has to be done from time to time, or at once when somebody asks for it.
func ExampleParker_ParkTimeout() {
	var p park.Parker
	go p.Unpark()
	for !p.ParkTimeout(time.Hour) {
		fmt.Println("an hour has passed")
	}
	fmt.Println("asked for")
	// Output: asked for
}

// A Parker for tests with testing/synctest.
func ExampleNew() {
	p := park.New(park.Portable)
	fmt.Println(p.ParkTimeout(0))
	// Output: false
}
