package testingt

import (
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

// verdict: FAILED panic.*testing: t.Run called during t.Cleanup
func TestRunInACleanup(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		t.Cleanup(func() { t.Run("a", func(*testing.T) {}) })
	})
}

// verdict: proved
func TestRunAfterTheCleanupsOfASubtest(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		t.Run("a", func(t *testing.T) { t.Cleanup(func() {}) })
		t.Run("b", func(t *testing.T) { t.Run("c", func(*testing.T) {}) })
	})
}

// verdict: proved
func TestSkipInACleanup(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		rest := 0
		t.Run("a", func(t *testing.T) {
			t.Cleanup(func() { rest++ })
			t.Cleanup(func() { t.SkipNow() })
			t.Cleanup(func() { rest++; runtime.Goexit() })
			t.Cleanup(func() { rest++ })
		})
		x.Assert(rest == 3, "%d of 3 have run", rest)
	})
}

// verdict: FAILED ends_test.go:\d+: before\n
func TestAnErrorBeforeASkipInACleanup(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		t.Run("a", func(t *testing.T) {
			t.Cleanup(func() { t.Skip("too late") })
			t.Error("before")
		})
	})
}

// verdict: FAILED the last one
func TestCleanupsAfterOneThatExits(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		t.Run("a", func(t *testing.T) {
			t.Cleanup(func() { t.Error("the last one") })
			t.Cleanup(runtime.Goexit)
		})
	})
}

// verdict: proved
func TestParallelSubtestWhoseCleanupExits(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		t.Run("group", func(t *testing.T) {
			t.Run("a", func(t *testing.T) { t.Parallel(); t.Cleanup(runtime.Goexit) })
		})
	})
}

// verdict: FAILED (?s)panic.*in a cleanup
func TestPanicInACleanupOfASubtest(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		t.Run("a", func(t *testing.T) { t.Cleanup(func() { panic("in a cleanup") }) })
	})
}

// verdict: proved
func TestTempDirsAreRemovedWithTheFirst(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var gone []string
		t.Run("a", func(t *testing.T) {
			first := t.TempDir()
			second := ""
			t.Cleanup(func() {
				for _, dir := range []string{first, second} {
					_, err := os.Stat(dir)
					x.Assert(err == nil, "removed too early: %v", err)
				}
			})
			second = t.TempDir()
			x.Assert(first != second, "one directory twice")
			gone = []string{first, second}
		})
		for _, dir := range gone {
			_, err := os.Stat(dir)
			x.Assert(os.IsNotExist(err), "it is left: %v", err)
		}
	})
}

// verdict: FAILED disallowed whitespace in attribute key "a b"
func TestAttributeWithASpace(t *testing.T) {
	model.Check(t, func(*model.Exec) { t.Attr("a b", "c") })
}

// verdict: FAILED disallowed newline in attribute value "b\\nc"
func TestAttributeWithANewline(t *testing.T) {
	model.Check(t, func(*model.Exec) { t.Attr("a", "b\nc") })
}

// verdict: proved
func TestAttribute(t *testing.T) {
	model.Check(t, func(*model.Exec) { t.Attr("a", "b c") })
}

// verdict: FAILED seen
func TestSkippedIsSeenOrNot(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		t.Run("a", func(t *testing.T) {
			var all sync.WaitGroup
			all.Go(func() { t.SkipNow() })
			if t.Skipped() {
				t.Error("seen")
			}
			all.Wait()
		})
	})
}

// verdict: FAILED unseen
func TestSkippedIsUnseenOrNot(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		t.Run("a", func(t *testing.T) {
			var all sync.WaitGroup
			all.Go(func() { t.SkipNow() })
			if !t.Skipped() {
				t.Error("unseen")
			}
			all.Wait()
		})
	})
}

// verdict: proved
func TestATestOfItsOwn(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		mock := new(testing.T)
		x.Assert(!mock.Failed(), "it has failed before")
		mock.Errorf("x %d", 1)
		x.Assert(mock.Failed() && !t.Failed(), "it has not failed")
		fatal, after := new(testing.T), false
		done := make(chan bool)
		go func() {
			defer close(done)
			fatal.Fatal("y")
			after = true
		}()
		<-done
		x.Assert(fatal.Failed() && !after, "it goes on")
		skips := new(testing.T)
		done = make(chan bool)
		go func() {
			defer close(done)
			skips.Skip("z")
			after = true
		}()
		<-done
		x.Assert(skips.Skipped() && !skips.Failed() && !after, "it goes on")
	})
}

// verdict: FAILED one of its own: true
func TestWhatATestOfItsOwnIsTold(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		mock := new(testing.T)
		mock.Log("unsaid")
		mock.Fail()
		t.Errorf("one of its own: %v", mock.Failed())
	})
}

// verdict: FAILED the outer one
func TestTheTestAroundAnotherIsNoneOfItsOwn(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		t.Run("a", func(*testing.T) { t.Error("the outer one") })
	})
}
