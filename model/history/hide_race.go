//go:build race

package history

import "runtime"

// hide and show keep the recorder's own lock from the race detector.

func hide() { runtime.RaceDisable() }
func show() { runtime.RaceEnable() }
