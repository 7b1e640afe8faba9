package instrument

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The cache has a folder for each kind of copy, and in it a folder for each text or tree, whose
// time of modification tells when it was last used. As in the go command's own cache, one that
// nobody has used for some days is removed, at most once a day. What a process uses was used just
// before, so that no other one removes it.
const (
	usedWithin  = time.Hour // a time of last use that is younger is not written again
	keptFor     = 5 * 24 * time.Hour
	prunedEvery = 24 * time.Hour
	prunedMark  = "pruned.txt" // its time of modification tells when that was

	nameBytes  = 12     // of the hash that names a copy
	unfinished = ".tmp" // begins the name of a copy that is being made
)

// used notes that a folder of the cache is in use. A cache that does not let its times be changed
// loses a copy too early, which is then made again.
func used(dir string) {
	now := time.Now()
	if info, err := os.Stat(dir); err == nil && now.Sub(info.ModTime()) > usedWithin {
		_ = os.Chtimes(dir, now, now)
	}
}

// prune removes from the cache what nobody has used for keptFor, if that was not done for
// prunedEvery. Nothing depends on it, so what cannot be removed stays.
func prune(cache string, now time.Time) {
	mark := filepath.Join(cache, prunedMark)
	info, err := os.Stat(mark)
	if err == nil && now.Sub(info.ModTime()).Abs() < prunedEvery {
		return
	}
	if os.WriteFile(mark, []byte("Copies that nobody uses were removed.\n"), 0o666) != nil ||
		os.Chtimes(mark, now, now) != nil {
		return
	}
	kinds, _ := os.ReadDir(cache)
	for _, kind := range kinds {
		dirs, _ := os.ReadDir(filepath.Join(cache, kind.Name()))
		for _, dir := range dirs {
			info, err := dir.Info()
			if err != nil || !dir.IsDir() || !isCopy(dir.Name()) {
				continue
			}
			if now.Sub(info.ModTime()) > keptFor {
				_ = os.RemoveAll(filepath.Join(cache, kind.Name(), dir.Name()))
			}
		}
	}
}

// isCopy reports whether a folder has the name of a copy, or of one that was never finished.
func isCopy(name string) bool {
	sum, err := hex.DecodeString(name)
	return err == nil && len(sum) == nameBytes || strings.HasPrefix(name, unfinished)
}
