//go:build !race

package skipped

const underRace = false
