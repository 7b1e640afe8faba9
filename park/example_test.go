package park_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/surewake/surewake/park"
)

var (
	p      *park.Parker // the consumer's
	queue  *list
	handle func(v int)
)

// consume and produce are the loop of the package documentation.
func consume() {
	for {
		v, ok := queue.take()
		switch {
		case ok:
			handle(v)
		case queue.closed():
			return
		default:
			p.Park() // a token is a reason to look again, not a promise to find something
		}
	}
}

func produce(v int) {
	queue.put(v) // first make it visible,
	p.Unpark()   // then wake
}

// end ends the consumer.
func end() {
	queue.close()
	p.Unpark() // closing is something to see, too
}

// A list is any queue that producers fill and one consumer empties.
type list struct {
	mu     sync.Mutex
	values []int
	over   bool
}

func (q *list) put(v int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.values = append(q.values, v)
}

func (q *list) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
}

func (q *list) take() (int, bool) {
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
func (q *list) closed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.over && len(q.values) == 0
}

// No value is left behind while the consumer sleeps.
func Example() {
	p, queue = park.New(park.Default), &list{}
	sum := 0
	handle = func(v int) { sum += v }

	var producers, consumer sync.WaitGroup
	consumer.Go(consume)
	for i := range 4 {
		producers.Go(func() {
			for v := range 1000 {
				produce(1000*i + v)
			}
		})
	}
	producers.Wait()
	end()
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

// A Parker that is a field of a worker, not a pointer.
func ExampleParker_Init() {
	var worker struct{ token park.Parker }
	worker.token.Init(park.Portable)
	worker.token.Unpark()
	fmt.Println(worker.token.ParkTimeout(0))
	// Output: true
}
