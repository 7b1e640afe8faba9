//go:build race && counted

package serve_test

import "runtime"

const race = true

func raceErrors() int { return runtime.RaceErrors() }
