//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package driver

import (
	"errors"
	"os"
)

func tryLock(f *os.File) error {
	return &os.PathError{Op: "lock", Path: f.Name(), Err: errors.ErrUnsupported}
}
