package report

// Options of a printed trace. The zero value is good for a terminal.
type Options struct {
	// Width in columns, at least 60; 0 means 110. Lines of a message are never cut.
	Width int

	// Full leaves nothing out of a line for want of room: lines are as wide as they need.
	Full bool

	// Source returns the text of a source line, or "" where it is not known, to be shown beneath
	// the steps of that line. Nil shows none. See SourceLines.
	Source func(file string, line int) string
}

const (
	defaultWidth = 110
	endless      = 1 << 20
	minWidth     = 60
	maxLanes     = 4  // more threads than that are listed below one another
	minLane      = 26 // and so they are when the lanes would be narrower than that
)
