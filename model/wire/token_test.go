package wire_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/model/wire"
)

func TestParseToken(t *testing.T) {
	for _, want := range []wire.Token{
		{"deque", "TestStealOne", "1f3a9c2e", "3b2a", false},
		{".", "TestRoot", "00000000", "0", false},
		{".", "TestRoot", "00000000", wire.TimePasses("0"), false},
		{".", "TestRoot", "00000000", wire.MapOrders("1=2."), false},
		{".", "TestRoot", "00000000", wire.MapOrders(wire.TimePasses("0")), false},
		{"example.com/other/pkg", "TestX/cap:4/#01", "ffffffff", "10=3.B_52_", false},
		{".", "TestRoot", "00000000", "0", true},
		{".", "TestRoot", "00000000", wire.MapOrders(wire.TimePasses("0")), true},
	} {
		got, err := wire.ParseToken(want.String())
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestParseTokenSaysWhatIsWrong(t *testing.T) {
	for token, want := range map[string]string{
		"":                        "empty token: a token is PACKAGE:CHECK:SOURCE:SCHEDULE, like",
		"deque":                   `token "deque": 1 parts instead of 4`,
		"deque:TestX:1f3a9c2e":    `token "deque:TestX:1f3a9c2e": 3 parts instead of 4`,
		":TestX:1f3a9c2e:0":       "no package before the first colon",
		"deque::1f3a9c2e:0":       `no check after the package "deque"`,
		"deque:TestX:1f3a9c2:0":   `source "1f3a9c2" is not 8 hexadecimal digits`,
		"deque:TestX:1F3A9C2E:0":  `source "1F3A9C2E" is not 8 hexadecimal digits`,
		"deque:TestX:1f3a9c2g:0":  `source "1f3a9c2g" is not 8 hexadecimal digits`,
		"deque:TestX:1f3a9c2e:":   "empty schedule",
		"deque:TestX:1f3a9c2e:3?": `schedule "3?", character 2: '?' is not a letter`,
		"deque:Test X:1f3a9c2e:0": `a space or unprintable character after "deque:Test"`,
		"deque:Test\x00:1f3a9c:0": `a space or unprintable character after "deque:Test"`,
		" deque:TestX:1f3a9c2e:0": `a space or unprintable character after ""`,
	} {
		_, err := wire.ParseToken(token)
		require.ErrorContains(t, err, want, "%q", token)
	}
}

func TestDecodeScheduleSaysWhatIsWrong(t *testing.T) {
	for schedule, want := range map[string]string{
		"":                       "empty schedule (the default one is 0)",
		"3":                      `schedule "3", character 1: ends with a count`,
		"a12":                    `schedule "a12", character 2: ends with a count`,
		"0a":                     "character 1: a count of 0 is left out",
		"00":                     "character 1: number 00 has a leading zero",
		"03a":                    "character 1: number 03 has a leading zero",
		"a-":                     "character 2: '-' is not a letter",
		"aé":                     "character 2: 'é' is not a letter",
		"_":                      "character 2: expected a number",
		"_60":                    "character 4: expected '_' after 60",
		"_60a":                   "character 4: expected '_' after 60",
		"_7_":                    "character 1: thread 7 is written as a letter",
		"=":                      "character 2: expected a number",
		"=5":                     "character 3: expected '.' after 5",
		"=0.":                    "character 1: value 0 is the default one",
		"9999999999a":            "character 1: number 9999999999 is too large",
		"=99999999999999999999.": "number 99999999999999999999 is too large",
		"2147483647a2147483647a": "character 12: too many decisions",
	} {
		_, err := wire.DecodeSchedule(schedule)
		require.ErrorContains(t, err, want, "%q", schedule)
	}
}

func TestEncodeScheduleIsShort(t *testing.T) {
	require.Equal(t, "0", wire.EncodeSchedule(nil))
	require.Equal(t, "0", wire.EncodeSchedule(wire.Deviations(make([]wire.Decision, 1000))))
	decisions := make([]wire.Decision, 1000)
	decisions[3].Thread = 1
	decisions[6].Default = 1
	require.Equal(t, "3b2a", wire.EncodeSchedule(wire.Deviations(decisions)))
	require.Panics(t, func() { wire.EncodeSchedule([]wire.Deviation{{Thread: -1}}) })
	require.Panics(t, func() { wire.EncodeSchedule([]wire.Deviation{{At: 2}, {At: 2}}) })
}

// What is decoded is what was encoded, without the default decisions.
func TestScheduleRoundTrip(t *testing.T) {
	decision := rapid.Custom(func(t *rapid.T) wire.Decision {
		threads := rapid.SampledFrom([]int{2, 30, 100}).Draw(t, "threads")
		d := wire.Decision{Default: rapid.IntRange(0, threads).Draw(t, "default")}
		d.Thread = d.Default
		if rapid.Bool().Draw(t, "deviates") {
			d.Thread = rapid.IntRange(0, threads).Draw(t, "thread")
		}
		if d.Chooses = rapid.Bool().Draw(t, "chooses"); d.Chooses {
			d.Value = rapid.IntRange(0, threads).Draw(t, "value")
		}
		return d
	})
	rapid.Check(t, func(t *rapid.T) {
		decisions := rapid.SliceOf(decision).Draw(t, "decisions")
		text := wire.EncodeSchedule(wire.Deviations(decisions))
		require.Empty(t, strings.Trim(text,
			"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_=.-"))
		deviations, err := wire.DecodeSchedule(text)
		require.NoError(t, err)
		require.Equal(t, text, wire.EncodeSchedule(deviations))

		// Following the deviations gives the decisions back.
		at := 0
		next := func(isValue bool, preset int) int {
			defer func() { at++ }()
			if len(deviations) == 0 || deviations[0].At != at {
				return preset
			}
			d := deviations[0]
			deviations = deviations[1:]
			require.Equal(t, isValue, d.IsValue)
			if isValue {
				return d.Value
			}
			return d.Thread
		}
		for _, d := range decisions {
			require.Equal(t, d.Thread, next(false, d.Default))
			if d.Chooses {
				require.Equal(t, d.Value, next(true, 0))
			}
		}
		require.Empty(t, deviations)
	})
}

func FuzzDecodeSchedule(f *testing.F) {
	for _, s := range []string{
		"0", "3b2a", "10=3.B_52_", "a", "=2147483647.", "2147483647z", "_52__53_", "00", "_", "=1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		deviations, err := wire.DecodeSchedule(s)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		// Every schedule has one text.
		require.Equal(t, s, wire.EncodeSchedule(deviations))
	})
}

func FuzzParseToken(f *testing.F) {
	for _, s := range []string{
		"deque:TestStealOne:1f3a9c2e:3b2a", ".:T:00000000:0",
		"a:b:c:d:e", ":::", "a b:c:00000000:0",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		token, err := wire.ParseToken(s)
		if err != nil {
			require.Contains(t, err.Error(), "token")
			return
		}
		require.Equal(t, s, token.String())
	})
}
