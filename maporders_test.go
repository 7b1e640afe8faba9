package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/wire"
)

// With -map-orders a test is explored in all orders of its maps. Its token is that of such a
// search: it needs no flag, and the regression test that is made of it asks for the search.
func TestMapOrdersAreExploredOnRequest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := anotherModule(t, dir)
	write("other_test.go", `package other_test

import "testing"

func TestLast(t *testing.T) {
	var last int
	for k := range map[int]bool{1: true, 2: true, 3: true} {
		last = k
	}
	if last == 1 {
		t.Error("1 came last")
	}
}
`)
	check := func(flags ...string) (verdict, token string) {
		args := append([]string{"check", "-json", "-race=false", "-test", "."}, flags...)
		rows, _ := surewake(t, dir, append(args, "./...")...).Rows(t)
		require.Len(t, rows, 1)
		return rows[0].Verdict, rows[0].Token
	}
	verdict, _ := check()
	require.Equal(t, wire.Bounded, verdict)
	verdict, token := check("-map-orders")
	require.Equal(t, wire.Failed, verdict)
	a := surewake(t, dir, "replay", "-race=false", token)
	require.Equal(t, exitFailed, a.Code, "%s", a)
	require.Contains(t, a.Stdout, "1 came last")
	require.Regexp(t, `next key of a map +3`, a.Stdout, "the lane")
	require.Contains(t, a.Stdout, "with another choice in step 2 (next key of a map at other_test.go")

	file := filepath.Join(dir, "again_test.go")
	emitInto(t, file, token)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), `"-map-orders"`)
}
