package refine

// An interner numbers texts.
type interner struct {
	numbers map[string]int
	all     []string
}

func (t *interner) number(text []byte) int {
	if n, ok := t.numbers[string(text)]; ok {
		return n
	}
	if t.numbers == nil {
		t.numbers = map[string]int{}
	}
	n := len(t.all)
	t.all = append(t.all, string(text))
	t.numbers[t.all[n]] = n
	return n
}

func (t *interner) at(n int) string { return t.all[n] }
