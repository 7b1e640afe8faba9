package pictures

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/proofs/spec"
)

var update = flag.Bool("update", false, "write docs/*.svg again")

const root = "../.."

func TestPicturesShowTheCode(t *testing.T) {
	parts, err := Parts(root)
	require.NoError(t, err)
	wake, err := Wake()
	require.NoError(t, err)
	for name, text := range map[string]string{"parts.svg": parts, "wake.svg": wake} {
		file := filepath.Join(root, "docs", name)
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
			require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		}
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		require.True(t, text == string(got),
			"docs/%s shows the code as it was; go test ./proofs/pictures -update draws it again",
			name)
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, name)
		}
	}
}

func TestARuleThatIsNotThereIsNamed(t *testing.T) {
	_, err := wake(spec.Idle().Without("uncount_b"))
	require.ErrorContains(t, err, `the step "if it searched: one searcher less" of the wake picture `+
		"is the rule uncount_b, which table idle does not have")
	old := meetings
	defer func() { meetings = old }()
	meetings = []meeting{{"a", "push", "gone", 0}}
	_, err = wake(spec.Idle())
	require.ErrorContains(t, err, "has an end at the rule gone, which no step has")
}

func TestAPackageWithoutAPlaceIsNamed(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) {
		file := filepath.Join(dir, name, "a.go")
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte("package a\n"), 0o666))
	}
	for _, p := range parts[1:] {
		write(p.dir)
	}
	_, err := Parts(dir)
	require.ErrorContains(t, err, "there is no package . any more")
	write(".")
	_, err = Parts(dir)
	require.NoError(t, err)
	write("another")
	_, err = Parts(dir)
	require.ErrorContains(t, err, "package another has no place in the picture")
}
