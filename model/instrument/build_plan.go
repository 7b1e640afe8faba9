package instrument

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// A plan is all that go test needs to build one test binary from rewritten
// text.
type plan struct {
	overlay    string   // overlay file
	modfile    string   // alternative go.mod, "" if none
	dir        string   // where to build: in the main module if there is a modfile
	registered []string // packages that register themselves
	originals  []string // pairs for strings.NewReplacer: copy, original
	covered    map[string]CoveredFile
}

// planKey names a plan among those of a Set.
func planKey(pkg string, race bool) string { return fmt.Sprint(race, " ", pkg) }

// planned is plan for a caller that does not hold s.mu. It does not wait for other plans to be made
// if that of pkg is known.
func (s *Set) planned(ctx context.Context, pkg string, race bool) (*plan, error) {
	if p, ok := s.known.Load(planKey(pkg, race)); ok {
		return p.(*plan), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plan(ctx, pkg, race)
}

// plan rewrites what the test binary of pkg consists of. The caller holds
// s.mu.
func (s *Set) plan(ctx context.Context, pkg string, race bool) (*plan, error) {
	key := planKey(pkg, race)
	if p := s.plans[key]; p != nil {
		return p, nil
	}
	l, root, err := s.rootOf(ctx, pkg, race)
	if err != nil {
		return nil, err
	}
	b := &planner{
		set: s, session: s.session(ctx, l, root), root: root, closure: l.closure(root),
		plan:   &plan{dir: s.cfg.Dir, covered: make(map[string]CoveredFile)},
		files:  make(map[string][]byte),
		copies: make(map[string]*copiedModule),
	}
	b.session.cover = s.cfg.Cover && !race
	if ok, why := b.session.rewritable(root); !ok {
		return nil, &BuildError{Output: fmt.Sprintf("package %s cannot be checked: %s\n", pkg, why)}
	}
	pkgs, err := b.load()
	if err != nil {
		return nil, err
	}
	if err := b.rewrite(ctx, pkgs); err != nil {
		return nil, err
	}
	if err := l.ownLibrary(b.files); err != nil {
		return nil, err
	}
	if err := s.copyModules(ctx, b.plan, l, root, b.closure, b.copies); err != nil {
		return nil, err
	}
	if err := b.store(); err != nil {
		return nil, err
	}
	s.plans[key] = b.plan
	s.known.Store(key, b.plan)
	return b.plan, nil
}

// rootOf finds a package among those that were listed, in the listing of a mode.
func (s *Set) rootOf(ctx context.Context, pkg string, race bool) (*listing, *listed, error) {
	l := s.plain
	if race {
		if s.race == nil {
			var err error
			if s.race, err = s.list(ctx, true); err != nil {
				return nil, nil, err
			}
		}
		l = s.race
	}
	root := l.root(pkg)
	switch {
	case root == nil:
		return nil, nil, fmt.Errorf("package %s is not among those that were listed", pkg)
	case l.testmain(root) == nil:
		return nil, nil, &BuildError{Output: fmt.Sprintf("package %s has no test files\n", pkg)}
	}
	return l, root, nil
}

// A planner makes one plan: it loads the packages, rewrites each, and stores
// the new text where the go command finds it.
type planner struct {
	set     *Set
	session *session
	root    *listed
	closure []*listed
	plan    *plan

	files  map[string][]byte        // new text, by the name of the original
	copies map[string]*copiedModule // by path: modules that no overlay reaches
}

// load type-checks every package that is to be rewritten.
func (b *planner) load() ([]*checked, error) {
	var pkgs []*checked
	for _, q := range b.closure {
		if ok, _ := b.session.rewritable(q); !ok {
			continue
		}
		c, err := b.session.load(q.ID)
		if err != nil {
			return nil, err
		}
		pkgs = append(pkgs, c)
	}
	return pkgs, nil
}

// loaded gives the packages of the binary that were type-checked, to be rewritten or not.
func (b *planner) loaded() []*checked {
	var all []*checked
	for _, q := range b.closure {
		if c := b.session.pkgs[q.ID]; c != nil {
			all = append(all, c)
		}
	}
	return all
}

// rewrite fills files and copies. What cannot be rewritten is collected over
// all packages, so that a user sees everything at once.
func (b *planner) rewrite(ctx context.Context, pkgs []*checked) error {
	ss := b.session
	ss.values = valueUses(pkgs)
	if err := ss.withdraw(b.loaded()); err != nil {
		return &BuildError{Output: err.Error() + "\n"}
	}
	ss.state = ss.choose(b.root, pkgs, b.set.checksOf(b.root.ImportPath))
	var errs []error
	registered := make(map[string]bool)
	for _, c := range pkgs {
		out, err := ss.rewrite(c, true)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		q := c.meta
		if b.set.inModuleCache(q) {
			b.copied(q, out)
			continue
		}
		for f, text := range out.files {
			b.files[f] = text
		}
		for _, f := range out.covered {
			b.plan.covered[f.Path] = f
		}
		if out.edited {
			if err := b.set.raiseLanguage(ctx, c, b.files); err != nil {
				return err
			}
		}
		if !registered[q.ImportPath] {
			registered[q.ImportPath] = true
			b.plan.registered = append(b.plan.registered, q.ImportPath)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return &BuildError{Output: err.Error() + "\n"}
	}
	return nil
}

// copied notes a rewritten package of a module that is copied if any package of
// it has changed.
func (b *planner) copied(q *listed, out *rewritten) {
	m := b.copies[q.Module.Path]
	if m == nil {
		m = &copiedModule{module: q.Module}
		b.copies[q.Module.Path] = m
	}
	m.edited = m.edited || out.edited
	m.pkgs = append(m.pkgs, copiedPackage{q, out.files})
}

// ownLibrary adds to files, the new text by name, what the listed binaries have in place of files
// of the standard library.
func (l *listing) ownLibrary(files map[string][]byte) error {
	if err := l.seedHashes(files); err != nil || !l.race {
		return err
	}
	return l.dropPools(files)
}

// store writes the overlay, with the texts that it points to.
func (b *planner) store() error {
	overlay, replace, err := b.set.store(b.files)
	b.plan.overlay = overlay
	for name, copied := range replace {
		if copied != "" {
			b.plan.originals = append(b.plan.originals, copied, name)
		}
	}
	return err
}

// store writes an overlay of what the caller replaces, and over that of files, the new text by
// name. It returns its name, and what it has in place of each file, "" if that is absent.
func (s *Set) store(files map[string][]byte) (string, map[string]string, error) {
	replace := make(map[string]string)
	write := func(kind, name string, text []byte) error {
		copied, err := s.writeCopy(kind, filepath.Base(name), text)
		replace[name] = copied
		return err
	}
	for name, text := range s.texts {
		if _, ok := s.cfg.Replace[name]; !ok {
			continue
		}
		if err := write("replaced", name, text); err != nil {
			return "", nil, err
		}
	}
	for _, name := range s.absent {
		replace[name] = ""
	}
	for name, text := range files {
		if err := write("rewritten", name, text); err != nil {
			return "", nil, err
		}
	}
	overlay, err := s.writeOverlay(replace)
	return overlay, replace, err
}
