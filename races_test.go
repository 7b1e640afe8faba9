package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/internal/commandtest"
)

// A race is found in each schedule that has it and in no other, every time;
// programs without races have none.
func TestRacesInEverySchedule(t *testing.T) {
	commandtest.NeedRace(t)
	want := map[string]string{
		"TestPlanted":            "found 1", // of 4 schedules
		"TestInEverySchedule":    "found 20",
		"TestPublishedTooEarly":  "found 1",
		"TestWriteUnderReadLock": "found 1",
		"TestTwoOnces":           "found 1",
		"TestTwoChecks/race":     "found 1",
		"TestWriteAfterStart":    "found 1",

		"TestPullMovesUnordered":     "found 4", // of 6
		"TestPullHandedOverTooEarly": "found 1", // of 2
		"TestPullNotLeft":            "found 1", // of 2
		"TestPullNotEnded":           "found 1", // of 2
		"TestPullEndedUnordered":     "found 1",
		"TestPullStoppedUnordered":   "found 1",
		"TestPullsOfTwo":             "found 1",
		"TestPullBegunByAnother":     "found 1", // of 2

		"TestWriteAfterSend":  "found 1",
		"TestSendDoesNotWait": "found 1",
		"TestRoomForTwo":      "found 1",
		"TestNoLock":          "found 4",
		"TestWriteAfterClose": "found 1",
		"TestDefault":         "found 1", // of 2
		"TestSentAndKept":     "found 1",
		"TestTimeIsNoOrder":   "found 1",
	}
	for range 3 {
		rows, _ := surewake(t, ".", "check", "-json", "./testdata/races").Rows(t)
		require.Len(t, rows, 47)
		for _, r := range rows {
			if races, ok := want[r.Name]; ok {
				require.Equal(t, races, r.Races, r.Name)
				require.Equal(t, "FAILED", r.Verdict, r.Name)
				require.Contains(t, r.Message, "WARNING: DATA RACE", r.Name)
				require.Regexp(t, `(races|coro|chan)_test\.go:\d`, r.Message, r.Name)
				continue
			}
			require.Equal(t, "proved", r.Verdict, "%s: %s", r.Name, r.Message)
			require.Equal(t, "none", r.Races, r.Name)
		}
	}
}
