//go:build !deep

package runtime

// mostExecutions is after how many executions a check within a bound on preemptions is cut short.
// With that of the build tag deep, all of them complete but one.
const mostExecutions = 20_000
