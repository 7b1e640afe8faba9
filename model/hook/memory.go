package hook

// Clear is the builtin for slices, one element at a time. It is compiled as part of the calling
// package, so that the race detector sees the writes.
//
//go:noinline
func Clear[S ~[]E, E any](s S) {
	for i := range s {
		s[i] = *new(E)
	}
}

// Made returns s, which keeps the compiler from turning append(s, make([]T, n)...) into one step.
//
//go:norace
//go:noinline
func Made[S ~[]E, E any](s S) S { return s }
