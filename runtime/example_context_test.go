package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	sw "github.com/surewake/surewake/runtime"
)

// user is the key of a value of contexts.
type user struct{}

func ExampleRun() {
	v, err := sw.Run(context.Background(), func(cx sw.Cx) (int, error) {
		left := sw.Spawn(cx, func(sw.Cx) (int, error) { return 20, nil })
		right, err := left.Join(cx)
		return 22 + right, err
	})
	fmt.Println(v, err)
	// Output: 42 <nil>
}

func ExampleSubmitContext() {
	rt, err := sw.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()
	ctx := context.WithValue(context.Background(), user{}, "Ada")
	ctx, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	h := sw.SubmitContext(ctx, rt, func(cx sw.Cx) (any, error) {
		return cx.Context().Value(user{}), cx.Sleep(time.Hour)
	})
	_, err = h.Wait(context.Background())
	fmt.Println(err, errors.Is(err, context.DeadlineExceeded))
	// Output: surewake: timeout true
}

func ExampleSpawnContext() {
	do(func(cx sw.Cx) error {
		ctx := context.WithValue(cx.Context(), user{}, "Ada")
		h := sw.SpawnContext(ctx, cx, func(cx sw.Cx) (any, error) {
			return cx.Context().Value(user{}), nil
		})
		fmt.Println(h.Join(cx))
		return nil
	})
	// Output: Ada <nil>
}

func ExampleSpawnBlockingContext() {
	do(func(cx sw.Cx) error {
		h := sw.SpawnBlockingContext(cx.Context(), cx,
			func(ctx context.Context) (int, error) {
				<-ctx.Done() // say, exec.CommandContext(ctx, ...).Run()
				return 0, ctx.Err()
			})
		h.Cancel()
		_, err := h.Join(cx)
		fmt.Println(errors.Is(err, context.Canceled))
		return nil
	})
	// Output: true
}

func ExampleSubmitBlockingContext() {
	rt, err := sw.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()
	ctx, cancel := context.WithCancel(context.Background())
	h := sw.SubmitBlockingContext(ctx, rt, func(ctx context.Context) (int, error) {
		<-ctx.Done()
		return 7, nil
	})
	cancel()
	_, err = h.Wait(context.Background())
	fmt.Println(err == nil || errors.Is(err, sw.ErrCancelled))
	// Output: true
}
