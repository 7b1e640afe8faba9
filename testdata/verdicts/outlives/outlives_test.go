// Package outlives has checks whose executions change what outlives them: each begins with what the
// process began with, however late the change comes.
package outlives

import (
	"log"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// change is made by the sixth of eight executions, and unseen by the seventh.
func change(t *testing.T, set func(), changed func() bool) {
	model.Check(t, func(x *model.Exec) {
		switch x.Choose(8) {
		case 5:
			set()
		case 6:
			x.Assert(!changed(), "an execution before this one has changed it")
		}
	})
}

// toggle is like change, but the seventh execution undoes what the sixth did.
func toggle(t *testing.T, set func(), changed func() bool, undo func()) {
	model.Check(t, func(x *model.Exec) {
		switch x.Choose(8) {
		case 5:
			set()
		case 6:
			x.Assert(changed(), "no execution before this one has changed it")
			undo()
		}
	})
}

const variable = "SUREWAKE_OUTLIVES"

// verdict: proved without assumptions
func TestEnvironment(t *testing.T) {
	change(t, func() { os.Setenv(variable, "x") }, func() bool { return os.Getenv(variable) != "" })
}

// verdict: FAILED assertion failed: no execution before
func TestEnvironmentThatIsSetBack(t *testing.T) {
	toggle(t, func() { os.Setenv(variable, "x") }, func() bool { return os.Getenv(variable) != "" },
		func() { os.Unsetenv(variable) })
}

// verdict: proved without assumptions
func TestWorkingDirectory(t *testing.T) {
	change(t, func() { _ = os.Chdir("/") }, func() bool {
		dir, err := os.Getwd()
		return err != nil || filepath.Base(dir) != "outlives"
	})
}

// verdict: FAILED assertion failed: no execution before
func TestFlagsOfTheLogger(t *testing.T) {
	toggle(t, func() { log.SetFlags(0) }, func() bool { return log.Flags() == 0 },
		func() { log.SetFlags(log.LstdFlags) })
}

// verdict: FAILED assertion failed: no execution before
func TestArguments(t *testing.T) {
	old := os.Args
	toggle(t, func() { os.Args = nil }, func() bool { return os.Args == nil }, func() { os.Args = old })
}

// A connection knows whether it is taken.
type connection struct{ taken bool }

type connectionPool struct {
	mu          sync.Mutex
	connections []*connection
}

// pool is large, and kept: TestMain sets it.
var pool *connectionPool

func TestMain(m *testing.M) {
	pool = &connectionPool{}
	for range 1500 {
		pool.connections = append(pool.connections, new(connection))
	}
	os.Exit(m.Run())
}

func (p *connectionPool) set(taken bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.connections[0].taken = taken
}

func (p *connectionPool) isTaken() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.connections[0].taken
}

// verdict: proved without assumptions
func TestConnectionThatIsKept(t *testing.T) { change(t, func() { pool.set(true) }, pool.isTaken) }

// verdict: FAILED assertion failed: no execution before
func TestConnectionThatNobodyTook(t *testing.T) {
	toggle(t, func() { pool.set(true) }, pool.isTaken, func() { pool.set(false) })
}

// What the checker itself asks the clock, on goroutines that it begins for each check, reads nothing
// that the program may set.
//
// verdict: proved
func TestTheZoneIsSetAndSetBack(t *testing.T) {
	for range 20 {
		model.Check(t, func(x *model.Exec) {
			old := time.Local
			time.Local = time.UTC
			time.Local = old
		})
	}
}

// verdict: proved without assumptions
func TestWorkingDirectoryByAnOpenFolder(t *testing.T) {
	change(t, func() {
		root, err := os.Open("/")
		if err == nil {
			_ = root.Chdir()
			_ = root.Close()
		}
	}, func() bool {
		dir, err := os.Getwd()
		return err != nil || filepath.Base(dir) != "outlives"
	})
}
