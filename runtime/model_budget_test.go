//go:build !deep

package runtime

// mostExecutions is after how many executions a check within a bound on preemptions is cut short.
// With the build tag deep, that completes all such checks but one.
const mostExecutions = 20_000
