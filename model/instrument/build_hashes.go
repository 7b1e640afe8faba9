package instrument

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Package hash/maphash mixes keys into its hashes that are drawn when the process begins, which no
// execution can repeat. Its implementation for other compilers is plain Go, and has the keys in
// variables: a binary under check gets that, with fixed keys. Seeds are drawn by hook.Seeds; those
// that a zero Hash takes, and code that is not rewritten, are all the same.

const hashes = "hash/maphash"

// seedHashes adds to files, the new text by name, what does so where there is that package.
func (l *listing) seedHashes(files map[string][]byte) error {
	p := l.pkgs[hashes]
	if p == nil {
		return nil
	}
	dir := p.Dir
	plain := filepath.Join(dir, "maphash_purego.go")
	text, err := os.ReadFile(plain)
	if err != nil {
		return err
	}
	files[filepath.Join(dir, "maphash_runtime.go")] = []byte(withFixedKeys(string(text)))
	files[plain] = []byte("package maphash\n") // the other one is built with any tags
	return nil
}

var (
	pureOnly  = regexp.MustCompile(`(?m)^//go:build purego$`)
	drawsKeys = regexp.MustCompile(`(?s)func randUint64\(\) uint64 {\n.*?\n}\n`)
	usesRand  = regexp.MustCompile(`(?m)^\t"crypto/rand"$`)
)

// withFixedKeys returns the text of the plain implementation with numbers that are the same in
// every process: the first four are the keys, the last one is the seed of what has no other.
func withFixedKeys(text string) string {
	text = pureOnly.ReplaceAllString(text, "//")
	text = usesRand.ReplaceAllString(text, "")
	fixed := `func randUint64() uint64 {
	if drawn < 5 {
		drawn++
	}
	return drawn * 0x9e3779b97f4a7c15
}

var drawn uint64
`
	return drawsKeys.ReplaceAllString(text, strings.ReplaceAll(fixed, "$", "$$"))
}
