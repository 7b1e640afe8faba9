//go:build !unix

package driver

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func killGroup(p *os.Process) error { return p.Kill() }

// askForDump has no dump to ask for here; the process just ends.
func askForDump(p *os.Process) { p.Kill() }

func disableCoreDumps() {}
