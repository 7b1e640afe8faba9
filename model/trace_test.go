package model

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/explore"
)

// A lane names what an operation is done on as the source does, where one line does one.
func TestLanesNameWhatALineIsAbout(t *testing.T) {
	for _, c := range []struct{ op, line, want string }{
		{"Uint64.Load", "if n := w.heads[i].Load(); n > 0 {", "w.heads[i]"},
		{"Uint64.Load", "return a.Load() + b.Load()", ""},
		{explore.OpSend.String(), "r.out <- f(v)", "r.out"},
		{explore.OpSend.String(), "case out[i] <- v:", "out[i]"},
		{explore.OpSend.String(), "out <- <-in", ""},
		{explore.OpRecv.String(), "v, ok := <-x.in", "x.in"},
		{explore.OpRecv.String(), "for v := range in {", "in"},
		{explore.OpRecv.String(), "f(<-a, <-b)", ""},
		{explore.OpClose.String(), "defer close(w.done)", "w.done"},
	} {
		e := explore.Record{Op: c.op, Stack: []explore.Frame{{File: "x.go", Line: 1}}}
		require.Equal(t, c.want, receiver(e, func(string, int) string { return c.line }), "%s in %q", c.op, c.line)
	}
}
