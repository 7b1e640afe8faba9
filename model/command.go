package model

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"github.com/surewake/surewake/model/hook"
	"github.com/surewake/surewake/model/report"
)

type (
	settings = report.Settings
	record   = report.Record
)

var command = sync.OnceValues(func() (*settings, error) {
	text := os.Getenv(report.SettingsVariable)
	if text == "" {
		return nil, nil
	}
	s := &settings{Preemptions: -1}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		return nil, fmt.Errorf("model: environment variable %s: %v", report.SettingsVariable, err)
	}
	return s, nil
})

// unregistered gives an import path that should have been rewritten and was
// not, or "".
func unregistered(s *settings) string {
	for _, p := range s.Expect {
		if !hook.Registered(p) {
			return p
		}
	}
	return ""
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
	os.Stdout.Write(append(append([]byte("\n"+report.RecordMark), b...), '\n'))
}
