package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// A result is what became of an edit.
type result struct {
	id      string
	key     string // of the sources that it was tried with
	verdict string
	killer  string // who objected
}

const (
	killed    = "killed"
	broken    = "broken"    // it does not compile
	unnoticed = "unnoticed" // by the tests and the first seconds of each check
	survived  = "survived"  // by all that its package has
)

// readResults reads a file of results: a line each, of id, key, verdict and killer. It need not be
// there.
func readResults(name string) (map[string]result, error) {
	known := map[string]result{}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) < 3 {
			return nil, fmt.Errorf("%s:%d: want an id, a key and a verdict", name, n)
		}
		r := result{id: fields[0], key: fields[1], verdict: fields[2]}
		if len(fields) > 3 {
			r.killer = fields[3]
		}
		known[r.id] = r
	}
	return known, lines.Err()
}

// writeResults writes the results of the given edits, and of no others.
func writeResults(name string, known map[string]result, edits []edit) error {
	var lines []string
	for _, e := range edits {
		if r, ok := known[e.ID]; ok {
			lines = append(lines, strings.TrimSpace(
				fmt.Sprintf("%s %s %s %s", r.id, r.key, r.verdict, r.killer)))
		}
	}
	slices.Sort(lines)
	text := strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(name+".new", []byte(text), 0o666); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// readHarmless reads why edits are no bugs.
func readHarmless(name string) (map[string]string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	why := map[string]string{}
	id := ""
	for n, line := range strings.Split(string(text), "\n") {
		switch {
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "#"):
		case line[0] == ' ' || line[0] == '\t':
			if id == "" {
				return nil, fmt.Errorf("%s:%d: an argument without an id before it", name, n+1)
			}
			why[id] = strings.TrimSpace(why[id] + " " + strings.TrimSpace(line))
		default:
			id = strings.TrimSpace(line)
			if _, twice := why[id]; twice {
				return nil, fmt.Errorf("%s:%d: %s is there twice", name, n+1, id)
			}
			why[id] = ""
		}
	}
	for id, argument := range why {
		if argument == "" {
			return nil, fmt.Errorf("%s: %s has no argument", name, id)
		}
	}
	return why, nil
}
