// Package other has functions that get a test handed.
package other

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Reporter is what some packages know of a test.
type Reporter interface {
	Errorf(format string, args ...any)
}

// Check reports through the *testing.T.
func Check(t *testing.T, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("other: got %d, want %d", got, want)
	}
}

// Require reports through an interface.
func Require(tb testing.TB, got, want int) {
	tb.Helper()
	require.Equal(tb, want, got, "other")
}

// Report reports through an interface of its own.
func Report(r Reporter, got, want int) {
	if got != want {
		r.Errorf("reported: got %d, want %d", got, want)
	}
}

// Generic reports through a type parameter.
func Generic[T testing.TB](t T, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("generic: got %d, want %d", got, want)
	}
	require.Equal(t, want, got)
}
