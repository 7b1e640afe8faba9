package driver

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/template"

	"github.com/surewake/surewake/model/instrument"
	"github.com/surewake/surewake/model/wire"
)

// Dir is the directory of the package.
func (p *Replayed) Dir() string { return p.dir }

// EmitTest returns the text of a test file for the package of the execution: a regression test that
// runs its schedule again. Under go test it starts this program by the words of command.
func (p *Replayed) EmitTest(command []string) ([]byte, error) {
	if !p.Shows || p.Row.Verdict != Failed {
		return nil, usagef("-emit-test wants the token of an execution that fails; of this one: %s",
			p.says())
	}
	pkg, err := readPackage(p.dir, testName(p.token.Check), p.opts.Tags)
	if err != nil {
		return nil, err
	}
	name := pkg.unused(testName(p.token.Check) + "Replay")
	words := append(slices.Clone(command), "check")
	if p.opts.Tags != "" {
		words = append(words, "-tags", p.opts.Tags)
	}
	if p.opts.Early != DefaultEarly {
		words = append(words, "-early", p.opts.Early.String())
	}
	if _, inOrders := wire.CutMapOrders(p.token.Schedule); inOrders {
		words = append(words, "-map-orders")
	}
	flag := "-run"
	if p.opts.Tests != "" {
		flag = "-test"
	}
	words = append(words, flag, "^"+name+"$", ".")
	for i, w := range words {
		words[i] = fmt.Sprintf("%q", w)
	}
	var text bytes.Buffer
	err = emitted.Execute(&text, map[string]any{
		"Constraint": pkg.constraint, "Package": pkg.name,
		"Exec": pkg.unused("exec"), "Testing": pkg.unused("testing"),
		"Name": name, "Check": p.token.Check, "Failure": summary(p.Row.Message),
		"Budget": regressionBudget, "Directive": instrument.ReplayDirective,
		"Schedule": p.token.Schedule, "Words": strings.Join(words, ", "),
	})
	if err != nil {
		return nil, err
	}
	return format.Source(text.Bytes())
}

var emitted = template.Must(template.New("").Parse(`{{with .Constraint}}//go:build {{.}}

{{end}}package {{.Package}}

import (
	{{if ne .Exec "exec"}}{{.Exec}} {{end}}"os/exec"
	{{if ne .Testing "testing"}}{{.Testing}} {{end}}"testing"
)

// {{.Name}} runs {{.Check}} in the schedule in which it failed:
//
{{range .Failure}}//	{{.}}
{{end}}//
// go test leaves that to surewake, which runs this schedule first, and then all others for at most
// {{.Budget}}. Where the program has changed so that the schedule no longer applies, it says so.
//
{{.Directive}} {{.Check}} {{.Schedule}}
func {{.Name}}(t *{{.Testing}}.T) {
	cmd := {{.Exec}}.Command({{.Words}})
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	t.Logf("%s", out)
}
`))

// summary returns the first line of a message and those that are part of it, which begin with a
// tab.
func summary(message string) (lines []string) {
	const most, width = 8, 300
	for i, line := range strings.Split(message, "\n") {
		if i > 0 && !strings.HasPrefix(line, "\t") || len(lines) == most {
			break
		}
		line = strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f || r == 0xfeff {
				return ' '
			}
			return r
		}, strings.ToValidUTF8(line, "?"))
		if r := []rune(strings.TrimSpace(line)); len(r) > width {
			line = string(r[:width]) + "…"
		} else {
			line = string(r)
		}
		if i > 0 {
			line = "\t" + line
		}
		lines = append(lines, line)
	}
	return lines
}

// testName is the function of a check.
func testName(check string) string {
	again := instrument.Replay{Check: check}
	return again.Test()
}

// A parsedPackage is what a file for a package must fit.
type parsedPackage struct {
	name       string // of the package clause
	constraint string // of the build, "" for none
	declared   map[string]bool
}

// readPackage reads the package in dir that declares a test. Of several files that declare it, it
// goes by the one that is built with these tags.
func readPackage(dir, test, tags string) (*parsedPackage, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	system := build.Default
	system.BuildTags = strings.Split(tags, ",")
	p := &parsedPackage{}
	certain := false                         // the file is built
	declared := map[string]map[string]bool{} // by package
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		if filepath.Ext(file) != ".go" || e.IsDir() {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		const mode = parser.ParseComments | parser.SkipObjectResolution
		f, err := parser.ParseFile(token.NewFileSet(), file, text, mode)
		if err != nil {
			continue // the one that is being written, or one that is not built
		}
		of := declared[f.Name.Name]
		if of == nil {
			of = map[string]bool{}
			declared[f.Name.Name] = of
		}
		for _, d := range f.Decls {
			for _, name := range declaredBy(d) {
				of[name] = true
			}
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Recv == nil && fn.Name.Name == test && !certain &&
				strings.HasSuffix(file, "_test.go") {
				p.name, p.constraint = f.Name.Name, constraintOf(f, filepath.Base(file))
				certain, _ = system.MatchFile(dir, e.Name())
			}
		}
	}
	if p.name == "" {
		return nil, usagef("no file in %s declares %s", dir, test)
	}
	p.declared = declared[p.name]
	return p, nil
}

// declaredBy returns the names of the package's scope that d declares.
func declaredBy(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

// constraintOf returns when a file that is built now is built: what its build line and its name
// say.
func constraintOf(f *ast.File, name string) string {
	var parts []string
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() < f.Package && constraint.IsGoBuild(c.Text) {
				if x, err := constraint.Parse(c.Text); err == nil {
					parts = append(parts, "("+x.String()+")")
				}
			}
		}
	}
	words := strings.Split(strings.TrimSuffix(name, "_test.go"), "_")
	for _, system := range []string{runtime.GOARCH, runtime.GOOS} {
		if last := len(words) - 1; last > 0 && words[last] == system {
			parts, words = append(parts, system), words[:last]
		}
	}
	x, err := constraint.Parse("//go:build " + strings.Join(parts, " && "))
	if err != nil {
		return ""
	}
	return x.String()
}

// unused returns name, with a number if the package has something of that name.
func (p *parsedPackage) unused(name string) string {
	free := name
	for n := 2; p.declared[free]; n++ {
		free = fmt.Sprintf("%s%d", name, n)
	}
	return free
}

// unwritten returns what opts.Output says of the package that is listed in dir by pattern: the
// file, if it is still empty, as absent.
func unwritten(dir, pattern string, out fs.FileInfo) map[string][]byte {
	if out == nil || !out.Mode().IsRegular() || out.Size() > 0 {
		return nil
	}
	if pattern != "." && !strings.HasPrefix(pattern, "./") {
		return nil
	}
	dir, err := filepath.Abs(filepath.Join(dir, filepath.FromSlash(pattern)))
	if err != nil {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && filepath.Ext(e.Name()) == ".go" && os.SameFile(info, out) {
			return map[string][]byte{filepath.Join(dir, e.Name()): nil}
		}
	}
	return nil
}
