package driver

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/wire"
)

// A testEvent is what go tool test2json makes of a line.
type testEvent struct {
	Time, Action, Package, Test, Output string
	Elapsed                             float64
}

// testEvents has go tool test2json read a log.
func testEvents(t *testing.T, log string) (events []testEvent) {
	t.Helper()
	cmd := exec.Command("go", "tool", "test2json", "-t", "-p", "example.com/m")
	cmd.Stdin = strings.NewReader(log)
	out, err := cmd.Output()
	require.NoError(t, err)
	d := json.NewDecoder(bytes.NewReader(out))
	d.DisallowUnknownFields()
	for {
		var e testEvent
		if err := d.Decode(&e); err == io.EOF {
			return events
		} else {
			require.NoError(t, err)
		}
		events = append(events, e)
	}
}

// logOf prints rows as go test would.
func logOf(rows ...Row) string {
	var b bytes.Buffer
	l := NewTestLog(&b, func(token string) string { return "sw replay " + token })
	var sum Summary
	for _, r := range rows {
		sum.add(r)
		l.Row(r)
	}
	l.Close(sum)
	return b.String()
}

func TestGoTestReadersSeeEachCheckAsATest(t *testing.T) {
	quote := sampleRows[1]
	quote.Name, quote.Kind = "TestWake/quotes#01", wire.KindAssertion
	quote.File, quote.Line = "park/wake_test.go", 7
	quote.Message = "want\nPASS\n--- PASS: TestLoop (0.00s)\n=== RUN   TestLoop\nok  \texample.com/m\t1s"
	skip := Row{
		Package: "example.com/m/park", Name: "TestSkipped", Verdict: skipped, Message: "too long",
		File: "park/skip_test.go", Line: 3,
	}
	rows := append(append([]Row{}, sampleRows...), quote, skip)
	actions, output := map[string]string{}, map[string]string{}
	var last testEvent
	elapsed := map[string]float64{}
	for _, e := range testEvents(t, logOf(rows...)) {
		last = e
		switch e.Action {
		case "output":
			output[e.Test] += e.Output
		case "run":
			require.Empty(t, actions[e.Test], e.Test)
			actions[e.Test] = "run"
		case "pass", "fail", "skip":
			if e.Test != "" {
				require.Equal(t, "run", actions[e.Test], e.Test)
				actions[e.Test], elapsed[e.Test] = e.Action, e.Elapsed
			}
		}
	}
	require.Equal(t, map[string]string{
		"TestStealOne": "pass", "TestWake": "fail", "TestLoop": "fail", "TestLong": "pass",
		"TestWake/quotes#01": "fail", "TestSkipped": "skip",
	}, actions)
	require.InDelta(t, 12.34, elapsed["TestStealOne"], 0.001)
	require.Equal(t, "fail", last.Action, "%+v", last)
	require.Contains(t, output["TestStealOne"], "    proved: 1,234,567 complete")
	require.Contains(t, output["TestStealOne"], "; assumes n < 9\n")
	require.Contains(t, output["TestLong"], "; races not checked\n")
	require.Contains(t, output["TestLoop"],
		"    undecided (limit): limit: no end after 20000 steps\n")
	require.Contains(t, output["TestWake/quotes#01"],
		"    park/wake_test.go:7: FAILED (assertion): want\n    PASS\n    --- PASS: TestLoop")
	require.Contains(t, output["TestWake"], "sleeper waits")
	require.Contains(t, output["TestWake"], "replay  sw replay park:TestWake:1f3a9c2e:3b2a")
	require.Contains(t, output["TestSkipped"], "    park/skip_test.go:3: too long\n")
	require.Contains(t, output[""], "ok  \texample.com/m/deque\t12.340s\nFAIL\n"+
		"FAIL\texample.com/m/park\t0.080s\n5 checks")
}

// The last package decides nothing alone.
func TestALogWithAFailureFails(t *testing.T) {
	passes := sampleRows[0]
	passes.Package = "example.com/m/zeta"
	for _, failing := range sampleRows[1:3] {
		events := testEvents(t, logOf(failing, passes))
		require.Equal(t, "fail", events[len(events)-1].Action)
	}
	events := testEvents(t, logOf(passes))
	require.Equal(t, "pass", events[len(events)-1].Action)
}
