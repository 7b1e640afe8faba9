package driver

import "strings"

// HowToRace tells what to do about a Summary's NoRace.
func HowToRace(noRace string) string {
	if strings.Contains(noRace, "support") {
		return "the race detector needs another platform, such as linux/amd64"
	}
	return "to have them checked install a C compiler (Debian: apt-get install gcc libc6-dev) " +
		"and leave CGO_ENABLED unset"
}

// raceUnavailable is a race build that fails for the machine, not the code.
type raceUnavailable struct{ why string }

func (e *raceUnavailable) Error() string { return e.why }

// raceTrouble tells a missing C compiler from a broken program. The texts are
// those of cmd/go and of cgo.
func raceTrouble(err error) error {
	text := err.Error()
	for _, sign := range []string{
		"-race requires cgo", "-race is not supported", "C compiler", "-race is only supported",
	} {
		at := strings.Index(text, sign)
		if at < 0 {
			continue
		}
		start := strings.LastIndexByte(text[:at], '\n') + 1
		line, _, _ := strings.Cut(text[start:], "\n")
		line, _, _ = strings.Cut(line, ";")
		return &raceUnavailable{strings.TrimPrefix(strings.TrimSpace(line), "go: ")}
	}
	return err
}
