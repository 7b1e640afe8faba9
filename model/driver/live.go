package driver

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// live is the line at the bottom of a terminal. It is overwritten in place.
type live struct {
	out   io.Writer
	shown int // width of the text that is there now
}

// liveWidth fits every terminal, so that the line never wraps.
const liveWidth = 79

// A Live says what is going on where results go elsewhere: on a terminal in a line at its bottom,
// in a log in a line now and then.
type Live struct {
	line live
	log  bool
	said time.Time // when the last line of a log was written, or the first one could have been
}

// logEvery is the time between two lines of a log.
const logEvery = 30 * time.Second

// NewLive writes to a terminal, or to a log.
func NewLive(out io.Writer, terminal bool) *Live {
	return &Live{line: live{out: out}, log: !terminal, said: time.Now()}
}

// Plan has nothing to say.
func (*Live) Plan([]Row) {}

// Row has nothing to say.
func (*Live) Row(Row) {}

// Active shows what is going on.
func (l *Live) Active(done, total int, active []Activity) {
	l.active(time.Now(), done, total, active)
}

func (l *Live) active(now time.Time, done, total int, active []Activity) {
	switch {
	case !l.log:
		l.line.show(done, total, active)
	case now.Sub(l.said) >= logEvery:
		l.said = now
		fmt.Fprintf(l.line.out, "surewake: %s\n", liveText(done, total, active))
	}
}

// Close takes the line away.
func (l *Live) Close() { l.line.clear() }

func (l *live) show(done, total int, active []Activity) {
	text := liveText(done, total, active)
	pad := max(0, l.shown-len([]rune(text)))
	fmt.Fprintf(l.out, "\r%s%s", text, strings.Repeat(" ", pad))
	l.shown = len([]rune(text))
}

func (l *live) clear() {
	if l.shown > 0 {
		fmt.Fprintf(l.out, "\r%s\r", strings.Repeat(" ", l.shown))
		l.shown = 0
	}
}

// liveText describes all processes together, and by name the one that will
// take longest. Before the checks are known it has none of them.
func liveText(done, total int, active []Activity) string {
	if total == 0 {
		return "looking at the packages"
	}
	text := fmt.Sprintf("%d/%d", done, total)
	var running []Activity
	var executions int64
	var rate float64
	for _, a := range active {
		if !a.Building {
			running = append(running, a)
			executions += a.Executions
			rate += a.Rate
		}
	}
	if len(running) == 0 {
		for _, a := range active {
			text += "  building " + a.Place
			if a.Race {
				text += " (race)"
			}
		}
		return clip(text)
	}
	text += fmt.Sprintf("  %s executions, %s/s", grouped(executions), grouped(int64(rate)))
	slices.SortFunc(running, func(a, b Activity) int {
		return cmp.Or(cmp.Compare(a.remaining(), b.remaining()), cmp.Compare(a.Name, b.Name))
	})
	last := running[len(running)-1]
	text += "  " + last.Place + "." + last.Name
	if last.Race {
		text += " (race)"
	}
	if d := last.remaining(); d > 0 {
		text += fmt.Sprintf(" ~%v left", d)
	}
	return clip(text)
}

func (a Activity) remaining() time.Duration {
	if a.Left < 0 || a.Rate <= 0 {
		return 0
	}
	d := time.Duration(min(a.Left/a.Rate, 1e8) * float64(time.Second))
	if d < time.Minute {
		return d.Round(time.Second)
	}
	return d.Round(time.Minute)
}

func clip(text string) string {
	if r := []rune(text); len(r) > liveWidth {
		return string(r[:liveWidth])
	}
	return text
}
