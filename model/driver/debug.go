package driver

import (
	"context"
	"os"
	"path/filepath"

	"github.com/surewake/surewake/model/wire"
)

// A Debugged is a binary that runs one schedule, for a debugger.
type Debugged struct {
	Binary string   // its file
	Dir    string   // where it is to be started
	Env    []string // what its environment has besides: NAME=value
	Args   []string // its arguments
}

// Debug builds a binary for a debugger, into a file, that runs the schedule of a token: without the
// race detector, and without a watchdog, so that it can be stopped for any time.
func Debug(ctx context.Context, opts Options, token, file string) (*Debugged, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return nil, usagef("-debug wants the name of a file to write, and %s is a folder", file)
	}
	opts.Debug = true
	r, t, tok, err := openToken(ctx, &opts, token)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if err := r.target.Build(ctx, t.pkg.Path, false, file); err != nil {
		return nil, err
	}
	s := r.replaySettings(t, tok, false)
	s.Debug, s.Progress = true, false
	s.Expect = r.target.RewrittenMode(t.pkg.Path, false)
	text, err := s.Encode()
	if err != nil {
		return nil, err
	}
	return &Debugged{
		Binary: file, Dir: t.pkg.Dir,
		Env: []string{wire.SettingsVariable + "=" + text}, Args: testFlags(t.run),
	}, nil
}
