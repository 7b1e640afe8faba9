// Package hiddenraces holds programs with a data race that synchronization inside code which is
// not rewritten hides in one order of the steps, and right programs that use the same code.
package hiddenraces

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"sort"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// around runs call after one write and before another one, in two goroutines.
func around(t *testing.T, call func(n int), options ...model.Option) {
	model.Check(t, func(x *model.Exec) {
		data := new(int)
		x.Go("before", func() { *data = 1; call(1) })
		x.Go("after", func() { call(2); *data = 2 })
		x.Join()
	}, options...)
}

// guarded does the same with a lock around each write.
func guarded(t *testing.T, call func(n int), options ...model.Option) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		data := new(int)
		write := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			*data = n
		}
		x.Go("before", func() { write(1); call(1) })
		x.Go("after", func() { call(2); write(2) })
		x.Join()
	}, options...)
}

type point struct{ X, Y int }

func encode(n int) {
	if b, err := json.Marshal(point{n, n}); err != nil || len(b) == 0 {
		panic("no text")
	}
}

var word = regexp.MustCompile(`(a+|b+)*c`)

func match(int) { word.MatchString("aabbc") }

func discard(n int) { fmt.Fprintln(io.Discard, n, n) }

// lockEnvironment takes a lock inside the standard library.
func lockEnvironment() { _ = os.Setenv("SUREWAKE_TEST", "1") }

// verdict: FAILED race
func TestEnvironment(t *testing.T) { around(t, func(int) { lockEnvironment() }) }

// The same in a search of some size.
//
// verdict: FAILED race
func TestEnvironmentBesideOthers(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		data, count := new(int), new(atomic.Int32)
		for range 3 {
			x.Go("other", func() { count.Add(1); count.Add(1) })
		}
		x.Go("before", func() { *data = 1; lockEnvironment() })
		x.Go("after", func() { lockEnvironment(); *data = 2 })
		x.Join()
	})
}

// verdict: FAILED race
func TestFormatting(t *testing.T) { around(t, func(n int) { _ = fmt.Sprintf("%d", n) }) }

// verdict: FAILED race
func TestFormattingWithinABound(t *testing.T) {
	around(t, func(n int) { _ = fmt.Sprintf("%d", n) }, model.Preemptions(1))
}

// verdict: FAILED race
func TestEncoding(t *testing.T) { around(t, encode) }

// verdict: FAILED race
func TestMatching(t *testing.T) { around(t, match) }

// verdict: FAILED race
func TestDiscardedOutput(t *testing.T) { around(t, discard) }

// verdict: FAILED race
func TestHelper(t *testing.T) { around(t, func(int) { t.Helper() }) }

// verdict: FAILED race
func TestErrorTexts(t *testing.T) {
	around(t, func(n int) { _ = errors.Join(fmt.Errorf("error %d", n), io.EOF).Error() })
}

// The comparison is called by package sort, which is not rewritten.
//
// verdict: FAILED race
func TestComparison(t *testing.T) {
	around(t, func(n int) {
		list := []int{n, 1, 2}
		sort.Slice(list, func(i, j int) bool { discard(n); return list[i] < list[j] })
	})
}

// The goroutine that starts another one writes after the go statement.
//
// verdict: FAILED race
func TestWriteAfterGoStatement(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		data := new(int)
		x.Go("child", func() { lockEnvironment(); *data = 1 })
		*data = 2
		lockEnvironment()
		x.Join()
	})
}

// The same between steps that the checker sees.
//
// verdict: FAILED race
func TestBetweenLocks(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var a, b sync.Mutex
		data := new(int)
		x.Go("before", func() { a.Lock(); *data = 1; discard(1); a.Unlock() })
		x.Go("after", func() { b.Lock(); discard(2); *data = 2; b.Unlock() })
		x.Join()
	})
}

// verdict: proved
func TestGuardedFormatting(t *testing.T) { guarded(t, func(n int) { _ = fmt.Sprintf("%d", n) }) }

// verdict: proved without assumptions
func TestGuardedFormattingWithinABound(t *testing.T) {
	guarded(t, func(n int) { _ = fmt.Sprintf("%d", n) }, model.Preemptions(5))
}

// verdict: proved
func TestGuardedMatching(t *testing.T) { guarded(t, match) }

// verdict: proved
func TestGuardedOutput(t *testing.T) { guarded(t, discard) }

// verdict: proved
func TestGuardedHelper(t *testing.T) { guarded(t, func(int) { t.Helper() }) }

// A goroutine that starts others in two places is numbered alike in every order.
//
// verdict: proved
func TestGoroutinesThatStartGoroutines(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		sum := 0
		add := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			sum += n
			discard(n)
		}
		for n := range 2 {
			wg.Go(func() {
				wg.Go(func() { add(n) })
				discard(n)
			})
		}
		wg.Wait()
		x.Assert(sum == 1, "a sum of %d", sum)
	})
}
