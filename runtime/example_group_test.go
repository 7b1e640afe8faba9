package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	sw "github.com/surewake/surewake/runtime"
)

// Three functions, two at a time. The context ends them all, and so does the first error.
func ExampleGroup() {
	rt, _ := sw.New()
	defer rt.Close()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	g := sw.NewGroup(ctx, rt)
	g.SetLimit(2)
	squares := make([]int, 3)
	for i := range squares {
		g.Go(func(cx sw.Cx) error {
			squares[i] = i * i
			return cx.Sleep(time.Millisecond)
		})
	}
	fmt.Println(g.Wait(), squares)
	// Output: <nil> [0 1 4]
}

// The first error is the group's, and ends the functions that wait.
func ExampleGroup_Wait() {
	rt, _ := sw.New()
	defer rt.Close()
	g := sw.NewGroup(context.Background(), rt)
	g.Go(func(cx sw.Cx) error { return cx.Sleep(time.Hour) })
	g.Go(func(sw.Cx) error { return errors.New("not found") })
	fmt.Println(g.Wait())
	// Output: not found
}

// In a task, a group ends with the task. Its functions start others: the limit does not make them
// wait for themselves.
func ExampleGroup_Spawn() {
	do(func(cx sw.Cx) error {
		g := sw.NewGroup(cx.Context(), cx.Runtime())
		g.SetLimit(1)
		var visit func(page string, links int) func(sw.Cx) error
		visit = func(page string, links int) func(sw.Cx) error {
			return func(cx sw.Cx) error {
				fmt.Println(page)
				for i := range links {
					if err := g.Spawn(cx, visit(fmt.Sprint(page, "/", i), 0)); err != nil {
						return err
					}
				}
				return nil
			}
		}
		if err := g.Spawn(cx, visit("index", 2)); err != nil {
			return err
		}
		return g.Join(cx)
	})
	// Output:
	// index
	// index/0
	// index/1
}

func ExampleGroup_TryGo() {
	rt, _ := sw.New()
	defer rt.Close()
	g := sw.NewGroup(context.Background(), rt)
	g.SetLimit(1)
	gate := sw.NewChannel[int](0)
	waits := func(cx sw.Cx) error { _, err := gate.Receive(cx); return err }
	fmt.Println(g.TryGo(waits), g.TryGo(waits))
	_ = gate.SendContext(context.Background(), 1)
	fmt.Println(g.Wait(), g.TryGo(waits))
	g.Cancel()
	fmt.Println(g.Wait())
	// Output:
	// true false
	// <nil> true
	// surewake: task cancelled
}

// The results come in the order of the calls, whatever ends first.
func ExampleResults() {
	rt, _ := sw.New()
	defer rt.Close()
	r := sw.NewResults[string](context.Background(), rt)
	for i, name := range []string{"first", "second", "third"} {
		r.Go(func(cx sw.Cx) (string, error) {
			return name, cx.Sleep(time.Duration(3-i) * time.Millisecond)
		})
	}
	names, err := r.Wait()
	fmt.Println(names, err)
	// Output: [first second third] <nil>
}
