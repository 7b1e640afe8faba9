package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// verdict is the result for a check. Its code is 0 (certified), 1 (refuted) or 3 (not certifiable).
type verdict struct {
	code        int
	check, says string
}

func main() {
	words := []string{"certified", "REFUTED", "", "not certifiable"}
	var files []string
	for _, arg := range os.Args[1:] {
		if in, _ := filepath.Glob(filepath.Join(arg, "*.traces")); len(in) > 0 {
			files = append(files, in...)
		} else {
			files = append(files, arg)
		}
	}
	var count [4]int
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		v := verify(string(text))
		count[v.code]++
		fmt.Printf("%s: %s: %s\n", words[v.code], v.check, v.says)
	}
	fmt.Printf("%d certified, %d refuted, %d not certifiable\n", count[0], count[1], count[3])
	switch {
	case len(files) == 0:
		fmt.Fprintln(os.Stderr, "usage: certify FILE|FOLDER...")
		os.Exit(2)
	case count[1] > 0:
		os.Exit(1)
	case count[3] > 0:
		os.Exit(3)
	}
}

func refuse(format string, args ...any) {
	panic(verdict{code: 3, says: fmt.Sprintf(format, args...)})
}

// refute says which execution is missing or impossible: the events of c, then e.
func (c *configuration) refute(e *event, format string, args ...any) {
	text := "after these steps\n"
	for _, f := range c.steps {
		if c.has(f) {
			text += fmt.Sprintf("\t%s: %v (%s)\n", c.threads[f.t].name, f, f.out)
		}
	}
	text += fmt.Sprintf("%s does %v: ", c.threads[e.t].name, e) + fmt.Sprintf(format, args...)
	if l := c.late; l != nil {
		text += fmt.Sprintf("\n(a trace of the file, with %v of %s put off)", l, c.threads[l.t].name)
	}
	panic(verdict{code: 1, says: text})
}

// verify judges the traces of one check.
func verify(text string) (v verdict) {
	defer func() {
		switch found := recover().(type) {
		case nil:
		case verdict:
			v.code, v.says = found.code, found.says
		default: // of a line that has too few words, or a number that names nothing
			v.code, v.says = 3, fmt.Sprintf("no file of traces: %v", found)
		}
	}()
	head, text, _ := strings.Cut(text, "= trace\n")
	title := strings.SplitN(head, "\n", 4)
	if len(title) != 4 || title[0] != "surewake traces 1" {
		refuse("no file of traces")
	}
	v.check = strings.TrimPrefix(title[1], "check ")
	if why, ok := strings.CutPrefix(title[2], "refused "); ok {
		refuse("%s", why)
	}
	b := &book{numbers: map[string]int{}, checked: map[string]bool{}, next: map[int]string{}}
	b.early = num(strings.TrimPrefix(title[2], "early "))
	traces := strings.Split(text, "= trace\n")
	var complete bool
	last := &traces[len(traces)-1]
	if *last, complete = strings.CutSuffix(*last, fmt.Sprintf("end %d\n", len(traces))); !complete {
		refuse("the file was cut off")
	}
	steps := 0
	for k, text := range traces {
		tr := read(b, text)
		steps += len(tr.steps)
		for _, e := range tr.order {
			b.facts[e.id].traces = append(b.facts[e.id].traces, int32(k))
		}
	}
	for _, text := range traces {
		read(b, text).closed()
	}
	v.says = fmt.Sprintf("%d traces, %d steps", len(traces), steps)
	return v
}
