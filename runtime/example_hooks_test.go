package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime/pprof"
	"runtime/trace"
	"strings"

	sw "github.com/surewake/surewake/runtime"
)

// All that a runtime does has its labels in profiles: here in that of the goroutines.
func ExampleLabels() {
	rt, err := sw.New(sw.Workers(1), sw.Labels("service", "mail"))
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	profile, err := sw.Submit(rt, func(sw.Cx) (string, error) {
		var b strings.Builder
		err := pprof.Lookup("goroutine").WriteTo(&b, 1)
		return b.String(), err
	}).Wait(context.Background())
	fmt.Println(strings.Contains(profile, `labels: {"service":"mail"}`), err)
	// Output:
	// true <nil>
}

// render is a task of ExampleTrace.
func render(cx sw.Cx) (string, error) {
	cx.Yield()
	return "<p>", nil
}

// Tasks are regions of an execution trace, named after their functions. `go tool trace` shows them.
func ExampleTrace() {
	rt, err := sw.New(sw.Workers(1), sw.Trace())
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	var recorded bytes.Buffer // or a file
	if err := trace.Start(&recorded); err != nil {
		panic(err)
	}
	fmt.Println(sw.Submit(rt, render).Wait(context.Background()))
	trace.Stop()
	fmt.Println(bytes.Contains(recorded.Bytes(), []byte("runtime_test.render")))
	// Output:
	// <p> <nil>
	// true
}

// Panics of tasks whose results nobody looks at are in the log.
func ExampleLogPanics() {
	short := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "stack" { // they differ each time
			return slog.Attr{}
		}
		return a
	}
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: short}))
	rt, err := sw.New(sw.Workers(1), sw.LogPanics(log))
	if err != nil {
		panic(err)
	}
	sw.Submit(rt, func(cx sw.Cx) (int, error) {
		cx.SetName("page 7")
		panic("no such page")
	}).Detach()
	rt.Shutdown(context.Background())
	// Output:
	// level=ERROR msg="task panicked" value="no such page" task="page 7"
}
