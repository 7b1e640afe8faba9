package report_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/model/report"
	"github.com/surewake/surewake/model/wire"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares with testdata/name.txt.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "run the test with -update if the new text is better")
}

// source is a file in small.
var source = map[int]string{
	21: "head := d.head.Load()",
	22: "tail := d.tail.Load() // after the head, so that it is not behind it",
	25: "if !d.head.CompareAndSwap(head, pack(steal, real+n)) {",
	40: "d.tail.Store(tail + 1)",
	51: "m.a.Lock()",
	52: "m.b.Lock()",
}

func line(_ string, n int) string { return source[n] }

func step(thread int, n int, fn, op, object, value string) wire.Step {
	return wire.Step{
		Thread: thread, Op: op, Object: object, Value: value,
		File: "/home/u/deque/steal.go", Line: n,
		Func: "example.com/u/deque.(*Deque[go.shape.struct { example.com/u/deque.x int }])." + fn,
	}
}

func preempting(s wire.Step) wire.Step { s.Preempt = true; return s }

func stealing() wire.Trace {
	return wire.Trace{
		Threads: []string{"main", "owner", "thief", "second thief"},
		Steps: []wire.Step{
			step(1, 40, "Push", "Store", "A.tail", "1"),
			step(2, 21, "claim", "Load", "A.head", "0x0_00000000"),
			step(2, 22, "claim", "Load", "A.tail", "1"),
			preempting(step(3, 21, "claim", "Load", "A.head", "0x0_00000000")),
			step(3, 22, "claim", "Load", "A.tail", "1"),
			step(3, 25, "claim", "CompareAndSwap", "A.head", "0x0_00000000, 0x0_00000001 -> true"),
			preempting(
				step(
					2, 25, "claim", "CompareAndSwap", "A.head",
					"0x0_00000000, 0x0_00000001 -> true",
				),
			),
		},
		Message: "value 1 was taken twice\nby thief and by second thief",
	}
}

func deadlock() wire.Trace {
	s := func(thread int, n int, object string) wire.Step {
		return wire.Step{
			Thread: thread,
			Op:     "MutexLock",
			Object: object,
			File:   "locks.go",
			Line:   n,
			Func:   "locks.both",
		}
	}
	return wire.Trace{
		Threads: []string{"main", "first", "second"},
		Steps:   []wire.Step{s(1, 51, "a"), preempting(s(2, 51, "b"))},
		Message: "deadlock",
		Blocked: []wire.Blocked{
			{Thread: 0, Op: "Join", File: "locks_test.go", Line: 9},
			{
				Thread: 1,
				Op:     "MutexLock",
				Object: "b",
				File:   "locks.go",
				Line:   52,
				Note:   "held by second",
			},
			{
				Thread: 2,
				Op:     "MutexLock",
				Object: "a",
				File:   "locks.go",
				Line:   52,
				Note:   "held by first",
			},
		},
	}
}

func crowd() wire.Trace {
	var t wire.Trace
	for i := range 6 {
		s := step(i, 21, "claim", "Load", "A.head", "0x0_00000000")
		s.Preempt = i == 3
		t.Steps = append(
			t.Steps, s,
			step(i, 25, "claim", "CompareAndSwap", "A.head", "0x0_00000000, 0x0_00000001 -> true"),
		)
	}
	return t
}

func TestLanes(t *testing.T) {
	noted := stealing()
	noted.Steps[2].Note = "the thief looks at what the owner pushed"
	for name, test := range map[string]struct {
		trace   wire.Trace
		options report.Options
	}{
		"steal":        {stealing(), report.Options{}},
		"steal-source": {stealing(), report.Options{Source: line, Width: 120}},
		"steal-narrow": {stealing(), report.Options{Source: line, Width: 90}},
		"steal-list":   {stealing(), report.Options{Source: line, Width: 60}},
		"steal-note":   {noted, report.Options{}},
		"deadlock":     {deadlock(), report.Options{Source: line}},
		"crowd":        {crowd(), report.Options{Source: line}},
		"no-steps":     {wire.Trace{Message: "setup failed"}, report.Options{}},
		"bare": {
			wire.Trace{Steps: []wire.Step{{Op: "Gosched"}, {Thread: 1, Op: "Gosched"}}},
			report.Options{},
		},
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, report.Lanes(&test.trace, test.options)) })
	}
}

// Whatever is in a trace, its lines are as wide as was asked, and its columns stay straight.
func TestLanesStayStraight(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("abc .:→\n\t-\u0000│")), 0, 40, -1)
	rapid.Check(t, func(t *rapid.T) {
		trace := wire.Trace{Threads: rapid.SliceOfN(text, 0, 3).Draw(t, "names")}
		threads := rapid.IntRange(1, 7).Draw(t, "threads")
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			trace.Steps = append(trace.Steps, wire.Step{
				Thread:  rapid.IntRange(0, threads-1).Draw(t, "thread"),
				Name:    text.Draw(t, "name"),
				Op:      text.Draw(t, "op"),
				Object:  text.Draw(t, "object"),
				Value:   text.Draw(t, "value"),
				File:    text.Draw(t, "file"),
				Line:    rapid.IntRange(0, 1<<30).Draw(t, "line"),
				Func:    text.Draw(t, "func"),
				Note:    text.Draw(t, "note"),
				Preempt: rapid.Bool().Draw(t, "preempt"),
			})
		}
		o := report.Options{Width: rapid.IntRange(60, 130).Draw(t, "width")}
		if rapid.Bool().Draw(t, "source") {
			o.Source = func(string, int) string { return "some(source).of(a, line)" }
		}
		out := report.Lanes(&trace, o)
		require.True(t, utf8.ValidString(out))
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		rule := []rune(lines[1])
		for _, l := range lines {
			require.LessOrEqual(t, utf8.RuneCountInString(l), o.Width, l)
			for i, r := range []rune(l) {
				if i < len(rule) && (rule[i] == '┼') {
					require.Contains(t, "│┼┴", string(r), "column %d of %q", i, l)
				}
			}
		}
	})
}

func TestFullLanesCutNothing(t *testing.T) {
	long := strings.Repeat("VeryLongName", 12)
	for _, trace := range []wire.Trace{stealing(), crowd()} {
		trace.Threads = []string{"main", long, "c", "d", "e", "f"}
		trace.Steps[0].Func, trace.Steps[0].Value, trace.Steps[0].Note = "u."+long, long, long
		cut := report.Lanes(&trace, report.Options{Source: line})
		require.Contains(t, cut, "…")
		full := report.Lanes(&trace, report.Options{Source: line, Full: true})
		require.NotContains(t, full, "…")
		require.GreaterOrEqual(t, strings.Count(full, long), 3)
		for l := range strings.Lines(full) {
			require.Less(t, utf8.RuneCountInString(l), 700, "as wide as needed")
		}
	}
}

func TestSourceLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.go")
	require.NoError(t, os.WriteFile(path, []byte("package a\n\n\tx := 1 // one\n"), 0o644))
	read := report.SourceLines()
	require.Equal(t, "x := 1 // one", read(path, 3))
	require.NoError(t, os.Remove(path))
	require.Equal(t, "package a", read(path, 1), "read once")
	require.Empty(t, read(path, 0))
	require.Empty(t, read(path, 99))
	require.Empty(t, read(filepath.Join(t.TempDir(), "none.go"), 1))
}
