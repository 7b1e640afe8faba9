// Package proofs tests that every check that holds the code against the tables is proved, or is one
// that is known to be bounded.
package proofs

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
	commandtest.EveryCheckIsProved(t, command, root, "./proofs/...")
}
