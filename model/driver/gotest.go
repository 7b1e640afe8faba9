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
	killer, late, err := goTest(ctx, p, j.options.Tags, replace, only, limit)
	if late && only != "" {
		var own time.Duration
		if own, err = j.ownTime(ctx, p, only); err == nil && own > limit/3 {
			limit += 3 * own
			killer, _, err = goTest(ctx, p, j.options.Tags, replace, only, limit)
		}
	}
	if killer == "" || err != nil {
		return "", err
	}
	return killer, j.presume(p.Path+" tests "+only, killer, func() (bool, error) {
		// All of those: they are cached from then on.
		failing, late, err := goTest(ctx, p, j.options.Tags, nil, only, limit)
		if late {
			err = fmt.Errorf("%s: the unchanged source's tests last longer than %v", failing, limit)
		}
		return failing != "", err
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
	begin := time.Now()
	_, _, err := goTest(ctx, p, j.options.Tags, nil, only, ownTimeout, "-count=1") // not cached
	if err != nil {
		return 0, err
	}
	if j.times == nil {
		j.times = map[string]time.Duration{}
	}
	j.times[key] = time.Since(begin)
	return j.times[key], nil
}

// quietRapid are settings for random tests by pgregory.net/rapid unless the environment has others:
// nobody reads the input by which a mutant is found, so time for a smaller one is wasted, and it
// must not be left among the sources, where later tests would try it.
var quietRapid = []string{"RAPID_SHRINKTIME=0s", "RAPID_NOFAILFILE=true"}

// goTest runs go test, with files replaced, all tests or only those whose names
// begin so, and returns the first that fails, "" if none does, and whether that is the one that ran
// when the time was up.
func goTest(
	ctx context.Context, p instrument.Package, tags string, replace map[string][]byte, only string,
	limit time.Duration, flags ...string,
) (failing string, late bool, err error) {
	dir, err := os.MkdirTemp("", "surewake-")
	if err != nil {
		return "", false, err
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
			return "", false, err
		}
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, ".")...)
	cmd.Dir = p.Dir
	cmd.Env = slices.Concat(quietRapid, os.Environ())
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = 2 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if err := ctx.Err(); err != nil {
		return "", false, err
	}
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) {
		return "", false, err
	}
	name, text, broken := readTestEvents(stdout.Bytes())
	late = strings.Contains(text, "panic: test timed out after ")
	switch {
	case err == nil:
		return "", false, nil
	case broken:
		return "", false, fmt.Errorf("does not compile:\n%s", text)
	case name != "":
		return name, late, nil
	case strings.Contains(text, "FAIL"):
		return "go test", late, nil
	}
	return "", false, fmt.Errorf("go test: %w\n%s%s", err, text, stderr.String())
}

// readTestEvents reads the stream of go test -json: the first test to fail,
// all output, and whether it was the build that failed.
func readTestEvents(stream []byte) (failing, text string, broken bool) {
	var b strings.Builder
	var crashed string
	for line := range bytes.Lines(stream) {
		var e struct{ Action, Test, Output, FailedBuild string }
		if json.Unmarshal(line, &e) != nil {
			b.Write(line)
			continue
		}
		b.WriteString(e.Output)
		if crashed == "" && crashLine(e.Output) {
			crashed = e.Test
		}
		switch {
		case e.Action == "build-fail" || e.FailedBuild != "":
			broken = true
		case e.Action == "fail" && e.Test != "" && failing == "":
			failing = e.Test
		}
	}
	if failing == "" {
		// A panic in a goroutine of the test ends the process: no test is said to fail.
		failing = crashed
	}
	return failing, b.String(), broken
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
