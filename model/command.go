package model

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"github.com/surewake/surewake/model/hook"
)

// settings come from the command in the environment variable SUREWAKE; package
// driver holds the other end.
type settings struct {
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

var command = sync.OnceValues(func() (*settings, error) {
	text := os.Getenv("SUREWAKE")
	if text == "" {
		return nil, nil
	}
	s := &settings{Preemptions: -1}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		return nil, fmt.Errorf("model: environment variable SUREWAKE: %v", err)
	}
	return s, nil
})

// unregistered gives an import path that should have been rewritten and was
// not, or "".
func (s *settings) unregistered() string {
	for _, p := range s.Expect {
		if !hook.Registered(p) {
			return p
		}
	}
	return ""
}

// A record is one line to the command.
type record struct {
	Kind string `json:"kind"`
	Name string `json:"name"`

	Executions int64   `json:"executions,omitempty"`
	Rate       float64 `json:"rate,omitempty"`
	Left       float64 `json:"left,omitempty"`

	Verdict     string            `json:"verdict,omitempty"`
	Complete    int64             `json:"complete"`
	Deadlocked  int64             `json:"deadlocked"`
	Pruned      int64             `json:"pruned"`
	Steps       int64             `json:"steps"`
	Seconds     float64           `json:"seconds"`
	Message     string            `json:"message,omitempty"`
	Bounded     string            `json:"bounded,omitempty"`
	Assumptions []string          `json:"assumptions,omitempty"`
	Digest      string            `json:"digest,omitempty"`
	Schedule    string            `json:"schedule,omitempty"`
	Lanes       string            `json:"lanes,omitempty"`
	Files       map[string]string `json:"files,omitempty"`
	Races       int64             `json:"races"`
}

var out sync.Mutex

// send writes a record as one line, which begins with a byte that no ordinary
// output has. A body may have left a line unfinished.
func send(r record) {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	out.Lock()
	defer out.Unlock()
	os.Stdout.Write(append(append([]byte("\n\x1esurewake "), b...), '\n'))
}
