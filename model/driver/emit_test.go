package driver

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Of the files that declare a test, that counts which is built; where none is certain to be, the
// first.
func TestAPackageIsReadFromTheFileThatIsBuilt(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a_plan9_test.go": "package p\n\nfunc TestChosen() {}\n",
		"b_test.go":       "//go:build !special\n\npackage p\n\nfunc TestChosen() {}\n",
		"c_test.go":       "//go:build special\n\npackage p_test\n\nfunc TestChosen() {}\n",
		"d_test.go":       "//go:build other\n\npackage p\n\nfunc TestOther() {}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	for _, c := range []struct{ test, tags, name, constraint string }{
		{"TestChosen", "", "p", "!special"},
		{"TestChosen", "more,special", "p_test", "special"},
		{"TestOther", "", "p", "other"},
	} {
		p, err := readPackage(dir, c.test, c.tags)
		require.NoError(t, err)
		require.Equal(t, c.name, p.name, "%+v", c)
		require.Equal(t, c.constraint, p.constraint, "%+v", c)
	}
}
