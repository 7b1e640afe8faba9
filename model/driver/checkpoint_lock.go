package driver

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
)

// errLocked says that another command has the lock.
var errLocked = errors.New("another command writes to it: " +
	"wait until it has ended, or give this one another file")

// A fileLock is held by one command at most. The system gives it back when the process ends in
// whatever way; the file stays then, and says nothing.
type fileLock struct{ file *os.File }

// lockFile takes the lock of that name, or returns errLocked.
func lockFile(name string) (*fileLock, error) {
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		has, err := lockOpened(f)
		switch {
		case err != nil:
			return nil, errors.Join(err, f.Close())
		case has:
			return &fileLock{f}, nil
		}
		_ = f.Close()
	}
}

// lockOpened locks f. It reports whether f still has its name: a holder that ends removes its file,
// and who has opened it before that must not take it for that of the next one.
func lockOpened(f *os.File) (bool, error) {
	if err := tryLock(f); err != nil {
		return false, err
	}
	held, err := f.Stat()
	if err != nil {
		return false, err
	}
	now, err := os.Stat(f.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(held, now), err
}

// release gives the lock back, if l is not nil.
func (l *fileLock) release() {
	if l == nil {
		return
	}
	_ = os.Remove(l.file.Name())
	_ = l.file.Close()
	if runtime.GOOS == "windows" { // where no file is removed that somebody has open
		_ = os.Remove(l.file.Name())
	}
}
