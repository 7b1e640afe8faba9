package hook

// A Mark is 1 once the block of statements that it belongs to has run.
type Mark uint8

var marks = map[string][]Mark{}

// Cover gives the marks of a file, one for each of its blocks. Files do so when their packages are
// initialized.
//
//go:norace
//go:noinline
func Cover(file string, of []Mark) bool {
	marks[file] = of
	return true
}

// ResetMarks takes all marks away.
//
//go:norace
//go:noinline
func ResetMarks() {
	for _, of := range marks {
		clear(of)
	}
}

// AddMarks marks what another process has marked.
//
//go:norace
//go:noinline
func AddMarks(all map[string][]byte) {
	for file, reached := range all {
		for i, m := range reached {
			if of := marks[file]; i < len(of) {
				of[i] |= Mark(m)
			}
		}
	}
}

// Marks returns copies of the marks, by file; none if nothing is marked in this binary.
//
//go:norace
//go:noinline
func Marks() map[string][]byte {
	if len(marks) == 0 {
		return nil
	}
	copied := make(map[string][]byte, len(marks))
	for file, of := range marks {
		b := make([]byte, len(of))
		for i, m := range of {
			b[i] = byte(m)
		}
		copied[file] = b
	}
	return copied
}
