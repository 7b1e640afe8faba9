//go:build !deep

package runtime

// mostExecutions is after how many executions a check within a bound on preemptions is cut short,
// and mostInPart after how many where far more than that would be needed. With those of the build
// tag deep, all of them complete but one.
const (
	mostExecutions = 20_000
	mostInPart     = 5_000
)
