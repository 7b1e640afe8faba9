//go:build deep

package runtime

const mostExecutions = 1_000_000
