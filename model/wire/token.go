package wire

import (
	"fmt"
	"strings"
	"unicode"
)

// Token names one execution of one check of one state of the source: PACKAGE:CHECK:SOURCE:SCHEDULE,
// for example deque:TestStealOne:1f3a9c2e:3b2a.
type Token struct {
	Package  string // relative to the module's root, "." for the root itself; or an import path
	Check    string // name of the test, with its subtest if any; may contain colons
	Source   string // 8 hexadecimal digits: hash of the source that was checked
	Schedule string // from EncodeSchedule, and TimePasses
	Passing  bool   // it is what Row.Passing names: its execution passes where another one fails
}

// passing marks the schedule of a Passing token.
const passing = ","

// String returns the token as text, without spaces.
func (t Token) String() string {
	schedule := t.Schedule
	if t.Passing {
		schedule = passing + schedule
	}
	return t.Package + ":" + t.Check + ":" + t.Source + ":" + schedule
}

const tokenForm = "PACKAGE:CHECK:SOURCE:SCHEDULE, like deque:TestStealOne:1f3a9c2e:3b2a"

// ParseToken is the inverse of Token.String. Its error says which part is wrong.
func ParseToken(s string) (Token, error) {
	fail := func(format string, args ...any) (Token, error) {
		return Token{}, fmt.Errorf("token %q: "+format, append([]any{s}, args...)...)
	}
	if s == "" {
		return Token{}, fmt.Errorf("empty token: a token is %s", tokenForm)
	}
	if i := strings.IndexFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == unicode.ReplacementChar
	}); i >= 0 {
		return fail("a space or unprintable character after %q", s[:i])
	}
	// The check is what lies between the first colon and the last two: a subtest's name may contain
	// some.
	first, schedule := strings.IndexByte(s, ':'), strings.LastIndexByte(s, ':')
	source := -1
	if schedule > 0 {
		source = strings.LastIndexByte(s[:schedule], ':')
	}
	if source <= first {
		return fail("%d parts instead of 4: a token is %s", strings.Count(s, ":")+1, tokenForm)
	}
	t := Token{Package: s[:first], Check: s[first+1 : source], Source: s[source+1 : schedule]}
	t.Schedule, t.Passing = strings.CutPrefix(s[schedule+1:], passing)
	switch {
	case t.Package == "":
		return fail("no package before the first colon (the module's root is .)")
	case t.Check == "":
		return fail("no check after the package %q", t.Package)
	case !isSource(t.Source):
		return fail("source %q is not 8 hexadecimal digits, 0-9 and a-f", t.Source)
	}
	text, _ := CutMapOrders(t.Schedule)
	text, _ = CutTimePasses(text)
	if _, err := DecodeSchedule(text); err != nil {
		return fail("%w", err)
	}
	return t, nil
}

func isSource(s string) bool {
	if len(s) != 8 {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
