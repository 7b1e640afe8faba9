// Package runtime tests that every check of the runtime is proved, or is one that is known to be
// bounded.
package runtime

import (
	"os"
	"testing"

	"github.com/surewake/surewake/internal/commandtest"
)

const root = "../../.."

var command string

func TestMain(m *testing.M) {
	os.Exit(commandtest.Main(m, root, &command))
}

func TestEveryCheckIsProved(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	commandtest.EveryCheckIsProved(t, command, root, "./runtime/...")
}
