//go:build amd64 || arm64

package atomic

// goroutine returns a number of the calling goroutine: no other that lives has it.
func goroutine() uint64
