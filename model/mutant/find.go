package mutant

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A File is a mutant's file.
type File struct {
	ID string // the file's name without .mutant
	// Home is the directory of the package in whose testdata/mutants it is, with slashes and
	// relative to the root.
	Home string
	Path string
	More bool // it is in testdata/mutants/more: a further example of a bug
}

// In returns the mutants of a package, by its directory: those of testdata/mutants, then those of
// testdata/mutants/more. home is that directory as File.Home gives it.
func In(dir, home string) ([]File, error) {
	var files []File
	for _, sub := range []string{"", "more"} {
		folder := filepath.Join(dir, "testdata", "mutants", sub)
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if id, ok := strings.CutSuffix(e.Name(), ".mutant"); ok {
				file := filepath.Join(folder, e.Name())
				files = append(files, File{ID: id, Home: home, Path: file, More: sub != ""})
			}
		}
	}
	return files, nil
}

// Find returns the mutants of all packages of the module in a directory, in the order of their
// homes.
func Find(root string) ([]File, error) {
	var files []File
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if dir != root {
			_, err := os.Stat(filepath.Join(dir, "go.mod"))
			if err == nil || strings.ContainsRune("._", rune(d.Name()[0])) {
				return filepath.SkipDir // another module, or none
			}
		}
		if d.Name() != "testdata" {
			return nil
		}
		home, err := filepath.Rel(root, filepath.Dir(dir))
		if err != nil {
			return err
		}
		in, err := In(filepath.Dir(dir), filepath.ToSlash(home))
		if err != nil {
			return err
		}
		files = append(files, in...)
		return fs.SkipDir
	})
	slices.SortStableFunc(files, func(a, b File) int { return cmp.Compare(a.Home, b.Home) })
	return files, err
}

// Name returns the id with the home's path before it.
func (f File) Name() string { return path.Join(f.Home, f.ID) }

// Read parses the file.
func (f File) Read() (*Mutant, error) {
	text, err := os.ReadFile(f.Path)
	if err != nil {
		return nil, err
	}
	return Parse(text)
}
