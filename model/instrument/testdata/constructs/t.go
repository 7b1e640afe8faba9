// Package t holds the constructs that the rewriter must get right.
package t

import "fmt"

// T is what eq needs of a test.
type T interface {
	Helper()
	Errorf(string, ...any)
}

func eq[V any](t T, got, want V) {
	t.Helper()
	if fmt.Sprintf("%T %v", got, got) != fmt.Sprintf("%T %v", want, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
