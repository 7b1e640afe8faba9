package instrument

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// module is what go list says of a package's module.
type module struct {
	Path      string
	Version   string
	Main      bool
	Dir       string
	GoMod     string
	GoVersion string
	Replace   *module
}

// listed is one package as go list prints it. Its ID names a variant: a
// package that is compiled again for the tests of p is "x [p.test]".
type listed struct {
	ID              string `json:"ImportPath"`
	Name            string
	Dir             string
	ForTest         string
	Standard        bool
	Export          string
	Module          *module
	Match           []string
	GoFiles         []string
	CgoFiles        []string
	CompiledGoFiles []string
	CFiles          []string
	CXXFiles        []string
	HFiles          []string
	SFiles          []string
	SysoFiles       []string
	EmbedFiles      []string
	IgnoredGoFiles  []string
	TestGoFiles     []string
	XTestGoFiles    []string
	Imports         []string
	ImportMap       map[string]string
	Deps            []string

	ImportPath string `json:"-"` // without the variant
}

const listFields = "ImportPath,Name,Dir,ForTest,Standard,Export,Module,Match,GoFiles,CgoFiles," +
	"CompiledGoFiles,CFiles,CXXFiles,HFiles,SFiles,SysoFiles,EmbedFiles,TestGoFiles,XTestGoFiles," +
	"Imports,ImportMap,Deps,IgnoredGoFiles"

// goFiles returns the package's Go files, test files of this variant
// included, by absolute name.
func (p *listed) goFiles() []string {
	files := make([]string, len(p.GoFiles))
	for i, f := range p.GoFiles {
		files[i] = p.file(f)
	}
	return files
}

func (p *listed) file(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.Dir, name)
}

// dep returns the ID of the package that p's files import as path.
func (p *listed) dep(path string) string {
	if id, ok := p.ImportMap[path]; ok {
		return id
	}
	return path
}

// engine reports whether the package belongs to the checker itself.
func (p *listed) engine() bool {
	path := p.ImportPath
	if p.ForTest != "" {
		path = p.ForTest
	}
	return path == modelPath || strings.HasPrefix(path, modelPath+"/")
}

// listing is the outcome of one go list, for one setting of the race tag.
type listing struct {
	race  bool
	pkgs  map[string]*listed // by ID
	order []string           // dependencies first
	roots []*listed          // what the patterns name, plain variants
}

// root returns a package that the patterns name, nil if it is none.
func (l *listing) root(path string) *listed {
	for _, p := range l.roots {
		if p.ImportPath == path {
			return p
		}
	}
	return nil
}

// testmain returns the main package of p's test binary, nil if p has no tests.
func (l *listing) testmain(p *listed) *listed { return l.pkgs[p.ImportPath+".test"] }

// closure returns the packages that the test binary of p consists of, without
// the generated main package and the standard library; without tests, those of
// p itself.
func (l *listing) closure(p *listed) []*listed {
	top := l.testmain(p)
	ids := map[string]bool{}
	if top != nil {
		for _, id := range top.Deps {
			ids[id] = true
		}
	} else {
		ids[p.ID] = true
		for _, id := range p.Deps {
			ids[id] = true
		}
	}
	var out []*listed
	for _, id := range l.order {
		if q := l.pkgs[id]; ids[id] && !q.Standard {
			out = append(out, q)
		}
	}
	return out
}

// enginePath is the package of the checker that rewritten text imports, even
// where the original does not use the checker: hook, or all that explores.
func (s *Set) enginePath() string {
	if s.cfg.Tests {
		return modelPath
	}
	return hookPath
}

// withEngine adds that package, and what it imports, to a closure.
func (l *listing) withEngine(path string, closure []*listed) []*listed {
	all := make(map[string]bool)
	for _, p := range closure {
		all[p.ID] = true
	}
	hook := l.pkgs[path]
	for _, id := range append([]string{hook.ID}, hook.Deps...) {
		if p := l.pkgs[id]; p != nil && !p.Standard && !all[id] {
			closure = append(closure[:len(closure):len(closure)], p)
		}
	}
	return closure
}

// list runs go list. The plain listing compiles everything, which finds the
// errors that only the compiler sees, and yields export data; with Config.Lean,
// and for the race detector, a session has that made of what it needs
// (listExports).
func (s *Set) list(ctx context.Context, race bool) (*listing, error) {
	args := []string{"-deps", "-json=" + listFields}
	compiled := !s.cfg.Lean || s.cgo
	if compiled {
		args = append(args, "-compiled")
	}
	if race {
		args = append(args, "-race")
	} else if !s.cfg.Lean {
		args = append(args, "-export")
	}
	args = append(args, s.buildFlags()...)
	if s.overlay != "" {
		args = append(args, "-overlay="+s.overlay)
	}
	l := &listing{race: race, pkgs: make(map[string]*listed)}
	if err := s.addTo(ctx, l, append(append(args, "-test", "--"), s.patterns...)); err != nil {
		return nil, err
	}
	if engine := s.enginePath(); l.pkgs[engine] == nil {
		// Without its tests, which import a lot.
		if err := s.addTo(ctx, l, append(args, "--", engine)); err != nil {
			return nil, err
		}
	}
	if s.cgo && !compiled {
		return s.list(ctx, race)
	}
	for _, id := range l.order {
		p := l.pkgs[id]
		if p.ForTest != "" || !s.matches(p) {
			continue
		}
		base, ok := strings.CutSuffix(id, ".test")
		if ok && p.Name == "main" && l.pkgs[base] != nil {
			continue
		}
		l.roots = append(l.roots, p)
	}
	return l, nil
}

// addTo adds to a listing what go list prints and is not in it yet.
func (s *Set) addTo(ctx context.Context, l *listing, args []string) error {
	out, err := s.goCmd(ctx, append([]string{"list"}, args...)...)
	if err != nil {
		return err
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(listed)
		if err := dec.Decode(p); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		if l.pkgs[p.ID] != nil {
			continue
		}
		p.ImportPath, _, _ = strings.Cut(p.ID, " ")
		l.pkgs[p.ID] = p
		l.order = append(l.order, p.ID)
		s.cgo = s.cgo || !p.Standard && len(p.CgoFiles) > 0
	}
}

// cleaned returns patterns as the go command tells which of them a package matches.
func cleaned(patterns []string) []string {
	out := slices.Clone(patterns)
	for i, p := range out {
		switch {
		case strings.Contains(p, "@"):
		case filepath.IsAbs(p):
			out[i] = filepath.Clean(p)
		case build.IsLocalImport(filepath.ToSlash(p)):
			p = path.Clean(filepath.ToSlash(p))
			if p != "." && p != ".." && !strings.HasPrefix(p, "../") {
				p = "./" + p
			}
			out[i] = p
		default:
			out[i] = path.Clean(p)
		}
	}
	return out
}

// matches reports whether one of the patterns asked for the package; the engine
// is listed besides.
func (s *Set) matches(p *listed) bool {
	for _, m := range p.Match {
		for _, want := range s.patterns {
			if m == want {
				return true
			}
		}
	}
	return false
}

func (s *Set) buildFlags() []string {
	if s.cfg.Tags == "" {
		return nil
	}
	return []string{"-tags=" + s.cfg.Tags}
}

// goCmd runs the go command and returns its standard output. What it printed
// on standard error is the message when it fails.
func (s *Set) goCmd(ctx context.Context, args ...string) ([]byte, error) {
	return s.goCmdIn(ctx, s.cfg.Dir, nil, args...)
}

// goCmdIn runs the go command in a directory. The go command takes that
// directory's name from PWD, and prints every other name below it. Listing and
// building must see the same one, or the keys of the overlay match nothing and
// it is silently ignored.
func (s *Set) goCmdIn(
	ctx context.Context, dir string, env []string, args ...string,
) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(append(s.env[:len(s.env):len(s.env)], "PWD="+dir), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		msg := stderr.String()
		if strings.TrimSpace(msg) == "" {
			msg = stdout.String()
		}
		if strings.TrimSpace(msg) == "" {
			msg = fmt.Sprintf("go %s: %v\n", args[0], err)
		}
		return nil, &BuildError{Output: toldOnce(msg)}
	}
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return stdout.Bytes(), nil
}

// toldOnce returns a message of the go command without what the compiler has said before: a package
// is compiled once more for its tests. A missing line of go.sum gets the command that adds it.
func toldOnce(msg string) string {
	var out []string
	said, before := map[string]bool{}, ""
	for line := range strings.Lines(msg) {
		if strings.HasPrefix(line, "# ") {
			if n := len(out); n > 0 && strings.HasPrefix(out[n-1], "# ") {
				out = out[:n-1]
			}
			before = ""
		} else {
			if !strings.HasPrefix(line, "\t") {
				before = ""
			}
			if before += line; said[before] {
				continue
			}
			said[before] = true
		}
		out = append(out, line)
	}
	if n := len(out); n > 0 && strings.HasPrefix(out[n-1], "# ") {
		out = out[:n-1]
	}
	if strings.Contains(msg, "missing go.sum entry") {
		out = append(out, "go mod tidy adds what go.sum lacks\n")
	}
	return strings.Join(out, "")
}

func (s *Set) goEnv(ctx context.Context, names ...string) (map[string]string, error) {
	out, err := s.goCmd(ctx, append([]string{"env", "-json"}, names...)...)
	if err != nil {
		return nil, err
	}
	env := make(map[string]string)
	if err := json.Unmarshal(out, &env); err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	return env, nil
}

// replaceTexts takes over cfg.Replace: under the names by which the go command
// knows the files, which differ from the caller's when the directory was
// reached through a symbolic link.
func (s *Set) replaceTexts() error {
	if len(s.cfg.Replace) == 0 {
		return nil
	}
	logical, physical := s.cfg.Dir, s.cfg.Dir
	if mod := s.goenv["GOMOD"]; mod != "" && mod != os.DevNull {
		logical = filepath.Dir(mod)
	}
	if p, err := filepath.EvalSymlinks(logical); err == nil {
		physical = p
	}
	files := make(map[string]string)
	for name, text := range s.cfg.Replace {
		if !filepath.IsAbs(name) {
			return fmt.Errorf("replaced file %s: not an absolute name", name)
		}
		name = filepath.Clean(name)
		if rel, err := filepath.Rel(logical, name); err != nil || !filepath.IsLocal(rel) {
			real := name
			if d, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
				real = filepath.Join(d, filepath.Base(name))
			}
			if rel, err := filepath.Rel(physical, real); err == nil && filepath.IsLocal(rel) {
				name = filepath.Join(logical, rel)
			}
		}
		if text == nil {
			files[name] = ""
			s.absent = append(s.absent, name)
			continue
		}
		copied, err := s.writeCopy("replaced", filepath.Base(name), text)
		if err != nil {
			return err
		}
		s.texts[name] = text
		files[name] = copied
	}
	var err error
	s.overlay, err = s.writeOverlay(files)
	return err
}

// text returns the original contents of a file, replacements applied.
func (s *Set) text(file string) ([]byte, error) {
	if t, ok := s.texts[file]; ok {
		return t, nil
	}
	t, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s.texts[file] = t
	return t, nil
}

// source hashes everything that the package's test binary is compiled from,
// the standard library and the checker apart. The names of files count by
// their last element, so that a tree may lie anywhere. With engine, it hashes
// the checker instead.
func (s *Set) source(root *listed, engine bool) (string, error) {
	var lines []string
	for _, p := range s.plain.closure(root) {
		if p.engine() != engine {
			continue
		}
		for _, list := range [][]string{
			p.GoFiles, p.CgoFiles, p.CFiles, p.CXXFiles, p.HFiles, p.SFiles, p.EmbedFiles,
		} {
			for _, f := range list {
				text, err := s.text(p.file(f))
				if err != nil {
					return "", err
				}
				line := fmt.Sprintf("%s %s %x\n", p.ID, filepath.ToSlash(f), sha256.Sum256(text))
				lines = append(lines, line)
			}
		}
	}
	sort.Strings(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:4]), nil
}
