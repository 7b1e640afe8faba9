package wire

import "strings"

// ShortFunc turns "github.com/a/deque.(*Deque[...]).Push.func1" into "Deque.Push.func1".
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
	return strings.NewReplacer("(*", "", "(", "", ")", "").Replace(rest)
}
