package instrument

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A package that is compiled without the race detector compiles the generic functions that it calls
// without it, too, and the linker takes one copy of each for the whole program. So a hidden package
// brings along none with which the standard library or checked code synchronizes: the detector
// would not see those edges. Instances for a struct of unexported fields are nobody else's.
func TestHiddenPackagesBringNoSynchronizationAlong(t *testing.T) {
	t.Parallel()
	function := regexp.MustCompile(` T ((?:sync|internal/sync|sync/atomic)\.\S*)`)
	own := regexp.MustCompile(`^sync/atomic\.\(\*Pointer\[(go\.shape\.struct|.*\.[a-z]\w*\]\))`)
	for _, name := range hidden {
		pkg := modelPath + "/" + name
		list := exec.Command("go", "list", "-export", "-f", "{{.Export}}", pkg)
		archive, err := list.CombinedOutput()
		require.NoError(t, err, "%s", archive)
		path := strings.TrimSpace(string(archive))
		symbols, err := exec.Command("go", "tool", "nm", path).CombinedOutput()
		require.NoError(t, err, "%s", symbols)
		for _, found := range function.FindAllStringSubmatch(string(symbols), -1) {
			require.Regexp(t, own, found[1], "package %s", name)
		}
	}
}
