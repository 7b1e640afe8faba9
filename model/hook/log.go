package hook

import (
	"io"
	"log"
	"os"
	"reflect"
	"sync"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// Loggers of packages log and log/slog write while they hold a lock of their own. If what they
// write to came to a scheduling point there, the next logger would wait for that lock out of the
// checker's sight. So they get a writer that releases the lock, takes another that the checker
// sees, writes, and gives back what it found. The critical sections of that lock are those of the
// original one, and are explored in every order.

// A logWriter is the writer that a logger or handler has in place of w.
type logWriter struct {
	w    io.Writer
	own  *sync.Mutex // held by the caller of Write; nil if it was not found
	lock *sync.Mutex // in its place
}

// Write writes under the lock that the checker sees.
//
//go:norace
func (l *logWriter) Write(p []byte) (int, error) {
	if !explore.Active() {
		return l.w.Write(p)
	}
	if l.own == nil {
		explore.Fail(explore.KindRefused,
			"a logger of this Go release is not known: its lock was not found")
	}
	l.own.Unlock()
	defer l.own.Lock()
	MutexLock(l.lock)
	defer MutexUnlock(l.lock)
	return l.w.Write(p)
}

// silent reports whether what is written to w can be read by nobody in the program.
func silent(w io.Writer) bool {
	return w == nil || w == io.Discard || w == os.Stderr || w == os.Stdout
}

func logWriterFor(w io.Writer) io.Writer {
	if silent(w) {
		return w
	}
	return &logWriter{w: w, lock: new(sync.Mutex)}
}

var mutexType = reflect.TypeFor[sync.Mutex]()

// ownLock finds the lock of a *log.Logger, or that of a handler of log/slog.
func ownLock(v any) *sync.Mutex {
	s := reflect.ValueOf(v).Elem()
	if f := s.FieldByName("outMu"); f.IsValid() && f.Type() == mutexType {
		return (*sync.Mutex)(unsafe.Pointer(f.UnsafeAddr())) // which no method gives
	}
	if f := s.FieldByName("mu"); f.IsValid() && f.Type() == reflect.PointerTo(mutexType) {
		return (*sync.Mutex)(f.UnsafePointer())
	}
	return nil
}

// LogNew is the hook of log.New.
//
//go:norace
//go:noinline
func LogNew(w io.Writer, prefix string, flag int) *log.Logger {
	w = logWriterFor(w)
	l := log.New(w, prefix, flag)
	if lw, ok := w.(*logWriter); ok {
		lw.own = ownLock(l)
	}
	return l
}

// LoggerSetOutput is the hook of log.Logger.SetOutput, which waits for the lock.
//
//go:norace
//go:noinline
func LoggerSetOutput(l *log.Logger, w io.Writer) {
	w = logWriterFor(w)
	lw, ok := w.(*logWriter)
	if ok {
		lw.own = ownLock(l)
	}
	if old, wasSeen := l.Writer().(*logWriter); wasSeen {
		if ok {
			lw.lock = old.lock
		}
		MutexLock(old.lock)
		defer MutexUnlock(old.lock)
	}
	l.SetOutput(w)
}

// LoggerWriter is the hook of log.Logger.Writer.
//
//go:norace
//go:noinline
func LoggerWriter(l *log.Logger) io.Writer {
	w := l.Writer()
	if lw, ok := w.(*logWriter); ok {
		return lw.w
	}
	return w
}

// LogSetOutput is the hook of log.SetOutput.
//
//go:norace
//go:noinline
func LogSetOutput(w io.Writer) {
	if explore.Active() {
		explore.Assume("what log.SetOutput changes in one execution does not matter to the next")
	}
	LoggerSetOutput(log.Default(), w)
}

// LogWriter is the hook of log.Writer.
//
//go:norace
//go:noinline
func LogWriter() io.Writer { return LoggerWriter(log.Default()) }

// NewHandler makes slog.NewJSONHandler or slog.NewTextHandler a function that the checker sees.
//
//go:norace
//go:noinline
func NewHandler[H, O any](original func(io.Writer, O) H) func(io.Writer, O) H {
	return func(w io.Writer, opts O) H {
		w = logWriterFor(w)
		h := original(w, opts)
		if lw, ok := w.(*logWriter); ok {
			lw.own = ownLock(h)
		}
		return h
	}
}

// NewLogLogger does so for slog.NewLogLogger.
//
//go:norace
//go:noinline
func NewLogLogger[H, L any](original func(H, L) *log.Logger) func(H, L) *log.Logger {
	return func(h H, level L) *log.Logger {
		l := original(h, level)
		LoggerSetOutput(l, l.Writer())
		return l
	}
}

// SetDefault does so for slog.SetDefault, which gives the default logger of package log another
// writer, and notes its use as [Shared] does.
//
//go:norace
//go:noinline
func SetDefault[L any](original func(L), assumption, site string) func(L) {
	return func(l L) {
		original(Outside(l, assumption, site))
		if w := log.Default().Writer(); w != nil {
			if _, ok := w.(*logWriter); !ok {
				LoggerSetOutput(log.Default(), w)
			}
		}
	}
}
