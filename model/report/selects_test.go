package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/wire"
)

const selecting = `func serve(ctx context.Context, jobs <-chan job, out chan<- int) {
	for {
		select {
		case <-ctx.Done(): // the caller gave up: case closed
			return
		case j, ok := <-jobs:
			select {
			case inner <- map[string]int{"a": 1}["a"]:
			}
			_ = out[1:2]
		case out <- func() int { switch { case true: return 1 }; return 2 }():
		default:
			println("select {")
		}
	}
}
select {}
select { case <-a: }; select { case <-b: }
select { case <-
	split(a,
		b): }
again: // see below
	select {
	default:
	case <-a:
	}
}
// a select {
close(s.queue)
outer:
	// a comment

inner:
	select {
	case v := <-r.connections[id].requests.pendingByPriority[priority+1]:
	case r.connections[id].requests.pendingByPriority[priority-1] <- v:
	}
label:`

// Of the case with a function all is read, and a part is shown.
const (
	send     = "case out <- func() int { switch { case true: return 1 }; return 2 }()"
	longSend = "case out <- func() int { switc…rue: return 1 }; return 2 }()"
)

func selectLine(_ string, n int) string {
	lines := strings.Split(selecting, "\n")
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[n-1])
}

func TestCasesOfASelectAreThoseOfTheSource(t *testing.T) {
	for line, want := range map[int][]string{
		3: {"case <-ctx.Done()", "case j, ok := <-jobs",
			send, "default"},
		7:  {`case inner <- map[string]int{"a": 1}["a"]`},
		4:  nil, // no statement begins there
		13: nil, // nor does one in a string
		17: nil, // it has none
		18: nil, // nobody knows which of the two
		19: {"case <- split(a, b)"},
		22: {"case <-a", "default"}, // of which default is the first in the source
		28: nil,                     // a comment
		30: {"case v := <-r.connections[id].requests.pendingByPriority[priority+1]",
			"case r.connections[id].requests.pendingByPriority[priority-1] <- v"},
		38: nil, // a label at the end
		99: nil,
	} {
		require.Equal(t, want, casesOf(selectLine, "a.go", line), "line %d", line)
	}
}

func TestAStepOfASelectSaysWhichCaseWasTaken(t *testing.T) {
	at := func(cases, object string) wire.Step {
		return wire.Step{Op: "select", Object: object, Cases: cases, File: "a.go", Line: 3}
	}
	tr := &wire.Trace{
		Steps: []wire.Step{
			at("trnn", "#1"), at("nnnt", ""), at("rtrn", "#2"), at("nnnn", ""), at("nrnn", ""),
			at("nt", "#2"), // of another text: a file that changed
			{Op: "channel receive", Object: "#1", File: "a.go", Line: 4},
		},
		Blocked: []wire.Blocked{
			{Op: "select", Cases: "nnn0", File: "a.go", Line: 3},
			{Op: "select", Cases: "n0n0", File: "a.go", Line: 3},
			{Op: "select", Cases: "0000", File: "a.go", Line: 3},
			{Op: "select", Cases: "nn", File: "a.go", Line: 3},
			{Op: "select", Cases: "nnn0", File: "a.go", Line: 99},
			{Op: "channel receive", Object: "#1", File: "a.go", Line: 3},
		},
	}
	out := named(tr, selectLine)
	var got []string
	for _, s := range out.Steps {
		got = append(got, strings.TrimRight(what(s.Op, s.Object)+" | "+s.Note, "| "))
	}
	require.Equal(t, []string{
		"select: case <-ctx.Done() | also ready: case j, ok := <-jobs",
		"select: default",
		"select: case j, ok := <-jobs | also ready: case <-ctx.Done(), " + longSend,
		"select waits",
		"select waits | ready: case j, ok := <-jobs", // a timer that need not fire
		"select jobs",
		"channel receive ctx.Done",
	}, got)
	var waits []string
	for _, b := range out.Blocked {
		waits = append(waits, b.Note)
	}
	const done, receive = "case <-ctx.Done()", "case j, ok := <-jobs"
	require.Equal(t, []string{
		done + ", " + receive + ", " + longSend + "; nil: default",
		done + ", " + longSend + "; nil: " + receive + ", default",
		"nil: " + done + ", " + receive + ", " + longSend + ", default",
		"", "", "",
	}, waits)
	require.Equal(t, "ctx.Done", out.Blocked[5].Object)
	require.Empty(t, tr.Steps[0].Note, "the trace is left as it was")
	require.Equal(t, tr.Steps, named(tr, nil).Steps, "nothing is said without the source")
}

// The channel is named beside the case if others call it otherwise, or call others so.
func TestTheChannelOfACaseIsTheOneOfOtherSteps(t *testing.T) {
	step := wire.Step{Op: "select", Cases: "ntnn", File: "a.go", Line: 3}
	first, second, closing := step, step, step
	first.Object, second.Object = "#1", "#2"
	out := named(&wire.Trace{Steps: []wire.Step{first, second}}, selectLine)
	require.Equal(t, "select: case j, ok := <-jobs jobs#1",
		what(out.Steps[0].Op, out.Steps[0].Object))
	require.Equal(t, "select: case j, ok := <-jobs jobs#2",
		what(out.Steps[1].Op, out.Steps[1].Object))

	closing = wire.Step{Op: wire.OpClose, Object: "#1", File: "a.go", Line: 29}
	out = named(&wire.Trace{Steps: []wire.Step{closing, first}}, selectLine)
	require.Equal(t, "select: case j, ok := <-jobs s.queue",
		what(out.Steps[1].Op, out.Steps[1].Object))
}

// A name is whole, however long its case is.
func TestTheChannelOfALongCaseHasItsWholeName(t *testing.T) {
	taken := func(cases, object string) wire.Step {
		return wire.Step{Op: "select", Object: object, Cases: cases, File: "a.go", Line: 30}
	}
	out := named(&wire.Trace{Steps: []wire.Step{
		taken("tn", "#1"), taken("nt", "#2"),
		{Op: wire.OpSend, Object: "#1"}, {Op: wire.OpReceive, Object: "#2"},
	}}, selectLine)
	require.Equal(t, "select: case v := <-r.connections[id].…pendingByPriority[priority+1]",
		what(out.Steps[0].Op, out.Steps[0].Object))
	require.Equal(t, "r.connections[id].requests.pendingByPriority[priority+1]", out.Steps[2].Object)
	require.Equal(t, "r.connections[id].requests.pendingByPriority[priority-1]", out.Steps[3].Object)
}
