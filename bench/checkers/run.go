package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// A bench runs the tools.
type bench struct {
	surewake, rust string // the programs
	limit          time.Duration
}

// root is the directory of the repository.
const root = "../.."

func (b *bench) run(t tool, s scenario) (outcome, error) {
	if t.rust {
		return b.runRust(t, s)
	}
	return b.runOurs(t, s)
}

// runRust calls the Rust program, which keeps to the limit by itself. more are its last arguments.
func (b *bench) runRust(t tool, s scenario, more ...string) (outcome, error) {
	limit := b.limit
	if t.samples {
		limit = max(limit/12, 2*time.Second)
	}
	seconds := strconv.Itoa(int(limit.Seconds()))
	args := append([]string{t.args[0], s.name, t.args[1], seconds}, more...)
	out, err := exec.Command(b.rust, args...).Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) { // 1: the scenario failed
		return outcome{}, fmt.Errorf("%s %v: %w", b.rust, args, err)
	}
	var o outcome
	if _, err := fmt.Sscan(string(out), &o.verdict, &o.executions, &o.seconds); err != nil {
		return outcome{}, fmt.Errorf("%s %v printed %q", b.rust, args, out)
	}
	return o, nil
}

// runOurs calls the command. Its row counts the seconds of the exploration, not of the build.
func (b *bench) runOurs(t tool, s scenario) (outcome, error) {
	args := append([]string{"check", "-json", "-run", "^" + s.test + "$"}, t.args...)
	out, _, err := b.command(append(args, "./testdata/checkers")...)
	if err != nil {
		return outcome{}, err
	}
	var row struct {
		Verdict    string
		Complete   int64
		Deadlocked int64
		Pruned     int64
		Seconds    float64
		Cut        string // of which run there is more to explore
	}
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(&row); err != nil {
		return outcome{}, fmt.Errorf("surewake %v printed %q: %w", args, out, err)
	}
	o := outcome{executions: row.Complete + row.Deadlocked + row.Pruned, seconds: row.Seconds}
	switch {
	case row.Verdict == "proved", row.Verdict == "bounded" && row.Cut == "":
		o.verdict = finished
	case row.Verdict == "bounded":
		o.verdict = stopped
	case row.Verdict == "FAILED":
		o.verdict = failed
	default:
		return outcome{}, fmt.Errorf("surewake %v: %s", args, out)
	}
	return o, nil
}

// command calls the command, and interrupts it some time after the limit, whereupon it prints what
// it has.
func (b *bench) command(args ...string) (stdout []byte, code int, err error) {
	const build = 30 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), b.limit+build)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.surewake, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = build
	cmd.Dir = root
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return out, exit.ExitCode(), nil
	case errors.Is(err, context.DeadlineExceeded):
		return out, 0, nil
	}
	return out, 0, err
}
