package t

import "testing"

type reporter interface{ Logf(string, ...any) }

func report[R reporter](r R) {
	r.Logf("a")
	logf := r.Logf
	logf("b")
}

func TestReporters(t *testing.T) {
	report(t)
	(*testing.T).Logf(t, "%d", 1)
	run := (*testing.T).Run
	run(t, "sub", func(*testing.T) {})
}
