// Package parts tests that every check is proved, or is one that is known to be bounded. Those of
// the runtime and the proofs have packages of their own beside this one.
package parts

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/internal/commandtest"
)

const root = "../../.."

var command string

func TestMain(m *testing.M) {
	os.Exit(commandtest.Main(m, root, &command))
}

func TestEveryCheckIsProved(t *testing.T) {
	if testing.Short() {
		commandtest.EveryCheckIsProved(t, command, root, "-run", "^TestChainOfSteals$", "./deque")
		return
	}
	list := exec.Command("go", "list", "./...")
	list.Dir = root
	out, err := list.Output()
	require.NoError(t, err)
	var packages []string
	for path := range strings.FieldsSeq(string(out)) {
		path = "." + strings.TrimPrefix(path, "github.com/surewake/surewake")
		if !strings.HasPrefix(path+"/", "./runtime/") && !strings.HasPrefix(path+"/", "./proofs/") {
			packages = append(packages, path)
		}
	}
	require.Contains(t, packages, "./deque")
	commandtest.EveryCheckIsProved(t, command, root, packages...)
}
