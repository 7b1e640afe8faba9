package driver

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A patch is a unified diff of existing files, paths relative to the module
// root below one leading element (a/ and b/), as git prints it.
type patch []filePatch

type filePatch struct {
	path  string // with slashes
	hunks []hunk
}

// A hunk replaces the lines old, which include the context, by the lines new.
type hunk struct {
	line     int // of old, from 1
	old, new []string
}

var hunkHeader = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@`)

// parsePatch accepts only changes of file contents: a mutant that needs more
// than that is not a small one.
func parsePatch(text string) (patch, error) {
	lines := strings.SplitAfter(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var files patch
	for i := 0; i < len(lines); {
		line := strings.TrimRight(lines[i], "\n")
		fail := func(format string, args ...any) error {
			return fmt.Errorf("line %d: "+format, append([]any{i + 1}, args...)...)
		}
		switch {
		case strings.HasPrefix(line, "--- "):
			if i+1 == len(lines) || !strings.HasPrefix(lines[i+1], "+++ ") {
				return nil, fail("a --- line without its +++ line")
			}
			from, err := patchPath(line[4:])
			if err != nil {
				return nil, fail("%v", err)
			}
			to, err := patchPath(strings.TrimRight(lines[i+1][4:], "\n"))
			if err != nil {
				return nil, fail("%v", err)
			}
			if from != to {
				return nil, fail("files can only be changed, not added, removed or renamed (%s, %s)", from, to)
			}
			files = append(files, filePatch{path: to})
			i += 2
		case strings.HasPrefix(line, "@@ "):
			if len(files) == 0 {
				return nil, fail("a hunk before any file")
			}
			h, used, err := parseHunk(lines[i:])
			if err != nil {
				return nil, fail("%v", err)
			}
			f := &files[len(files)-1]
			f.hunks = append(f.hunks, h)
			i += used
		case len(files) > 0 && len(files[len(files)-1].hunks) > 0 && line != "" && strings.ContainsRune(" +-", rune(line[0])):
			return nil, fail("the hunk above is longer than its header says")
		default:
			i++ // a description, or git's diff and index lines
		}
	}
	for _, f := range files {
		if len(f.hunks) == 0 {
			return nil, fmt.Errorf("no hunk for %s", f.path)
		}
	}
	if len(files) == 0 {
		return nil, errors.New("no changes in it")
	}
	return files, nil
}

// patchPath takes off the time stamp and the first element.
func patchPath(s string) (string, error) {
	s, _, _ = strings.Cut(s, "\t")
	if s == "/dev/null" {
		return "", errors.New("files can only be changed, not added or removed")
	}
	_, rest, ok := strings.Cut(s, "/")
	if !ok || !filepath.IsLocal(filepath.FromSlash(rest)) {
		return "", fmt.Errorf("path %q: want a/PATH and b/PATH, relative to the module root", s)
	}
	return rest, nil
}

// parseHunk reads the hunk at the beginning of lines and says how many it
// took.
func parseHunk(lines []string) (h hunk, used int, err error) {
	m := hunkHeader.FindStringSubmatch(lines[0])
	if m == nil {
		return h, 0, errors.New("malformed hunk header")
	}
	h.line, _ = strconv.Atoi(m[1])
	oldLeft, newLeft := 1, 1
	if m[2] != "" {
		oldLeft, _ = strconv.Atoi(m[2])
	}
	if m[3] != "" {
		newLeft, _ = strconv.Atoi(m[3])
	}
	var last []*[]string // which sides the previous line belongs to
	used = 1
	for oldLeft > 0 || newLeft > 0 || used < len(lines) && strings.HasPrefix(lines[used], `\`) {
		if used == len(lines) {
			return h, 0, errors.New("the hunk is shorter than its header says")
		}
		line := lines[used]
		used++
		if line == "\n" {
			line = " \n" // editors and mailers strip the blank of an empty line
		}
		switch line[0] {
		case ' ':
			last = []*[]string{&h.old, &h.new}
			oldLeft--
			newLeft--
		case '-':
			last = []*[]string{&h.old}
			oldLeft--
		case '+':
			last = []*[]string{&h.new}
			newLeft--
		case '\\': // No newline at end of file
			for _, side := range last {
				end := len(*side) - 1
				(*side)[end] = strings.TrimSuffix((*side)[end], "\n")
			}
			continue
		default:
			return h, 0, errors.New("the hunk is shorter than its header says")
		}
		for _, side := range last {
			*side = append(*side, line[1:])
		}
	}
	if oldLeft < 0 || newLeft < 0 {
		return h, 0, errors.New("the hunk is longer than its header says")
	}
	if len(h.old) == 0 {
		return h, 0, errors.New("a hunk without any old line has no place")
	}
	return h, used, nil
}

// apply changes a file's text. The old lines must stand where the hunk says;
// if the file has grown or shrunk above them they must stand in exactly one
// place.
func (f *filePatch) apply(text string) (string, error) {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var out []string
	done := 0 // lines before this one are in out
	for n, h := range f.hunks {
		at := h.line - 1
		if !linesAt(lines, at, h.old) || at < done {
			var places []int
			for i := done; i < len(lines); i++ {
				if linesAt(lines, i, h.old) {
					places = append(places, i)
				}
			}
			switch len(places) {
			case 1:
				at = places[0]
			case 0:
				return "", fmt.Errorf("hunk %d does not apply to %s: the lines at %d are others", n+1, f.path, h.line)
			default:
				return "", fmt.Errorf("hunk %d does not apply to %s: its lines stand in %d places, none of them %d",
					n+1, f.path, len(places), h.line)
			}
		}
		out = append(append(out, lines[done:at]...), h.new...)
		done = at + len(h.old)
	}
	return strings.Join(append(out, lines[done:]...), ""), nil
}

func linesAt(lines []string, at int, want []string) bool {
	return at >= 0 && at+len(want) <= len(lines) && slices.Equal(lines[at:at+len(want)], want)
}
