package model

import (
	"fmt"
	"os"
	"sync"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"github.com/surewake/surewake/model/wire"
)

// command returns what the command asks of this process, nil under `go test`.
var command = sync.OnceValues(func() (*wire.Settings, error) {
	s, err := wire.DecodeSettings(os.Getenv(wire.SettingsVariable))
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return s, nil
})

// unregistered returns the import path of a package that should have been rewritten and was not,
// "" if there is none.
func unregistered(s *wire.Settings) string {
	for _, p := range s.Expect {
		if !hook.Registered(p) {
			return p
		}
	}
	return ""
}

func init() {
	hook.OnSkip = func(test, why string, at explore.Frame) {
		if s, err := command(); s != nil && err == nil {
			send(wire.Message{Skip: &wire.Skip{Test: test, Why: why, File: at.File, Line: at.Line}})
		}
	}
}

var out sync.Mutex // held while a message is written

// send writes a message to the command. It panics if standard output is closed.
func send(m wire.Message) {
	out.Lock()
	defer out.Unlock()
	if err := m.Write(os.Stdout); err != nil {
		panic(err)
	}
}

// sendCoverage says what has run since hook.ResetMarks, in a binary that marks it.
func sendCoverage() {
	if marks := hook.Marks(); marks != nil {
		send(wire.Message{Coverage: &wire.Coverage{Marks: marks}})
	}
}
