package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
)

const modulePath = "github.com/surewake/surewake"

// replayCommand is a line that can be pasted into the shell this was started
// from.
func (c *call) replayCommand(token string) string {
	words := append(self(os.Args[0]), "replay")
	if c.opts.Dir != "" {
		words = append(words, "-C", c.opts.Dir)
	}
	if c.opts.Tags != "" {
		words = append(words, "-tags", c.opts.Tags)
	}
	words = append(words, token)
	for i, w := range words {
		words[i] = quoted(w)
	}
	return strings.Join(words, " ")
}

// self returns the words that start this command again, in the way it was started.
// The go command runs what it built from a temporary directory or from its
// cache, which no user can type.
func self(arg0 string) []string {
	dir := filepath.ToSlash(filepath.Dir(arg0))
	cache := filepath.ToSlash(os.Getenv("GOCACHE"))
	if !strings.Contains(dir, "/go-build") && (cache == "" || !strings.HasPrefix(dir, cache)) {
		return []string{arg0}
	}
	gomod, here := enclosingGoMod("")
	switch {
	case ourModule.Match(gomod) && here:
		return []string{"go", "run", "."}
	case ourModule.Match(gomod):
		return []string{"go", "run", modulePath}
	case toolLine.Match(gomod):
		return []string{"go", "tool", "surewake"}
	}
	version := ""
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		version = "@" + info.Main.Version
	}
	return []string{"go", "run", modulePath + version}
}

var (
	ourModule = regexp.MustCompile(`(?m)^module ` + regexp.QuoteMeta(modulePath) + `\s*$`)
	// In every other block of a go.mod file a version follows the path.
	toolLine = regexp.MustCompile(
		`(?m)^(tool)?\s+"?` + regexp.QuoteMeta(modulePath) + `"?\s*(//.*)?$`)
)

// enclosingGoMod reads the go.mod file of the module around dir, nil without one, and says whether
// it lies in dir.
func enclosingGoMod(dir string) (text []byte, here bool) {
	dir, err := filepath.Abs(dir)
	for here = true; err == nil; here = false {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			return text, here
		}
		if filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	return nil, false
}

var plainWord = regexp.MustCompile(`^[\w@%+=:,./#-]+$`)

// quoted protects a word from the shell.
func quoted(word string) string {
	if plainWord.MatchString(word) && !strings.HasPrefix(word, "#") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
