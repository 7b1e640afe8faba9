package driver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/wire"
)

const orderedRace = `==================
WARNING: DATA RACE
Read at 0x00c000012345 by goroutine 9:
  example.com/ring.(*Ring).Pop()
      /src/ring/ring.go:47 +0x31

Previous atomic write at 0x00c000012345 by goroutine 17:
  example.com/ring.(*Ring).Push()
      /src/ring/ring.go:31 +0x44

Goroutine 9 (running) created at:
  github.com/surewake/surewake/model/explore.start2()
      /sw/model/explore/thread_coro_race.go:90 +0x1
  example.com/ring.TestRing()
      /src/ring/ring_test.go:9 +0x1

Goroutine 17 (finished) created at:
  github.com/surewake/surewake/model/explore.start1()
      /sw/model/explore/thread_coro_race.go:89 +0x1
==================
`

func TestAReportTellsWhoMadeTheAccesses(t *testing.T) {
	s := stackReader{[]string{"example.com/ring"}}
	reports := s.races(orderedRace)
	require.Len(t, reports, 1)
	require.Equal(t, []raceAccess{
		{"plain read", "9", 2, "example.com/ring.(*Ring).Pop", "/src/ring/ring.go", 47},
		{"atomic write", "17", 1, "example.com/ring.(*Ring).Push", "/src/ring/ring.go", 31},
	}, reports[0].accesses)
}

// ringStep is a step of thread in a function of the ring.
func ringStep(thread int, function string, line int, after ...int) wire.Step {
	return wire.Step{
		Thread: thread, Op: "Load", File: "/src/ring/ring.go", Line: line, After: after,
		Func: "example.com/ring.(*Ring[...])." + function,
	}
}

// The earlier access goes between those steps of its thread where its line fits, after what happens
// before the later access.
func TestWhereTheEarlierAccessWas(t *testing.T) {
	access := &raceAccess{function: "example.com/ring.(*Ring).Push", line: 31}
	later := ringStep(2, "Pop", 47)
	for _, c := range []struct {
		name  string
		steps []wire.Step // before the later one
		want  int
	}{
		{"a thread without steps", []wire.Step{ringStep(2, "Pop", 40)}, 1},
		{"between two lines", []wire.Step{
			ringStep(1, "Push", 30), ringStep(1, "Push", 32), ringStep(2, "Pop", 40),
		}, 1},
		{"in the last of several rounds", []wire.Step{
			ringStep(1, "Push", 30), ringStep(1, "Push", 32), ringStep(1, "Push", 30),
			ringStep(1, "Push", 32),
		}, 3},
		{"at the end of its function", []wire.Step{
			ringStep(1, "Push", 30), ringStep(1, "Close", 90), ringStep(1, "Close", 91),
		}, 1},
		{"before its first step", []wire.Step{
			ringStep(1, "Push", 32), ringStep(1, "Close", 90),
		}, 0},
		{"after a step that the later access knows of", []wire.Step{
			ringStep(1, "Push", 30), ringStep(1, "Push", 32), ringStep(2, "Pop", 40, 1),
			ringStep(1, "Push", 30), ringStep(1, "Push", 32),
		}, 4},
		{"not where a line fits that the later access knows of", []wire.Step{
			ringStep(1, "Push", 30), ringStep(1, "Push", 32), ringStep(2, "Pop", 40, 1),
			ringStep(1, "Close", 90),
		}, 4},
		{"where no line fits", []wire.Step{ringStep(1, "Close", 90), ringStep(2, "Pop", 40)}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			steps := append(c.steps, later)
			require.Equal(t, c.want, whereEarlier(steps, len(c.steps), 1, access))
		})
	}
}

func TestAccessesBecomeSteps(t *testing.T) {
	s := stackReader{[]string{"example.com/ring"}}
	trace := func() *wire.Trace {
		return &wire.Trace{
			Threads: []string{"main", "owner", "thief"},
			Steps: []wire.Step{
				ringStep(1, "Push", 30), ringStep(2, "Pop", 40),
				{Thread: 2, Race: 1}, {Thread: 2, Race: 2}, ringStep(1, "Push", 33, 1),
			},
		}
	}
	of := func(t *wire.Trace) (ops []string) {
		for _, s := range t.Steps {
			ops = append(ops, s.Op)
		}
		return ops
	}
	// Of an execution that was not recorded.
	before := s.races(strings.ReplaceAll(orderedRace, "ring.go:47", "ring.go:99"))[0]
	reports := append([]raceReport{before}, s.races(orderedRace+orderedRace)...)
	recorded := ofRecorded(trace(), reports)
	require.Len(t, recorded, 2)
	require.Equal(t, 47, recorded[0].line)
	given := trace()
	shown := placeRace(given, &recorded[1])
	require.Equal(t, []string{"Load", "atomic write", "Load", "plain read", "Load"}, of(shown))
	require.Equal(t, 1, shown.Steps[1].Thread)
	require.Equal(t, "owner", shown.Steps[1].Name)
	require.Equal(t, []int{2}, shown.Steps[4].After, "steps have other numbers now")
	require.Equal(t, trace(), given, "the result has the trace as it came")

	shown = placeRace(given, &before)
	require.Equal(t, []string{"Load", "Load", "Load"}, of(shown), "no report is of this execution")
	require.Empty(t, ofRecorded(trace(), []raceReport{before}), "reports are lost")

	recorded[0].accesses[1].starter = 7
	shown = placeRace(given, &recorded[0])
	require.Equal(t, []string{"Load", "Load", "plain read", "Load"}, of(shown), "by another one")
	require.Equal(t, trace(), given)
	require.Nil(t, placeRace(nil, &before))
}
