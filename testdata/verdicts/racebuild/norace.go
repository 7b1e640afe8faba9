//go:build !race

package racebuild

const underRace = false

func handOver(*int) {}

func takeOver(*int) {}

func hide() {}

func errors() int { return 0 }
