package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/surewake/surewake/model/wire"
)

// A Page is what WritePage shows: the verdicts of checks, and an execution of each that failed.
type Page struct {
	Heading string // "5 checks: 4 failed"
	Checks  []PageCheck
	Skipped []PageSkip

	// Source returns the lines of a file, or none if it cannot be read; nil: none can. See
	// SourceFiles.
	Source func(file string) []string

	// Short returns the name of a file for the reader; nil: its path.
	Short func(file string) string
}

// A PageCheck is one check.
type PageCheck struct {
	Package, Name string
	Verdict       string   // as package wire names it
	Kind          string   // of a verdict that is neither proved nor bounded
	Place         string   // "ring.go:12", or ""
	Executions    []string // "12 complete"
	Steps         string
	Notes         []string // what limits the verdict, and what it assumes
	Message       string
	Token, Replay string
	ReplayPassing string      // the command that runs the execution that passes, or ""
	Files         []string    // what else was written
	Trace         *wire.Trace // nil if none was recorded
}

// A PageSkip is a test that ran no check.
type PageSkip struct{ Package, Name, Why string }

// SourceFiles returns a Page.Source that reads files, each of them once.
func SourceFiles() func(file string) []string {
	files := map[string][]string{}
	return func(file string) []string {
		lines, ok := files[file]
		if !ok {
			if text, err := os.ReadFile(file); err == nil {
				lines = strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
			}
			files[file] = lines
		}
		return lines
	}
}

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageCSS string
	//go:embed page/page.js
	pageJS string

	pageTemplate = template.Must(template.New("page").Parse(pageHTML))
)

// WritePage writes one HTML page that needs nothing else: no other file and no network. The same
// Page gives the same text.
func WritePage(w io.Writer, p *Page) error {
	d := pageData{
		Title: "surewake: " + p.Heading, Heading: p.Heading,
		Style: template.CSS(pageCSS), Script: template.JS(pageJS), Skipped: p.Skipped,
	}
	counts := map[string]int{}
	for i := range p.Checks {
		c := p.shown(&p.Checks[i], i+1)
		counts[c.Verdict]++
		if d.First == "" && len(c.Rows) > 0 {
			d.First = c.ID
		}
		d.Checks = append(d.Checks, c)
	}
	for _, v := range []string{wire.Failed, wire.Undecided, wire.Bounded, wire.Proved} {
		if n := counts[v]; n > 0 {
			d.Tally = append(d.Tally, pageCount{n, v, strings.ToLower(v)})
		}
	}
	return pageTemplate.Execute(w, d)
}

// pageData is what the template gets.
type pageData struct {
	Title, Heading string
	Style          template.CSS
	Script         template.JS
	First          string // the first check with an execution
	Tally          []pageCount
	Checks         []*shownCheck
	Skipped        []PageSkip
}

type pageCount struct {
	Count   int
	Verdict string
	Class   string
}

type shownCheck struct {
	*PageCheck
	ID, Class  string
	Detail     bool   // there is more to say than the row of the table
	Lead, Rest string // the first line of the message; all of it, if there is more
	Count      string // of steps
	Lanes      []shownLane
	Rows       []*shownRow
	Failed     string
	Passes     string // with what it would have passed
	Data       pageTrace
}

type shownLane struct {
	Name       string
	At, Colour int
}

// shownRow is a step, or a goroutine that waits at the end.
type shownRow struct {
	ID                string
	Row, Lane, Colour int
	Kind              string // "race", "waits" or ""
	Preempted         string // the goroutine before, if it could have gone on
	Head              string // function and file, where they are new in the lane
	Number            string
	Who, At, Code, Op string
	Value, Note       string
	file, function    string
	line              int
}

// pageTrace is what the script gets.
type pageTrace struct {
	Lanes []string                     `json:"lanes"`
	Rows  []pageRow                    `json:"rows"`
	Start int                          `json:"start"` // the row that is selected at first
	Files map[string]map[string]string `json:"files"` // by name and number: the lines around rows
}

type pageRow struct {
	Lane  int    `json:"lane"`
	Op    string `json:"op"`
	Value string `json:"value,omitempty"`
	Note  string `json:"note,omitempty"`
	Func  string `json:"func,omitempty"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	Waits bool   `json:"waits,omitempty"`
	After []int  `json:"after"` // rows that synchronize before it
	Holds []int  `json:"holds"` // rows that took the lock it waits for
	Race  int    `json:"race"`  // the row it races with; -1: none, -2: one that is not shown
}

// shown prepares check number n.
func (p *Page) shown(c *PageCheck, n int) *shownCheck {
	s := &shownCheck{
		PageCheck: c, ID: "c" + itoa(n), Class: strings.ToLower(c.Verdict),
		Detail: c.Message != "" || c.Trace != nil,
	}
	message := strings.TrimRight(c.Message, "\n")
	lead, _, more := strings.Cut(message, "\n")
	if s.Lead = lead; more {
		s.Rest = message
	}
	if c.Trace != nil && len(c.Trace.Steps)+len(c.Trace.Blocked) > 0 && c.hasSteps() {
		p.draw(s, named(c.Trace, p.line))
	}
	return s
}

// hasSteps reports whether there is an execution to show: a body that failed before its first step
// has nothing but the message.
func (c *PageCheck) hasSteps() bool { return len(c.Trace.Steps) > 0 }

// line is Options.Source for p.Source.
func (p *Page) line(file string, n int) string {
	if p.Source == nil || file == "" {
		return ""
	}
	if lines := p.Source(file); 0 < n && n <= len(lines) {
		return strings.TrimSpace(lines[n-1])
	}
	return ""
}

// draw fills in the execution.
func (p *Page) draw(s *shownCheck, t *wire.Trace) {
	d := drawing{t}
	at := map[int]int{} // lanes by thread
	for _, l := range d.lanes() {
		at[l.thread] = 0
	}
	for _, b := range t.Blocked {
		at[b.Thread] = 0
	}
	names := map[int]string{}
	for i := range t.Steps {
		names[t.Steps[i].Thread] = nameOf(t, t.Steps[i].Thread, t.Steps[i].Name)
	}
	for _, b := range t.Blocked {
		names[b.Thread] = nameOf(t, b.Thread, b.Name)
	}
	for i, thread := range slices.Sorted(maps.Keys(at)) {
		at[thread] = i
		s.Lanes = append(s.Lanes, shownLane{names[thread], i, i % pageColours})
		s.Data.Lanes = append(s.Data.Lanes, names[thread])
	}
	heads := map[int]string{}
	for k := range t.Steps {
		step := &t.Steps[k]
		r := &shownRow{
			Number: itoa(k + 1), Op: what(step.Op, step.Object), Value: arrows(clean(step.Value)),
			Note: clean(step.Note), file: step.File, line: step.Line,
			function: clean(wire.ShortFunc(step.Func)),
		}
		if d.preempted(k) {
			r.Preempted = names[t.Steps[k-1].Thread]
		}
		head := strings.TrimSpace(r.function + "  " + base(step.File))
		if head != heads[step.Thread] {
			r.Head, heads[step.Thread] = head, head
		}
		row := pageRow{Race: -1, After: slices.Clone(step.After)}
		if step.Race != 0 {
			r.Kind, row.Race = "race", -2
			for i := range t.Steps {
				if i != k && t.Steps[i].Race == step.Race {
					row.Race = i
				}
			}
		}
		p.add(s, r, row, at[step.Thread])
	}
	held := holders(t)
	for i := range t.Blocked {
		b := &t.Blocked[i]
		r := &shownRow{
			Kind: "waits", Op: "waits in " + what(b.Op, b.Object), Note: clean(b.Note),
			file: b.File, line: b.Line,
		}
		p.add(s, r, pageRow{Race: -1, Waits: true, Holds: held(b)}, at[b.Thread])
	}
	s.Count = fmt.Sprintf("%d steps", len(t.Steps))
	s.Data.Start = len(s.Rows) - 1
	for i, r := range s.Rows {
		if r.Kind != "" {
			s.Data.Start = i
			if r.Kind == "waits" && len(s.Data.Rows[i].Holds) > 0 {
				break
			}
		}
	}
	s.Failed, _, _ = strings.Cut(t.Message, "\n")
	s.Passes = reversal(t)
}

// pageColours is how many colours lanes have before they repeat; page.css names them.
const pageColours = 6

// around is how many lines of source are shown before and after that of a step.
const around = 4

// add adds a row of a lane, with what the script needs of it.
func (p *Page) add(s *shownCheck, r *shownRow, data pageRow, lane int) {
	r.Row, r.Lane, r.Colour = len(s.Rows)+1, lane, lane%pageColours
	r.ID, r.Who = s.ID+"s"+itoa(r.Row), s.Lanes[lane].Name
	data.Lane, data.Op, data.Value, data.Note = lane, r.Op, r.Value, r.Note
	data.Func, data.Line = r.function, r.line
	if data.After == nil {
		data.After = []int{}
	}
	if data.Holds == nil {
		data.Holds = []int{}
	}
	if r.file != "" {
		r.At, r.Code = itoa(r.line), code(p.line(r.file, r.line))
		data.File = r.file
		if p.Short != nil {
			data.File = p.Short(r.file)
		}
		p.excerpt(s, data.File, r)
	}
	s.Rows = append(s.Rows, r)
	s.Data.Rows = append(s.Data.Rows, data)
}

// excerpt adds the lines around a row.
func (p *Page) excerpt(s *shownCheck, name string, r *shownRow) {
	if p.Source == nil {
		return
	}
	lines := p.Source(r.file)
	for n := max(1, r.line-around); n <= min(len(lines), r.line+around); n++ {
		if s.Data.Files == nil {
			s.Data.Files = map[string]map[string]string{}
		}
		if s.Data.Files[name] == nil {
			s.Data.Files[name] = map[string]string{}
		}
		s.Data.Files[name][itoa(n)] = strings.TrimRight(lines[n-1], " \t")
	}
}

// holders returns a function that finds the steps that took the lock for which a goroutine waits,
// and did not give it back.
func holders(t *wire.Trace) func(*wire.Blocked) []int {
	held := map[string][]int{}
	for k := range t.Steps {
		s := &t.Steps[k]
		switch s.Op {
		case "TryLock", "TryRLock":
			if s.Value != "true" {
				continue
			}
			fallthrough
		case "Lock", "RLock":
			held[s.Object] = append(held[s.Object], k)
		case "Unlock":
			delete(held, s.Object)
		case "RUnlock":
			list := held[s.Object]
			i := slices.IndexFunc(list, func(h int) bool { return t.Steps[h].Thread == s.Thread })
			if i = max(i, 0); i < len(list) { // another thread than the one that locked may unlock
				held[s.Object] = slices.Delete(list, i, i+1)
			}
		}
	}
	return func(b *wire.Blocked) []int {
		switch b.Op {
		case "Lock", "Lock (announce)", "RLock":
			return held[b.Object]
		}
		return nil
	}
}
