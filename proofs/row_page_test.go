package proofs

import (
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"os"
	"strings"
	"testing"
)

// A row for each theorem, with what needs escaping.
func rowsOfAll() []Row {
	var rows []Row
	for _, th := range Theorems() {
		row := Row{ID: th.ID, Statement: th.Statement, Scope: th.Scope, Method: th.Method(),
			Result: Failed, File: th.File(), Code: th.Code,
			Assumptions: th.Assumptions, Message: "not so: <a> & \"b\""}
		if l, ok := th.proof.(lemma); ok {
			row.Line = l.line()
		}
		for _, m := range th.mutants {
			row.Mutants = append(row.Mutants, Mutant{ID: m.id, What: m.what})
		}
		rows = append(rows, row)
	}
	return rows
}

func TestPageIsWellFormedAndItsLinksLeadSomewhere(t *testing.T) {
	named, err := Named(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := HTML(&b, rowsOfAll(), "", named); err != nil {
		t.Fatal(err)
	}
	ids, links := map[string]bool{}, map[string]bool{}
	// strict: each element is closed where it should be
	d := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range element.Attr {
			switch a.Name.Local {
			case "id":
				if ids[a.Value] {
					t.Errorf("two elements have the id %s", a.Value)
				}
				ids[a.Value] = true
			case "href":
				links[a.Value] = true
			}
		}
	}
	lines := map[string]int{}
	for link := range links {
		file, anchor, _ := strings.Cut(link, "#")
		if file == "" {
			id, err := url.PathUnescape(anchor) // as browsers do
			if err != nil || !ids[id] {
				t.Errorf("%s leads nowhere", link)
			}
			continue
		}
		if lines[file] == 0 {
			text, err := os.ReadFile("../" + file)
			if err != nil {
				t.Errorf("%s leads nowhere: %v", link, err)
			}
			lines[file] = strings.Count(string(text), "\n") + 1
		}
		if anchor != "" && !lineWithin(anchor, lines[file]) {
			t.Errorf("%s is not one of %d lines", link, lines[file])
		}
	}
	for _, want := range []string{"proofs/MEMORY.md", "proofs/coq/Task.v", "#memory%2fM1",
		"taskstate/word.go"} {
		if !strings.Contains(b.String(), `href="`+want) {
			t.Errorf("no link to %s", want)
		}
	}
}

func lineWithin(anchor string, most int) bool {
	n := 0
	for _, digit := range strings.TrimPrefix(anchor, "L") {
		n = 10*n + int(digit-'0')
	}
	return strings.HasPrefix(anchor, "L") && n >= 1 && n <= most
}

// The line of a lemma is that of its theorem.
func TestLinesOfTheorems(t *testing.T) {
	for _, th := range Theorems() {
		l, ok := th.proof.(lemma)
		if !ok {
			continue
		}
		text, err := os.ReadFile(l.file())
		if err != nil {
			t.Fatal(err)
		}
		n := l.line()
		if n == 0 {
			t.Errorf("%s: there is no Theorem %s in %s", th.ID, l.theorem, l.file())
			continue
		}
		if line := strings.Split(string(text), "\n")[n-1]; !strings.HasPrefix(line,
			"Theorem "+l.theorem+" ") {
			t.Errorf("%s: line %d of %s is %s", th.ID, n, l.file(), line)
		}
	}
}
