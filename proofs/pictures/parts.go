package pictures

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const modulePath = "github.com/surewake/surewake"

// A part is a package in the picture: what it does in one line, and its place. Arrows are not here:
// they are the imports.
type part struct {
	dir, does   string
	column, row float64
}

var parts = []part{
	{".", "the command", 1.5, 0},
	{"model/driver", "builds, runs, judges", 1, 1},
	{"proofs", "the theorems, the audit", 3, 1},
	{"proofs/trace", "real threads against tables", 4, 1},
	{"model/shardplan", "runs shards on clusters", 0, 1},
	{"model/mutant", "puts known bugs back", 0, 2},
	{"model/report", "draws executions", 1, 2},
	{"model/instrument", "rewrites packages", 2, 2},
	{"proofs/smt", "tables as questions", 3, 2},
	{"proofs/refine", "code against tables", 4, 2},
	{"model", "what a test imports", 2, 3},
	{"proofs/spec", "protocols as tables", 3.5, 3},
	{"model/hook", "what rewritten code calls", 3, 4},
	{"model/history", "linearizability", 4, 4},
	{"model/virtual", "contexts of checked code", 4, 5},
	{"model/explore", "all executions that matter", 2, 6},
	{"model/wire", "messages and tokens", 1, 7},
	{"model/stdlib", "what std shares", 0, 3},
	{"model/certify", "verifies explored sets", 0, 4.5},
	{"runtime", "tasks on few workers", 2, 8.4},
	{"runtime/internal/poll", "sleeps until I/O is ready", 4, 9.1},
	{"deque", "a worker's queue", 0, 10.2},
	{"injector", "the queue that all share", 1, 10.2},
	{"taskstate", "a task's state in a word", 2, 10.2},
	{"idle", "who sleeps, whom to wake", 3, 10.2},
	{"park", "one goroutine's sleep", 4, 10.2},
	{"fork", "calls that others may steal", 0, 9.1},
}

// aside are directories whose packages are not drawn: tools, tests and examples of this repository.
var aside = []string{"ci", "examples", "fuzz", "internal/commandtest", "internal/wide",
	"model/stdlib/api", "proofs/pictures", "proofs/trace/atomic"}

const (
	partWidth, partHeight = 170, 46
	columnStep, rowStep   = 184, 74
	partsLeft, partsTop   = 16, 20
	partsWidth            = 5*columnStep + 28
)

func (p part) x() int { return partsLeft + int(p.column*columnStep) }
func (p part) y() int { return partsTop + int(p.row*rowStep) }

// Parts draws the packages of the module in a directory and their imports of one another. It
// returns an error if a package has no place in the picture, or a place no package.
func Parts(root string) (string, error) {
	imports, err := importsOf(root)
	if err != nil {
		return "", err
	}
	d := &drawing{title: "The packages and what they import", width: partsWidth}
	byDir := map[string]part{}
	for _, p := range parts {
		if _, ok := imports[p.dir]; !ok {
			return "", fmt.Errorf("pictures: there is no package %s any more", p.dir)
		}
		byDir[p.dir] = p
		d.height = max(d.height, p.y()+partHeight+partsTop)
		d.box(p.x(), p.y(), partWidth, partHeight)
		name := p.dir
		switch {
		case name == ".":
			name = "surewake"
		case strings.Contains(name, "internal/"):
			_, name, _ = strings.Cut(name, "internal/")
		}
		d.text(p.x()+10, p.y()+20, "name", name)
		d.text(p.x()+10, p.y()+37, "", p.does)
	}
	for _, dir := range sorted(imports) {
		from, ok := byDir[dir]
		if !ok {
			if !slices.ContainsFunc(aside, func(a string) bool {
				return dir == a || strings.HasPrefix(dir, a+"/")
			}) {
				return "", fmt.Errorf("pictures: package %s has no place in the picture", dir)
			}
			continue
		}
		for _, to := range imports[dir] {
			if p, ok := byDir[to]; ok {
				d.arrow(classOf(from), connect(from, p))
			}
		}
	}
	return d.String(), nil
}

// classOf colours arrows by what they belong to: the parts that ship, the proofs, the checker.
func classOf(from part) string {
	switch {
	case strings.HasPrefix(from.dir, "runtime"):
		return "c"
	case strings.HasPrefix(from.dir, "proofs"):
		return "b"
	}
	return "a"
}

// connect leads from the lower edge of a box to the upper edge of another; far down it goes along
// the right margin.
func connect(from, to part) string {
	x1, y1 := from.x()+partWidth/2, from.y()+partHeight
	x2, y2 := to.x()+partWidth/2, to.y()-1
	if to.row-from.row > 5 && from.column == 4 {
		// To the right edge of park, or, above the parts, to the top of another.
		margin := partsWidth - 8
		if to.column > 3 {
			return fmt.Sprintf("M%d,%d H%d V%d H%d", from.x()+partWidth, from.y()+30, margin,
				to.y()+partHeight/2, to.x()+partWidth+1)
		}
		return fmt.Sprintf("M%d,%d H%d V%d H%d V%d", from.x()+partWidth, from.y()+16, margin+5,
			y2-14, x2+40, y2)
	}
	if to.row == from.row {
		return fmt.Sprintf("M%d,%d L%d,%d", from.x(), y1-20, to.x()+partWidth+1, y1-20)
	}
	bend := min((y2-y1)/2+8, 60)
	return fmt.Sprintf("M%d,%d C%d,%d %d,%d %d,%d", x1, y1, x1, y1+bend, x2, y2-bend, x2, y2)
}

// importsOf returns, by directory, the packages of the module below root and which of its packages
// each of them imports, tests left out.
func importsOf(root string) (map[string][]string, error) {
	imports := map[string][]string{}
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			_, err := os.Stat(filepath.Join(file, "go.mod"))
			hidden := strings.HasPrefix(e.Name(), ".") && file != root
			if hidden || e.Name() == "testdata" || file != root && err == nil {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		all := imports[dir]
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if in, ok := strings.CutPrefix(name, modulePath+"/"); ok && !slices.Contains(all, in) {
				all = append(all, path.Clean(in))
			}
		}
		slices.Sort(all)
		imports[dir] = all
		return nil
	})
	return imports, err
}

func sorted(m map[string][]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
