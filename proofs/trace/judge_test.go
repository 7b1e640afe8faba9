package trace_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/proofs/trace"
)

// A trace that ends anywhere is the beginning of one; what is no trace is an error.
func TestTheBeginningOfATraceIsOne(t *testing.T) {
	file, err := record(t, build(t, work, nil, "build"), "", 2_000, time.Minute, "-for", "50ms")
	require.NoError(t, err)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	whole, err := trace.Judge(bytes.NewReader(text), trace.Shipped())
	require.NoError(t, err)
	require.Equal(t, 2_000, whole.Events)
	for n := 0; n < len(text); n += 1 + len(text)/200 {
		v, err := trace.Judge(bytes.NewReader(text[:n]), trace.Shipped())
		require.NoError(t, err)
		require.LessOrEqual(t, v.Events, whole.Events)
	}
	_, err = trace.Judge(bytes.NewReader(bytes.Repeat([]byte{0xff, 0}, 28)), trace.Shipped())
	require.Error(t, err)
	_, err = trace.Judge(bytes.NewReader(text[56:]), trace.Shipped())
	require.Error(t, err)
}

// An access that is missing, or comes where it did not, is noticed: the trace holds together.
func TestATraceWithoutAnAccessIsRefused(t *testing.T) {
	file, err := record(t, build(t, work, nil, "build"), "", 4_000, time.Minute, "-for", "100ms")
	require.NoError(t, err)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var without, refused int
	for at := 0; at+56 <= len(text); {
		kind, size := text[at], 56+int(text[at+48])+int(text[at+49])<<8
		changes := !bytes.Equal(text[at+32:at+40], text[at+40:at+48])
		if kind == 2 && changes && at < len(text)/2 {
			without++
			rest := append(bytes.Clone(text[:at]), text[at+size:]...)
			if _, err := trace.Judge(bytes.NewReader(rest), trace.Shipped()); err != nil {
				refused++
			}
		}
		at += size
	}
	t.Logf("%d of %d are missed", refused, without)
	require.NotZero(t, without)
	// Of what nobody touches again the last access is not: it may be one in seven.
	require.Greater(t, refused, without/2)
}
