package wire

import (
	"encoding/json"
	"fmt"
	"time"
)

// Settings go from the command to a test binary, as JSON in the environment
// variable [SettingsVariable].
type Settings struct {
	Mode        string        // Explore, Replay, Regress or Help
	Race        bool          // the binary was built with -race
	Expect      []string      // import paths that must have been rewritten
	Strategy    string        // as explore names it; "" is the exhaustive one
	Preemptions int           // bound; -1 is none
	Seconds     float64       // bound; 0 is none
	Executions  int64         // bound; 0 is none
	Seed        uint64        // of the random strategies
	Early       time.Duration // timers below it may come early; 0: none
	MapOrders   bool          // loops over maps are explored in all orders
	Schedule    string        // what to replay, of check Check
	Check       string
	Progress    bool          // send Progress
	Debug       bool          // a debugger may stop the process: it does not watch itself
	Quick       bool          // the first failure will do: it is neither shortened nor recorded
	Package     string        // import path of the checks
	Certify     string        // folder into which the traces of each check are written; "": none
	AllSteps    bool          // what a goroutine does when it is left alone is steps, as in a trace
	Jobs        int           // most processes that explore one check
	Shard       int           // explore only this one of Shards parts of each check, from 1 on
	Shards      int           // 0: explore all
	Modes       string        // with Shards: how the search begins, see explore.Subtree
	Found       string        // file of what shards have found, instead of an exploration; "": none
	Save        time.Duration // how often the state of a check is told; 0: never
	Resume      string        // file of what an earlier process has left (Resume); "": none
	Tests       bool          // ordinary tests are explored as they stand
	Subtests    []string      // of those: patterns for the elements of a name after the first
}

// Modes of Settings.
const (
	Explore = "explore" // every check of the Test function
	Replay  = "replay"  // one schedule of one check
	Regress = "regress" // that schedule first, and then every one of that check
	Help    = "help"    // parts of that check, for the process that asks
)

// SettingsVariable names the environment variable that holds the Settings.
const SettingsVariable = "SUREWAKE"

// RaceEnvironment and Traceback are what GORACE and GOTRACEBACK are to a test binary. Every
// schedule is judged, so equal reports are not suppressed; the process need not linger; and it goes
// on after a report, as the checker counts reports an execution. The detector reports no race of
// which it has forgotten the first access, so it remembers as much as it can. A dump shows
// goroutines that run on another thread.
const (
	RaceEnvironment = "suppress_equal_stacks=0 atexit_sleep_ms=0 halt_on_error=0 history_size=7"
	Traceback       = "crash"
)

// Suppression and the numbers below Marks are the lines of a file that RaceEnvironment is completed
// with: reports about these functions are counted, and the counts are printed at the end of the
// process, each with its line.
const (
	Suppression = "race:^github.com/surewake/surewake/model/hook.writeMark"
	Marks       = 4
)

// LookedBack begins what a process prints of each execution in which it has made such reports. It
// ends with their number, " by ", that of the function, and a newline.
const LookedBack = "surewake: looked back at "

// Encode returns the value of the environment variable.
func (s Settings) Encode() (string, error) {
	b, err := json.Marshal(s)
	return string(b), err
}

// DecodeSettings is the inverse of Settings.Encode. It returns nil without an
// error for the empty text: the binary was not started by the command.
func DecodeSettings(text string) (*Settings, error) {
	if text == "" {
		return nil, nil
	}
	s := &Settings{Preemptions: -1}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		return nil, fmt.Errorf("environment variable %s: %w", SettingsVariable, err)
	}
	return s, nil
}
