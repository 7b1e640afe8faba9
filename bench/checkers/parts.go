package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A part is a share of what a step costs: the files, and the functions of others, in which time is
// spent.
type part struct {
	name string
	is   *regexp.Regexp // of "FUNCTION FILE"
}

// parts are tried in this order.
var parts = []part{
	{"the body and its atomic operation", regexp.MustCompile(`bench_test\.go|sync/atomic`)},
	{"hook, pending operation, result", regexp.MustCompile(`/hook/|explore/enter\.go`)},
	{"hand-over: switches of coroutines", regexp.MustCompile(
		`thread_coro|/iter/|runtime/(coro|asm_[a-z0-9]+|runtime2)\.|internal/runtime/atomic`)},
	{"which thread runs next", regexp.MustCompile(`explore/(decide|thread_set|search_part)\.go`)},
	{"the event: object, hash, clock", regexp.MustCompile(
		`explore/(commit|engine_object|search_clock|sync_atomic|op|search_node)\.go`)},
	{"races and wakeup trees", regexp.MustCompile(`explore/search_`)},
	{"begin and end of an execution, its threads", regexp.MustCompile(
		`explore/(engine|thread|api|time|bubble|show)`)},
	{"allocation and garbage collection", regexp.MustCompile(
		`runtime/(m[a-z]*|mem[a-z_0-9]*|slice|arena|stubs|sizeclasses)\.(go|s)`)},
}

const preempted = "asyncPreempt" // where the profiler finds a thread that others have interrupted

// stepsOfAnExecution: 16 additions and the join.
const stepsOfAnExecution = 17

// measureParts profiles additions without the race detector, and returns how many executions there
// were in a second of the best and the median round, and what a step costs by part.
func (b *bench) measureParts() (string, error) {
	dir, err := os.MkdirTemp("", "checkers")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	program, profile := filepath.Join(dir, "explore.test"), filepath.Join(dir, "cpu.out")
	if _, err := output("go", "test", "-c", "-o", program, "./model/explore"); err != nil {
		return "", err
	}
	adds := []string{"-test.run", "^$", "-test.bench", "^BenchmarkAdds$", "-test.count"}
	out, err := output(program, append(adds, "200", "-test.benchtime", "1x")...)
	if err != nil {
		return "", err
	}
	rates, err := ratesOf(out)
	if err != nil {
		return "", err
	}
	const rounds = 400
	if _, err := output(program, append(adds, "1", "-test.benchtime", fmt.Sprint(rounds, "x"),
		"-test.cpuprofile", profile)...); err != nil {
		return "", err
	}
	top, err := output("go", "tool", "pprof", "-top", "-filefunctions", "-nodecount", "0",
		"-nodefraction", "0", "-unit", "ms", program, profile)
	if err != nil {
		return "", err
	}
	const steps = (rounds + 1) * 12870 * stepsOfAnExecution // one round more, to warm up
	return tableOfParts(string(top), steps, rates)
}

// output runs a command in the root of the repository.
func output(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = root, &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %v: %w\n%s%s", name, args, err, out, &stderr)
	}
	return out, nil
}

// row is a line of pprof: time, two shares, time with what it calls, its share, function and file.
var row = regexp.MustCompile(`^\s*([\d.]+)(?:ms)?\s+\S+%\s+\S+%\s+\S+\s+\S+%\s+(.*)$`)

// tableOfParts returns what a step costs by part. top is what pprof prints.
func tableOfParts(top string, steps float64, rates []float64) (string, error) {
	cost, all := map[string]float64{}, 0.
	for line := range strings.Lines(top) {
		fields := row.FindStringSubmatch(strings.TrimSpace(line))
		if fields == nil || strings.Contains(fields[2], preempted) {
			continue
		}
		ms, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			return "", fmt.Errorf("pprof printed %q: %w", line, err)
		}
		cost[partOf(fields[2])] += ms
		all += ms
	}
	if all == 0 {
		return "", fmt.Errorf("pprof printed no times:\n%s", top)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "In the best of %d rounds %s executions a second, in the median one %s.\n\n",
		len(rates), grouped(int64(rates[len(rates)-1])), grouped(int64(rates[len(rates)/2])))
	b.WriteString("| part of a step | ns | |\n|---|--:|--:|\n")
	line := func(name string, ms float64) {
		fmt.Fprintf(&b, "| %s | %.1f | %.0f %% |\n", name, ms*1e6/steps, 100*ms/all)
	}
	for _, p := range parts {
		line(p.name, cost[p.name])
	}
	line(others, cost[others])
	line("all", all)
	return b.String(), nil
}

const others = "others, mostly of the runtime"

func partOf(where string) string {
	for _, p := range parts {
		if p.is.MatchString(where) {
			return p.name
		}
	}
	return others
}

// ratesOf returns the executions a second of each round, in rising order.
func ratesOf(out []byte) ([]float64, error) {
	var rates []float64
	for _, m := range regexp.MustCompile(`([\d.]+) execs/s`).FindAllSubmatch(out, -1) {
		rate, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			return nil, err
		}
		rates = append(rates, rate)
	}
	if len(rates) == 0 {
		return nil, fmt.Errorf("the benchmark printed %q", out)
	}
	slices.Sort(rates)
	return rates, nil
}
