package instrument

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// For the race detector a Put to a sync.Pool comes before the Get that returns what was put. The
// pools of code that is not rewritten are used behind the checker's back: encoding/json, log/slog
// and regexp have some. Which of two calls gets what the other has put is then for the processors
// to decide, and where one does, it hides a race between what the calls call back. In a binary for
// the race detector, a Put drops what it is given, as it may: every call makes its own.
//
// The pools of rewritten code are not concerned: the checker has its own for them.

// dropPools adds to files, the new text by name, what does so where there is package sync.
func (l *listing) dropPools(files map[string][]byte) error {
	p := l.pkgs["sync"]
	if p == nil {
		return nil
	}
	name := filepath.Join(p.Dir, "pool.go")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	dropping, err := withoutPut(string(text))
	if err != nil {
		return err
	}
	files[name] = []byte(dropping)
	return nil
}

// withoutPut returns the text of pool.go with a Put that does nothing under the race detector.
func withoutPut(text string) (string, error) {
	const put = "func (p *Pool) Put(x any) {\n"
	before, after, ok := strings.Cut(text, put)
	if !ok {
		return "", errors.New("package sync has no method Put of Pool as it is known; " +
			"this release of Go is not supported")
	}
	return before + put + "\tif race.Enabled {\n\t\treturn\n\t}\n" + after, nil
}
