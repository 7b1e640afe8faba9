package model

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"github.com/surewake/surewake/model/wire"
)

// A check tells the command, again and again, from where another process could go on with it
// (Settings.Save). If this process is killed, the next one gets what was told last
// (Settings.Resume), and the check ends as it would have.
//
// What was told of the search is exact as long as no part of the tree was given to another process
// (explore.State). Of helpers it is what they have confirmed: the rest is searched again.
//
// A body that does not repeat itself may not come to where the search was. Then the check begins
// anew. An observer has a state that nobody can keep, so such a check begins anew, too.

const (
	saveCost  = 20              // saving takes at most one part in so many of the time,
	saveLeast = 4 * time.Second // but is done so often even if it takes longer
)

// savedCheck is what is kept of a check that has not ended.
type savedCheck struct {
	Ended   []explore.Result  // its earlier searches
	Divided bool              // check.divided, by these
	Seconds float64           // that all of the present search has taken
	State   *explore.State    // of what one process searches; nil: it has nothing to do
	Given   bool              // parts were given to others
	Queue   []explore.Subtree // what is left of these
	Total   explore.Result    // what was found in these

	Marks   map[string][]byte   `json:",omitempty"` // hook.Marks
	Changed map[string][]string `json:",omitempty"` // packageState.changed
	Whole   *savedWhole         `json:",omitempty"`
}

// savedWhole is what is kept of an ordinary test.
type savedWhole struct {
	Complete int64
	Skipped  []hook.SkippedTest
	Times    map[string]int64
	Ran      bool     // hook.OnlySubtestRan
	Matched  []string // hook.MatchedSubtests
}

// resumed returns what an earlier process has left, nil if there was none.
var resumed = sync.OnceValues(func() (*wire.Resume, error) {
	s, err := command()
	if err != nil || s == nil || s.Resume == "" {
		return nil, err
	}
	text, err := os.ReadFile(s.Resume)
	if err != nil {
		return nil, err
	}
	r := new(wire.Resume)
	return r, json.Unmarshal(text, r)
})

// hasEnded reports whether the check has a result of an earlier process.
func (c *check) hasEnded() bool {
	c.t.Helper()
	r, err := resumed()
	if err != nil {
		c.refuse(wire.KindInternal, "what an earlier run has left: %v", err)
		return true
	}
	if r == nil {
		return false
	}
	for i := range r.Ended {
		if e := &r.Ended[i]; e.Check == c.name {
			hook.ResumeSubtests(hook.OnlySubtestRan(), e.Subtests)
			if !e.Passes {
				c.t.Errorf("%s", e.Message)
			}
			return true
		}
	}
	return false
}

// takeSaved prepares the check to go on where an earlier process was, if it was in this one.
func (c *check) takeSaved(cfg *explore.Config) error {
	r, _ := resumed()
	if r == nil || r.Checkpoint == nil || r.Checkpoint.Check != c.name || !mayKeep(cfg) {
		return nil
	}
	s := new(savedCheck)
	if err := json.Unmarshal(r.Checkpoint.State, s); err != nil {
		return err
	}
	// What the first execution of a process finds to be made, it leaves to the others.
	first := *cfg
	first.Executions, first.FirstOnly, first.Progress = 1, true, nil
	explore.Run(first, c.execution(&first))
	hook.ResetTests()

	c.saved, c.divided = s, s.Divided
	hook.AddMarks(s.Marks)
	if c.state != nil {
		c.state.addChanged(s.Changed)
	}
	if w := s.Whole; w != nil && c.whole != nil {
		c.whole.complete, c.whole.skipped, c.whole.times = w.Complete, w.Skipped, w.Times
		hook.ResumeSubtests(w.Ran, w.Matched)
	}
	return nil
}

// mayKeep reports whether another process could go on with the search.
func mayKeep(cfg *explore.Config) bool { return cfg.Observe == nil && !cfg.Certify }

// takeEnded returns what an earlier process has found in the next search of the check.
func (c *check) takeEnded() (res explore.Result, ok bool) {
	if k := len(c.ended); c.saved != nil && k < len(c.saved.Ended) {
		return c.saved.Ended[k], true
	}
	return explore.Result{}, false
}

// takeSearch returns from where the next search of the check goes on, nil if it begins.
func (c *check) takeSearch() *savedCheck {
	s := c.saved
	c.saved = nil
	return s
}

// isAstray reports whether a search that went on did not come to where it was.
func isAstray(res *explore.Result) bool {
	return res.Failure != nil && res.Failure.Kind == explore.KindNondeterminism
}

// beginAnew forgets what an earlier process has done of the present search.
func (c *check) beginAnew() {
	if c.whole != nil {
		*c.whole = whole{test: c.whole.test, times: map[string]int64{}}
	}
}

// alone explores the executions in this process.
func (c *check) alone(cfg *explore.Config) explore.Result {
	here := *cfg
	if c.set.Save > 0 && mayKeep(cfg) {
		here.Every = c.set.Save
		here.Between = func(p explore.Part) bool {
			if c.isToSave() {
				r := p.Result()
				c.save(&savedCheck{Seconds: r.Seconds, State: p.State()})
			}
			return true
		}
	}
	if s := c.takeSearch(); s != nil {
		here.From = s.State
		if res := explore.Run(here, c.execution(&here)); !isAstray(&res) {
			return res
		}
		here.From = nil
		c.beginAnew()
	}
	return explore.Run(here, c.execution(&here))
}

// isToSave reports whether it is time to tell the command how far the check is.
func (c *check) isToSave() bool {
	least := max(c.set.Save, min(saveCost*c.saveTook, saveLeast))
	return c.set.Save > 0 && time.Since(c.savedAt) >= least
}

// save tells the command how far the check is.
func (c *check) save(s *savedCheck) {
	begun := time.Now()
	s.Ended, s.Divided = c.ended, c.divided
	s.Marks = hook.Marks()
	if c.state != nil {
		s.Changed = c.state.changed
	}
	if w := c.whole; w != nil {
		s.Whole = &savedWhole{
			w.complete, w.skipped, w.times, hook.OnlySubtestRan(), hook.MatchedSubtests(),
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("model: the state of a check: %v", err))
	}
	send(wire.Message{Checkpoint: &wire.Checkpoint{Check: c.name, State: text}})
	c.savedAt = time.Now()
	c.saveTook = c.savedAt.Sub(begun)
}

// addChanged notes variables that the executions of an earlier process have changed.
func (s *packageState) addChanged(all map[string][]string) {
	for why, names := range all {
		for _, name := range names {
			if s.changed == nil {
				s.changed = map[string][]string{}
			}
			if !slices.Contains(s.changed[why], name) {
				s.changed[why] = append(s.changed[why], name)
			}
		}
	}
}
