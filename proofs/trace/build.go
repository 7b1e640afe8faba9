package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const recorder = "github.com/surewake/surewake/proofs/trace/atomic"

// A mark is a function of which a trace shows the calls. It is put in at its beginning, on the same
// line, so that no line gets another number.
type mark struct{ file, function string }

// marks are the functions that tell whose the accesses within are.
var marks = []mark{
	{"idle/worker.go", "Worker.Search"}, {"idle/worker.go", "Worker.Found"},
	{"idle/worker.go", "Worker.Release"}, {"idle/worker.go", "Worker.Publish"},
	{"idle/worker.go", "Worker.Woke"}, {"idle/idle.go", "Coordinator.Notify"},
	{"idle/idle.go", "Coordinator.Claim"}, {"idle/idle.go", "Coordinator.Close"},
	{"park/park.go", "Parker.Park"}, {"park/park.go", "Parker.ParkTimeout"},
	{"park/park.go", "Parker.Unpark"},
}

// answers are the functions of which a trace shows the answer.
var answers = []mark{{"runtime/sched_idle.go", "Runtime.takeable"}}

// made are the functions that make objects, with what tells where the parts are.
var made = []struct {
	mark
	parts string
}{
	{mark{"idle/idle.go", "New"}, `"Coordinator", made, workers, "coordinator", made, ` +
		`"searching", &made.searching, "closed", &made.closed, "word", &made.words[0], ` +
		`"worker", &made.workers[0]`},
}

// sleeping are the functions within which the kernel, or a channel, does what the table of park
// says of it; the Parker is that of the call around it.
var sleeping = []mark{
	{"park/futexcall_linux.go", "futexWait"}, {"park/futexcall_linux.go", "futexWake"},
	{"park/portable.go", "channel.sleep"}, {"park/portable.go", "channel.wake"},
}

// recorded are the files whose accesses are recorded.
func recorded(root string) ([]string, error) {
	var all []string
	for _, dir := range []string{"idle", "park"} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if !strings.HasSuffix(f, "_test.go") {
				all = append(all, dir+"/"+filepath.Base(f))
			}
		}
	}
	return append(all, "runtime/sched_idle.go"), nil
}

// An insertion puts text into a file.
type insertion struct {
	at   int
	text string
}

// Rewrite returns the files that are other in a build that records, by their names below the root
// of the module. read returns what is in a file.
func Rewrite(root string, read func(file string) ([]byte, error)) (map[string][]byte, error) {
	files, err := recorded(root)
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	found := map[mark]bool{}
	for _, name := range files {
		text, err := read(name)
		if err != nil {
			return nil, err
		}
		if all[name], err = rewrite(name, text, found); err != nil {
			return nil, err
		}
	}
	for _, m := range slices.Concat(marks, answers, sleeping) {
		if !found[m] {
			return nil, fmt.Errorf("trace: %s has no function %s", m.file, m.function)
		}
	}
	for _, m := range made {
		if !found[m.mark] {
			return nil, fmt.Errorf("trace: %s has no function %s", m.file, m.function)
		}
	}
	return all, nil
}

func rewrite(name string, text []byte, found map[mark]bool) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	var all []insertion
	insert := func(at token.Pos, format string, args ...any) {
		all = append(all, insertion{offset(at), fmt.Sprintf(format, args...)})
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			m := mark{name, functionName(f)}
			if markFunction(f, m, string(text), offset, insert) {
				found[m] = true
			}
		}
	}
	if len(all) > 0 {
		insert(file.Name.End(), "; import traced %q", recorder)
	}
	for _, i := range file.Imports {
		if i.Path.Value == `"sync/atomic"` {
			insert(i.Path.Pos(), "atomic %q //", recorder)
		}
	}
	slices.SortStableFunc(all, func(a, b insertion) int { return a.at - b.at })
	var b bytes.Buffer
	at := 0
	for _, i := range all {
		b.Write(text[at:i.at])
		b.WriteString(i.text)
		at = i.at
	}
	b.Write(text[at:])
	return b.Bytes(), nil
}

// functionName is that of a function, behind its receiver's type if it has one.
func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

// markFunction puts in what a trace is to show of a function, and reports whether it is anything.
func markFunction(f *ast.FuncDecl, m mark, text string, offset func(token.Pos) int,
	insert func(token.Pos, string, ...any)) bool {
	begin := f.Body.Lbrace + 1
	arguments := func() string {
		var names []string
		for _, p := range f.Type.Params.List {
			for _, n := range p.Names {
				names = append(names, n.Name)
			}
		}
		return strings.Join(names, ", ")
	}
	// The function gets another name, and one with its own calls it.
	around := func(result string) {
		head := text[offset(f.Pos()):offset(begin)]
		own := f.Name.Name
		at := offset(f.Name.Pos()) - offset(f.Pos())
		insert(begin, " %s }; %s", result, head[:at]+own+"Traced"+head[at+len(own):])
	}
	for _, n := range made {
		if n.mark == m {
			around(fmt.Sprintf("made := %sTraced(%s); return traced.New(%s)", f.Name.Name,
				arguments(), n.parts))
			return true
		}
	}
	switch {
	case slices.Contains(marks, m):
		insert(begin, " defer traced.Enter(%q, %s)();", m.function, f.Recv.List[0].Names[0].Name)
	case slices.Contains(sleeping, m):
		insert(begin, " defer traced.Enter(%q, (*int)(nil))();", m.function)
	case slices.Contains(answers, m):
		around(fmt.Sprintf("return traced.Result(%q, %s.%sTraced(%s))", m.function,
			f.Recv.List[0].Names[0].Name, f.Name.Name, arguments()))
	default:
		return false
	}
	return true
}

// Build builds a program that records, or with "test", "-c" the tests of a package: how is the go
// command. edited are files that are other than below the root of the module, by their names there;
// scratch is a directory for what is made.
func Build(ctx context.Context, root, pkg, program, scratch string, edited map[string][]byte,
	how ...string) error {
	rewritten, err := Rewrite(root, func(file string) ([]byte, error) {
		if text, ok := edited[file]; ok {
			return text, nil
		}
		return os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	})
	if err != nil {
		return err
	}
	files := maps.Clone(edited)
	if files == nil {
		files = map[string][]byte{}
	}
	maps.Copy(files, rewritten)
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range files {
		copied := filepath.Join(scratch, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(copied, text, 0o666); err != nil {
			return err
		}
		overlay.Replace[filepath.Join(root, filepath.FromSlash(name))] = copied
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return err
	}
	list := filepath.Join(scratch, "overlay.json")
	if err := os.WriteFile(list, text, 0o666); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, "go", append(how, "-overlay", list, "-o", program, pkg)...)
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", c, err, out)
	}
	return nil
}
