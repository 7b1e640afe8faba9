package fuzz_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/surewake/surewake/fuzz/serve"
	"github.com/surewake/surewake/model/instrument"
)

const servePackage = "github.com/surewake/surewake/fuzz/serve"

// A server is a process that runs programs. It is started when it is needed.
type server struct {
	binary func() (string, error)
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	errs   bytes.Buffer
}

var buildDir = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("surewake-fuzz-%d", os.Getpid()))
	return dir, os.MkdirAll(dir, 0o777)
})

// nativeBinary builds the server as it stands.
func nativeBinary(race bool) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		dir, err := buildDir()
		if err != nil {
			return "", err
		}
		bin := filepath.Join(dir, fmt.Sprintf("native-%v", race))
		// Without the tag there is no runtime.RaceErrors, which a rewritten build would lack.
		args := []string{
			"test", "-c", "-vet=off", "-o", bin,
			"-tags=counted", fmt.Sprintf("-race=%v", race), servePackage,
		}
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w\n%s", err, out)
		}
		return bin, nil
	})
}

// exploringBinary builds the server from rewritten copies.
func exploringBinary(race bool) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		dir, err := buildDir()
		if err != nil {
			return "", err
		}
		ctx := context.Background()
		c := instrument.Config{Dir: ".", Patterns: []string{servePackage}}
		set, err := instrument.Rewrite(ctx, c)
		if err != nil {
			return "", err
		}
		bin := filepath.Join(dir, fmt.Sprintf("exploring-%v", race))
		return bin, set.Build(ctx, servePackage, race, bin)
	})
}

func (s *server) start() error {
	bin, err := s.binary()
	if err != nil {
		return err
	}
	s.cmd = exec.Command(bin, "-test.run=^TestServe$", "-test.timeout=0")
	s.cmd.Env = append(os.Environ(), serve.Variable+"=1",
		"GORACE=suppress_equal_stacks=0 suppress_equal_addresses=0 atexit_sleep_ms=0 log_path=/dev/null")
	s.errs.Reset()
	s.cmd.Stdout, s.cmd.Stderr = &s.errs, &s.errs
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	s.cmd.ExtraFiles = []*os.File{w}
	s.out = bufio.NewReader(r)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	return w.Close()
}

// stop ends the process.
func (s *server) stop() {
	if s.cmd == nil {
		return
	}
	s.in.Close()
	kill := time.AfterFunc(5*time.Second, func() { s.cmd.Process.Kill() })
	s.cmd.Wait()
	kill.Stop()
	s.cmd = nil
}

// limit is how long one request may take on a busy machine.
const limit = 2 * time.Minute

// ask has the server answer a request. The error holds what the process printed
// when it ended instead.
func (s *server) ask(r serve.Request) (a serve.Answer, err error) {
	if s.cmd == nil {
		if err := s.start(); err != nil {
			return a, err
		}
	}
	line, err := json.Marshal(r)
	if err != nil {
		return a, err
	}
	kill := time.AfterFunc(limit, func() { s.cmd.Process.Kill() })
	defer kill.Stop()
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		return a, err
	}
	answer, err := s.out.ReadBytes('\n')
	if err != nil {
		s.stop()
		return a, fmt.Errorf("no answer: %w\n%s", err, s.errs.String())
	}
	err = json.Unmarshal(answer, &a)
	if a.Spent {
		s.stop()
	}
	return a, err
}
