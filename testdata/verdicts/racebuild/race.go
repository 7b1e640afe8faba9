//go:build race

package racebuild

import (
	"runtime"
	"unsafe"
)

const underRace = true

func handOver(p *int) { runtime.RaceReleaseMerge(unsafe.Pointer(p)) }

func takeOver(p *int) { runtime.RaceAcquire(unsafe.Pointer(p)) }

func hide() { runtime.RaceDisable() }

func errors() int { return runtime.RaceErrors() }
