//go:build race

package skipped

const underRace = true
