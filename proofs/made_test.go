package proofs

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the files that are made from tables")

// What is made from a table is what is checked in, and it is the file that proofs read.
func TestMadeFilesAreMadeFromTheTables(t *testing.T) {
	for _, m := range madeFiles() {
		want, err := m.make(m.text)
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.WriteFile(m.file, []byte(want), 0o666))
			continue
		}
		got, err := sources.ReadFile(m.file)
		require.NoError(t, err)
		require.Equal(t, want, string(got),
			"%s is not what is made from the table %s: go test ./proofs -run TestMade -update",
			m.file, m.table)
	}
}
