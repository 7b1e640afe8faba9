package instrument

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"go/version"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

// Ordinary tests need nothing of the checker, and so their module need not require its module. What
// their rewritten text imports is then put beside it by a workspace, in the cache: of the modules
// that are the main ones anyway, and of a copy of the packages that explore. The copy requires
// nothing but what these import, so that the versions of the modules under check stay what they
// are. Nothing is written into the tree.

// needsAdoption reports whether listing failed because the packages that explore, or what they
// import, are not to be had.
func (s *Set) needsAdoption(ctx context.Context, err error) bool {
	var build *BuildError
	mod, work := s.goenv["GOMOD"], s.goenv["GOWORK"]
	inModule := mod != "" && mod != os.DevNull || work != "" && work != "off"
	if !s.cfg.Tests || s.adopted || !inModule || !errors.As(err, &build) {
		return false
	}
	// The message may be about something that the go command tried on the way.
	_, err = s.goCmd(ctx, "list", "-deps", "-f", "{{.ImportPath}}", modelPath)
	return errors.As(err, &build)
}

// adopt makes that workspace the one of all go commands from here on.
func (s *Set) adopt(ctx context.Context) error {
	s.adopted = true
	source, err := s.checkerSource(ctx)
	if err != nil {
		return err
	}
	work, sums, err := s.ownWorkspace(ctx)
	if err != nil {
		return err
	}
	vendored, err := s.vendored(work)
	if err != nil {
		return err
	}
	checker, language, err := s.copyChecker(source)
	if err != nil {
		return err
	}
	if len(vendored) > 0 {
		// An old go.mod does not name all of them.
		dir, err := s.writeTree("vendored", map[string][]byte{
			"go.mod": fmt.Appendf(nil, "module vendored.invalid\n\ngo %s\n%s",
				language, requirements(vendored)),
		})
		if err != nil {
			return err
		}
		work.Use = append(work.Use, struct{ DiskPath string }{dir})
	}
	text := fmt.Sprintf("go %s\n\nuse %s\n", newer(work.Go, language), strconv.Quote(checker))
	if own := version.Lang("go" + work.Go); own != version.Lang("go"+newer(work.Go, language)) {
		text += "\ngodebug default=" + own + "\n" // what the library does stays what it is
	}
	for _, u := range work.Use {
		text += fmt.Sprintf("\nuse %s\n", strconv.Quote(u.DiskPath))
	}
	for _, r := range work.Replace {
		text += "\nreplace " + r.Old.String() + " => " + r.New.String() + "\n"
	}
	dir, err := s.writeTree("workspace", map[string][]byte{
		"go.work": []byte(text), "go.work.sum": sums,
	})
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "go.work")
	var flags []string
	for _, f := range strings.Fields(s.goenv["GOFLAGS"]) {
		if !strings.HasPrefix(strings.TrimLeft(f, "-"), "mod=") { // not for workspaces
			flags = append(flags, f)
		}
	}
	s.env = append(s.env, "GOWORK="+file, "GOFLAGS="+strings.Join(flags, " "))
	s.goenv["GOWORK"] = file
	return s.replaceTexts()
}

// requireEngine has a copy of the go.mod, in the place of it, name the modules that the packages
// that explore need, where it does not: a module that imports another package of the checker's
// module, and is tidy, names none of them, and nothing imports them before tests are rewritten.
func (s *Set) requireEngine(ctx context.Context) error {
	work := s.goenv["GOWORK"]
	if !s.cfg.Tests || s.adopted || work != "" && work != "off" {
		return nil
	}
	text, err := s.text(s.goenv["GOMOD"])
	if err != nil {
		return err
	}
	named := make(map[string]bool)
	for _, m := range requirement.FindAllSubmatch(text, -1) {
		named[string(m[1])] = true
	}
	var edits []string
	for _, p := range s.plain.withEngine(s.enginePath(), nil) {
		if m := p.Module; m != nil && !m.Main && m.Version != "" && !named[m.Path] {
			named[m.Path] = true
			edits = append(edits, "-require="+m.Path+"@"+m.Version)
		}
	}
	if edits == nil {
		return nil
	}
	if text, err = s.editGoMod(ctx, text, edits); err != nil {
		return err
	}
	sum, err := os.ReadFile(strings.TrimSuffix(s.goenv["GOMOD"], ".mod") + ".sum")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	dir, err := s.writeTree("required", map[string][]byte{"go.mod": text, "go.sum": sum})
	s.env = append(s.env, fmt.Sprintf("GOFLAGS=%s '-modfile=%s'", s.goenv["GOFLAGS"],
		filepath.Join(dir, "go.mod")))
	return err
}

// workFile is a go.work as the go command prints it.
type workFile struct {
	Go      string
	Use     []struct{ DiskPath string }
	Replace []replacement
}

type replacement struct{ Old, New versioned }

type versioned struct{ Path, Version string }

func (v versioned) String() string {
	text := strconv.Quote(v.Path)
	if v.Version != "" {
		text += " " + v.Version
	}
	return text
}

// ownWorkspace returns the workspace that the packages under check are listed in, one of their
// module alone if there is none, with all names absolute, and its sums.
func (s *Set) ownWorkspace(ctx context.Context) (*workFile, []byte, error) {
	w := &workFile{}
	var sums []byte
	if file := s.goenv["GOWORK"]; file != "" && file != "off" {
		text, err := s.goCmd(ctx, "work", "edit", "-json", file)
		if err != nil {
			return nil, nil, err
		}
		if err := json.Unmarshal(text, w); err != nil {
			return nil, nil, fmt.Errorf("go work edit: %w", err)
		}
		absolute := func(name *string) {
			if !filepath.IsAbs(*name) {
				*name = filepath.Join(filepath.Dir(file), *name)
			}
		}
		for i := range w.Use {
			absolute(&w.Use[i].DiskPath)
		}
		for i := range w.Replace {
			if r := &w.Replace[i].New; r.Version == "" {
				absolute(&r.Path)
			}
		}
		sums, err = os.ReadFile(file + ".sum")
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, nil, err
		}
	} else {
		w.Use = append(w.Use, struct{ DiskPath string }{filepath.Dir(s.goenv["GOMOD"])})
	}
	var texts [][]byte
	dirs := make(map[string]string)
	for _, u := range w.Use {
		text, err := s.text(filepath.Join(u.DiskPath, "go.mod"))
		if err != nil {
			return nil, nil, err
		}
		w.Go = newer(w.Go, cmp.Or(goLine(text), unnamedLanguage))
		texts = append(texts, text)
		if m := moduleDirective.FindSubmatch(text); m != nil {
			dirs[string(m[1])] = u.DiskPath
		}
	}
	for _, text := range texts {
		w.requireWithin(text, dirs)
	}
	return w, sums, nil
}

// requireWithin replaces the versions of modules of the workspace that the go.mod requires: nobody
// needs to have published them.
func (w *workFile) requireWithin(gomod []byte, dirs map[string]string) {
	for _, m := range requirement.FindAllSubmatch(gomod, -1) {
		old := versioned{string(m[1]), string(m[2])}
		known := func(r replacement) bool { return r.Old == old }
		if dir := dirs[old.Path]; dir != "" && !slices.ContainsFunc(w.Replace, known) {
			w.Replace = append(w.Replace, replacement{old, versioned{Path: dir}})
		}
	}
}

var (
	moduleDirective = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)

	goDirective = regexp.MustCompile(`(?m)^go\s+(\S+)`)
	requirement = regexp.MustCompile(`(?m)^(?:require)?\s+(\S+)\s+(v\S+)`)
)

// unnamedLanguage is that of a go.mod that names none.
const unnamedLanguage = "1.16"

func goLine(gomod []byte) string {
	if m := goDirective.FindSubmatch(gomod); m != nil {
		return string(m[1])
	}
	return ""
}

func newer(a, b string) string {
	if a == "" || b != "" && version.Compare("go"+a, "go"+b) < 0 {
		return b
	}
	return a
}

// vendored has a module's vendor directory take the place of the modules in it, which the go
// command leaves aside in a workspace. Each gets a go.mod in the overlay.
func (s *Set) vendored(work *workFile) ([]versioned, error) {
	if len(work.Use) != 1 || strings.Contains(s.goenv["GOFLAGS"], "-mod=mod") {
		return nil, nil
	}
	dir := filepath.Join(work.Use[0].DiskPath, "vendor")
	text, err := os.ReadFile(filepath.Join(dir, "modules.txt"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.cfg.Replace = maps.Clone(s.cfg.Replace)
	if s.cfg.Replace == nil {
		s.cfg.Replace = make(map[string][]byte)
	}
	var modules []versioned
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) >= 3 && words[0] == "#" && strings.HasPrefix(words[2], "v"):
			m := versioned{words[1], words[2]}
			modules = append(modules, m)
			place := filepath.Join(dir, filepath.FromSlash(m.Path))
			work.Replace = append(work.Replace, replacement{
				versioned{Path: m.Path}, versioned{Path: place},
			})
			s.cfg.Replace[filepath.Join(place, "go.mod")] = []byte("module " + m.Path + "\n")
		case len(words) >= 2 && words[0] == "##" && len(modules) > 0:
			_, language, found := strings.Cut(line, "go ")
			if !found {
				continue
			}
			place := filepath.Join(dir, filepath.FromSlash(modules[len(modules)-1].Path), "go.mod")
			s.cfg.Replace[place] = append(s.cfg.Replace[place],
				"\ngo "+strings.TrimSpace(language)+"\n"...)
		}
	}
	return modules, nil
}

// checkerSource finds the source that this program was made of.
func (s *Set) checkerSource(ctx context.Context) (string, error) {
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		root := filepath.Dir(filepath.Dir(filepath.Dir(file)))
		text, err := os.ReadFile(filepath.Join(root, "go.mod"))
		if err == nil && bytes.HasPrefix(text, []byte("module "+rootPath+"\n")) {
			return root, nil
		}
	}
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Path == rootPath && strings.HasPrefix(info.Main.Version, "v") {
		out, err := s.goCmd(ctx, "mod", "download", "-json", rootPath+"@"+info.Main.Version)
		var m struct{ Dir string }
		if err == nil && json.Unmarshal(out, &m) == nil && m.Dir != "" {
			return m.Dir, nil
		}
	}
	return "", &BuildError{Output: "the module does not require " + rootPath + ", and the source " +
		"of this command is not there; add it by\n\tgo get -tool " + rootPath + "\n"}
}

// copyChecker copies the packages that explore, and what they import of their module, as a module
// that requires what else they import. It returns where, and the language of the copy. That stands
// in the files: a go.mod must not require a newer language than that of the main module.
func (s *Set) copyChecker(source string) (dir, language string, err error) {
	gomod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return "", "", err
	}
	gosum, err := os.ReadFile(filepath.Join(source, "go.sum"))
	if err != nil {
		return "", "", err
	}
	files := make(map[string][]byte)
	imports, err := copyPackages(source, modelPath, files)
	if err != nil {
		return "", "", err
	}
	var required []versioned
	for _, m := range requirement.FindAllSubmatch(gomod, -1) {
		path := string(m[1])
		of := func(imported string) bool { return strings.HasPrefix(imported+"/", path+"/") }
		if slices.ContainsFunc(imports, of) {
			required = append(required, versioned{path, string(m[2])})
		}
	}
	language = goLine(gomod)
	for name, text := range files {
		if strings.HasSuffix(name, ".go") {
			files[name] = withLanguage(text, version.Lang("go"+language))
		}
	}
	files["go.mod"] = fmt.Appendf(nil, "module %s\n\ngo %s\n%s",
		rootPath, minLanguage, requirements(required))
	for line := range bytes.Lines(gosum) {
		of := func(m versioned) bool { return bytes.HasPrefix(line, []byte(m.Path+" ")) }
		if slices.ContainsFunc(required, of) {
			files["go.sum"] = append(files["go.sum"], line...)
		}
	}
	dir, err = s.writeTree("checker", files)
	return dir, language, err
}

func requirements(modules []versioned) (text string) {
	for _, m := range modules {
		text += fmt.Sprintf("\nrequire %s %s\n", m.Path, m.Version)
	}
	return text
}

// embedded finds the file that a directive of the checker's own source embeds.
var embedded = regexp.MustCompile(`(?m)^//go:embed (\S+)$`)

// copyPackages reads the files of a package of the checker, and of those of its module that it
// imports; it returns all other imports.
func copyPackages(source, path string, files map[string][]byte) (others []string, err error) {
	seen := make(map[string]bool)
	todo := []string{path}
	for len(todo) > 0 {
		path, todo = todo[0], todo[1:]
		if seen[path] {
			continue
		}
		seen[path] = true
		dir, inside := strings.CutPrefix(path, rootPath+"/")
		if !inside {
			others = append(others, path)
			continue
		}
		names, err := filepath.Glob(filepath.Join(source, filepath.FromSlash(dir), "*.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			files[filepath.Join(dir, filepath.Base(name))] = text
			for _, m := range embedded.FindAllSubmatch(text, -1) {
				name := filepath.Join(dir, string(m[1]))
				if files[name], err = os.ReadFile(filepath.Join(source, name)); err != nil {
					return nil, err
				}
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
			if err != nil {
				return nil, err
			}
			for _, spec := range f.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					return nil, err
				}
				todo = append(todo, imported)
			}
		}
	}
	return others, nil
}
