package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// width counts the columns of a text without wide characters.
func width(s string) int { return utf8.RuneCountInString(s) }

// pad fills s with spaces up to w columns.
func pad(s string, w int) string { return s + strings.Repeat(" ", max(0, w-width(s))) }

// left is pad with the spaces before s.
func left(s string, w int) string { return strings.Repeat(" ", max(0, w-width(s))) + s }

// middle shortens s to w columns by leaving out its middle.
func middle(s string, w int) string {
	if width(s) <= w {
		return s
	}
	if w <= 0 {
		return ""
	}
	r := []rune(s)
	head := w / 2
	tail := w - head - 1
	return string(r[:head]) + "…" + string(r[len(r)-tail:])
}

// end shortens s to w columns by leaving out its end.
func end(s string, w int) string {
	if width(s) <= w {
		return s
	}
	if w <= 0 {
		return ""
	}
	return string([]rune(s)[:w-1]) + "…"
}

// wrap breaks s at spaces into lines of at most w columns, except for words that are longer. An
// arrow stays with what it points to.
func wrap(s string, w int) []string {
	const glue = "\x00" // nothing unprintable comes in here, see clean
	s = strings.ReplaceAll(s, "→ ", "→"+glue)
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		word = strings.ReplaceAll(word, glue, " ")
		switch {
		case line == "":
			line = word
		case width(line)+1+width(word) <= w:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// code returns a source line without what opens its block and without its comment.
func code(s string) string {
	s = clean(s)
	if i := strings.Index(s, "//"); i > 0 && !strings.ContainsAny(s[:i], "\"`'") {
		s = s[:i]
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), "{"))
}

// dashes puts s in the middle of a dashed line of w columns.
func dashes(s string, w int) string {
	s = middle(s, w)
	before := (w - width(s)) / 2
	return strings.Repeat("╌", before) + s + strings.Repeat("╌", w-width(s)-before)
}

// arrows makes the arrow of a value one character.
func arrows(s string) string { return strings.ReplaceAll(s, "->", "→") }

// clean keeps a text on its line: every run of spaces and unprintable characters becomes one space.
func clean(s string) string {
	plain := func(r rune) bool { return r != ' ' && unicode.IsPrint(r) }
	for i, r := range s {
		if !plain(r) && (r != ' ' || i == 0 || i == len(s)-1 || s[i-1] == ' ') {
			return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return !plain(r) }), " ")
		}
	}
	return s
}
