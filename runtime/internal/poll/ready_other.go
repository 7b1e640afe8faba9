//go:build !unix || aix

package poll

// CanLook says whether Ready can tell.
const CanLook = false

// Ready returns false: this platform has no way to tell.
func Ready(uintptr, bool) bool { return false }
