package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/wire"
)

func TestOperandIsWhatTheSourceLineNames(t *testing.T) {
	for _, c := range []struct{ op, line, want string }{
		{"Uint64.Load", "if n := w.heads[i].Load(); n > 0 {", "w.heads[i]"},
		{"Uint64.Load", "return a.Load() + b.Load()", ""},
		{"Load", "ok := r.config.CompareAndSwap(old, new)", "r.config"},
		{"time.AfterFunc", "r.timer = time.AfterFunc(d, r.late)", ""},
		{wire.OpSend, "r.out <- f(v)", "r.out"},
		{wire.OpSend, "case out[i] <- v:", "out[i]"},
		{wire.OpSend, "out <- <-in", ""},
		{wire.OpSend, "out[i+1] <- v", "out[i+1]"},
		{wire.OpSend, "out()[i] <- v", ""},
		{wire.OpSend, "1] <- v", ""},
		{wire.OpReceive, "f(<-in[key(i)].out, v)", "in[key(i)].out"},
		{wire.OpReceive, "v := in[<-out]", "out"},
		{wire.OpReceive, "<-in[", ""},
		{"Uint64.Load", "return f(r.slots[i&r.mask].seq.Load())", "r.slots[i&r.mask].seq"},
		{"Uint64.Load", "s[heads[i-1].Load()]", "heads[i-1]"},
		{wire.OpReceive, "v, ok := <-x.in", "x.in"},
		{wire.OpReceive, "for v := range in {", "in"},
		{wire.OpReceive, "f(<-a, <-b)", ""},
		{wire.OpClose, "defer close(w.done)", "w.done"},
	} {
		require.Equal(t, c.want, operand(c.op, c.line), "%s in %q", c.op, c.line)
	}
}

func TestOneNameForTwoObjectsIsNumbered(t *testing.T) {
	steps := []wire.Step{
		{Op: "Load", Object: "#1", Line: 1}, {Op: "Load", Object: "#2", Line: 1},
		{Op: "Load", Object: "#3", Line: 2}, {Op: "Load", Object: "#4", Line: 3},
		{Op: "Load", Object: "given", Line: 1}, {Op: "Yield", Line: 1},
	}
	lines := map[int]string{1: "r.head.Load()", 2: "tail.Load()", 3: "f(a.Load(), b.Load())"}
	source := func(_ string, line int) string { return lines[line] }
	var got []string
	for _, s := range named(&wire.Trace{Steps: steps}, source).Steps {
		got = append(got, s.Object)
	}
	require.Equal(t, []string{"r.head#1", "r.head#2", "tail", "#4", "given", ""}, got)
	require.Equal(t, "#3", steps[2].Object, "the trace is left as it was")
}

// A deferred Unlock and what Cond.Wait does to its lock are on lines that do not spell the mutex.
func TestAnObjectHasOneName(t *testing.T) {
	lines := map[int]string{3: "q.mu.Lock()", 4: "return v", 5: "other.Lock()"}
	drawn := Lanes(&wire.Trace{
		Steps: []wire.Step{
			{Op: "Lock", Object: "#1", File: "a.go", Line: 3},
			{Op: "Unlock", Object: "#1", File: "a.go", Line: 4},
			{Op: "Lock", Object: "#1", File: "a.go", Line: 5},
		},
		Blocked: []wire.Blocked{{Op: "Lock", Object: "#1", File: "a.go", Line: 3}},
	}, Options{Source: func(_ string, line int) string { return lines[line] }})
	require.Contains(t, drawn, "Unlock q.mu")
	require.NotContains(t, drawn, "#1")
	require.Equal(t, 3, strings.Count(drawn, "  Lock q.mu"))
}
