package runtime_test

import (
	"errors"
	"fmt"

	"github.com/surewake/surewake/runtime"
)

// stage starts a task that sends what f makes of each value that comes from in; when that is closed
// and empty, it closes out.
func stage[A, B any](
	cx runtime.Cx,
	in *runtime.Channel[A],
	out *runtime.Channel[B],
	f func(A) B,
) *runtime.Handle[int] {
	return runtime.Spawn(cx, func(cx runtime.Cx) (values int, err error) {
		defer out.Close()
		for {
			v, err := in.Receive(cx)
			if errors.Is(err, runtime.ErrChannelClosed) {
				return values, nil
			} else if err != nil {
				return values, err
			}
			if err := out.Send(cx, f(v)); err != nil { // waits while the next stage is full
				return values, err
			}
			values++
		}
	})
}

// A pipeline of three stages. No channel holds more than two values, however slow its receiver is:
// the source is held back.
func Example_pipeline() {
	do(func(cx runtime.Cx) error {
		numbers := runtime.NewChannel[int](2)
		squares := runtime.NewChannel[int](2)
		lines := runtime.NewChannel[string](2)
		source := runtime.Spawn(cx, func(cx runtime.Cx) (ahead int, err error) {
			defer numbers.Close()
			for i := range 100 {
				if err := numbers.Send(cx, i); err != nil {
					return ahead, err
				}
				ahead = max(ahead, numbers.Len())
			}
			return ahead, nil
		})
		square := stage(cx, numbers, squares, func(n int) int { return n * n })
		format := stage(cx, squares, lines, func(n int) string { return fmt.Sprint("square ", n) })
		received := 0
		for {
			line, err := lines.Receive(cx)
			if errors.Is(err, runtime.ErrChannelClosed) {
				break
			} else if err != nil {
				return err
			}
			if received++; received%25 == 0 {
				fmt.Println(line)
			}
		}
		ahead, err := source.Join(cx)
		fmt.Println(received, "values, at most two in a channel:", ahead <= 2, err)
		fmt.Println(square.Join(cx))
		fmt.Println(format.Join(cx))
		return nil
	})
	// Output:
	// square 576
	// square 2401
	// square 5476
	// square 9801
	// 100 values, at most two in a channel: true <nil>
	// 100 <nil>
	// 100 <nil>
}
