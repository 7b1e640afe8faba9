package instrument

import (
	"context"
	"errors"
	"go/ast"
	"go/types"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checks returns the tests of a package that can reach model.Check by the
// functions and variables which they mention, in any rewritten package. With
// Config.Tests it returns the others. Those that replay a schedule of one of
// them are returned by themselves.
func (s *Set) checks(ctx context.Context, root *listed) ([]string, []Replay, error) {
	if root.engine() || s.plain.testmain(root) == nil {
		return nil, nil, nil
	}
	if !s.plain.usesModel(root) && !s.cfg.Tests {
		return nil, nil, nil
	}
	if s.race != nil {
		// What is learned of these types is what Build needs first.
		same, err := s.sameFiles(ctx, root.ImportPath)
		if err != nil {
			return nil, nil, err
		}
		if same {
			names, replays, err := s.checksIn(ctx, s.race, s.race.root(root.ImportPath))
			var build *BuildError
			if !errors.As(err, &build) {
				return names, replays, err
			}
		}
	}
	return s.checksIn(ctx, s.plain, root)
}

// checksIn is checks by the types of a listing.
func (s *Set) checksIn(
	ctx context.Context, l *listing, root *listed,
) ([]string, []Replay, error) {
	closure := l.closure(root)
	ss := s.session(ctx, l, root)
	var names []string
	others := slices.Clone(s.leftOut[root.ImportPath])
	var replays []Replay
	// A test that may be a check is one; one that may be none is explored as it is, too.
	reach := &reachability{ss: ss, wide: !s.cfg.Tests, assigned: make(map[types.Object][]assigned),
		fitting: make(map[types.Type][]int), below: make(map[ast.Node]*mention)}
	var own []*checked
	for _, p := range closure {
		is := p.ImportPath == root.ImportPath || p.ImportPath == root.ImportPath+"_test"
		if !is || ss.excluded[p.ID] {
			continue
		}
		c, err := ss.load(p.ID)
		if err != nil {
			return nil, nil, err
		}
		own = append(own, c)
		reach.noteAssigned(c)
	}
	for _, c := range own {
		for _, f := range c.files {
			if !strings.HasSuffix(f.name, "_test.go") {
				continue
			}
			for _, d := range f.ast.Decls {
				fd, ok := d.(*ast.FuncDecl)
				if !ok || fd.Recv != nil || !isTestName(fd.Name.Name) {
					continue
				}
				fn, ok := c.info.Defs[fd.Name].(*types.Func)
				if !ok || !isTestSignature(fn.Signature()) {
					continue
				}
				if r := replayOf(ss.fset, fd); r != nil {
					replays = append(replays, *r)
				} else if reach.reaches(fn) != s.cfg.Tests {
					names = append(names, fn.Name())
				} else {
					others = append(others, fn.Name())
				}
			}
		}
	}
	sort.Strings(names)
	names = slices.Compact(names) // the external test package may have one of the same name
	return names, replaysOf(replays, names, others), nil
}

// isTestName reports whether go test runs a function of that name.
func isTestName(name string) bool {
	rest, ok := strings.CutPrefix(name, "Test")
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && (rest == "" || !unicode.IsLower(first))
}

func isTestSignature(sig *types.Signature) bool {
	if sig.Params().Len() != 1 || sig.Results().Len() != 0 || sig.TypeParams() != nil {
		return false
	}
	tn := typeName(sig.Params().At(0).Type())
	return tn != nil && tn.Pkg() != nil && tn.Pkg().Path() == "testing" && tn.Name() == "T"
}
