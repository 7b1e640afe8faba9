package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	sw "github.com/surewake/surewake/runtime"
)

// What docs/guides/from-goroutines.md shows: the same work by goroutines and by tasks.

func lengthsByGoroutines(pages []string) []int {
	lengths := make([]int, len(pages))
	var all sync.WaitGroup
	for i, page := range pages {
		all.Go(func() { lengths[i] = len(page) })
	}
	all.Wait()
	return lengths
}

func lengthsByTasks(ctx context.Context, pages []string) ([]int, error) {
	r := sw.NewResults[int](ctx, sw.Default())
	for _, page := range pages {
		r.Go(func(sw.Cx) (int, error) { return len(page), nil })
	}
	return r.Wait()
}

func answerByGoroutine() int {
	answer := make(chan int, 1)
	go func() { answer <- 42 }()
	return <-answer
}

func answerByTask(ctx context.Context) (int, error) {
	h := sw.Submit(sw.Default(), func(sw.Cx) (int, error) { return 42, nil })
	return h.Wait(ctx)
}

func firstByGoroutines(values <-chan string) (string, error) {
	select {
	case v := <-values:
		return v, nil
	case <-time.After(10 * time.Millisecond):
		return "", errors.New("nobody answers")
	}
}

func firstByTask(cx sw.Cx, values *sw.Channel[string]) (string, error) {
	var v string
	i, err := sw.Select(cx, values.ReceiveCase(&v), sw.AfterCase(10*time.Millisecond))
	if err == nil && i == 1 {
		err = errors.New("nobody answers")
	}
	return v, err
}

func firstOfGoChannel(cx sw.Cx, values <-chan string) (string, error) {
	return sw.Timeout(cx, 10*time.Millisecond, func(cx sw.Cx) (string, error) {
		v, _, err := sw.Receive(cx, values)
		return v, err
	})
}

func firstOrEnd(ctx context.Context, cx sw.Cx, values *sw.Channel[string]) (string, error) {
	var v string
	i, err := sw.Select(cx, values.ReceiveCase(&v), sw.DoneCase(ctx))
	if i == 1 {
		err = context.Cause(ctx)
	}
	return v, err
}

func squares(ctx context.Context, n int) ([]int, error) {
	return sw.Run(ctx, func(cx sw.Cx) ([]int, error) {
		out := make([]int, n)
		return out, sw.For(cx, 0, n, func(_ sw.Cx, i int) { out[i] = i * i })
	})
}

func Example_moving() {
	ctx := context.Background()
	pages := []string{"one", "three"}
	fmt.Println(lengthsByGoroutines(pages))
	fmt.Println(lengthsByTasks(ctx, pages))
	fmt.Println(answerByGoroutine())
	fmt.Println(answerByTask(ctx))
	fmt.Println(firstByGoroutines(nil))
	fmt.Println(sw.Run(ctx, func(cx sw.Cx) (string, error) {
		return firstByTask(cx, sw.NewChannel[string](1))
	}))
	fmt.Println(sw.Run(ctx, func(cx sw.Cx) (string, error) {
		return firstOfGoChannel(cx, make(chan string))
	}))
	fmt.Println(sw.Run(ctx, func(cx sw.Cx) (string, error) {
		ended, end := context.WithCancelCause(ctx)
		end(errors.New("nobody asks any more"))
		return firstOrEnd(ended, cx, sw.NewChannel[string](1))
	}))
	fmt.Println(squares(ctx, 4))
	// Output:
	// [3 5]
	// [3 5] <nil>
	// 42
	// 42 <nil>
	//  nobody answers
	//  nobody answers
	//  surewake: timeout
	//  nobody asks any more
	// [0 1 4 9] <nil>
}
