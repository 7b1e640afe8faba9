//go:build unix

package driver

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// ownGroup puts the process into a group of its own, so that all it starts can
// be ended with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func killGroup(p *os.Process) error {
	return syscall.Kill(-p.Pid, syscall.SIGKILL)
}

// askForDump makes a Go process print all its goroutines and end.
func askForDump(p *os.Process) {
	_ = p.Signal(syscall.SIGQUIT)
}

// disableCoreDumps: GOTRACEBACK=crash is there for its stacks only. The limit
// is inherited by the processes we start.
var disableCoreDumps = sync.OnceFunc(func() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_CORE, &limit) == nil {
		limit.Cur = 0
		_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &limit)
	}
})
