//go:build !race

package serve_test

const race = false

func raceErrors() int { return 0 }
