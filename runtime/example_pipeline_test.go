package runtime_test

import (
	"errors"
	"fmt"

	sw "github.com/surewake/surewake/runtime"
)

// stage starts a task that sends what f makes of each value that comes from in; when that is closed
// and empty, it closes out.
func stage[A, B any](
	cx sw.Cx,
	in *sw.Channel[A],
	out *sw.Channel[B],
	f func(A) B,
) *sw.Handle[int] {
	return sw.Spawn(cx, func(cx sw.Cx) (values int, err error) {
		defer out.Close()
		for {
			v, err := in.Receive(cx)
			if errors.Is(err, sw.ErrChannelClosed) {
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
	do(func(cx sw.Cx) error {
		numbers := sw.NewChannel[int](2)
		squares := sw.NewChannel[int](2)
		lines := sw.NewChannel[string](2)
		source := sw.Spawn(cx, func(cx sw.Cx) (ahead int, err error) {
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
			if errors.Is(err, sw.ErrChannelClosed) {
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
