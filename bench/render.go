package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A verdict is what a claim has come to.
type verdict struct {
	claim
	ourLine, otherLine Line
	unit               string
	figure             float64 // of the form of the claim
	text               string
	lost               bool
	disturbed          bool
}

// judge returns the verdict on c; false if a line is missing, as those of Rust are without cargo.
func (r *Results) judge(c claim) (verdict, bool) {
	row := r.row(c.key)
	ours := r.find(c.key, byOurs, c.ours)
	if row == nil || ours == nil {
		return verdict{}, false
	}
	v := verdict{claim: c, ourLine: *ours, unit: row.Unit, disturbed: row.Disturbed}
	if c.form != absolute {
		other := r.find(c.key, c.by, c.other)
		if other == nil {
			return verdict{}, false
		}
		v.otherLine = *other
	}
	switch c.form {
	case absolute:
		v.figure = ours.P50
	case ratio:
		v.figure = ours.P50 / v.otherLine.P50
	case speedup:
		v.figure = v.otherLine.P50 / ours.P50
	case relative:
		inGo, inRust := r.find(c.key, byGo, plainCode), r.find(c.key, byRust, plainCode)
		if inGo == nil || inRust == nil {
			return verdict{}, false
		}
		v.figure = (ours.P50 / inGo.P50) / (v.otherLine.P50 / inRust.P50)
	}
	reaches := func(bound float64) bool {
		// As far as the figure is printed.
		if c.form == speedup {
			return twoDigits(v.figure) >= twoDigits(bound)
		}
		return twoDigits(v.figure) <= twoDigits(bound)
	}
	switch {
	case c.must == 0 && reaches(1):
		v.text = "ahead"
	case c.must != 0 && c.goal != 0 && reaches(c.goal):
		v.text = "goal met"
	case c.must != 0 && reaches(c.must):
		v.text = "must met"
	default:
		v.text, v.lost = "**lost**", true
	}
	return v, true
}

func twoDigits(x float64) int { return int(x*100 + 0.5) }

func (r *Results) verdicts() (all []verdict) {
	for _, c := range claims() {
		if v, ok := r.judge(c); ok {
			all = append(all, v)
		}
	}
	return all
}

// render makes what comes from results: blocks of README.md, RESULTS.md and the charts.
func render(file, dir string) error {
	r, err := readResults(file)
	if err != nil {
		return err
	}
	name := filepath.Join(dir, "README.md")
	readme, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	made, err := r.files(string(readme))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "charts"), 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(made)) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(made[name]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// files returns the contents of all files that come from the results, by name.
func (r *Results) files(readme string) (map[string]string, error) {
	var err error
	for _, b := range []struct {
		name  string
		write func(to io.Writer)
	}{
		{"session", r.writeSession}, {"table", r.writeTable}, {"losses", r.writeLosses},
	} {
		var text bytes.Buffer
		b.write(&text)
		if readme, err = replaceBlock(readme, b.name, text.String()); err != nil {
			return nil, err
		}
	}
	var all bytes.Buffer
	r.writeAll(&all)
	return map[string]string{
		"README.md": readme, "RESULTS.md": all.String(),
		"charts/speedup.svg": r.speedups(), "charts/latency.svg": r.latencies(),
	}, nil
}

// replaceBlock puts text between the comments that begin and end a block of a Markdown file.
func replaceBlock(file, name, text string) (string, error) {
	begin, end := "<!-- "+name+": made by run.sh -->\n", "<!-- end of "+name+" -->\n"
	head, rest, found := strings.Cut(file, begin)
	_, tail, ends := strings.Cut(rest, end)
	if !found || !ends {
		return "", fmt.Errorf("README.md has no block %q", name)
	}
	return head + begin + text + end + tail, nil
}

func (r *Results) writeSession(to io.Writer) {
	discarded, turns, disturbed := 0, 0, 0
	for _, row := range r.Rows {
		discarded += row.Discarded
		turns += row.Turns
		if row.Disturbed {
			disturbed++
		}
	}
	fmt.Fprintf(to, "%s; %s.\n", r.Machine, strings.TrimSpace(r.Tools))
	fmt.Fprintf(to, "Load averages before %s, after %s; %d seconds.\n", r.Load[0],
		r.Load[len(r.Load)-1], r.Seconds)
	fmt.Fprintf(to, "%d turns count, %d were disturbed by others and do not.\n", turns, discarded)
	if disturbed > 0 {
		fmt.Fprintf(to, "In %d of %d rows too few turns were calm, and the least disturbed ones\n"+
			"count: they are marked with ~.\n", disturbed, len(r.Rows))
	}
	for _, l := range r.Later {
		fmt.Fprintf(to, "\nMeasured later: %s; %s.\nLoad averages before %s, after %s; %d seconds.\n",
			l.Machine, strings.TrimSpace(l.Tools), l.Load[0], l.Load[len(l.Load)-1], l.Seconds)
		fmt.Fprint(to, wrapped("", strings.Join(l.Of, ", ")+"."))
	}
}

// bound is how a bound is printed: "" if there is none.
func (v verdict) bound(x float64) string {
	if x == 0 {
		return ""
	}
	switch v.form {
	case absolute:
		return fmt.Sprintf("%s %s", figure(x), v.unit)
	case speedup:
		return fmt.Sprintf("≥ %.2f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

func (v verdict) against() string {
	if v.form == absolute {
		return ""
	}
	return fmt.Sprintf("%s %s", v.otherLine.Name, v.time(v.otherLine.P50))
}

func (v verdict) time(x float64) string { return figure(x) + " " + v.unit }

func (v verdict) shown() string {
	if v.form == absolute {
		return ""
	}
	return fmt.Sprintf("%.2f", v.figure)
}

func (v verdict) label() string {
	if v.disturbed {
		return "~ " + v.what
	}
	return v.what
}

func (r *Results) writeTable(to io.Writer) {
	fmt.Fprintln(to, "| | ours | beside | ratio | must | goal | verdict |")
	fmt.Fprintln(to, "|---|--:|---|--:|--:|--:|---|")
	for _, v := range r.verdicts() {
		fmt.Fprintf(to, "| %s | %s | %s | %s | %s | %s | %s |\n", v.label(),
			v.time(v.ourLine.P50), v.against(), v.shown(), v.bound(v.must), v.bound(v.goal), v.text)
	}
}

func (r *Results) writeLosses(to io.Writer) {
	counts := make(map[string]int)
	for _, v := range r.verdicts() {
		counts[v.text]++
	}
	fmt.Fprintf(to, "Of %d lines %d are lost, %d reach what they must, %d their goal, and %d more\n"+
		"are ahead.\n\n", len(r.verdicts()), counts["**lost**"], counts["must met"],
		counts["goal met"], counts["ahead"])
	for _, v := range r.verdicts() {
		if !v.lost {
			continue
		}
		line := v.label() + ": " + v.time(v.ourLine.P50)
		if v.form != absolute {
			line += fmt.Sprintf(" beside %s (%s)", v.against(), v.shown())
		} else {
			line += ", must be " + v.bound(v.must)
		}
		if v.why != "" {
			line += "; " + v.why
		}
		inGo, inRust := r.find(v.key, byGo, plainCode), r.find(v.key, byRust, plainCode)
		if v.by == byRust && v.form == ratio && inGo != nil && inRust != nil {
			line += fmt.Sprintf("; plain code takes %s in Go, %s in Rust", v.time(inGo.P50),
				v.time(inRust.P50))
		}
		fmt.Fprint(to, wrapped("- ", line+"."))
	}
}

// wrapped breaks a paragraph of a list into lines of at most 100 columns.
func wrapped(mark, text string) string {
	var all strings.Builder
	line := mark
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line += word
		case len([]rune(line))+1+len([]rune(word)) > 100:
			all.WriteString(line + "\n")
			line = strings.Repeat(" ", len(mark)) + word
		default:
			line += " " + word
		}
	}
	return all.String() + line + "\n"
}

// writeAll writes every line of every row.
func (r *Results) writeAll(to io.Writer) {
	fmt.Fprint(to, "# Every line of the session\n\n")
	fmt.Fprint(to, "Made by `run.sh`; see [README.md](README.md) for how it is measured. ")
	fmt.Fprint(to, "Times are of an operation.\n\n")
	r.writeSession(to)
	for _, row := range r.Rows {
		mark := ""
		if row.Disturbed {
			mark = "~ "
		}
		fmt.Fprintf(to, "\n## %s%s\n\n", mark, row.Title)
		fmt.Fprintf(to, "| %s | by | min | p50 | p90 | p99 | allocations | rounds |\n", row.Unit)
		fmt.Fprint(to, "|---|---|--:|--:|--:|--:|--:|--:|\n")
		for _, l := range row.Lines {
			allocs := figure(l.Allocs)
			if l.By == byRust {
				allocs = ""
			}
			fmt.Fprintf(to, "| %s | %s | %s | %s | %s | %s | %s | %d |\n", l.Name, l.By,
				figure(l.Min), figure(l.P50), figure(l.P90), figure(l.P99), allocs, l.Rounds)
		}
	}
	for _, s := range r.Surveys {
		fmt.Fprintf(to, "\n## %s\n\n| | %s |\n|---|--:|\n", s.Title, s.Column)
		for _, l := range s.Lines {
			fmt.Fprintf(to, "| %s | %s |\n", l[0], l[1])
		}
	}
}

// printResults writes the table of a file of results.
func printResults(file string, to io.Writer) error {
	r, err := readResults(file)
	if err == nil {
		r.writeSession(to)
		r.writeTable(to)
	}
	return err
}

// compareResults is an error if something is slower than before.
func compareResults(file string, to io.Writer) error {
	r, err := readResults(file)
	if err != nil {
		return err
	}
	if !r.compare(to) {
		return errors.New("slower than before by more than 5 %")
	}
	return nil
}

// slower is more than this part slower than before.
const slower = 0.05

// compare writes our lines beside those of an older binary, and reports whether none is slower.
func (r *Results) compare(to io.Writer) bool {
	fmt.Fprintf(to, "| beside %s | unit | before | now | ratio | ratio of the fastest | verdict |\n",
		r.Before)
	fmt.Fprint(to, "|---|---|--:|--:|--:|--:|---|\n")
	kept := true
	for _, row := range r.Rows {
		for _, now := range row.Lines {
			before := r.find(row.Key, byBefore, now.Name)
			if now.By != byOurs || before == nil {
				continue
			}
			text := "kept"
			// A median that others shifted leaves the fastest round where it was.
			switch p50, least := now.P50/before.P50, now.Min/before.Min; {
			case p50 > 1+slower && least > 1+slower:
				text, kept = "**slower**", false
			case p50 > 1+slower:
				text = "slower by the median only"
			case p50 < 1-slower:
				text = "faster"
			}
			if row.Disturbed {
				text = "~ " + text
			}
			fmt.Fprintf(to, "| %s: %s | %s | %s | %s | %.2f | %.2f | %s |\n", row.Title, now.Name,
				row.Unit, figure(before.P50), figure(now.P50), now.P50/before.P50,
				now.Min/before.Min, text)
		}
	}
	return kept
}
