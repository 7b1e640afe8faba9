package report

import (
	"go/scanner"
	"go/token"
	"strings"

	"github.com/surewake/surewake/model/wire"
)

// mostLines bounds the lines of a select statement that are looked at, and longestCase the text of
// a case that is shown.
const (
	mostLines   = 500
	longestCase = 60
)

const defaultCase = "default"

// casesOf returns the cases of the select statement that begins on a line of a file, or has its
// labels from there on, as the source writes them: "case v := <-c". Their order is that of
// wire.Step.Cases, default is last. There are none if the source is not known, or if it has several
// such statements there.
func casesOf(source func(string, int) string, file string, line int) []string {
	first := source(file, line)
	for n := 0; isLabel(first) || n > 0 && isBlank(first) && n < mostLines; n++ {
		line++
		first = source(file, line)
	}
	if selectsIn(first) != 1 {
		return nil
	}
	var b strings.Builder
	b.WriteString(first)
	for n := range mostLines {
		b.WriteString("\n" + source(file, line+1+n))
	}
	text := b.String()
	s := tokensOf(text)
	var cases []string
	depth, begin := 0, -1
	inside, hasDefault := false, false
	for {
		pos, tok, _ := s.Scan()
		at := int(pos) - 1
		switch tok {
		case token.EOF:
			return nil
		case token.SELECT:
			if !inside {
				inside, depth = true, 0
			}
		case token.LBRACE, token.LPAREN, token.LBRACK:
			depth++
		case token.RBRACE, token.RPAREN, token.RBRACK:
			if depth--; inside && depth == 0 {
				if hasDefault {
					cases = append(cases, defaultCase)
				}
				return cases
			}
		case token.CASE:
			if inside && depth == 1 {
				begin = at
			}
		case token.DEFAULT:
			hasDefault = hasDefault || inside && depth == 1
		case token.COLON:
			if depth == 1 && begin >= 0 {
				cases = append(cases, clean(text[begin:at]))
				begin = -1
			}
		}
	}
}

// isLabel reports whether a line has nothing but a label.
func isLabel(line string) bool {
	name, rest, found := strings.Cut(line, ":")
	return found && token.IsIdentifier(name) && isBlank(rest)
}

// isBlank reports whether a line has nothing but white space or a comment up to its end.
func isBlank(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "//")
}

// selectsIn counts the keywords in a line.
func selectsIn(line string) (n int) {
	s := tokensOf(line)
	for {
		switch _, tok, _ := s.Scan(); tok {
		case token.SELECT:
			n++
		case token.EOF:
			return n
		}
	}
}

// tokensOf scans text that need not be a whole file. Positions begin at 1.
func tokensOf(text string) *scanner.Scanner {
	s := new(scanner.Scanner)
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), func(token.Position, string) {}, 0)
	return s
}

// chosen is what a step of a select statement did.
type chosen struct {
	taken string   // the case, "" if it waits
	ready []string // others that it could have taken
}

// chosenBy reads Step.Cases. It reports false for a step of anything but a select statement of
// which the source is known.
func chosenBy(s *wire.Step, source func(string, int) string) (c chosen, ok bool) {
	if s.Cases == "" {
		return c, false
	}
	cases := casesOf(source, s.File, s.Line)
	if len(cases) != len(s.Cases) {
		return c, false
	}
	for i, letter := range s.Cases {
		switch letter {
		case wire.CaseTaken:
			c.taken = cases[i]
		case wire.CaseReady:
			c.ready = append(c.ready, middle(cases[i], longestCase))
		}
	}
	return c, true
}

// channel returns what the case that was taken calls its channel, as operand does.
func (c *chosen) channel() string {
	text, ok := strings.CutPrefix(c.taken, "case ")
	if !ok {
		return ""
	}
	before, _, _ := strings.Cut(text, "<-")
	if before = strings.TrimSpace(before); before == "" || strings.HasSuffix(before, "=") {
		return operand(wire.OpReceive, text)
	}
	return operand(wire.OpSend, text)
}

// say puts that into the step. The channel is left out if it is called what the case calls it.
func (c *chosen) say(s *wire.Step) {
	also := "also ready: "
	if c.taken == "" {
		also = "ready: "
		s.Op += " waits"
	} else {
		s.Op += ": " + middle(c.taken, longestCase)
	}
	if len(c.ready) > 0 {
		s.Note = also + strings.Join(c.ready, ", ")
	}
	if s.Object == c.channel() {
		s.Object = ""
	}
}

// waitsForAny says for which cases of a select statement a goroutine waits, and for which it does
// not because their channels are nil.
func waitsForAny(b *wire.Blocked, source func(string, int) string) {
	cases := casesOf(source, b.File, b.Line)
	if b.Cases == "" || len(cases) != len(b.Cases) {
		return
	}
	var waits, never []string
	for i, letter := range b.Cases {
		if text := middle(cases[i], longestCase); letter == wire.CaseNil {
			never = append(never, text)
		} else {
			waits = append(waits, text)
		}
	}
	b.Object, b.Note = "", strings.Join(waits, ", ")
	if len(never) > 0 {
		b.Note = strings.TrimPrefix(b.Note+"; nil: ", "; ") + strings.Join(never, ", ")
	}
}
