package driver

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/wire"
)

func TestWhatIsSaidOfForgottenRacesIsCutOut(t *testing.T) {
	var rest = newOutput(1 << 10)
	s := &splitter{rest: rest, onMessage: func(wire.Message) { t.Error("a message") }}
	for _, line := range []string{
		"surewake: looked back at 3 by 0\n",
		"a line without an endsurewake: looked back at 12 by 3\n",
		"2 suppressions\n",
		"PASS\n",
		"ThreadSanitizer: Matched 14 suppressions (pid=7):\n",
		"3 race:^github.com/surewake/surewake/model/hook.writeMark0\n",
		"11 race:^github.com/surewake/surewake/model/hook.writeMark3\n",
		"1 race:^github.com/surewake/surewake/model/hook.writeMark1, said a test\n",
	} {
		_, _ = s.Write([]byte(line))
	}
	s.flush()
	require.Equal(t, history{[4]int{3, 0, 0, 12}, [4]int{3, 0, 0, 11}}, s.history)
	require.Equal(t, "a line without an end2 suppressions\nPASS\n"+
		"1 race:^github.com/surewake/surewake/model/hook.writeMark1, said a test\n", rest.String())
}

func TestWhoMayHaveForgottenSaysSo(t *testing.T) {
	for _, c := range []struct {
		history
		exit error
		says bool
	}{
		{history{should: [4]int{2, 2}, suppressed: [4]int{1, 0}}, nil, true},
		{history{should: [4]int{2, 2, 9, 9}, suppressed: [4]int{2, 2, 9, 0}}, nil, false},
		{history{should: [4]int{2, 2}, suppressed: [4]int{2, 2}}, nil, false},
		{history{should: [4]int{2, 2}}, errors.New("exit status 1"), false},
		{history{}, nil, false},
	} {
		found := json.RawMessage(`{"Digest":2681815733560126431,"Assumed":["a"]}`)
		results := []result{{Result: wire.Result{LookedBack: true,
			Searches: []wire.Search{{Found: found}}}}, {}}
		c.note(c.exit, results)
		require.Equal(t, c.says, len(results[0].Assumptions) == 1, "%+v", c)
		want := string(found)
		if c.says {
			want = `{"Assumed":["a","` + forgetful + `"],"Digest":2681815733560126431}`
		}
		require.Equal(t, want, string(results[0].Searches[0].Found), "%+v", c)
		require.Empty(t, results[1].Assumptions)
	}
}

func TestAPathMayHaveWhatSeparatesFlags(t *testing.T) {
	require.Equal(t, wire.RaceEnvironment+` print_suppressions=1 suppressions="C:\a b,c\d"`,
		raceEnvironment(`C:\a b,c\d`))
}
