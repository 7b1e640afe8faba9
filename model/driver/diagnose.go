package driver

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

// enginePath is the import path under which the checker itself lives. Its
// frames say nothing to the reader of a stack.
const enginePath = "github.com/surewake/surewake/model"

// A reader of stacks knows which packages were rewritten: that is user code.
type stackReader struct{ rewritten []string }

// packageOf gives the import path within a function name as stacks print it,
// such as gopkg.in/yaml%2ev3.(*node).Decode.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	// The receiver or type arguments may hold paths too.
	if cut := strings.IndexAny(function, "(["); cut >= 0 && cut < slash {
		slash = strings.LastIndexByte(function[:cut], '/') + 1
	}
	name, _, _ := strings.Cut(function[slash:], ".")
	return function[:slash] + strings.ReplaceAll(name, "%2e", ".")
}

func (s stackReader) user(function string) bool {
	p := packageOf(function)
	return slices.Contains(s.rewritten, p) || slices.Contains(s.rewritten, strings.TrimSuffix(p, "_test"))
}

// engine is true of frames that only show how the checker runs a body.
func (s stackReader) engine(function string) bool {
	if s.user(function) {
		return false
	}
	p := packageOf(function)
	switch p {
	case "testing", "iter", "runtime", enginePath:
		return true
	}
	return strings.HasPrefix(p, enginePath+"/")
}

// stuckAt finds, in a dump of all goroutines, the user's code that does not
// come back to the checker: a goroutine that meets user code before the
// checker's, seen from the top of its stack. Running ones are preferred to
// waiting ones.
func (s stackReader) stuckAt(dump string) string {
	best, bestRank := "", 0
	for _, block := range strings.Split(dump, "\n\n") {
		lines := strings.Split(block, "\n")
		for len(lines) > 0 && !strings.HasPrefix(lines[0], "goroutine ") {
			lines = lines[1:]
		}
		if len(lines) == 0 {
			continue
		}
		_, state, _ := strings.Cut(lines[0], "[")
		state, _, _ = strings.Cut(state, "]")
		for i := 1; i+1 < len(lines); i++ {
			function, ok := frameFunction(lines[i])
			if !ok || !strings.HasPrefix(lines[i+1], "\t") {
				continue
			}
			if s.engine(function) && !strings.HasPrefix(packageOf(function), "runtime") {
				break
			}
			if !s.user(function) {
				continue
			}
			rank := 1
			if strings.HasPrefix(state, "runn") { // running, runnable
				rank = 2
			}
			if rank > bestRank {
				best = fmt.Sprintf("%s at %s [%s]", function, framePlace(lines[i+1]), state)
				bestRank = rank
			}
			break
		}
	}
	return best
}

// frameFunction takes the arguments off the first line of a frame.
func frameFunction(line string) (string, bool) {
	if line == "" || line[0] == '\t' || line[0] == ' ' || strings.HasPrefix(line, "created by ") {
		return "", false
	}
	if end := strings.LastIndexByte(line, '('); end > 0 {
		line = line[:end]
	}
	return line, true
}

// framePlace takes the offset off the second line of a frame.
func framePlace(line string) string {
	place, _, _ := strings.Cut(strings.TrimSpace(line), " +0x")
	return place
}

// races cuts the reports of the race detector out of what was printed, without
// the checker's own frames.
func (s stackReader) races(text string) []string {
	var reports []string
	for _, block := range strings.Split(text, "==================\n") {
		if strings.HasPrefix(block, "WARNING: DATA RACE") {
			reports = append(reports, s.trimRace(block))
		}
	}
	return reports
}

func (s stackReader) trimRace(report string) string {
	var kept []string
	for _, section := range strings.Split(strings.TrimSpace(report), "\n\n") {
		lines := strings.Split(section, "\n")
		var out []string
		frames := 0
		for i := 0; i < len(lines); i++ {
			line := lines[i]
			if !strings.HasPrefix(line, "  ") || i+1 == len(lines) {
				out = append(out, line)
				continue
			}
			i++ // the frame's place
			if function, _ := frameFunction(strings.TrimSpace(line)); s.engine(function) {
				continue
			}
			frames++
			out = append(out, line, "      "+framePlace(lines[i]))
		}
		switch {
		case frames > 0:
			kept = append(kept, strings.Join(out, "\n"))
		case strings.Contains(lines[0], "WARNING") || strings.Contains(lines[0], " at 0x"):
			kept = append(kept, section) // an access: better with our own frames than without
		}
	}
	if len(kept) == 0 {
		// Nothing but our own frames: show it as it is.
		return strings.TrimSpace(report)
	}
	return strings.Join(kept, "\n\n")
}

// unexplained says why a process failed when none of its results does, or ""
// when nothing is amiss.
func (s stackReader) unexplained(out *outcome, test string, watchdog time.Duration) string {
	failed := slices.ContainsFunc(out.results, func(r result) bool { return r.Verdict == Failed })
	switch {
	case out.silent:
		text := fmt.Sprintf("no progress for %v: the body blocks outside the checker's control, or loops without a scheduling point", watchdog)
		if at := s.stuckAt(out.dump); at != "" {
			return text + "\nstuck in " + at
		}
		return text + quote(out.dump)
	case failed:
		return ""
	case out.exit == nil && len(out.results) > 0:
		return ""
	case out.exit == nil:
		return test + " ended without running a check (skipped, or behind a condition?)" + quote(out.said)
	}
	if reports := s.races(out.said); len(reports) > 0 {
		return "data race outside the executions of a check\n" + reports[0]
	}
	text := out.said
	if strings.Contains(text, "--- FAIL: ") {
		return test + " failed outside the executions of a check" + quote(text)
	}
	how := out.exit.Error()
	var status *exec.ExitError
	if errors.As(out.exit, &status) && status.Exited() && !hasCrash(text) {
		how += "; something called os.Exit or log.Fatal"
	}
	return fmt.Sprintf("%s ended without a result: %s", test, how) + quote(text)
}

func crashLine(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "SIG")
}

func hasCrash(text string) bool {
	return slices.ContainsFunc(strings.Split(text, "\n"), crashLine)
}

// addresses are what GOTRACEBACK=crash adds to stacks, of no use here.
var addresses = regexp.MustCompile(` (gp=0x\w+ m=\S+( mp=0x\w+)?|fp=0x\w+ sp=0x\w+ pc=0x\w+)`)

// quotedLines is how much of a process's output a message holds.
const quotedLines = 25

// quote picks the lines of an output that are worth showing: from a panic on,
// else the last ones.
func quote(text string) string {
	text = addresses.ReplaceAllString(text, "")
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
	if len(lines) == 0 {
		return ""
	}
	if at := slices.IndexFunc(lines, crashLine); at >= 0 {
		lines = lines[at:min(at+quotedLines, len(lines))]
	} else if len(lines) > quotedLines {
		lines = lines[len(lines)-quotedLines:]
	}
	return "\n  | " + strings.Join(lines, "\n  | ")
}
