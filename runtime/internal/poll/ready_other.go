//go:build !unix || aix

package poll

// CanLook says whether Ready looks.
const CanLook = false

// Ready returns false: there is no way to look.
func Ready(uintptr, bool) bool { return false }
