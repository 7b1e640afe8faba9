package model

import (
	"fmt"
	"path/filepath"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/wire"
)

// divergeRuns is how often a schedule that is not reproducible is run again to find where its runs
// part.
const divergeRuns = 4

// diverge runs a schedule several times, recorded, and says where one run did something else than
// the first: the two steps, and the place of the second. It returns "" if all were alike.
func (c *check) diverge(
	cfg explore.Config, d []wire.Deviation, first []wire.Step,
) (text string, at wire.Step) {
	for range divergeRuns {
		_, res := c.record(cfg, d)
		for i := range max(len(first), len(res.Trace)) {
			a, b := stepAt(first, i), stepAt(res.Trace, i)
			if sameStep(a, b) {
				continue
			}
			if at = b; at.File == "" {
				at = a
			}
			return fmt.Sprintf("\ntwo runs of the same schedule part at step %d:\n\t%s\n\t%s",
				i+1, stepText(a), stepText(b)), at
		}
	}
	return "", wire.Step{}
}

func stepAt(steps []wire.Step, i int) wire.Step {
	if i < len(steps) {
		return steps[i]
	}
	return wire.Step{}
}

func sameStep(a, b wire.Step) bool {
	return a.Thread == b.Thread && a.Op == b.Op && a.Object == b.Object && a.Value == b.Value &&
		a.File == b.File && a.Line == b.Line
}

func stepText(s wire.Step) string {
	if s.Op == "" {
		return "nothing: the run was over"
	}
	text := s.Op
	if s.Name != "" {
		text = s.Name + ": " + text
	}
	if s.Object != "" {
		text += " " + s.Object
	}
	if s.Value != "" {
		text += " " + s.Value
	}
	if s.File != "" {
		text += fmt.Sprintf(" at %s:%d", filepath.Base(s.File), s.Line)
	}
	return text
}
