package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// A table is the results of parts all of whose edits are known, by part.
type table map[string]tablePart

type tablePart struct {
	key     string // of the sources that they were tried with
	results map[string]result
}

var (
	tableHead = regexp.MustCompile(`^(\w+) of ([0-9a-f]{12})$`)
	// who or what became of the edits that follow
	tableGroup = regexp.MustCompile(`^  (killed by (\S+)|survived|broken): \d+$`)
	tableEdit  = regexp.MustCompile(`^    (gen-\S+)$`)
)

// readTable reads a file that was written by write. It need not be there.
func readTable(name string) (table, error) {
	t := table{}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	var part tablePart
	var now result
	for n, line := range strings.Split(string(text), "\n") {
		head, group := tableHead.FindStringSubmatch(line), tableGroup.FindStringSubmatch(line)
		one := tableEdit.FindStringSubmatch(line)
		switch {
		case line == "", line[0] == '#':
		case head != nil:
			if _, twice := t[head[1]]; twice {
				return nil, fmt.Errorf("%s:%d: %s is there twice", name, n+1, head[1])
			}
			part, now = tablePart{head[2], map[string]result{}}, result{}
			t[head[1]] = part
		case group != nil && part.key != "":
			now = result{key: part.key, verdict: group[1]}
			if now.killer = group[2]; now.killer != "" {
				now.verdict = killed
			}
		case one != nil && now.verdict != "":
			now.id = one[1]
			if _, twice := part.results[now.id]; twice {
				return nil, fmt.Errorf("%s:%d: %s is there twice", name, n+1, now.id)
			}
			part.results[now.id] = now
		default:
			return nil, fmt.Errorf("%s:%d: what is %q?", name, n+1, line)
		}
	}
	return t, nil
}

// update takes the parts over whose edits are all known, and where none waits for a longer look.
func (t table) update(s *session) {
	for _, p := range parts {
		part := tablePart{s.keys[p], map[string]result{}}
		complete := true
		for _, e := range s.edits {
			if e.pkg == p {
				r, ok := s.known[e.ID]
				complete = complete && ok && r.verdict != unnoticed
				part.results[e.ID] = r
			}
		}
		if complete && len(part.results) > 0 {
			t[p] = part
		}
	}
}

// write writes the table: for people a summary and those that survive, then everything.
func (t table) write(name string) error {
	var b strings.Builder
	b.WriteString(`# What became of every single edit of the parts, as ci/mutation.sh found it.
# Each part is named with a hash of the sources, tests included, that it was tried with.
# harmless.txt says why those that survive are no bugs.
#
`)
	fmt.Fprintf(&b, "# %-10s %6s %8s %9s %16s\n", "", "edits", "killed", "survived",
		"do not compile")
	names := slices.Sorted(maps.Keys(t))
	for _, p := range names {
		count := map[string]int{}
		for _, r := range t[p].results {
			count[r.verdict]++
		}
		fmt.Fprintf(&b, "# %-10s %6d %8d %9d %16d\n", p, len(t[p].results), count[killed],
			count[survived], count[broken])
	}
	b.WriteString("#\n# Survived:\n")
	for _, p := range names {
		for _, id := range slices.Sorted(maps.Keys(t[p].results)) {
			if t[p].results[id].verdict == survived {
				fmt.Fprintf(&b, "#   %s %s\n", p, id)
			}
		}
	}
	for _, p := range names {
		fmt.Fprintf(&b, "\n%s of %s\n", p, t[p].key)
		groups := map[string][]string{}
		for _, r := range t[p].results {
			group := "2 " + r.verdict
			switch r.verdict {
			case survived:
				group = "0 " + r.verdict
			case killed:
				test, _, _ := strings.Cut(r.killer, "/")
				group = "1 killed by " + test
			}
			groups[group] = append(groups[group], r.id)
		}
		for _, group := range slices.Sorted(maps.Keys(groups)) {
			fmt.Fprintf(&b, "  %s: %d\n", group[2:], len(groups[group]))
			for _, id := range slices.Sorted(slices.Values(groups[group])) {
				fmt.Fprintf(&b, "    %s\n", id)
			}
		}
	}
	return os.WriteFile(name, []byte(b.String()), 0o666)
}
