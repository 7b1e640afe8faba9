package spec

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTablesAreReadAsTheyArePrinted(t *testing.T) {
	for _, s := range []*System{
		Idle(), IdleRuns(), Close(), Claim(), Park(), Deque(), Task(),
		Injector(), InjectorWithin(), InjectorRuns(), Live(),
	} {
		got, err := Parse(s.Text("T"))
		require.NoError(t, err)
		require.Equal(t, "T", got.Name)
		require.Equal(t, s.Rules, got.Rules)
		require.Equal(t, s.Vars, got.Vars)
		require.Equal(t, s.Params, append([]string(nil), got.Params...))
		require.Equal(t, s.Init, got.Init)
	}
}

func TestWhatIsNoTableIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"table T\nwhen x > 0\n":                `line 2: no attribute of a table or rule: "wh`,
		"rule a\nvars x\n":                     `line 2: no attribute of a table or rule: "vars x"`,
		"rule a\ndo x++\n\nrule b\n\nrule a\n": "line 6: a second rule a",
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, want)
	}
}
