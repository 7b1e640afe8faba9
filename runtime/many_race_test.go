//go:build race

package runtime_test

// mostAtOnce is how many goroutines a test of very many has at once. For each that lives at the
// same time as others the race detector keeps some 130 KiB and more of what it did, until the
// process ends.
const mostAtOnce = 4_000
