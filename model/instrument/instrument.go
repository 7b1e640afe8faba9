package instrument

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
)

// The import paths that the rewriter knows by name.
const (
	rootPath  = "github.com/surewake/surewake"
	modelPath = rootPath + "/model"
	hookPath  = modelPath + "/hook"
)

// Config says what to rewrite and how it is listed and built.
type Config struct {
	Dir      string            // where the packages are listed
	Patterns []string          // as for go list: "./..."
	Tests    bool              // ordinary tests are explored as they stand, instead of checks
	Lean     bool              // nothing is looked at but what checks reach
	Race     bool              // the binaries for the race detector come first
	Tags     string            // build tags, separated by commas
	Env      []string          // added to the process's environment
	Replace  map[string][]byte // absolute file name -> contents used in its place; nil: no file
	Cover    bool              // plain test binaries mark the blocks of statements that run
	Debug    bool              // test binaries are for a debugger
	Cache    string            // of rewritten copies; "": surewake in the user's cache directory
}

// Package is one of the listed packages.
type Package struct {
	Path    string   // import path
	Dir     string   // as the go command prints it
	Checks  []string // tests from which model.Check can be reached; with Config.Tests the others
	Replays []Replay // tests that replay a schedule of one of Checks
	Tests   bool     // the package has test files
	Source  string   // 8 hex digits over the original text that its test binary is made of
	Engine  string   // likewise over the checker's part of that, which Source leaves out
}

// Set is the outcome of Rewrite. Its methods may be called concurrently.
type Set struct {
	Packages []Package // sorted by path

	cfg   Config
	cache string
	env   []string // of every go command that is run
	goenv map[string]string

	adopted bool // the module does not require the checker's: see adopt

	patterns []string            // what is listed
	cgo      bool                // with Config.Lean: a package that is looked at uses cgo
	leftOut  map[string][]string // with Config.Lean: tests that are not looked at, by package
	quiet    map[string]bool     // likewise: what isQuiet has found out, by ID
	calls    map[string]bool     // likewise: what callsCheck has found out, by ID
	flags    *bool               // likewise: what seeksFlags has found out

	known sync.Map // *plan by planKey, and what sameFiles returns by package: once they are known

	mu       sync.Mutex
	overlay  string // file that applies cfg.Replace to the listing, "" if none
	plain    *listing
	race     *listing // nil until a binary with the race detector is wanted
	sessions map[string]*session
	plans    map[string]*plan
	texts    map[string][]byte
	absent   []string // files that cfg.Replace takes away
}

// BuildError is a message of the compiler, or of the go command about the
// packages.
type BuildError struct{ Output string }

func (e *BuildError) Error() string { return strings.TrimRight(e.Output, "\n") }

// Rewrite lists, compiles and type-checks the packages as they are, and finds
// their checks. The rewriting itself is left to Build, so that nothing is done
// for packages that nobody builds. With Config.Lean it looks at less, unless
// something there does not compile, or there is no check.
func Rewrite(ctx context.Context, cfg Config) (*Set, error) {
	s, err := rewrite(ctx, cfg)
	var build *BuildError
	if cfg.Lean && (errors.As(err, &build) || err == nil && !s.hasChecks()) {
		cfg.Lean = false
		return rewrite(ctx, cfg)
	}
	return s, err
}

func (s *Set) hasChecks() bool {
	return slices.ContainsFunc(s.Packages, func(p Package) bool {
		return len(p.Checks)+len(p.Replays) > 0
	})
}

func rewrite(ctx context.Context, cfg Config) (*Set, error) {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, err
	}
	cfg.Dir = dir
	cache := cfg.Cache
	if cache == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no place for rewritten copies: %w", err)
		}
		cache = filepath.Join(base, "surewake")
	}
	if cache, err = filepath.Abs(cache); err != nil {
		return nil, err
	}
	s := &Set{
		cfg:      cfg,
		cache:    cache,
		sessions: make(map[string]*session),
		plans:    make(map[string]*plan),
		texts:    make(map[string][]byte),
		patterns: cleaned(cfg.Patterns),
		leftOut:  make(map[string][]string),
		quiet:    make(map[string]bool),
		calls:    make(map[string]bool),
	}
	prune(cache, time.Now())
	// A compiler lives for seconds. If it collects its garbage half as often, builds take an eighth
	// less of the processors' time, and a fifth more memory. A GOGC that is set is kept.
	s.env = append(append([]string{"GOGC=200"}, os.Environ()...), cfg.Env...)
	s.goenv, err = s.goEnv(
		ctx, "GOARCH", "GOFLAGS", "GOMODCACHE", "GOMOD", "GOWORK", "GO111MODULE",
	)
	if err != nil {
		return nil, err
	}
	if err := s.layout(); err != nil {
		return nil, err
	}
	if err := s.replaceTexts(); err != nil {
		return nil, err
	}
	s.plain, err = s.list(ctx, false)
	if !notInWorkspace(err) && s.needsAdoption(ctx, err) {
		if err = s.adopt(ctx); err == nil {
			s.plain, err = s.list(ctx, false)
		}
	}
	if err == nil {
		err = s.requireEngine(ctx)
	}
	if err != nil {
		return nil, s.advise(err)
	}
	for _, p := range s.plain.roots {
		pkg := Package{
			Path:  p.ImportPath,
			Dir:   p.Dir,
			Tests: len(p.TestGoFiles)+len(p.XTestGoFiles) > 0,
		}
		if pkg.Source, err = s.source(p, false); err != nil {
			return nil, err
		}
		if pkg.Engine, err = s.source(p, true); err != nil {
			return nil, err
		}
		s.Packages = append(s.Packages, pkg)
	}
	if err := s.findChecks(ctx); err != nil {
		return nil, err
	}
	sort.Slice(s.Packages, func(i, j int) bool { return s.Packages[i].Path < s.Packages[j].Path })
	return s, nil
}

// findChecks fills in what checks the packages have.
func (s *Set) findChecks(ctx context.Context) error {
	if s.cfg.Lean {
		if err := s.leaner(ctx); err != nil {
			return err
		}
	}
	for i := range s.Packages {
		p := &s.Packages[i]
		root := s.plain.root(p.Path)
		if root == nil {
			continue
		}
		var err error
		if p.Checks, p.Replays, err = s.checks(ctx, root); err != nil {
			return err
		}
	}
	return nil
}

// Rewritten returns the import paths of the packages that register themselves
// when the package's plain test binary starts. It is empty if the package
// cannot be rewritten; Build then says why.
func (s *Set) Rewritten(pkg string) []string { return s.RewrittenMode(pkg, false) }

// RewrittenMode is Rewritten for the binary built with or without the race
// detector: build constraints may give the two different dependencies.
func (s *Set) RewrittenMode(pkg string, race bool) []string {
	p, err := s.planned(context.Background(), pkg, race)
	if err != nil {
		return nil
	}
	return slices.Clone(p.registered)
}

// Compiles reports whether the file, named absolutely, is part of the package's test binary: of the
// plain one, or if race is set of that for the race detector.
func (s *Set) Compiles(ctx context.Context, pkg, file string, race bool) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, root, err := s.rootOf(ctx, pkg, race)
	if err != nil {
		return false, err
	}
	for _, p := range l.closure(root) {
		if slices.Contains(p.goFiles(), file) {
			return true, nil
		}
	}
	return false, nil
}

// SameFiles reports whether the package's test binary consists of the same packages, and these of
// the same files, with the race detector and without: a build tag may select others; and whether
// none of the files asks how the binary was built. The standard library and golang.org/x/sys, which
// do the same under the race detector, and the checker do not count.
func (s *Set) SameFiles(ctx context.Context, pkg string) (bool, error) {
	if same, ok := s.known.Load(pkg); ok {
		return same.(bool), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sameFiles(ctx, pkg)
}

func (s *Set) sameFiles(ctx context.Context, pkg string) (bool, error) {
	var made [2]map[string]string
	for i, race := range []bool{false, true} {
		l, root, err := s.rootOf(ctx, pkg, race)
		if err != nil {
			return false, err
		}
		made[i] = make(map[string]string)
		for _, p := range l.closure(root) {
			if !p.engine() && !p.edge() {
				if asks, err := s.asksHowBuilt(p); asks || err != nil {
					s.known.Store(pkg, false)
					return false, err
				}
				made[i][p.ID] = fmt.Sprintf("%q", [][]string{
					p.GoFiles, p.CgoFiles, p.CFiles, p.CXXFiles, p.HFiles, p.SFiles, p.SysoFiles,
					p.EmbedFiles,
				})
			}
		}
	}
	same := maps.Equal(made[0], made[1])
	s.known.Store(pkg, same)
	return same, nil
}

// asksHowBuilt reports whether a file of p may ask how its binary was built.
func (s *Set) asksHowBuilt(p *listed) (bool, error) {
	for _, name := range p.goFiles() {
		text, err := s.text(name)
		if err != nil || bytes.Contains(text, []byte("ReadBuildInfo")) ||
			bytes.Contains(text, []byte(`"debug/buildinfo"`)) {
			return true, err
		}
	}
	return false, nil
}

// A refusedError says why a package cannot be checked at all.
type refusedError struct{ msg string }

func (e *refusedError) Error() string { return e.msg }
