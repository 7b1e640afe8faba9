package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A driver lets processes take turns: this program, the Rust peers, and an older one.
type driver struct {
	processes []*process
	turns     int           // that shall count
	block     time.Duration // of a process in a turn
	most      time.Duration // for everything
	fastest   time.Duration // of the calibration loop so far
	log       io.Writer
}

// A process is a server.
type process struct {
	by      string
	command *exec.Cmd
	to      io.WriteCloser
	from    *bufio.Reader
	has     bool // contenders of the row that is open
}

func startProcess(by string, command ...string) (*process, error) {
	p := &process{by: by, command: exec.Command(command[0], command[1:]...)}
	p.command.Stderr = os.Stderr
	to, err := p.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	from, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.to, p.from = to, bufio.NewReader(from)
	return p, p.command.Start()
}

func (p *process) ask(format string, arguments ...any) ([]measured, error) {
	if _, err := fmt.Fprintf(p.to, format+"\n", arguments...); err != nil {
		return nil, err
	}
	line, err := p.from.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.by, err)
	}
	var answer []measured
	err = json.Unmarshal(line, &answer)
	return answer, err
}

func (p *process) end() error {
	if err := p.to.Close(); err != nil {
		return err
	}
	return p.command.Wait()
}

func (d *driver) pids() (pids []int) {
	for _, p := range d.processes {
		pids = append(pids, p.command.Process.Pid)
	}
	return pids
}

// A turn is one block of each process, and how much others disturbed it.
type turn struct {
	blocks        [][]measured // of each process
	before, after reading
}

// measure measures all rows that are selected.
func (d *driver) measure(selected *regexp.Regexp, to *Results) error {
	begin := time.Now()
	for range 20 {
		t := calibrate()
		if d.fastest == 0 || t < d.fastest {
			d.fastest = t
		}
	}
	all := slices.DeleteFunc(rows(), func(r row) bool { return r.key == "" })
	chosen := slices.DeleteFunc(slices.Clone(all), func(r row) bool {
		return !selected.MatchString(r.key)
	})
	most := d.most / time.Duration(len(all)) * time.Duration(len(chosen))
	for i, r := range chosen {
		left := most - time.Since(begin) // what a row leaves is there for the next ones
		result, err := d.measureRow(r, time.Now().Add(left/time.Duration(len(chosen)-i)))
		if err != nil {
			return err
		}
		to.Rows = append(to.Rows, result)
	}
	return nil
}

// measureRow goes on until enough turns were calm, or until the deadline.
func (d *driver) measureRow(r row, deadline time.Time) (Result, error) {
	result := Result{Key: r.key, Title: r.title, Unit: unitName(r.unit)}
	begin := time.Now()
	for _, p := range d.processes {
		all, err := p.ask("open %s", r.key)
		if err != nil {
			return result, err
		}
		p.has = len(all) > 0
	}
	var turns []turn
	for calm := 0; calm < d.turns && (len(turns) < d.turns || time.Now().Before(deadline)); {
		t, err := d.turn(len(turns))
		if err != nil {
			return result, err
		}
		turns = append(turns, t)
		calm = 0
		for _, t := range turns {
			if d.disturbance(t) <= 1 {
				calm++
			}
		}
	}
	var counted []turn
	counted, result.Disturbed = d.choose(turns)
	result.Turns, result.Discarded = len(counted), len(turns)-len(counted)
	for i, p := range d.processes {
		if p.has {
			result.Lines = append(result.Lines, p.lines(i, counted, float64(r.unit))...)
		}
	}
	fmt.Fprintf(d.log, "%-16s %4.1fs, %d turns, %d discarded%s\n", r.key,
		time.Since(begin).Seconds(), result.Turns, result.Discarded,
		map[bool]string{true: ", disturbed"}[result.Disturbed])
	return result, nil
}

// choose returns the turns that count: the calm ones, or, if that is less than half of what was
// wanted, so many of the least disturbed ones, and true.
func (d *driver) choose(turns []turn) (counted []turn, disturbed bool) {
	all := slices.SortedStableFunc(slices.Values(turns), func(a, b turn) int {
		return cmp.Compare(d.disturbance(a), d.disturbance(b))
	})
	n := len(all)
	for n > 0 && d.disturbance(all[n-1]) > 1 {
		n--
	}
	if enough := (d.turns + 1) / 2; n < enough {
		return all[:min(enough, len(all))], true
	}
	return all[:n], false
}

func (d *driver) disturbance(t turn) float64 { return disturbance(t.before, t.after, d.fastest) }

// turn lets each process begin as often as the others.
func (d *driver) turn(number int) (turn, error) {
	t := turn{blocks: make([][]measured, len(d.processes)), before: look(d.pids())}
	for i := range d.processes {
		at := (i + number) % len(d.processes)
		p := d.processes[at]
		if !p.has {
			continue
		}
		var err error
		if t.blocks[at], err = p.ask("run %d", d.block.Milliseconds()); err != nil {
			return t, err
		}
	}
	t.after = look(d.pids())
	d.fastest = min(d.fastest, t.before.loop, t.after.loop)
	return t, nil
}

// lines are those of the i-th process.
func (p *process) lines(i int, turns []turn, unit float64) (lines []Line) {
	for j, c := range turns[0].blocks[i] {
		by := p.by
		switch {
		case by == byBefore && c.Peer:
			continue
		case by == byOurs && c.Peer:
			by = byGo
		}
		var all []measured
		for _, t := range turns {
			all = append(all, t.blocks[i][j])
		}
		lines = append(lines, lineOf(by, all, unit))
	}
	return lines
}

// A session is what a driver is asked for.
type session struct {
	file     string // for the results
	rust     string // the peers, or ""
	old      string // an older binary of this program, or ""
	before   string // what that is
	turns    int
	block    time.Duration
	most     time.Duration
	selected *regexp.Regexp // of keys
	surveys  bool
	into     string // the results that those of this session are put among, or ""
}

// drive measures everything and writes the results into a file.
func (s session) drive() error {
	d := &driver{turns: s.turns, block: s.block, most: s.most, log: os.Stderr}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	commands := [][]string{{byOurs, self, "-serve"}}
	tools := runtime.Version()
	if s.rust != "" {
		commands = append(commands, []string{byRust, s.rust, "serve"})
		version, err := exec.Command(s.rust, "versions").Output()
		if err != nil {
			return err
		}
		tools += ", " + strings.TrimSpace(string(version))
		if compiler, err := exec.Command("rustc", "--version").Output(); err == nil {
			tools += ", " + strings.Join(strings.Fields(string(compiler))[:2], " ")
		}
	}
	if s.old != "" {
		commands = append(commands, []string{byBefore, s.old, "-serve"})
	}
	for _, c := range commands {
		p, err := startProcess(c[0], c[1:]...)
		if err != nil {
			return err
		}
		d.processes = append(d.processes, p)
	}
	begin := time.Now()
	results := &Results{
		Machine: fmt.Sprintf("%s, %d processors, %s/%s", processor(), runtime.NumCPU(),
			runtime.GOOS, runtime.GOARCH),
		Tools: tools, Before: s.before, Load: []string{load()},
	}
	if err := d.measure(s.selected, results); err != nil {
		return err
	}
	for _, p := range d.processes {
		if err := p.end(); err != nil {
			return err
		}
	}
	if s.surveys {
		for _, v := range surveys() {
			if !s.selected.MatchString(v.title) {
				continue
			}
			results.Surveys = append(results.Surveys, Survey{v.title, v.column, v.lines(false)})
		}
	}
	results.Load = append(results.Load, load())
	results.Seconds = int(time.Since(begin).Seconds())
	if s.into != "" {
		all, err := readResults(s.into)
		if err == nil {
			err = all.add(results)
		}
		if err != nil {
			return err
		}
		results = all
	}
	return results.write(s.file)
}
