//go:build race

package history_test

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/history"
)

// The threads of a controlled execution hand over to one another where the race detector does not
// see it. What the recorder does in between must neither be reported nor order them.

// inTurns runs two threads that take turns, so many each, hidden from the detector.
func inTurns(turns int, body func(thread, turn int)) {
	ping := [2]chan bool{make(chan bool, 1), make(chan bool, 1)}
	done := make(chan bool)
	for thread := range 2 {
		go func() {
			for turn := range turns {
				runtime.RaceDisable()
				<-ping[thread]
				runtime.RaceEnable()
				body(thread, turn)
				runtime.RaceDisable()
				ping[1-thread] <- true
				runtime.RaceEnable()
			}
			done <- true
		}()
	}
	ping[0] <- true
	<-done
	<-done
}

//go:norace
func load(p *int) int { return *p }

func TestRecordingIsNoRace(t *testing.T) {
	judge := history.NewJudge(counter)
	thread := 0
	h := judge.Recorder(history.Options{Thread: func() int { return load(&thread) }})
	for _, turns := range []int{8, 1000} { // the buffers grow
		h.Reset()
		inTurns(turns, func(on, turn int) { recordTurn(h, &thread, on, turn) })
		require.Equal(t, turns, h.Len())
		if turns < 100 {
			require.Nil(t, judge.Judge(h))
		}
	}
}

var ids [2]int

//go:norace
func recordTurn(h *history.Recorder, thread *int, on, turn int) {
	*thread = on
	if turn%2 == 0 {
		ids[on] = history.Call(h, add{})
	} else {
		history.Return(h, ids[on], 0)
	}
}

func TestRecordingHidesNoRace(t *testing.T) {
	for _, mode := range []string{"controlled", "concurrent"} {
		t.Run(mode, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestPlantedRace$")
			cmd.Env = append(os.Environ(), "HISTORY_PLANTED_RACE="+mode)
			out, err := cmd.CombinedOutput()
			require.Error(t, err)
			require.Contains(t, string(out), "DATA RACE")
			require.Contains(t, string(out), "planted")
		})
	}
}

// TestPlantedRace runs as a child: both threads write x, ordered by nothing but the recorder's
// calls.
func TestPlantedRace(t *testing.T) {
	mode := os.Getenv("HISTORY_PLANTED_RACE")
	if mode == "" {
		t.Skip("a child of TestRecordingHidesNoRace")
	}
	judge := history.NewJudge(counter)
	thread := 0
	h := judge.Recorder(
		history.Options{
			Concurrent: mode == "concurrent",
			Thread:     func() int { return load(&thread) },
		},
	)
	x := 0
	inTurns(2, func(on, turn int) {
		if turn == on {
			planted(&x)
		}
		recordTurn(h, &thread, on, turn)
	})
}

//go:noinline
func planted(x *int) { *x++ }
