package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/surewake/surewake/model/instrument"
)

// tests runs the ordinary tests of a mutated package, or only those whose names
// begin so, and returns the first that fails.
func (j *judge) tests(
	ctx context.Context, p instrument.Package, replace map[string][]byte, only string,
) (killer string, err error) {
	if !p.Tests {
		return "", nil
	}
	limit := j.testsTimeout
	if only == "" {
		own, err := j.ownTime(ctx, p, only)
		if err != nil {
			return "", err
		}
		limit += 3 * own
	}
	got, err := goTest(ctx, p, j.options.Tags, replace, only, limit)
	if got.late && only != "" {
		var own time.Duration
		if own, err = j.ownTime(ctx, p, only); err == nil && own > limit/3 {
			limit += 3 * own
			got, err = goTest(ctx, p, j.options.Tags, replace, only, limit)
		}
	}
	if got.failing == "" || err != nil {
		return "", err
	}
	return got.failing, j.presume(p.Path+" tests "+only, got.failing, func() (bool, error) {
		// All of those: they are cached from then on.
		got, err := goTest(ctx, p, j.options.Tags, nil, only, limit)
		if got.late {
			err = fmt.Errorf(
				"%s: the unchanged source's tests last longer than %v", got.failing, limit,
			)
		}
		return got.failing != "", err
	})
}

// ownTime returns how long ordinary tests of the unchanged package take, here and now. It is asked
// for only where it matters: a test that was asked by its name is short, unless there was no time
// for it.
func (j *judge) ownTime(
	ctx context.Context, p instrument.Package, only string,
) (time.Duration, error) {
	j.timing.Lock()
	defer j.timing.Unlock()
	key := p.Path + " " + only
	if own, known := j.times[key]; known {
		return own, nil
	}
	got, err := goTest(ctx, p, j.options.Tags, nil, only, ownTimeout, "-count=1") // not cached
	if err != nil {
		return 0, err
	}
	if j.times == nil {
		j.times = map[string]time.Duration{}
	}
	j.times[key] = got.ran
	return j.times[key], nil
}

// quietRapid are settings for random tests by pgregory.net/rapid unless the environment has others:
// nobody reads the input by which a mutant is found, so time for a smaller one is wasted, and it
// must not be left among the sources, where later tests would try it.
var quietRapid = []string{"RAPID_SHRINKTIME=0s", "RAPID_NOFAILFILE=true"}

// A tested is what go test has said.
type tested struct {
	failing string        // the first test that fails, "" if none does
	late    bool          // that is the one that ran when the time was up
	ran     time.Duration // how long the tests took, without their build
}

// goTest runs go test, with files replaced, all tests or only those whose names begin so.
func goTest(
	ctx context.Context, p instrument.Package, tags string, replace map[string][]byte, only string,
	limit time.Duration, flags ...string,
) (tested, error) {
	dir, err := os.MkdirTemp("", "surewake-")
	if err != nil {
		return tested{}, err
	}
	defer os.RemoveAll(dir)
	args := []string{
		"test", "-json", "-short", "-failfast", "-vet=off", "-ldflags=-w",
		"-timeout", limit.String(),
	}
	args = append(args, flags...)
	if tags != "" {
		args = append(args, "-tags", tags)
	}
	if only != "" {
		args = append(args, "-run", "^"+only)
	}
	if len(replace) > 0 {
		overlay, err := writeOverlay(dir, replace)
		if err != nil {
			return tested{}, err
		}
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, ".")...)
	cmd.Dir = p.Dir
	cmd.Env = slices.Concat(quietRapid, cmd.Environ()) // its PWD is p.Dir, as in the overlay
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = 2 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if err := ctx.Err(); err != nil {
		return tested{}, err
	}
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) {
		return tested{}, err
	}
	e := readTestEvents(stdout.Bytes())
	got := tested{ran: e.ran}
	if err == nil {
		return got, nil
	}
	got.failing, got.late = e.failing, strings.Contains(e.text, "panic: test timed out after ")
	switch {
	case e.broken:
		return tested{}, fmt.Errorf("does not compile:\n%s", e.text)
	case e.failing == "" && !strings.Contains(e.text, "FAIL"):
		return tested{}, fmt.Errorf("go test: %w\n%s%s", err, e.text, stderr.String())
	case e.failing == "":
		got.failing = "go test"
	}
	return got, nil
}

// Events is what go test -json has printed.
type events struct {
	failing string        // the first test to fail
	text    string        // all output
	broken  bool          // it was the build that failed
	ran     time.Duration // how long the tests took
}

// readTestEvents reads the stream of go test -json.
func readTestEvents(stream []byte) (all events) {
	var b strings.Builder
	var crashed string
	for line := range bytes.Lines(stream) {
		var e struct {
			Action, Test, Output, FailedBuild string
			Elapsed                           float64
		}
		if json.Unmarshal(line, &e) != nil {
			b.Write(line)
			continue
		}
		b.WriteString(e.Output)
		if crashed == "" && crashLine(e.Output) {
			crashed = e.Test
		}
		if e.Test == "" && e.Elapsed > 0 {
			all.ran = time.Duration(e.Elapsed * float64(time.Second))
		}
		switch {
		case e.Action == "build-fail" || e.FailedBuild != "":
			all.broken = true
		case e.Action == "fail" && e.Test != "" && all.failing == "":
			all.failing = e.Test
		}
	}
	if all.failing == "" {
		// A panic in a goroutine of the test ends the process: no test is said to fail.
		all.failing = crashed
	}
	all.text = b.String()
	return all
}

// writeOverlay puts the replaced files into dir and returns the overlay file
// that the go command takes.
func writeOverlay(dir string, replace map[string][]byte) (string, error) {
	var overlay struct{ Replace map[string]string }
	overlay.Replace = map[string]string{}
	for path, text := range replace {
		copied := filepath.Join(dir, strconv.Itoa(len(overlay.Replace))+"-"+filepath.Base(path))
		if err := os.WriteFile(copied, text, 0o644); err != nil {
			return "", err
		}
		overlay.Replace[path] = copied
	}
	encoded, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, encoded, 0o644)
}
