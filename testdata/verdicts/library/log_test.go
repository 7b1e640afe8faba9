package library

import (
	"bytes"
	"io"
	"log"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// guarded is a buffer with a lock, as one gives it to a logger.
type guarded struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (g *guarded) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.b.Write(p)
}

func (g *guarded) lines() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return strings.Count(g.b.String(), "\n")
}

// verdict: proved, 2 traces
func TestLoggerWithALockedBuffer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		g := &guarded{}
		l := log.New(g, "", 0)
		for range 2 {
			x.Go("log", func() { l.Print("x") })
		}
		x.Join()
		x.Assert(g.lines() == 2 && l.Writer() == g, "lines of the program's writer")
	})
}

// verdict: proved, 2 traces
func TestHandlerWithALockedBuffer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		g := &guarded{}
		l := slog.New(slog.NewJSONHandler(g, nil))
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { l.Info("x") })
		}
		wg.Wait()
		x.Assert(g.lines() == 2, "lines")
	})
}

// Handlers that are made of one another share a lock, so that the buffer needs none.
//
// verdict: proved, 2 traces
func TestRelatedHandlersExcludeEachOther(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var b bytes.Buffer
		l := slog.New(slog.NewTextHandler(&b, nil))
		x.Go("with", func() { l.With("a", 1).Info("x") })
		x.Go("group", func() { l.WithGroup("g").Info("x") })
		x.Join()
		x.Assert(strings.Count(b.String(), "\n") == 2, "lines")
	})
}

// verdict: proved
func TestOneWritesAtATime(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var inside atomic.Int32
		w := writerFunc(func([]byte) {
			x.Assert(inside.Add(1) == 1, "two write at once")
			inside.Add(-1)
		})
		l := log.New(w, "", 0)
		h := slog.New(slog.NewJSONHandler(w, nil))
		x.Go("a", func() { l.Print("x") })
		x.Go("b", func() { l.Println("x") })
		x.Join()
		x.Go("c", func() { h.Info("x") })
		x.Go("d", func() { h.With("a", 1).Warn("x") })
		x.Join()
	})
}

// verdict: FAILED data race
func TestUnrelatedHandlersDoNot(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var b bytes.Buffer
		for range 2 {
			x.Go("log", func() { slog.New(slog.NewTextHandler(&b, nil)).Info("x") })
		}
		x.Join()
	})
}

// verdict: FAILED b was first
func TestOrderOfLines(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var b strings.Builder
		l := log.New(&b, "", 0)
		x.Go("a", func() { l.Print("a") })
		x.Go("b", func() { l.Print("b") })
		x.Join()
		x.Assert(b.String() == "a\nb\n", "b was first")
	})
}

// What logs while it writes for the same logger waits for itself.
//
// verdict: FAILED deadlock
func TestLogWhileItWrites(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var l *log.Logger
		l = log.New(writerFunc(func(p []byte) { l.Print("again") }), "", 0)
		x.Go("log", func() { l.Print("x") })
		x.Join()
	})
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) { f(p); return len(p), nil }

// verdict: FAILED to the first
func TestOutputIsExchanged(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var first, second bytes.Buffer
		l := log.New(&first, "", 0)
		x.Go("set", func() { l.SetOutput(&second) })
		x.Go("log", func() { l.Print("x") })
		x.Join()
		x.Assert(l.Writer() == &second, "the writer is the program's")
		x.Assert(first.Len() == 0, "to the first")
	})
}

// verdict: proved without assumptions
func TestNothingIsWritten(t *testing.T) {
	l := log.New(io.Discard, "", 0)
	h := slog.New(slog.NewTextHandler(os.Stderr, nil))
	model.Check(t, func(x *model.Exec) {
		for range 2 {
			x.Go("log", func() { l.Print("x"); h.Debug("x"); h.Info("from a check") })
		}
		x.Join()
		x.Assert(l.Writer() == io.Discard, "the writer is the program's")
	})
}

// verdict: proved
func TestLoggerOfAHandler(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		g := &guarded{}
		l := slog.NewLogLogger(slog.NewTextHandler(g, nil), slog.LevelInfo)
		for range 2 {
			x.Go("log", func() { l.Print("x") })
		}
		x.Join()
		x.Assert(g.lines() == 2, "lines")
	})
}

// verdict: said locks of their own.*log.Logger.Prefix.*log.Logger.SetPrefix
func TestPrefixIsChanged(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		l := log.New(io.Discard, "", 0)
		x.Go("set", func() { l.SetPrefix("p") })
		x.Go("get", func() { x.Assert(l.Prefix() != "", "not yet") })
		x.Join()
	})
}

// verdict: said locks of their own.*slog.LevelVar
func TestLevelIsChanged(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var lv slog.LevelVar
		x.Go("set", func() { lv.Set(slog.LevelError) })
		x.Go("get", func() { x.Assert(lv.Level() != slog.LevelInfo, "not yet") })
		x.Join()
	})
}

// The handler reads the level, in code that is not rewritten.
//
// verdict: said locks of their own.*slog.LevelVar
func TestLevelOfAHandlerIsChanged(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var lv slog.LevelVar
		x.Go("set", func() { lv.Set(slog.LevelError) })
		x.Go("log", func() {
			var b bytes.Buffer
			slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: &lv})).Info("x")
			x.Assert(b.Len() == 0, "not yet")
		})
		x.Join()
	})
}

// verdict: said (variables of the standard library.*slog.SetDefault|not modelled)
func TestDefaultIsExchanged(t *testing.T) {
	old := slog.Default()
	defer slog.SetDefault(old)
	model.Check(t, func(x *model.Exec) {
		g := &guarded{}
		x.Go("set", func() { slog.SetDefault(slog.New(slog.NewTextHandler(g, nil))) })
		x.Go("log", func() { slog.Debug("x"); log.SetFlags(log.Flags()) })
		x.Join()
	})
}
