//go:build !race

package virtual

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/model/explore"
)

// A model that keeps state for several threads must show every use of it to the dependence
// relation. If it does not, two steps called independent have another outcome in the other order.
func TestOrderOfIndependentStepsDoesNotMatter(t *testing.T) {
	kinds := []string{
		"cancel", "cancel", "cause", "err", "new child", "stop",
		"load", "store", "delete", "get", "put",
	}
	rapid.Check(t, func(t *rapid.T) {
		threads := make([][]step, rapid.IntRange(2, 3).Draw(t, "threads"))
		for i := range threads {
			for range rapid.IntRange(1, 4-len(threads)/3).Draw(t, "length") {
				threads[i] = append(threads[i], step{
					rapid.SampledFrom(kinds).Draw(t, "kind"), rapid.IntRange(0, 2).Draw(t, "on"),
				})
			}
		}
		orderDoesNotMatter(t, threads)
	})
}

// Two threads make children of one context, and a third cancels it: nothing tells who was first.
func TestOrderOfChildrenDoesNotMatter(t *testing.T) {
	orderDoesNotMatter(t, [][]step{{{"new child", 0}}, {{"new child", 0}}, {{"cancel", 0}}})
}

// step is what a thread does to one of three contexts, keys or values.
type step struct {
	Kind string
	On   int
}

// orderDoesNotMatter runs what the threads do in all orders that count, and each of these in others
// that the dependence relation calls the same.
func orderDoesNotMatter(t require.TestingT, threads [][]step) {
	cfg := explore.Config{Preemptions: -1, Executions: 3000, Linearize: true}
	res := explore.Run(cfg, func() {
		root := New(context.Background(), nil)
		child := New(root, nil)
		var fs []func()
		contexts := []*Context{root, child, New(child, nil)}
		words, pool := mapOf(new(sync.Map)), poolOf(new(sync.Pool))
		seen := map[string]unsafe.Pointer{}
		for i, steps := range threads {
			fs = append(fs, func() {
				for _, s := range steps {
					var got any
					switch c := contexts[s.On]; s.Kind {
					case "cancel":
						c.Cancel(context.Canceled, causes[i])
					case "cause":
						got = Cause(c)
					case "err":
						got = c.Err()
					case "new child":
						got = Cause(New(c, nil))
					case "stop":
						got = c.Stop()
					case "load":
						got, _ = words.Load(s.On)
					case "store":
						words.Store(s.On, i)
					case "delete":
						got, _ = words.LoadAndDelete(s.On)
					case "get":
						got = pool.Get()
					case "put":
						pool.Put(i)
					}
					// What it got is an operation on an object of that name.
					name := fmt.Sprint(i, got)
					if seen[name] == nil {
						seen[name] = unsafe.Pointer(new(int))
					}
					explore.Enter(seen[name], explore.OpLoad)
				}
			})
		}
		together(fs...)
	})
	if f := res.Failure; f != nil {
		require.NotEqual(t, explore.KindInternal, f.Kind, "%s", f.Message)
	}
}

var causes = []error{errors.New("first"), errors.New("second"), errors.New("third")}
