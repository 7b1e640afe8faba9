package injector_test

import (
	"fmt"

	"github.com/surewake/surewake/injector"
)

// Two workers share the queue: the first one leaves half of it to the other, and one value more is
// taken than divides evenly. After Close, only workers put anything here.
func Example() {
	var q injector.Queue[string]
	fmt.Println(q.Submit([]string{"a", "b", "c", "d"}), q.Len())

	batch := make([]string, 8)
	n := q.Take(batch, 2)
	fmt.Println(batch[:n], "and", q.Len(), "left")

	q.Close()
	fmt.Println(q.Submit([]string{"e"}))
	q.Push(batch[1:n])
	n = q.Take(batch, 1)
	fmt.Println(batch[:n], "and", q.Len(), "left")
	// Output:
	// true 4
	// [a b c] and 1 left
	// false
	// [d b c] and 0 left
}

// A worker takes its share and one more, so that a single value can be taken.
func ExampleQueue_Take() {
	var q injector.Queue[string]
	q.Submit([]string{"a", "b", "c", "d"})
	batch := make([]string, 8)
	n := q.Take(batch, 2) // the fair share of one of two workers
	fmt.Println(batch[:n], "and", q.Len(), "left")
	// Output: [a b c] and 1 left
}

// Values are written where they stay, without a slice of them in between.
func ExampleQueue_SubmitFunc() {
	var q injector.Queue[int]
	q.SubmitFunc(3, func(dst []int, from int) {
		for i := range dst {
			dst[i] = 10 * (from + i)
		}
	})
	batch := make([]int, 3)
	fmt.Println(batch[:q.Take(batch, 1)])
	// Output: [0 10 20]
}

// A shutdown that ends the workers when nothing is queued and nothing runs: both are looked at, and
// the queue is closed, at one instant.
func ExampleQueue_Update() {
	var q injector.Queue[int]
	q.Submit([]int{1})
	running := 0
	over := func() (over bool) {
		q.Update(func(closed bool) bool {
			over = q.Len() == 0 && running == 0
			return over
		})
		return over
	}
	fmt.Println(over())
	q.Take(make([]int, 1), 1)
	fmt.Println(over(), q.Submit([]int{2}))
	// Output:
	// false
	// true false
}
