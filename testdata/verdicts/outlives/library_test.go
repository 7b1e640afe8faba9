package outlives

import (
	"encoding/base64"
	"go/build"
	"image/color"
	. "os"
	"runtime"
	"testing"
	"time"
	"unicode"
)

// What executions change in the library's variables, by whatever assignment, is put back or found.

// verdict: FAILED assertion failed: no execution before
func TestElement(t *testing.T) {
	old := Args[0]
	toggle(t, func() { Args[0] = "x" }, func() bool { return Args[0] == "x" },
		func() { Args[0] = old })
}

// verdict: FAILED assertion failed: no execution before
func TestVariableOfADotImport(t *testing.T) {
	old := Args
	toggle(t, func() { Args = nil }, func() bool { return Args == nil }, func() { Args = old })
}

// verdict: FAILED assertion failed: no execution before
func TestOneOfTwoAssigned(t *testing.T) {
	old := time.Local
	toggle(t, func() { time.Local, _ = time.LoadLocation("UTC") },
		func() bool { return time.Local != old }, func() { time.Local = old })
}

// verdict: FAILED assertion failed: no execution before
func TestField(t *testing.T) {
	old := build.Default.GOOS
	toggle(t, func() { build.Default.GOOS = "x" }, func() bool { return build.Default.GOOS == "x" },
		func() { build.Default.GOOS = old })
}

// verdict: FAILED assertion failed: no execution before
func TestFieldOfAValue(t *testing.T) {
	old := color.White.Y
	toggle(t, func() { color.White.Y-- }, func() bool { return color.White.Y != old },
		func() { color.White.Y++ })
}

// verdict: FAILED assertion failed: no execution before
func TestEntryOfAMap(t *testing.T) {
	toggle(t, func() { unicode.Categories["x"] = unicode.Lu },
		func() bool { return unicode.Categories["x"] != nil },
		func() { delete(unicode.Categories, "x") })
}

// verdict: FAILED assertion failed: no execution before
func TestDeletedEntryOfAMap(t *testing.T) {
	old := unicode.Categories["Lu"]
	toggle(t, func() { delete(unicode.Categories, "Lu") },
		func() bool { return unicode.Categories["Lu"] == nil },
		func() { setCategory("Lu", old) })
}

func setCategory(name string, to *unicode.RangeTable) { unicode.Categories[name] = to }

// verdict: FAILED assertion failed: no execution before
func TestCopyToALibrary(t *testing.T) {
	old := []string{Args[0]}
	toggle(t, func() { copy(Args, []string{"x"}) }, func() bool { return Args[0] == "x" },
		func() { copy(Args, old) })
}

// verdict: FAILED assertion failed: no execution before
func TestWhatAPointerPointsTo(t *testing.T) {
	old := *base64.StdEncoding
	toggle(t, func() { *base64.StdEncoding = *base64.URLEncoding },
		func() bool { return base64.StdEncoding.EncodeToString([]byte{0xff, 0xef}) == "_-8=" },
		func() { *base64.StdEncoding = old })
}

// verdict: FAILED assertion failed: no execution before
func TestByItsAddress(t *testing.T) {
	old := time.Local
	toggle(t, func() { p := &time.Local; *p = time.UTC }, func() bool { return time.Local != old },
		func() { time.Local = old })
}

// verdict: FAILED assertion failed: no execution before
func TestReceivedByASelect(t *testing.T) {
	old := runtime.MemProfileRate
	toggle(t, func() {
		c := make(chan int, 1)
		c <- old + 1
		select {
		case runtime.MemProfileRate = <-c:
		default:
		}
	}, func() bool { return runtime.MemProfileRate == old+1 }, func() { runtime.MemProfileRate-- })
}
