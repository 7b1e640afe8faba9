package instrument

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// checksOf returns the checks of a listed package.
func (s *Set) checksOf(pkg string) []string {
	for _, p := range s.Packages {
		if p.Path == pkg {
			return p.Checks
		}
	}
	return nil
}

// inModuleCache reports whether the package lies where the go command allows
// no overlay.
func (s *Set) inModuleCache(p *listed) bool {
	rel, err := filepath.Rel(s.goenv["GOMODCACHE"], p.Dir)
	return p.Module != nil && err == nil && filepath.IsLocal(rel)
}

// writeCopy stores a text under a name that is made of its contents: equal
// text has the same name in every run, and is never written twice.
func (s *Set) writeCopy(kind, base string, text []byte) (string, error) {
	sum := sha256.Sum256(append([]byte(base+"\n"), text...))
	dir := filepath.Join(s.cache, kind, hex.EncodeToString(sum[:nameBytes]))
	name := filepath.Join(dir, base)
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, text) {
		used(dir)
		return name, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	return name, writeFile(name, text)
}

// writeFile replaces a file at once, as another process may be reading it.
func writeFile(name string, text []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), unfinished+"*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(text)
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(tmp.Name()))
	}
	return err
}

func (s *Set) writeOverlay(files map[string]string) (string, error) {
	text, err := json.MarshalIndent(map[string]any{"Replace": files}, "", "\t")
	if err != nil {
		return "", err
	}
	return s.writeCopy("overlay", "overlay.json", text)
}

// A copiedModule is a module of the module cache of which some package is
// rewritten.
type copiedModule struct {
	module *module
	edited bool
	pkgs   []copiedPackage
}

type copiedPackage struct {
	meta  *listed
	files map[string][]byte
}

// copyModules copies the modules that need it, and writes a go.mod that names
// the copies.
func (s *Set) copyModules(
	ctx context.Context, p *plan, l *listing, root *listed, closure []*listed,
	copies map[string]*copiedModule,
) error {
	var edits []string
	for _, path := range sortedKeys(copies) {
		m := copies[path]
		if !m.edited {
			continue
		}
		dir, err := s.copyModule(ctx, m, l.withEngine(s.enginePath(), closure))
		if err != nil {
			return err
		}
		edits = append(edits,
			"-dropreplace="+path,
			"-dropreplace="+path+"@"+m.module.Version,
			"-replace="+path+"="+dir)
		for _, q := range m.pkgs {
			p.registered = append(p.registered, q.meta.ImportPath)
		}
	}
	if edits == nil {
		return nil
	}
	p.dir = root.Module.Dir
	var err error
	p.modfile, err = s.writeModfile(ctx, l, root.Module, edits)
	return err
}

// copyModule copies the packages of the module that the binary needs.
func (s *Set) copyModule(ctx context.Context, m *copiedModule, closure []*listed) (string, error) {
	files := make(map[string][]byte) // relative name -> text
	src := m.module
	if src.Dir == "" && src.Replace != nil {
		src = src.Replace
	}
	gomod, err := os.ReadFile(src.GoMod)
	if err != nil {
		return "", err
	}
	files["go.mod"], err = s.editGoMod(ctx, gomod, languageEdit(m.module.GoVersion))
	if err != nil {
		return "", err
	}
	for _, q := range closure {
		if q.Module == nil || q.Module.Path != m.module.Path {
			continue
		}
		// Whole directories: what is compiled beside Go files is not listed
		// in full.
		entries, err := os.ReadDir(q.Dir)
		if err != nil {
			return "", err
		}
		names := append([]string(nil), q.EmbedFiles...)
		for _, e := range entries {
			if e.Type().IsRegular() && !strings.HasSuffix(e.Name(), "_test.go") {
				names = append(names, e.Name())
			}
		}
		for _, name := range names {
			rel, err := filepath.Rel(src.Dir, filepath.Join(q.Dir, name))
			if err != nil {
				return "", err
			}
			if rel == "go.mod" {
				continue
			}
			if files[rel], err = s.text(filepath.Join(q.Dir, name)); err != nil {
				return "", err
			}
		}
	}
	for _, q := range m.pkgs {
		for name, text := range q.files {
			rel, err := filepath.Rel(src.Dir, name)
			if err != nil {
				return "", err
			}
			if !bytes.HasPrefix(text, []byte("\uFEFF")) { // which must come first
				// Stacks and pictures name and show the original.
				text = append([]byte("//line "+name+":1\n"), text...)
			}
			files[rel] = text
		}
	}
	return s.writeTree("modules", files)
}

// writeTree stores files under a directory whose name is made of their
// contents.
func (s *Set) writeTree(kind string, files map[string][]byte) (string, error) {
	h := sha256.New()
	for _, name := range sortedKeys(files) {
		fmt.Fprintf(h, "%s %x\n", name, sha256.Sum256(files[name]))
	}
	dir := filepath.Join(s.cache, kind, hex.EncodeToString(h.Sum(nil)[:nameBytes]))
	if _, err := os.Stat(dir); err == nil {
		used(dir)
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), unfinished+"*")
	if err != nil {
		return "", err
	}
	for name, text := range files {
		name = filepath.Join(tmp, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return "", err
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			return "", err
		}
	}
	// Another process may have been faster; its tree is the same.
	if err := os.Rename(tmp, dir); err != nil {
		rm := os.RemoveAll(tmp)
		if _, stat := os.Stat(dir); stat != nil {
			return "", errors.Join(err, rm)
		}
	}
	return dir, nil
}
