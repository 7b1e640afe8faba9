// Package killed tests commands that are killed, interrupted, or divided among processes: what they
// leave is what one process leaves that comes to its end.
package killed

import (
	"os"
	"testing"

	"github.com/surewake/surewake/internal/commandtest"
)

// root is where the command is built and started.
const root = "../.."

// command is the built command, an absolute path.
var command string

func TestMain(m *testing.M) {
	os.Exit(commandtest.Main(m, root, &command))
}

// surewake starts the built command in root.
func surewake(t *testing.T, args ...string) commandtest.Answer {
	t.Helper()
	return commandtest.Run(t, command, root, args...)
}
