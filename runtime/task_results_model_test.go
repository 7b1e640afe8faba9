package runtime

import (
	"context"
	"testing"

	"github.com/surewake/surewake/model"
)

// Two goroutines wait for a group whose function starts another: the results are all there, and
// each is returned to one of the two.
func TestEachResultIsReturnedOnce(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 1)
		r := NewResults[int](context.Background(), w.Runtime)
		r.Go(func(cx Cx) (int, error) {
			defer w.last(cx)
			return 1, r.Spawn(cx, func(Cx) (int, error) { return 2, nil })
		})
		w.start()
		var first []int
		x.Go("first", func() { first, _ = r.Wait() })
		second, err := r.Wait()
		x.Join()
		x.Assert(err == nil && len(first)+len(second) == 2, "%v and %v", first, second)
		all := append(first, second...)
		x.Assert(all[0] == 1 && all[1] == 2, "in another order: %v", all)
		<-w.Done()
		w.over()
	})
}
