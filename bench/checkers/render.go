package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// render returns the table: of each tool the run of medium length, and of those that did not end
// how far they came.
func render(selected []scenario, all map[scenario]map[string][]outcome) string {
	var b strings.Builder
	b.WriteString("| scenario | tool | executions | seconds | executions a second | |\n" +
		"|---|---|--:|--:|--:|---|\n")
	for _, s := range selected {
		for _, t := range tools {
			o := median(all[s][t.name])
			verdict := o.verdict
			switch {
			case t.samples:
				verdict = "samples"
			case verdict == stopped:
				verdict = "**not finished**"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", s.name, t.name,
				grouped(o.executions), figures(o.seconds),
				grouped(int64(float64(o.executions)/max(o.seconds, 1e-6))), verdict)
		}
	}
	return b.String()
}

func median(outcomes []outcome) outcome {
	sorted := slices.SortedFunc(slices.Values(outcomes), func(a, b outcome) int {
		switch {
		case a.seconds < b.seconds:
			return -1
		case a.seconds > b.seconds:
			return 1
		}
		return 0
	})
	return sorted[len(sorted)/2]
}

// figures returns seconds with two or three figures.
func figures(seconds float64) string {
	switch {
	case seconds >= 10:
		return fmt.Sprintf("%.0f", seconds)
	case seconds >= 1:
		return fmt.Sprintf("%.1f", seconds)
	}
	return fmt.Sprintf("%.3f", seconds)
}

// grouped returns n with commas.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// describe returns the line about the session.
func describe(before string, took, limit time.Duration) string {
	processor := "an unknown processor"
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if name, ok := strings.CutPrefix(line, "model name\t: "); ok {
				processor = strings.TrimSpace(name)
				break
			}
		}
	}
	rustc, err := exec.Command("rustc", "--version").Output()
	if err != nil {
		rustc = []byte("an unknown rustc")
	}
	return fmt.Sprintf("%s, %d processors, %s/%s; %s, loom %s, Shuttle %s, %s.\n"+
		"Load averages before %s, after %s; %.0f minutes.\nAt most %.0f seconds for a run.\n",
		processor, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(),
		locked("loom"), locked("shuttle"), strings.Join(strings.Fields(string(rustc))[:2], " "),
		before, loads(), took.Minutes(), limit.Seconds())
}

// locked returns the version of a crate in Cargo.lock.
func locked(crate string) string {
	text, err := os.ReadFile("rust/Cargo.lock")
	if err != nil {
		return "of an unknown version"
	}
	_, after, _ := strings.Cut(string(text), fmt.Sprintf("name = %q\nversion = \"", crate))
	version, _, _ := strings.Cut(after, `"`)
	return version
}

// loads returns the load averages.
func loads() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}

// write puts texts between the marks in a file.
func write(file string, texts map[string]string) error {
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for name, text := range texts {
		begin, end := "<!-- "+name+": made by run.sh -->\n", "<!-- end of "+name+" -->\n"
		i, j := bytes.Index(page, []byte(begin)), bytes.Index(page, []byte(end))
		if i < 0 || j < i {
			return fmt.Errorf("%s has no marks of the %s", file, name)
		}
		page = slices.Concat(page[:i+len(begin)], []byte(text), page[j:])
	}
	return os.WriteFile(file, page, 0o666)
}
