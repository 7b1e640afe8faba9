// Package writes has checks of what is reached by objects of the standard library only, into which
// TestMain or an init function has put it: the writer of a logger, the value of a flag, a handler.
package writes

import (
	"bytes"
	"flag"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/surewake/surewake/model"
)

// A first is a writer that keeps what it was given first.
type first struct{ text string }

func (f *first) Write(b []byte) (int, error) {
	if f.text == "" {
		f.text = string(b)
	}
	return len(b), nil
}

type level struct{ n int }

func (l *level) Set(string) error { l.n++; return nil }
func (l *level) String() string   { return "" }

type handler struct{ n int }

func (h *handler) ServeHTTP(http.ResponseWriter, *http.Request) { h.n++ }

var (
	toFirst  = log.New(io.Discard, "", 0)
	out      = &bytes.Buffer{}
	toOut    = log.New(out, "", 0)
	verbose  = &level{}
	counting = &handler{}
	asJSON   = &bytes.Buffer{}
	jsonLog  *slog.Logger
	standard = &bytes.Buffer{}
)

func TestMain(m *testing.M) {
	toFirst.SetOutput(&first{})
	toOut.SetFlags(log.Lmsgprefix)
	flag.Var(verbose, "writes.level", "")
	flag.Parse()
	http.Handle("/", counting)
	jsonLog = slog.New(slog.NewJSONHandler(asJSON, nil))
	log.SetOutput(standard)
	os.Exit(m.Run())
}

// verdict: FAILED b was first
func TestWriterOfALogger(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("a", func() { toFirst.Print("a") })
		x.Go("b", func() { toFirst.Print("b") })
		x.Join()
		x.Assert(toFirst.Writer().(*first).text == "a\n", "b was first")
	})
}

// begins checks that an execution finds what it leaves in a buffer as the first one did.
func begins(t *testing.T, print func(), b *bytes.Buffer, want string) {
	t.Helper()
	model.Check(t, func(x *model.Exec) {
		x.Choose(2)
		print()
		x.Assert(b.String() == want, "%q", b)
	})
}

// verdict: proved
func TestBufferOfALogger(t *testing.T) {
	begins(t, func() { toOut.Print("a") }, out, "a\n")
}

// verdict: proved
func TestBufferOfTheStandardLogger(t *testing.T) {
	log.SetFlags(0)
	begins(t, func() { log.Print("a") }, standard, "a\n")
}

// verdict: proved
func TestBufferOfAHandlerOfSlog(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Choose(2)
		jsonLog.Info("a")
		x.Assert(bytes.Count(asJSON.Bytes(), []byte("\n")) == 1, "%s", asJSON)
	})
}

// verdict: proved
func TestValueOfAFlag(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Choose(2)
		x.Assert(flag.Set("writes.level", "") == nil && verbose.n == 1, "%d", verbose.n)
	})
}

// verdict: proved
func TestHandlerOfTheLibrary(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Choose(2)
		http.DefaultServeMux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/a", nil))
		x.Assert(counting.n == 1, "%d", counting.n)
	})
}
