package report

// Settings go from the command to a test binary, as JSON in the environment
// variable of the name SettingsVariable.
type Settings struct {
	Mode        string   // "explore" or "replay"
	Race        bool     // the binary was built with -race
	Expect      []string // import paths that must have been rewritten
	Strategy    string
	Preemptions int // -1 is no bound
	Seconds     float64
	Executions  int64
	Seed        uint64
	Schedule    string // for "replay", of check Check
	Check       string
	Progress    bool
	Quick       bool // the first failure will do: no search for a shorter one, no lanes
}

// SettingsVariable names the environment variable that holds the Settings.
const SettingsVariable = "SUREWAKE"

// RecordMark begins a line of a test binary's standard output that holds a
// Record as JSON. A body that prints without a newline may leave text before it.
const RecordMark = "\x1esurewake "

// A Record goes from a test binary to the command: the progress of a check, or
// its result.
type Record struct {
	Kind string `json:"kind"` // "progress" or "result"
	Name string `json:"name"` // of the check: a Test function or a subtest

	// Progress.
	Executions int64   `json:"executions,omitempty"`
	Rate       float64 `json:"rate,omitempty"` // executions a second
	Left       float64 `json:"left,omitempty"` // executions that seem left, -1 if unknown

	// Result.
	Verdict     string            `json:"verdict,omitempty"`
	Complete    int64             `json:"complete"`
	Deadlocked  int64             `json:"deadlocked"`
	Pruned      int64             `json:"pruned"`
	Steps       int64             `json:"steps"`
	Seconds     float64           `json:"seconds"`
	Message     string            `json:"message,omitempty"`
	Bounded     string            `json:"bounded,omitempty"` // why the verdict is no better than bounded
	Assumptions []string          `json:"assumptions,omitempty"`
	Digest      string            `json:"digest,omitempty"`   // over all explored schedules
	Schedule    string            `json:"schedule,omitempty"` // of the failing execution
	Lanes       string            `json:"lanes,omitempty"`    // the failing or replayed execution, drawn
	Files       map[string]string `json:"files,omitempty"`
	Races       int64             `json:"races"` // executions with a data race
}
