package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	goruntime "runtime"
	"runtime/pprof"
	"runtime/trace"
	"strings"
)

// What a runtime tells the execution tracer, profiles and a log. All of it is off unless an option
// turns it on.

// Trace makes each run of a task a region of the execution tracer (runtime/trace), named after its
// function or the type of its future. A region lasts from the start of the task to its end,
// including the time in which it waits; for a poll-style task, it is one poll. The region of a task
// that is run in a join lies within that of the joiner.
//
// While no trace is being recorded, the option costs a call and a load for each run. Without the
// option there is no cost.
func Trace() Option {
	return func(c *config) error {
		c.trace = true
		return nil
	}
}

// Labels sets labels, pairs of a key and a value, that profiles (runtime/pprof) show for everything
// that the runtime does: for tasks, including blocking ones, and the work between them. They
// replace the labels of the caller of [New]. Labels that a task sets by pprof.Do are those of its
// goroutine and stay with it when it waits. An odd number of strings is refused.
func Labels(pairs ...string) Option {
	return func(c *config) error {
		if len(pairs)%2 != 0 {
			return fmt.Errorf("surewake: Labels: %d strings: must be pairs of a key and a value",
				len(pairs))
		}
		c.labels = pprof.WithLabels(context.Background(), pprof.Labels(pairs...))
		return nil
	}
}

// LogPanics logs each panic of a task as an error, with its value and stack, and the name of the
// task if it has one (see [Cx.SetName]), before the task ends. The panic is the result of the task
// in any case. A function of [OnPanic] is called first. A nil logger is refused.
func LogPanics(logger *slog.Logger) Option {
	return func(c *config) error {
		if logger == nil {
			return fmt.Errorf("surewake: LogPanics: nil logger")
		}
		c.logger = logger
		return nil
	}
}

// panicked reports the panic of a task. Its runner calls it. It logs even if the function of
// [OnPanic] panics.
func (rt *Runtime) panicked(err *PanicError) {
	if logger := rt.config.logger; logger != nil {
		attributes := []slog.Attr{
			slog.Any("value", err.Value), slog.String("stack", string(err.Stack)),
		}
		if err.Task != "" {
			attributes = append(attributes, slog.String("task", err.Task))
		}
		defer logger.LogAttrs(context.Background(), slog.LevelError, "task panicked",
			attributes...)
	}
	if report := rt.config.onPanic; report != nil {
		report(err)
	}
}

// label gives the calling goroutine the runtime's labels.
func (rt *Runtime) label() {
	if labels := rt.config.labels; labels != nil {
		pprof.SetGoroutineLabels(labels)
	}
}

// traced polls t within a trace region, if Trace is on, and with Debug or Watchdog shows that
// it runs.
func (co *coroutine) traced(t *task) (ended bool) {
	if t.rt.config.shows() {
		co.pushRunning(t)
		defer co.popRunning() // also after Goexit
	}
	if t.rt.config.trace && trace.IsEnabled() {
		defer trace.StartRegion(context.Background(), nameOf(t)).End() // also after Goexit
	}
	ended = t.body.poll(Cx{co, t})
	if co.forks != nil {
		co.endForks(t) // it is shown as long as it waits for these
	}
	return ended
}

// nameOf returns what t, which does not run, was named by SetName, or else its function or the type
// of its future. The runner calls it.
func nameOf(t *task) string {
	if name := t.rt.records.nameOf(t); name != "" {
		return name
	}
	return textOf(t.body.does())
}

// textOf returns the name of what does has returned.
func textOf(does any) string {
	if of, ok := does.(reflect.Type); ok {
		return of.String()
	}
	if does == nil {
		return ""
	}
	name := goruntime.FuncForPC(reflect.ValueOf(does).Pointer()).Name()
	if !strings.HasPrefix(name, packagePrefix) {
		return name
	}
	// It is what ForErr or forEachErr wraps a body in: it is called after the public one.
	own := shortName(name)
	return packagePrefix + strings.ToUpper(own[:1]) + own[1:]
}

func (c *call[T]) does() any          { return c.fn }
func (c *callWith[A, T]) does() any   { return c.fn }
func (c *scopeTask[T]) does() any     { return c.fn }
func (b *scopeBody) does() any        { return b.body }
func (b *batchTask[T]) does() any     { return b.batch.fn }
func (p *futureTask[T, F]) does() any { return reflect.TypeOf(p.future) }

func (p *futureValueTask[T, F, P]) does() any { return reflect.TypeFor[P]() }

func (c *blockingCall[T]) does() any        { return c.fn }
func (c *blockingContextCall[T]) does() any { return c.fn }
func (p *procedure) does() any              { return p.fn }
func (f groupFunction) does() any           { return (func(Cx) error)(f) }
func (c *resultCall[T]) does() any          { return c.fn }

func (c *groupTask) does() any {
	if c.fn == nil {
		return nil
	}
	return c.fn.does()
}
