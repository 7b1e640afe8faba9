// Package exits has bodies that end more than themselves.
package exits

import (
	"log"
	"os"
	"testing"

	"github.com/surewake/surewake/model"
)

func TestFailNow(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("one", func() { t.FailNow() })
		x.Join()
	})
}

func TestFatal(t *testing.T) {
	model.Check(t, func(x *model.Exec) { t.Fatal("enough is enough") })
}

func TestSkip(t *testing.T) {
	model.Check(t, func(x *model.Exec) { t.Skip("not today") })
}

func TestExit(t *testing.T) {
	model.Check(t, func(x *model.Exec) { os.Exit(0) })
}

func TestLogFatal(t *testing.T) {
	model.Check(t, func(x *model.Exec) { log.Fatal("so long") })
}

// Not within the body: nothing refuses it.
func TestExitBefore(t *testing.T) {
	leave(3)
	model.Check(t, func(x *model.Exec) {})
}

func leave(code int) { os.Exit(code) }

func TestExitZeroBefore(t *testing.T) {
	leave(0)
	model.Check(t, func(x *model.Exec) {})
}

func TestFailsBefore(t *testing.T) {
	t.Fatal("no such luck")
	model.Check(t, func(x *model.Exec) {})
}

func TestFailsAfter(t *testing.T) {
	model.Check(t, func(x *model.Exec) {})
	t.Error("too late")
}

func TestPanic(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("one", func() { panic("out of cheese") })
		x.Join()
	})
}
