package driver

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/wire"
)

func TestAssumptionsOfBothRunsAreInTheVerdict(t *testing.T) {
	row := Row{Verdict: Proved, Assumptions: []string{"both", "plain"}}
	row.merge(Row{Verdict: Proved, Assumptions: []string{"race", "both"}})
	require.Equal(t, []string{"both", "plain", "race"}, row.Assumptions)
	require.Equal(t, Proved, row.Verdict)
}

func TestSkippedTestIsNoCheck(t *testing.T) {
	skip := &outcome{skips: []wire.Skip{{Test: "TestA", Why: "no file"}}}
	ran := &outcome{results: []result{{Result: wire.Result{Check: "TestA", Verdict: Proved}}}}
	for _, c := range []struct {
		plain, race   *outcome
		verdict, text string
	}{
		{skip, skip, skipped, ""},
		{skip, nil, skipped, ""},
		{skip, ran, Proved, ""},
		{ran, skip, Bounded, "the race run skips it: no file"},
		{ran, ran, Proved, ""},
	} {
		run := testRun{test: "TestA", plain: c.plain, race: c.race, options: &Options{}}
		rows := run.rows()
		require.Len(t, rows, 1)
		require.Equal(t, c.verdict, rows[0].Verdict)
		require.Contains(t, rows[0].Bounded, c.text)
		var sum Summary
		sum.add(rows[0])
		require.Equal(t, c.verdict == skipped, sum.Checks == 0)
		require.Equal(t, c.verdict == skipped, len(sum.Skipped) == 1)
	}
}

func TestSkippedTestsAreInTableAndSummary(t *testing.T) {
	row := Row{Package: "example.com/m/p", Place: "p", Name: "TestA", Verdict: skipped,
		Message: "no file", File: "p/a_test.go", Line: 3}
	var sum Summary
	sum.add(row)
	var b bytes.Buffer
	table := NewTable(&b, false, nil)
	table.Row(row)
	table.Close(sum)
	require.Regexp(t, `(?s)p +TestA  skipped +no file\n0 checks: .*, 1 skipped\n$`, b.String())
	b.Reset()
	j := NewJSON(&b)
	j.Row(row)
	j.Close(sum)
	require.JSONEq(t, `{"version":1,"checks":0,"proved":0,"bounded":0,"undecided":0,"failed":0,"skipped":[
		{"package": "example.com/m/p", "name": "TestA", "message": "no file",
			"file": "p/a_test.go", "line": 3}
	]}`, b.String())
}
