package testingt

import (
	"os"
	"testing"

	"github.com/surewake/surewake/model"
)

// artifacts is what tests have since Go 1.26.
type artifacts interface{ ArtifactDir() string }

// verdict: proved
func TestArtifactDirIsTheSame(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var all []string
		for _, name := range []string{"a", "b"} {
			t.Run(name, func(t *testing.T) {
				test, ok := any(t).(artifacts)
				if !ok {
					return
				}
				dir := test.ArtifactDir()
				temp := t.TempDir()
				x.Assert(dir == test.ArtifactDir(), "another one at the second call")
				x.Assert(dir != temp, "it is that of TempDir")
				_, err := os.Stat(dir)
				x.Assert(err == nil, "it is not there: %v", err)
				all = append(all, dir)
			})
		}
		x.Assert(len(all) < 2 || all[0] != all[1], "one for two tests")
	})
}
