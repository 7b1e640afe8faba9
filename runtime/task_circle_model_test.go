package runtime

import (
	"fmt"
	"testing"

	"github.com/surewake/surewake/model"
)

// Of the waits that close a circle together, exactly one is refused, in whatever order they come,
// also if one of them is for the first of several, or for a place of a group. (runtime/R57)
func TestOneWaitOfACircleIsRefused(t *testing.T) {
	for name, waits := range map[string]func(ts []*task, g *Group) [][]any{
		"joins": func(ts []*task, _ *Group) [][]any {
			return [][]any{{ts[1]}, {ts[2]}, {ts[0]}}
		},
		"first of 2": func(ts []*task, _ *Group) [][]any {
			return [][]any{{ts[1], ts[2]}, {ts[0]}, {ts[0]}}
		},
		"place": func(ts []*task, g *Group) [][]any {
			g.listed = &groupTask{}
			g.listed.rt = ts[0].rt
			ts[0] = &g.listed.task
			return [][]any{{ts[1]}, {ts[2]}, {groupPlace{g}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				rt := &Runtime{}
				ts := []*task{{rt: rt}, {rt: rt}, {rt: rt}}
				all := waits(ts, &Group{rt: rt})
				refused := make([]bool, len(ts))
				for i, wholes := range all {
					x.Go(fmt.Sprint("task ", i), func() {
						defer func() { refused[i] = recover() != nil }()
						rt.waits.enter("Join", []*run{{task: ts[i]}}, waitNote{wholes: wholes})
					})
				}
				x.Join()
				n := 0
				for _, r := range refused {
					if r {
						n++
					}
				}
				x.Assert(n == 1, "%d are refused", n)
				x.Assert(len(rt.waits.waits) == len(ts)-1, "%d wait", len(rt.waits.waits))
			})
		})
	}
}
