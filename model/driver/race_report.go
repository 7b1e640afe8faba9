package driver

import (
	"cmp"
	"strings"
)

// A raceReport is one report of the race detector.
type raceReport struct {
	text     string // without the checker's own frames
	file     string // of the user's code that made the first access; "" if unknown
	line     int
	internal bool // both accesses are the checker's own

	accesses []raceAccess // the one that was made last comes first
	recorded int          // which one of the recorded execution it is, from 1; 0: of another one
}

// races cuts the reports of the race detector out of what was printed.
func (s stackReader) races(text string) []raceReport {
	var reports []raceReport
	for _, block := range strings.Split(text, "==================\n") {
		if strings.HasPrefix(block, "WARNING: DATA RACE") {
			reports = append(reports, s.race(block))
		}
	}
	return reports
}

// worstRace picks a report about the program, if there is one.
func worstRace(reports []raceReport) raceReport {
	for _, r := range reports {
		if !r.internal {
			return r
		}
	}
	return reports[0]
}

// race reads one report. Its sections are separated by empty lines: the two
// accesses, then where the goroutines were started.
func (s stackReader) race(report string) raceReport {
	var r raceReport
	var kept []string
	accesses, own := 0, 0
	for _, section := range strings.Split(strings.TrimSpace(report), "\n\n") {
		sec := s.section(section)
		if sec.access {
			accesses++
			if sec.own {
				own++
			}
			if r.file == "" {
				r.file, r.line = sec.file, sec.line
			}
			head, _, _ := strings.Cut(strings.TrimPrefix(section, "WARNING: DATA RACE\n"), "\n")
			if a, ok := readAccess(head); ok {
				a.function, a.file, a.line = sec.function, sec.file, sec.line
				a.op = cmp.Or(sec.channel, a.op)
				r.accesses = append(r.accesses, a)
			}
		}
		r.created(section)
		switch {
		case sec.frames > 0:
			kept = append(kept, sec.text)
		case sec.access:
			kept = append(kept, section) // better with our own frames than without
		}
	}
	r.internal = accesses == 2 && own == 2
	if r.text = strings.Join(kept, "\n\n"); r.text == "" || r.internal {
		r.text = strings.TrimSpace(report)
	}
	return r
}

// threadRoot calls what a thread runs. The detector does not see what a panic leaves: the stacks of
// later executions have the frames of earlier ones below.
const threadRoot = enginePath + "/explore.(*engine).runFunc"

// A raceSection is one stack of a report.
type raceSection struct {
	text   string // without the checker's own frames
	frames int    // that are left
	access bool   // it is one of the two accesses
	own    bool   // the access was made in the checker's code
	file   string // the innermost line of the user's code
	line   int

	function string // of that line
	channel  string // the operation on a channel of which the runtime reports the access
}

// channelAccesses are the functions of the runtime that report an access to a channel, which the
// checker calls for the program. A send is a read, and a close a write.
var channelAccesses = map[string]string{
	"runtime.chansend": "channel send", "runtime.closechan": "close of the channel",
}

func (s stackReader) section(section string) raceSection {
	var r raceSection
	var out []string
	made := "" // the function that made the access, the runtime apart
	lines := strings.Split(section, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if !strings.HasPrefix(line, "  ") || i+1 == len(lines) {
			r.access = r.access || strings.Contains(line, " at 0x")
			out = append(out, line)
			continue
		}
		i++ // the place of the frame
		function, _ := frameFunction(strings.TrimSpace(line))
		if function == threadRoot {
			break // the rest is of earlier executions, which panics have ended
		}
		p := packageOf(function)
		if made == "" {
			r.channel = cmp.Or(r.channel, channelAccesses[function])
		}
		if made == "" && p != "runtime" && !strings.HasPrefix(p, "internal/") {
			made = function
		}
		if r.file == "" && s.user(function) {
			r.file, r.line = splitPlace(framePlace(lines[i]))
			r.function = function
		}
		if s.engine(function) {
			continue
		}
		r.frames++
		out = append(out, line, "      "+framePlace(lines[i]))
	}
	r.own = made != "" && s.checker(made) && !(r.channel != "" && r.file != "")
	r.text = strings.Join(out, "\n")
	return r
}
