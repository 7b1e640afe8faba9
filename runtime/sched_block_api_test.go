package runtime_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// neverBlocks has the exported functions that are given no Cx and never block, by type.
var neverBlocks = map[string]string{
	"": `AfterCase BlockingKeepAlive BlockingThreads Debug Default DoneCase IdleBatch InjectorBatch
		InjectorInterval InlineDepth LIFOCap Labels LogPanics MaxTasks New NewChannel NewCond
		NewGroup NewLimiter NewResults NewSemaphore OnPanic Parker Poller RescueInterval Ring
		Searches Seed
		SpareCoroutines TaskBudget TickBudget Trace TrySelect TrySubmit Watchdog Workers`,
	"Alarm":       "Stack String",
	"Channel":     "Cap Close Len ReceiveCase SendCase TryReceive TrySend",
	"Cond":        "Broadcast Signal",
	"Conn":        "Close LocalAddr NetConn RemoteAddr SetDeadline SetReadDeadline SetWriteDeadline",
	"Group":       "Cancel SetLimit TryGo",
	"Handle":      "Cancel Detach Done EndCase TryJoin WakeOnEnd",
	"Limiter":     "Allow AllowN",
	"Listener":    "Addr Close SetDeadline",
	"MissedTicks": "String",
	"Mutex":       "TryLock Unlock",
	"Notify":      "Broadcast Signal WaitCase",
	"Oneshot":     "Close ReceiveCase Send TryReceive",
	"PanicError":  "Error Unwrap",
	"PollerKind":  "Available String",
	"RWMutex":     "RUnlock TryLock TryRLock Unlock",
	"Results":     "Cancel SetLimit TryGo",
	"Runtime":     "BlockingStats Conn Done Dump Listener Stats Vars Watch",
	"Semaphore":   "AcquireCase Free Release TryAcquire",
	"TaskBatch":   "All Cancel Handle Len",
	"TaskScope":   "Cancel",
	"Vars":        "String",
	"WaitGroup":   "Add Done",
	"Waker":       "Wake",
	"Watch":       "Close ReadReadyCase SetDeadline SetReadDeadline SetWriteDeadline WriteReadyCase",
}

// Tasks are refused these with and without Debug: they wait for the end of the task itself.
// TestCallsThatBlockATaskOfTheRuntimePanic calls them.
var waitForTheRuntime = []string{"Runtime.Close", "Runtime.Shutdown"}

// These wait for a place, with MaxTasks, but not in a task of the runtime.
// TestWatchdogNamesASubmitToAnotherRuntime calls one.
var waitForPlaces = []string{
	"Submit", "SubmitContext", "SubmitFuture", "SubmitFutureValue", "SubmitBatch",
	"SubmitBlocking", "SubmitBlockingContext", "Runtime.Go",
}

// Each exported function is one for tasks, which is given a Cx, or it is known whether it blocks;
// and each that blocks is in blockingCalls.
func TestEveryExportedFunctionIsKnownToBlockOrNot(t *testing.T) {
	known := map[string]bool{}
	add := func(name string) {
		require.False(t, known[name], "%s is there twice", name)
		known[name] = true
	}
	for _, c := range blockingCalls() {
		add(c.name)
	}
	for _, name := range append(waitForTheRuntime, waitForPlaces...) {
		add(name)
	}
	for of, names := range neverBlocks {
		for _, name := range strings.Fields(names) {
			add(strings.TrimPrefix(of+"."+name, "."))
		}
	}
	exported := exportedWithoutCx(t)
	for name := range exported {
		require.True(t, known[name], "%s: say here whether it blocks the goroutine", name)
	}
	for name := range known {
		require.True(t, exported[name], "there is no %s", name)
	}
}

// exportedWithoutCx returns the exported functions of the package, and methods of exported types,
// that are given no Cx.
func exportedWithoutCx(t *testing.T) map[string]bool {
	t.Helper()
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	all := map[string]bool{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || isGivenCx(f) {
				continue
			}
			of := ""
			if f.Recv != nil {
				if of = typeName(f.Recv.List[0].Type); !ast.IsExported(of) {
					continue
				}
				of += "."
			}
			all[of+f.Name.Name] = true
		}
	}
	return all
}

// isGivenCx reports whether f has a Cx as a parameter or is a method of it.
func isGivenCx(f *ast.FuncDecl) bool {
	fields := f.Type.Params.List
	if f.Recv != nil {
		fields = append(fields, f.Recv.List...)
	}
	for _, field := range fields {
		if typeName(field.Type) == "Cx" {
			return true
		}
	}
	return false
}

// typeName returns the name of a type of the package, or of one that it points to.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
