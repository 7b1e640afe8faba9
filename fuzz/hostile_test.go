package fuzz_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	gofuzz "github.com/google/gofuzz"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/model/report"
	"github.com/surewake/surewake/model/wire"
)

// seeded runs a property on values that gofuzz makes.
func seeded(t *testing.T, property func(require.TestingT, *gofuzz.Fuzzer)) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Int64().Draw(t, "seed")
		f := gofuzz.NewWithSeed(seed).NilChance(0.3).NumElements(0, 5)
		property(t, f.Funcs(encoded))
	})
}

// encoded makes a JSON value, which json.RawMessage has to be.
func encoded(m *json.RawMessage, c gofuzz.Continue) {
	var v map[string][]string
	c.Fuzz(&v)
	*m, _ = json.Marshal(v)
}

// messagesArrive: what a test binary sends arrives, whatever it prints before.
func messagesArrive(t require.TestingT, f *gofuzz.Fuzzer) {
	var m wire.Message
	var before string
	f.Fuzz(&m)
	f.Fuzz(&before)
	before = strings.ReplaceAll(before, "\n", "")
	var out bytes.Buffer
	require.NoError(t, m.Write(&out))
	require.Equal(t, "\n", out.String()[:1])
	line := append([]byte(before), out.Bytes()[1:]...)
	require.Equal(t, 1, bytes.Count(line, []byte("\n")), "one line")
	rest, got, ok := wire.Parse(line)
	if m == (wire.Message{}) {
		require.False(t, ok)
		require.Equal(t, line, rest)
		return
	}
	require.True(t, ok, "%q", line)
	require.Equal(t, before, string(rest))
	var again bytes.Buffer
	require.NoError(t, got.Write(&again))
	require.Equal(t, out.String(), again.String())
}

func TestMessagesArrive(t *testing.T) { seeded(t, messagesArrive) }

// A line that only looks like a message is ordinary output.
func FuzzParseMessage(f *testing.F) {
	for _, s := range []string{
		"", "{}", `{"result":{}}`, `{"progress":null}`, `{"result":{"steps":1e99}}`, `{"result":[]}`,
	} {
		f.Add([]byte(wire.Mark + s + "\n"))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		before, m, ok := wire.Parse(line)
		if !ok {
			require.Equal(t, string(line), string(before))
			require.Equal(t, wire.Message{}, m)
			return
		}
		require.True(t, bytes.HasPrefix(line, before))
		require.NotEqual(t, wire.Message{}, m)
		require.NoError(t, m.Write(&bytes.Buffer{}))
	})
}

// tokensArrive: a token is refused with a reason, or is what was written.
func tokensArrive(t require.TestingT, f *gofuzz.Fuzzer) {
	var token wire.Token
	f.Fuzz(&token)
	got, err := wire.ParseToken(token.String())
	if err != nil {
		require.Contains(t, err.Error(), "token")
		return
	}
	require.Equal(t, token.String(), got.String())
}

func TestTokensArrive(t *testing.T) { seeded(t, tokensArrive) }

// A token with one byte changed is refused or another token, never the same one.
func TestChangedTokensAreNoticed(t *testing.T) {
	const token = "./deque:TestSteal/one:1f3a9c2e:3b2a=1.B_52_"
	rapid.Check(t, func(t *rapid.T) {
		changed := []byte(token)
		changed[rapid.IntRange(0, len(token)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		got, err := wire.ParseToken(string(changed))
		if err == nil {
			require.Equal(t, string(changed), got.String())
		}
	})
}

// settingsArrive: the command's settings are those that the test binary reads.
func settingsArrive(t require.TestingT, f *gofuzz.Fuzzer) {
	var s wire.Settings
	f.Fuzz(&s)
	text, err := s.Encode()
	require.NoError(t, err)
	got, err := wire.DecodeSettings(text)
	require.NoError(t, err)
	again, err := got.Encode()
	require.NoError(t, err)
	require.Equal(t, text, again)
}

func TestSettingsArrive(t *testing.T) { seeded(t, settingsArrive) }

// tracesAreDrawn: a picture of any trace consists of whole lines of valid text.
func tracesAreDrawn(t require.TestingT, f *gofuzz.Fuzzer) {
	var trace wire.Trace
	var width int16
	f.Fuzz(&trace)
	f.Fuzz(&width)
	picture := report.Lanes(&trace, report.Options{Width: int(width)})
	require.True(t, picture == "" || strings.HasSuffix(picture, "\n"))
	require.True(t, utf8.ValidString(picture))
}

func TestTracesAreDrawn(t *testing.T) { seeded(t, tracesAreDrawn) }

func FuzzTraces(f *testing.F) {
	f.Add([]byte("a trace"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 0 {
			tracesAreDrawn(t, gofuzz.NewFromGoFuzz(data).NilChance(0.3).NumElements(0, 5))
		}
	})
}
