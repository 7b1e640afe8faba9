//go:build !race

package runtime_test

import "math"

// mostAtOnce is how many goroutines a test of very many has at once: as many as it likes.
const mostAtOnce = math.MaxInt
