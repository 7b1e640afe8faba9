package refine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/proofs/refine"
)

// everyRule fails a check if a rule was the meaning of no access in as many executions. If there
// were fewer, somebody has set a budget.
func everyRule(t *testing.T, executions int64, machines []*refine.Machine, but ...string) {
	t.Run("every rule", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			var times int64
			used := map[string]bool{}
			for _, m := range machines {
				times += m.Used(used)
			}
			var unused []string
			for rule, is := range used {
				if !is && !slices.Contains(but, rule) {
					unused = append(unused, rule)
				}
			}
			slices.Sort(unused)
			x.Assert(unused == nil || times < executions, "in %d executions, no access was %s",
				times, strings.Join(unused, ", "))
		})
	})
}
