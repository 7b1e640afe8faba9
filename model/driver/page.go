package driver

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/surewake/surewake/model/report"
)

// A Page writes one HTML page that shows rows and, of each that does not pass, the execution. Its
// file is opened first, so that a name that cannot be written costs nothing.
type Page struct {
	file   *os.File
	fresh  bool // it was not there before
	replay func(token string) string
	page   report.Page
}

// NewPage opens the file. The function replay returns the command line that runs a token again. Dir
// is where the name of the file is resolved; "" is the working directory.
func NewPage(dir, name string, replay func(token string) string) (*Page, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	_, err := os.Stat(path)
	fresh := os.IsNotExist(err)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, usagef("html %s: %v", name, err)
	}
	return &Page{file: file, fresh: fresh, replay: replay}, nil
}

// Plan shows nothing.
func (*Page) Plan([]Row) {}

// Active shows nothing.
func (*Page) Active(int, int, []Activity) {}

// Row notes a row.
func (p *Page) Row(r Row) {
	if r.Verdict == skipped {
		p.page.Skipped = append(p.page.Skipped, report.PageSkip{
			Package: r.Package, Name: r.Name, Why: r.Message,
		})
		return
	}
	c := report.PageCheck{
		Package: r.Package, Name: r.Name, Verdict: r.Verdict, Kind: string(r.Kind),
		Executions: executions(r), Steps: grouped(r.Steps),
		Message: r.Message, Trace: r.Trace, Token: r.Token,
	}
	if r.Bounded != "" {
		c.Notes = append(c.Notes, r.Bounded)
	}
	if r.left != "" {
		c.Notes = append(c.Notes, r.left)
	}
	if r.Replayed != "" {
		c.Notes = append(c.Notes, r.Replayed)
	}
	for _, a := range r.Assumptions {
		c.Notes = append(c.Notes, "assumes "+a)
	}
	if r.Kind != "" {
		c.Notes = append([]string{string(r.Kind)}, c.Notes...)
	}
	if r.File != "" {
		c.Place = fmt.Sprintf("%s:%d", r.File, r.Line)
	}
	if r.Token != "" {
		c.Replay = p.replay(r.Token)
	}
	if r.Passing != "" {
		c.ReplayPassing = p.replay(r.Passing)
	}
	for _, kind := range slices.Sorted(maps.Keys(r.Files)) {
		c.Files = append(c.Files, kind+": "+r.Files[kind])
	}
	p.page.Checks = append(p.page.Checks, c)
}

// executions says how many executions of a row ended in which way.
func executions(r Row) []string {
	out := []string{grouped(r.Complete) + " complete"}
	if r.Deadlocked > 0 {
		out = append(out, grouped(r.Deadlocked)+" deadlocked")
	}
	if r.Pruned > 0 {
		out = append(out, grouped(r.Pruned)+" pruned")
	}
	return out
}

// Close writes the page.
func (p *Page) Close(sum Summary) error {
	p.page.Heading = counted(sum.Checks, "check")
	return p.write()
}

// counted returns "1 check" or "2 checks".
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Replayed writes the page of one execution.
func (p *Page) Replayed(r *Replayed) error {
	p.Row(r.Row)
	c := &p.page.Checks[0]
	c.Token, c.Executions, c.Notes = "", []string{"this one"}, nil
	p.page.Heading = fmt.Sprintf("%s: %s", r.Row.Name, r.says())
	return p.write()
}

func (p *Page) write() error {
	p.page.Source = report.SourceFiles()
	p.page.Short = shortName()
	var text bytes.Buffer
	err := report.WritePage(&text, &p.page)
	if err == nil {
		_ = p.file.Truncate(0) // a pipe cannot, and need not
		_, err = p.file.Write(text.Bytes())
	}
	if closing := p.file.Close(); err == nil {
		err = closing
	}
	return err
}

// shortName returns report.Page.Short: the name of a file below the working directory.
func shortName() func(file string) string {
	dir, err := os.Getwd()
	return func(file string) string {
		if rel, bad := filepath.Rel(dir, file); err == nil && bad == nil && filepath.IsLocal(rel) {
			file = rel
		}
		return filepath.ToSlash(file)
	}
}

// Abandon leaves things as they were: there is nothing to show.
func (p *Page) Abandon() {
	p.file.Close()
	if p.fresh {
		os.Remove(p.file.Name())
	}
}
