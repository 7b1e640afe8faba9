//go:build !race || !counted

package serve_test

const race = false

func raceErrors() int { return 0 }
