package driver

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/wire"
)

func TestWhatIsSaidOfForgottenRacesIsCutOut(t *testing.T) {
	var rest = newOutput(1 << 10)
	s := &splitter{rest: rest, onMessage: func(wire.Message) { t.Error("a message") }}
	for _, line := range []string{
		"surewake: looked back at 3\n",
		"a line without an endsurewake: looked back at 12\n",
		"2 suppressions\n",
		"PASS\n",
		"ThreadSanitizer: Matched 14 suppressions (pid=7):\n",
		"14 race:model/hook.writeMark\n",
		"1 race:model/hook.writeMark, said a test\n",
	} {
		_, _ = s.Write([]byte(line))
	}
	s.flush()
	require.Equal(t, history{should: 15, suppressed: 14}, s.history)
	require.Equal(t, "a line without an end2 suppressions\nPASS\n"+
		"1 race:model/hook.writeMark, said a test\n", rest.String())
}

func TestWhoMayHaveForgottenSaysSo(t *testing.T) {
	for _, c := range []struct {
		history
		exit error
		says bool
	}{
		{history{should: 2, suppressed: 1}, nil, true},
		{history{should: 2, suppressed: 2}, nil, false},
		{history{should: 2}, errors.New("exit status 1"), false},
		{history{}, nil, false},
	} {
		results := []result{{Result: wire.Result{LookedBack: true}}, {}}
		c.note(c.exit, results)
		require.Equal(t, c.says, len(results[0].Assumptions) == 1, "%+v", c)
		require.Empty(t, results[1].Assumptions)
	}
}

func TestAPathMayHaveWhatSeparatesFlags(t *testing.T) {
	require.Equal(t, wire.RaceEnvironment+` print_suppressions=1 suppressions="C:\a b,c\d"`,
		raceEnvironment(`C:\a b,c\d`))
}
