package hook

import (
	"bytes"
	"io"
	"os"
	"reflect"
	"runtime"
	"strings"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/wire"
)

// Process stands before a method of *exec.Cmd that runs a process or waits for it: the process runs
// beside the check, which waits for it in one step. What it reads and writes must be nothing that
// the checker models, as goroutines of package os/exec copy it, and it is not told what the command
// has told this one. Package os/exec is not imported for it.
//
//go:norace
//go:noinline
func Process[T any](cmd T, assumption, site string) T {
	c := reflect.ValueOf(cmd).Elem()
	if stream := foreignStream(c); stream != "" {
		return Refused(cmd, site+": a process with a "+stream+
			" that is neither a file nor a buffer is not modelled")
	}
	if env := c.FieldByName("Env"); c.FieldByName("Process").IsNil() {
		env.Set(reflect.ValueOf(ownEnvironment(env.Interface().([]string))))
	}
	return Outside(cmd, assumption, site)
}

// foreignStream names a stream of a command that a goroutine of package os/exec would copy from or
// to code of the program.
//
//go:norace
func foreignStream(cmd reflect.Value) string {
	for _, name := range []string{"Stdin", "Stdout", "Stderr"} {
		switch cmd.FieldByName(name).Interface().(type) {
		case nil, *os.File, *bytes.Buffer, *bytes.Reader, *strings.Builder, *strings.Reader:
		default:
			if cmd.FieldByName(name).Interface() != io.Discard {
				return name
			}
		}
	}
	return ""
}

// ownEnvironment returns the environment of a process that is to run as without the checker; nil is
// that of this process.
//
//go:norace
func ownEnvironment(env []string) []string {
	if env == nil {
		env = os.Environ()
	}
	own := make([]string, 0, len(env))
	for _, v := range env {
		switch {
		case strings.HasPrefix(v, wire.SettingsVariable+"="),
			strings.HasPrefix(v, "GORACE="+wire.RaceEnvironment),
			v == "GOTRACEBACK="+wire.Traceback:
		default:
			own = append(own, v)
		}
	}
	return own
}

// NoFinalizer is what runtime.SetFinalizer becomes: in an execution it does nothing, as the
// collector may never come.
//
//go:norace
//go:noinline
func NoFinalizer[F any](set F, assumption, site string) F {
	if !explore.InExecution() {
		return set
	}
	return any(func(obj, _ any) {
		Outside(obj, assumption, site)
		uncollected()
	}).(F)
}

// NoCleanup is the hook of runtime.AddCleanup: likewise.
//
//go:norace
//go:noinline
func NoCleanup[T, S any](
	ptr *T, cleanup func(S), arg S, assumption, site string,
) runtime.Cleanup {
	if !explore.InExecution() {
		return runtime.AddCleanup(ptr, cleanup, arg)
	}
	Outside(ptr, assumption, site)
	uncollected()
	return runtime.Cleanup{}
}

// left stands for what the execution has left to the collector.
var left byte

//go:norace
func uncollected() { explore.SetModel(unsafe.Pointer(&left), true) }

// Collected is what runtime.GC becomes. An execution that has left something to the collector and
// calls for it means it to come.
//
//go:norace
//go:noinline
func Collected(gc func(), assumption, site string) func() {
	if explore.InExecution() && explore.Model(unsafe.Pointer(&left)) != nil {
		Refused(gc, "finalizers and cleanups do not run, and the collector is called for: "+site)
	}
	return Outside(gc, assumption, site)
}
