package wire

import (
	"strings"
	"unicode"
)

// ShortFunc turns "github.com/a/deque.(*Deque[...]).Push.func1" into "Deque.Push.func1". What an
// init function has become, sw_init7, is init.
func ShortFunc(name string) string {
	// The brackets of an instance may hold paths of their own.
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		default:
			if depth == 0 {
				b.WriteRune(r)
			}
		}
	}
	s := b.String()
	s = s[strings.LastIndexByte(s, '/')+1:]
	_, rest, ok := strings.Cut(s, ".")
	if !ok {
		rest = s
	}
	return asInit(strings.NewReplacer("(*", "", "(", "", ")", "").Replace(rest))
}

// asInit gives an init function, or what is declared in one, its name in the source: the prefix of
// the rewritten names is sw_, or has a number if a package has such names itself.
func asInit(name string) string {
	first, rest, _ := strings.Cut(name, ".")
	prefix, number, ok := strings.Cut(first, "_init")
	digits := func(s string) bool {
		return strings.TrimLeftFunc(s, unicode.IsDigit) == ""
	}
	if of, isOurs := strings.CutPrefix(prefix, "sw"); !ok || !isOurs || number == "" ||
		!digits(number) || !digits(of) {
		return name
	}
	return strings.TrimSuffix("init."+rest, ".")
}
