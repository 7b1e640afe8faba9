package interfaces

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"testing"

	"github.com/surewake/surewake/model"
)

// verdict: said objects with locks of their own
func TestSelectedLevel(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan *slog.LevelVar, 1)
		c <- new(slog.LevelVar)
		x.Go("other", func() {})
		var l slog.Leveler
		select {
		case l = <-c:
		default:
		}
		x.Assert(l.Level() == slog.LevelInfo, "%v", l.Level())
		x.Join()
	})
}

// verdict: said files
func TestSelectedFile(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	model.Check(t, func(x *model.Exec) {
		c := make(chan *os.File, 1)
		c <- null
		x.Go("other", func() {})
		var w io.Writer
		select {
		case w = (<-c):
		}
		fmt.Fprintln(w, "a")
		x.Join()
	})
}

// verdict: said files
func TestFileIsOneOfTwoResults(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	model.Check(t, func(x *model.Exec) {
		open := func() (*os.File, error) { return null, nil }
		x.Go("other", func() {})
		var w io.Writer
		w, _ = (open())
		fmt.Fprintln(w, "a")
		x.Join()
	})
}

// verdict: said files
func TestFileIsTheSecondResult(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	model.Check(t, func(x *model.Exec) {
		open := func() (string, *os.File) { return "a", null }
		show := func(text string, w io.Writer) { fmt.Fprintln(w, text) }
		x.Go("other", func() {})
		show(open())
		x.Join()
	})
}
