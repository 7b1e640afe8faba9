package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// verdict is the result for a check. Its code is 0 (certified), 1 (refuted) or 3 (not certifiable).
type verdict struct {
	code        int
	check, says string
}

func main() {
	words, code := []string{"certified", "REFUTED", "", "not certifiable"}, 0
	for _, name := range os.Args[1:] {
		text, err := os.ReadFile(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		v := verify(string(text))
		fmt.Printf("%s: %s: %s\n", words[v.code], v.check, v.says)
		if v.code == 1 || code == 0 {
			code = v.code
		}
	}
	os.Exit(code)
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
	text, end, _ := strings.Cut(text, "\nend ")
	texts := strings.Split(text, "\n= trace\n")
	title := strings.Split(texts[0], "\n")
	v.check = strings.TrimPrefix(title[1], "check ")
	early, ok := strings.CutPrefix(title[2], "early ")
	switch {
	case title[0] != "surewake traces 2":
		refuse("no file of traces")
	case !ok:
		refuse("%s", title[2])
	case end != fmt.Sprintln(len(texts)-1):
		refuse("the file was cut off")
	}
	b := &book{num(early), map[string]string{}, map[string]int{}, map[int][]*event{},
		map[string]bool{}}
	var traces []*trace
	for _, text := range texts[1:] {
		traces = append(traces, read(b, text))
	}
	for _, tr := range traces {
		tr.closed()
	}
	v.says = fmt.Sprintf("%d traces, %d different steps", len(traces), len(b.ids))
	return v
}

func refuse(format string, args ...any) {
	panic(verdict{code: 3, says: fmt.Sprintf(format, args...)})
}

// refute says which execution is missing or impossible: the events of c, then e.
func (tr *trace) refute(c cut, e *event, format string, args ...any) {
	text := "after these steps\n"
	for _, f := range tr.order {
		if c.has(f) {
			text += fmt.Sprintf("\t%v (%s)\n", f, f.out)
		}
	}
	panic(verdict{code: 1, says: fmt.Sprint(text, e, ": ", fmt.Sprintf(format, args...))})
}

// closed checks the configurations of the theorem, and after which each step was taken.
func (tr *trace) closed() {
	prefix := cut{}
	for _, e := range tr.order {
		tr.closedAfter(prefix)
		prefix[e.t]++
		rest := cut{}
		for _, f := range tr.order {
			if !f.clock.has(e) {
				rest[f.t]++
			}
		}
		tr.closedAfter(rest)
	}
	tr.closedAfter(prefix)
}

// closedAfter checks the condition of the theorem for a configuration: the next operation of each
// thread is known with every outcome that it can have, and with no other.
func (tr *trace) closedAfter(c cut) {
	front := tr.front(c)
	key := fmt.Sprint(front)
	if tr.checked[key] {
		return
	}
	tr.checked[key] = true
	number := func(i, j int) int { return len(tr.same[i]) - len(tr.same[j]) }
	rarest := slices.Clone(tr.same[slices.MinFunc(front, number)])
	extended := slices.DeleteFunc(rarest, func(f *event) bool { // in the traces that contain c
		return slices.ContainsFunc(front, func(id int) bool { return f.trace.byID[id] == nil })
	})
	for _, t := range slices.Sorted(maps.Keys(tr.births)) {
		n, events := c[t], tr.threads[t]
		switch {
		case !c.has(tr.births[t]) || n > 0 && events[n-1].op == "end":
			continue
		case n == len(events):
			refuse("%s neither ends nor waits at the end of a trace", t)
		}
		var shown []string
		for _, g := range extended {
			if f := g.trace.threads[t][n]; f.out != "stuck" && c.hasPast(f) {
				shown = append(shown, f.out)
			}
		}
		shown = slices.Compact(slices.Sorted(slices.Values(shown)))
		if can := tr.outcomes(c, events[n], shown); !slices.Equal(shown, can) {
			tr.refute(c, events[n], "it can have the outcomes %q, traces that begin so have %q", can, shown)
		}
	}
}
