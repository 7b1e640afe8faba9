package driver

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/wire"
)

var sampleRows = []Row{
	{
		Package:     "example.com/m/deque",
		Place:       "deque",
		Name:        "TestStealOne",
		Verdict:     Proved,
		Complete:    1234567,
		Steps:       98765432,
		Seconds:     12.34,
		Assumptions: []string{"n < 9"},
		Races:       "none",
	},
	{
		Package:     "example.com/m/park",
		Place:       "park",
		Name:        "TestWake",
		Verdict:     Failed,
		Complete:    3,
		Seconds:     0.04,
		Assumptions: []string{},
		Message:     "deadlock\nsleeper waits",
		Trace:       &wire.Trace{Steps: []wire.Step{{Name: "a", Op: "Load"}}},
		Token:       "park:TestWake:1f3a9c2e:3b2a",
		Races:       "not checked",
	},
	{
		Package:     "example.com/m/park",
		Place:       "park",
		Name:        "TestLoop",
		Verdict:     Undecided,
		Kind:        wire.KindLimit,
		Message:     "limit: no end after 20000 steps",
		Assumptions: []string{},
		Races:       "not checked",
	},
	{
		Package:     "example.com/m/park",
		Place:       "park",
		Name:        "TestLong",
		Verdict:     Bounded,
		Bounded:     "races not checked",
		Assumptions: []string{},
		Races:       "not checked",
	},
}

func TestTableAlignsRowsAndExplainsFailures(t *testing.T) {
	var b bytes.Buffer
	table := NewTable(&b, false, func(token string) string { return "sw replay " + token })
	table.Plan(sampleRows)
	var sum Summary
	for _, r := range sampleRows {
		table.Row(r)
		sum.add(r)
	}
	table.Close(sum)
	require.Equal(
		t,
		`
package  check         verdict       complete  deadlocked     pruned          steps  seconds
deque    TestStealOne  proved       1,234,567           0          0     98,765,432     12.3`+
			`  assumes n < 9
park     TestWake      FAILED               3           0          0              0      0.0

    deadlock
    sleeper waits

     step │ a
    ──────┼────────────────────────────
        1 │ Load
    ──────┴────────────────────────────

    token   park:TestWake:1f3a9c2e:3b2a
    replay  sw replay park:TestWake:1f3a9c2e:3b2a

park     TestLoop      undecided            0           0          0              0      0.0

    limit: no end after 20000 steps

park     TestLong      bounded              0           0          0              0      0.0`+
			`  races not checked
4 checks: 1 proved, 1 bounded, 1 failed, 1 undecided
`,
		"\n"+b.String(),
	)
}

func TestSummaryCountsTheUndecidedAndTheCutOnlyWhereThereAreSome(t *testing.T) {
	var b bytes.Buffer
	NewTable(&b, false, nil).Close(Summary{Checks: 3, Proved: 1, Bounded: 1, Failed: 1})
	NewTable(&b, false, nil).Close(Summary{Checks: 3, Proved: 1, Bounded: 2, Cut: 1})
	require.Equal(t, "3 checks: 1 proved, 1 bounded, 1 failed\n"+
		"3 checks: 1 proved, 2 bounded, 0 failed; 1 of the bounded cut short\n", b.String())
}

func TestEachVerdictHasItsColourOnATerminal(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	table := NewTable(io.Discard, true, nil)
	seen := map[string]string{}
	for _, v := range []string{Proved, Bounded, Undecided, Failed} {
		text := table.coloured(v)
		require.Regexp(t, `^\x1b\[[0-9;]+m`+v+` *\x1b\[0m$`, text)
		colour := text[:strings.IndexByte(text, 'm')]
		require.Empty(t, seen[colour], v)
		seen[colour] = v
	}
	require.Equal(t, "verdict  ", table.coloured("verdict"))
	t.Setenv("NO_COLOR", "1")
	require.Equal(t, "FAILED   ", NewTable(io.Discard, true, nil).coloured(Failed))
	t.Setenv("NO_COLOR", "")
	require.Equal(t, "FAILED   ", NewTable(io.Discard, false, nil).coloured(Failed))
}

func TestJSONHasExactlyTheseKeys(t *testing.T) {
	var b bytes.Buffer
	j := NewJSON(&b)
	j.Row(sampleRows[1])
	j.Close(Summary{Checks: 1, Failed: 1, NoRace: "x"})
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	require.Len(t, lines, 2)
	keys := func(line string) (keys []string) {
		d := json.NewDecoder(strings.NewReader(line))
		d.Token()
		for d.More() {
			k, err := d.Token()
			require.NoError(t, err)
			keys = append(keys, k.(string))
			var v any
			require.NoError(t, d.Decode(&v))
			require.NotNil(t, v, k)
		}
		return keys
	}
	require.Equal(
		t,
		[]string{
			"version",
			"package",
			"name",
			"verdict",
			"complete",
			"deadlocked",
			"pruned",
			"steps",
			"seconds",
			"token",
			"message",
			"assumptions",
			"bounded",
			"races",
			"kind",
			"file",
			"line",
		},
		keys(lines[0]),
	)
	require.Equal(t, []string{"version", "checks", "proved", "bounded", "undecided", "failed"},
		keys(lines[1]))
}

// On a terminal the line is there from the beginning, and goes; a log gets a line now and then.
func TestLiveBesideResults(t *testing.T) {
	var b bytes.Buffer
	l := NewLive(&b, true)
	l.Active(0, 0, nil)
	require.Equal(t, "\rlooking at the packages", b.String())
	l.Active(1, 2, nil)
	l.Row(Row{})
	l.Close()
	require.True(t, strings.HasSuffix(b.String(), "\r"+strings.Repeat(" ", len("1/2"))+"\r"))

	b.Reset()
	l = NewLive(&b, false)
	begin := l.said
	building := []Activity{{Place: "deque", Building: true}}
	for seconds := range 70 {
		l.active(begin.Add(time.Duration(seconds)*time.Second), seconds/10, 9, building)
	}
	l.Close()
	require.Equal(t, "surewake: 3/9  building deque\nsurewake: 6/9  building deque\n", b.String())
}

func TestLiveLineSaysWhatIsLeft(t *testing.T) {
	text := liveText(3, 9, []Activity{
		{Place: "deque", Name: "TestB", Race: true, Executions: 1000000, Rate: 1000, Left: 600000},
		{Place: "deque", Name: "TestA", Executions: 234567, Rate: 300, Left: 3000},
		{Place: "park", Building: true},
	})
	require.Equal(t, "3/9  1,234,567 executions, 1,300/s  deque.TestB (race) ~10m0s left", text)
	require.Equal(
		t, "0/9  building deque (race)",
		liveText(0, 9, []Activity{{Place: "deque", Race: true, Building: true}}),
	)
	require.LessOrEqual(
		t, len(liveText(0, 9, []Activity{{Place: strings.Repeat("x", 200), Name: "TestB"}})),
		liveWidth,
	)

	var b bytes.Buffer
	l := live{out: &b}
	l.show(0, 10, nil)
	l.show(1, 2, nil)
	l.clear()
	require.Equal(t, "\r0/10\r1/2 \r   \r", b.String())
	require.Zero(t, Activity{Left: -1, Rate: 10}.remaining())
	require.Equal(t, 2*time.Second, Activity{Left: 20, Rate: 10}.remaining())
}

func TestBudgetForms(t *testing.T) {
	for text, want := range map[string]Budget{
		"30s":        {Time: 30 * time.Second},
		"10000x":     {Executions: 10000},
		"30s,10000x": {Time: 30 * time.Second, Executions: 10000},
		"5x,1m30s":   {Time: 90 * time.Second, Executions: 5},
	} {
		b, err := ParseBudget(text)
		require.NoError(t, err)
		require.Equal(t, want, b)
		back, err := ParseBudget(b.String())
		require.NoError(t, err)
		require.Equal(t, want, back)
	}
	for _, text := range []string{
		"", "0", "0s", "0x", "-1s", "-5x", "1.5x", "10", "s", "x", "1s,2s", "1x,2x", "1s,",
		"99999999999999999999x", "1s 2x",
	} {
		_, err := ParseBudget(text)
		require.ErrorContains(
			t, err, "want a duration (30s, 2m), a number of executions (10000x) or both", text,
		)
		if text != "" {
			require.ErrorContains(t, err, text)
		}
	}
}
