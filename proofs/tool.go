package proofs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
)

// A tool is a program that is not part of this module.
type tool struct {
	program string
	debian  string // the package that has it
	version string // the argument that prints the version
}

var (
	z3     = tool{"z3", "z3", "--version"}
	cvc5   = tool{"cvc5", "cvc5", "--version"}
	coqc   = tool{"coqc", "coq", "--version"}
	spin   = tool{"spin", "spin", "-V"}
	gcc    = tool{"gcc", "gcc libc6-dev", "--version"}
	number = regexp.MustCompile(`\d+\.\d[\w.]*`)
)

// goTool is this program itself.
var goTool = tool{program: "go"}

func goVersion() string {
	return "go " + strings.TrimPrefix(runtime.Version(), "go") + " (this program)"
}

// bench is the workplace of one audit: a directory for files, and what is known of the tools.
type bench struct {
	dir string

	mu       sync.Mutex
	next     int
	versions map[string]string
	coq      map[string]*coqRun // by text of the file
}

// file writes a file that only one check knows, into a directory of its own.
func (b *bench) file(name, text string) (string, error) {
	b.mu.Lock()
	b.next++
	dir := filepath.Join(b.dir, fmt.Sprint(b.next))
	b.mu.Unlock()
	if err := os.Mkdir(dir, 0o777); err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	return path, os.WriteFile(path, []byte(text), 0o666)
}

// describe returns a tool's name and version, or an error that says what to install.
func (b *bench) describe(ctx context.Context, t tool) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if v, ok := b.versions[t.program]; ok {
		return v, nil
	}
	if t.program == goTool.program {
		return goVersion(), nil
	}
	if t.program == checker.program {
		return describeChecker(ctx)
	}
	if _, err := exec.LookPath(t.program); err != nil {
		return t.program, fmt.Errorf("%s is not installed; on Debian: apt-get install "+
			"--no-install-recommends %s", t.program, t.debian)
	}
	out, err := exec.CommandContext(ctx, t.program, t.version).CombinedOutput()
	version := number.FindString(string(out))
	if err != nil || version == "" {
		return t.program, fmt.Errorf("%s %s: %v: %s", t.program, t.version, err, tail(string(out)))
	}
	b.versions[t.program] = t.program + " " + version
	return b.versions[t.program], nil
}

// run runs a program in a directory and returns all it prints. status is its exit code; err, a
// reason why there is none.
func run(ctx context.Context, dir, program string, args ...string) (output string, status int,
	err error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil && exit.Exited() {
		return string(out), exit.ExitCode(), nil
	}
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", program, err, tail(string(out)))
	}
	return string(out), 0, err
}

// tail returns the end of a tool's output.
func tail(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return strings.Join(lines[max(0, len(lines)-8):], "\n")
}
