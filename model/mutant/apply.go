package mutant

import (
	"fmt"
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Apply returns the text of each file that the mutant edits, by its path, with the edits made. read
// returns the text of a file. All edits are of the text as it was: none sees what another has put
// in.
//
// A declaration is
//   - in Go, a function F, a method T.M, a type, a variable or a constant with its whole group,
//     "import" or "package"; comments do not count, neither there nor in the text to find;
//   - in Coq (.v), what Lemma, Theorem, Definition, Inductive and the like give a name to;
//   - in Promela (.pml), a proctype, an inline, init, a macro, or the case of an #if by its
//     condition, such as TEST == 3;
//   - in the text of transition tables, which begins with "table NAME", a table, or one of its
//     rules as TABLE.RULE.
func (m *Mutant) Apply(read func(file string) ([]byte, error)) (map[string][]byte, error) {
	files := map[string][]byte{}
	spans := map[string][]span{}
	for _, e := range m.Edits {
		text, seen := files[e.File]
		if !seen {
			var err error
			if text, err = read(e.File); err != nil {
				return nil, fmt.Errorf("line %d: %w", e.Line, err)
			}
			files[e.File] = text
		}
		s, err := e.find(string(text))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", e.Line, err)
		}
		spans[e.File] = append(spans[e.File], s)
	}
	for file, all := range spans {
		slices.SortFunc(all, func(a, b span) int { return a.start - b.start })
		var out strings.Builder
		done := 0
		for _, s := range all {
			if s.start < done {
				return nil, fmt.Errorf("%s: two edits change the same text: %q", file, s.put)
			}
			out.WriteString(string(files[file][done:s.start]))
			out.WriteString(s.put)
			done = s.end
		}
		out.WriteString(string(files[file][done:]))
		files[file] = []byte(out.String())
	}
	return files, nil
}

// A span is a part of a file, and what is put in its place.
type span struct {
	start, end int
	put        string
}

// find returns where the edit's text is, and the new text as it is put there.
func (e *Edit) find(text string) (span, error) {
	from, to, err := declaration(e.File, text, e.Decl)
	if err != nil {
		return span{}, err
	}
	code, old := text, e.Old
	if path.Ext(e.File) == ".go" {
		code = withoutComments(text)
		if bare := withoutComments(old); strings.TrimSpace(bare) != "" {
			old = bare
		} else {
			code = text // a comment is looked for
		}
	}
	found := occurrences(code[from:to], old)
	switch len(found) {
	case 1:
	case 0:
		return span{}, fmt.Errorf("%s: %s has no\n%s\n%s",
			e.File, e.Decl, indented(e.Old), e.nearest(code, from, to, old))
	default:
		return span{}, fmt.Errorf("%s: %s has %d times what should be there once:\n%s",
			e.File, e.Decl, len(found), indented(e.Old))
	}
	start, end := from+found[0][0], from+found[0][1]
	lineStart := strings.LastIndexByte(text[:start], '\n') + 1
	lineEnd := len(text)
	if n := strings.IndexByte(text[end:], '\n'); n >= 0 {
		lineEnd = end + n
	}
	indent := text[lineStart:start]
	if strings.TrimSpace(indent) != "" || strings.TrimSpace(code[end:lineEnd]) != "" {
		return span{start, end, strings.TrimSpace(e.New)}, nil // a part of a line
	}
	if strings.TrimSpace(e.New) == "" {
		return span{lineStart, min(lineEnd+1, len(text)), ""}, nil
	}
	return span{start, end, reindented(e.Old, e.New, indent)}, nil
}

// withoutComments returns Go text, or a fragment of it, with blanks in place of its comments.
func withoutComments(text string) string {
	blank := []byte(text)
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	ignore := func(token.Position, string) {} // a fragment has errors
	s.Init(file, blank, ignore, scanner.ScanComments)
	for {
		pos, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return string(blank)
		case token.COMMENT:
			for i := range literal {
				if at := file.Offset(pos) + i; blank[at] != '\n' {
					blank[at] = ' '
				}
			}
		}
	}
}

// reindented returns the lines of text with another indentation: that of old's first line becomes
// indent.
func reindented(old, text, indent string) string {
	had := old[:len(old)-len(strings.TrimLeft(old, " \t"))]
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = indent + strings.TrimPrefix(line, had)
	}
	return strings.TrimPrefix(strings.Join(lines, "\n"), indent)
}

// occurrences returns where text has the words of want one after the other, whatever the white
// space between them is. A name or number at either end of want is no part of a longer one.
func occurrences(text, want string) [][]int {
	words := strings.Fields(want)
	for i, w := range words {
		words[i] = regexp.QuoteMeta(w)
	}
	pattern := regexp.MustCompile(strings.Join(words, `\s+`))
	var all [][]int
	for at := 0; at < len(text); {
		m := pattern.FindStringIndex(text[at:])
		if m == nil {
			break
		}
		start, end := at+m[0], at+m[1]
		if !joined(text, start) && !joined(text, end) {
			all = append(all, []int{start, end})
		}
		at = start + 1
	}
	return all
}

// joined reports whether a name or number goes on across a position.
func joined(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	return inName(before) && inName(after)
}

func inName(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func indented(text string) string {
	return "\t" + strings.ReplaceAll(text, "\n", "\n\t")
}

// nearest says which line between two positions is most like the first line of want that is not
// there. A table is printed to be edited, and its lines are in no file: they have no number.
func (e *Edit) nearest(text string, from, to int, want string) string {
	missing := want
	for _, line := range strings.Split(want, "\n") {
		if strings.TrimSpace(line) != "" && len(occurrences(text[from:to], line)) == 0 {
			missing = line
			break
		}
	}
	words := tokens.FindAllString(missing, -1)
	best, most, number := "", 0, strings.Count(text[:from], "\n")
	for _, line := range strings.Split(text[from:to], "\n") {
		number++
		common, other := 0, 0
		for _, w := range tokens.FindAllString(line, -1) {
			if weight := 1 + 2*min(1, len(w)/2); slices.Contains(words, w) {
				common += weight
			} else {
				other += weight
			}
		}
		if likeness := common - other; common > 0 && (best == "" || likeness > most) {
			most = likeness
			where := fmt.Sprintf("%s:%d", e.File, number)
			if strings.HasPrefix(text, "table ") {
				where = "this line of " + e.Decl
			}
			best = fmt.Sprintf("nearest is %s\n%s", where, indented(strings.TrimSpace(line)))
		}
	}
	if best == "" {
		return "and nothing like it"
	}
	return best
}

var tokens = regexp.MustCompile(`\w+|[^\w\s]`)
