package driver

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/surewake/surewake/model/wire"
)

// enginePath is the import path under which the checker itself lives. Its
// frames say nothing to the reader of a stack.
const enginePath = "github.com/surewake/surewake/model"

// A reader of stacks knows which packages were rewritten: that is user code.
type stackReader struct{ rewritten []string }

// packageOf returns the import path within a function name as stacks print it,
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
	return slices.Contains(s.rewritten, p) ||
		slices.Contains(s.rewritten, strings.TrimSuffix(p, "_test"))
}

// engine is true of frames that only show how the checker runs a body.
func (s stackReader) engine(function string) bool {
	if s.user(function) {
		return false
	}
	switch packageOf(function) {
	case "testing", "iter", "runtime":
		return true
	}
	return s.checker(function)
}

// checker is true of the checker's own functions.
func (s stackReader) checker(function string) bool {
	p := packageOf(function)
	return !s.user(function) && (p == enginePath || strings.HasPrefix(p, enginePath+"/"))
}

// stuckAt finds, in a dump of all goroutines, the user's code that does not
// come back to the checker: a goroutine that meets user code before the
// checker's, seen from the top of its stack. Running ones are preferred to
// waiting ones.
func (s stackReader) stuckAt(dump string) (at, place string) {
	bestRank := 0
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
				place = framePlace(lines[i+1])
				at = fmt.Sprintf("%s at %s [%s]", function, place, state)
				bestRank = rank
			}
			break
		}
	}
	return at, place
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

// splitPlace splits "/a/b.go:12".
func splitPlace(place string) (file string, line int) {
	at := strings.LastIndexByte(place, ':')
	if at < 0 {
		return place, 0
	}
	line, _ = strconv.Atoi(place[at+1:])
	return place[:at], line
}

// unexplained says why a process failed when none of its results does, nil when
// nothing is amiss.
func (s stackReader) unexplained(out *outcome, test string, watchdog time.Duration) *objection {
	said := func(r result) bool { return r.Verdict == Failed || r.Verdict == Undecided }
	switch {
	case out.silent:
		return s.silence(out, watchdog)
	case slices.ContainsFunc(out.results, said),
		out.exit == nil && len(out.results)+len(out.skips) > 0:
		return nil
	case out.exit == nil:
		return &objection{kind: wire.KindRefused, message: test +
			" ended without running a check (is it behind a condition, or not run by TestMain?)" + quote(out.said)}
	}
	if reports := s.races(out.said); len(reports) > 0 {
		r := worstRace(reports)
		o := &objection{kind: wire.KindRace, file: r.file, line: r.line,
			message: "data race outside the executions of a check\n" + r.text}
		if r.internal {
			o.kind = wire.KindInternal
		}
		return o
	}
	if strings.Contains(out.said, "--- FAIL: ") {
		o := &objection{kind: wire.KindAssertion,
			message: test + " failed outside the executions of a check" + quote(out.said)}
		if hasCrash(out.said) {
			d := s.death(out, test)
			o.kind, o.file, o.line = d.kind, d.file, d.line
		} else if m := logged.FindStringSubmatch(out.said); m != nil {
			o.file = m[1]
			o.line, _ = strconv.Atoi(m[2])
		}
		return o
	}
	return s.death(out, test)
}

// logged finds the place that testing puts before a message.
var logged = regexp.MustCompile(`(?m)^ +([^\s:]+\.go):(\d+): `)

// silence is about a process that the watchdog has given up.
func (s stackReader) silence(out *outcome, watchdog time.Duration) *objection {
	o := &objection{kind: wire.KindLimit, message: fmt.Sprintf("no progress for %v: the body "+
		"blocks outside the checker's control, or loops without a scheduling point", watchdog)}
	if at, place := s.stuckAt(out.dump); at != "" {
		o.message += "\nstuck in " + at
		o.file, o.line = splitPlace(place)
	} else {
		o.message += quote(out.dump)
	}
	return o
}

// death is about a process that ended by itself. Of a crash, the checker is to
// blame where it raised it, else the program; that a process ends otherwise may
// be meant, and is not modelled.
func (s stackReader) death(out *outcome, test string) *objection {
	o := &objection{kind: wire.KindPanic}
	how := out.exit.Error()
	var status *exec.ExitError
	switch exited := errors.As(out.exit, &status) && status.Exited(); {
	case strings.Contains(out.said, "panic: unexpected call to os.Exit"):
		o.kind = wire.KindRefused
	case strings.Contains(out.said, "fatal error: all goroutines are asleep"):
		o.kind = wire.KindLimit // as if the watchdog had seen it
	case hasCrash(out.said):
		var raisedBy string
		raisedBy, o.file, o.line = s.crash(out.said)
		if s.checker(raisedBy) && !s.overflowed(out.said) {
			o.kind = wire.KindInternal
		}
	case exited:
		o.kind = wire.KindRefused
		how += "; something called os.Exit or log.Fatal"
	default:
		o.kind = wire.KindLimit // killed, most likely for its memory
	}
	o.message = fmt.Sprintf("%s ended without a result: %s", test, how) + quote(out.said)
	return o
}

// overflowed reports whether the program has used up its stack: its functions are among the
// innermost ones then, though one of the checker may be called by the last of them.
func (s stackReader) overflowed(text string) bool {
	innermost, _, _ := strings.Cut(text, " frames elided")
	_, file, _ := s.crash(innermost)
	return file != "" && strings.Contains(text, "fatal error: stack overflow")
}

// crash reads the first stack of a crash: the function that raised it, the
// runtime apart, and the innermost line of the user's code.
func (s stackReader) crash(text string) (raisedBy, file string, line int) {
	lines := strings.Split(text, "\n")
	lines = lines[max(0, slices.IndexFunc(lines, crashLine)):]
	for i := 1; i+1 < len(lines); i++ {
		function, ok := frameFunction(lines[i])
		if !ok || !strings.HasPrefix(lines[i+1], "\t") {
			continue
		}
		if p := packageOf(function); raisedBy == "" && p != "runtime" && function != "panic" {
			raisedBy = function
		}
		if s.user(function) {
			file, line = splitPlace(framePlace(lines[i+1]))
			return raisedBy, file, line
		}
	}
	return raisedBy, "", 0
}

func crashLine(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") ||
		strings.HasPrefix(line, "SIG")
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
	lines := slices.DeleteFunc(strings.Split(text, "\n"),
		func(line string) bool { return strings.TrimSpace(line) == "" })
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
