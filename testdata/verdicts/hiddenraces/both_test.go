package hiddenraces

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

// between runs call before and after each of two writes, in two goroutines.
func between(t *testing.T, call func(n int)) {
	model.Check(t, func(x *model.Exec) {
		data := new(int)
		for n := range 2 {
			x.Go("writer", func() {
				call(n)
				*data = n
				call(n)
			})
		}
		x.Join()
	})
}

// verdict: FAILED race
func TestBetweenFormatting(t *testing.T) { between(t, func(n int) { _ = fmt.Sprintf("%d", n) }) }

// verdict: FAILED race
func TestBetweenMatching(t *testing.T) { between(t, match) }

// verdict: FAILED race
func TestBetweenEncoding(t *testing.T) { between(t, encode) }

// verdict: FAILED race
func TestBetweenHelper(t *testing.T) { between(t, func(int) { t.Helper() }) }

// verdict: FAILED race
func TestBetweenChangesOfTheEnvironment(t *testing.T) {
	between(t, func(int) { lockEnvironment() })
}

func add(n *int) int {
	*n++
	return *n
}

// What is read and written are arguments of the calls.
//
// verdict: FAILED race
func TestArgument(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		data := new(int)
		x.Go("reader", func() {
			discard(0)
			fmt.Fprintln(io.Discard, "data", *data, "!")
			discard(0)
		})
		x.Go("writer", func() {
			discard(1)
			fmt.Fprintln(io.Discard, add(data))
			discard(1)
		})
		x.Join()
	})
}

// The call after the write is deferred.
//
// verdict: FAILED race
func TestDeferred(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		data := new(int)
		for n := range 2 {
			x.Go("writer", func() {
				fmt.Fprintln(io.Discard, n)
				defer fmt.Fprintln(io.Discard, n)
				*data = n
			})
		}
		x.Join()
	})
}

// There are steps before the first calls and after the last ones.
//
// verdict: FAILED race
func TestBetweenLocksAndCalls(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		data, sum := new(int), 0
		for n := range 2 {
			x.Go("writer", func() {
				mu.Lock()
				sum += n
				discard(n)
				mu.Unlock()
				discard(n)
				*data = n
				discard(n)
				mu.Lock()
				sum += n
				mu.Unlock()
			})
		}
		x.Join()
	})
}

// verdict: proved without assumptions
func TestGuardedBetween(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		data := new(int)
		for n := range 2 {
			x.Go("writer", func() {
				discard(n)
				mu.Lock()
				discard(n)
				*data = n
				discard(n)
				mu.Unlock()
				discard(n)
			})
		}
		x.Join()
		discard(*data)
	})
}

// A counted is written by what the library calls back.
type counted struct{ calls int }

func (c *counted) MarshalJSON() ([]byte, error) {
	c.calls++
	return []byte("1"), nil
}

func (c *counted) LogValue() slog.Value {
	c.calls++
	return slog.IntValue(c.calls)
}

func (c *counted) replaced(string) string {
	c.calls++
	return "b"
}

// within calls call in two goroutines, between lock and unlock.
func within(t *testing.T, locker sync.Locker, call func(c *counted)) {
	model.Check(t, func(x *model.Exec) {
		c := new(counted)
		for range 2 {
			x.Go("caller", func() {
				locker.Lock()
				defer locker.Unlock()
				call(c)
			})
		}
		x.Join()
	})
}

type unlocked struct{}

func (unlocked) Lock()   {}
func (unlocked) Unlock() {}

func marshal(c *counted) { _, _ = json.Marshal(c) }

func replace(c *counted) { letter.ReplaceAllStringFunc("a", c.replaced) }

var letter = regexp.MustCompile("a")

// Each call has a logger of its own: that of another takes the lock of its Handler.
func logIt(c *counted) {
	slog.New(slog.NewTextHandler(io.Discard, nil)).Info("text", "value", c)
}

// verdict: FAILED race
func TestWithinMarshal(t *testing.T) { within(t, unlocked{}, marshal) }

// verdict: proved
func TestGuardedMarshal(t *testing.T) { within(t, new(sync.Mutex), marshal) }

// verdict: FAILED race
func TestWithinReplacing(t *testing.T) { within(t, unlocked{}, replace) }

// verdict: proved
func TestGuardedReplacing(t *testing.T) { within(t, new(sync.Mutex), replace) }

// verdict: FAILED race
func TestWithinLogValue(t *testing.T) { within(t, unlocked{}, logIt) }

// verdict: proved
func TestGuardedLogValue(t *testing.T) { within(t, new(sync.Mutex), logIt) }
